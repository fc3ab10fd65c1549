# SPDX-License-Identifier: BSD-2-Clause
"""The commands of README.md and docs/recipes.md work as they stand there."""

import os
import re
import subprocess

import harness
import tap

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/maintain/try_commands")
LIMIT_S = 600
TOTALS = r"(\d+) passed, (\d+) failed\n$"

# The last command of each block fails, and no other.
EXAMPLES = """
    sudo this-is-no-command

```
neither is this
```
<!-- output: nor this -->

```sh
# Lines that belong together are one command, and a shell keeps its variables.
for number in 1 2; do
    echo $number >>numbers
done

number=$(wc -l \\
    <numbers)
[ $number = 2 ]
exit 3
```

The shell has ended, and another one goes on.

```sh
build/ipctrace --version && ipctrace --version >version.txt
[ -s version.txt ] && sudo ipctrace list
sudo ipctrace attach -d 100ms --no-such-option
```

<!-- needs: programs -->
```sh
sudo ipctrace attach --comm my-server -d 1s -f json -o report.json
sudo ipctrace attach --comm my-server --peer nothing -d 100ms
```
"""


class Documents(harness.TestCase):
    """Runs scripts/maintain/try_commands, which starts the servers that the commands need."""

    def try_commands(self, *documents):
        """(exit status, output)"""
        done = subprocess.run([SCRIPT, *documents], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=harness.environment(), timeout=LIMIT_S)
        return done.returncode, done.stdout

    def write(self, text):
        """A document with this text."""
        with open(self.file("document.md"), "w", encoding="utf-8") as file:
            file.write(text)
        return file.name

    def test_documents(self):
        """every command of README.md and of the recipes works"""
        status, output = self.try_commands()
        self.assertRegex(output, TOTALS)
        passed, failed = map(int, re.search(TOTALS, output).groups())
        problems = re.findall(r"^  FAILED .*\n(?:    .*\n)*", output, re.MULTILINE)
        self.assertEqual((status, failed), (0, 0), "".join(problems) or output)
        self.assertGreater(passed, 15, output)

    def test_failures(self):
        """a command that fails is reported with its place, and so is an attach without a message"""
        status, output = self.try_commands(self.write(EXAMPLES))
        found = re.findall(r"^  (ok|FAILED) .* s  \S+:(\d+) +(\S+)", output, re.MULTILINE)
        self.assertEqual(sorted((int(line), word, first) for word, line, first in found), [
            (11, "ok", "for"), (15, "ok", "number=$(wc"), (17, "ok", "["), (18, "FAILED", "exit"),
            (24, "ok", "build/ipctrace"), (25, "ok", "["), (26, "FAILED", "sudo"),
            (31, "ok", "sudo"), (32, "FAILED", "sudo")], output)
        self.assertIn("exit status 3\n", output)
        self.assertIn("exit status 2\n", output)
        self.assertIn("its report has no message\n", output)
        self.assertEqual((status, output.splitlines()[-1]), (1, "6 passed, 3 failed"))

    def test_stage(self):
        """a stage that does not exist is refused"""
        status, output = self.try_commands(self.write("<!-- needs: nothing -->\n```sh\ntrue\n```\n"))
        self.assertEqual(status, 1)
        self.assertIn("document.md:3: needs: nothing: there is no such stage: use postgres, ", output)

    def test_no_command(self):
        """a document without a command is no success"""
        self.assertEqual(self.try_commands(self.write("    true\n")), (1, "0 passed, 0 failed\n"))


if __name__ == "__main__":
    tap.main()
