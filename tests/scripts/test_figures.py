# SPDX-License-Identifier: BSD-2-Clause
"""What README.md and docs show of reports is what the program prints of kept recordings now."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import script
import tap

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = TOP / "scripts/maintain/figures"
figures = script.load("scripts/maintain/figures")
COMMANDS = re.compile(r"^```sh\n.*?^```$", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(r"^```.*|!\[.*|.*<!-- output.*", re.MULTILINE)
# Figures of a machine on a day, of more records than are kept.
MEASURES = re.compile(r"scripts/bench/tracers |ipctrace --experiment ")
# Draws from a table, see test_rooms.py.
DRAWS = "scripts/maintain/rooms"


def block(command, text):
    return f"<!-- output: {command} -->\n```\n{text}```\n"


class Figures(unittest.TestCase):
    """Nothing is traced: the recordings are those of docs/recordings."""

    def run_script(self, folder, *options):
        done = subprocess.run([SCRIPT, *options, "--folder", folder], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def check(self, folder):
        return self.run_script(folder, "--check")

    def write(self, text):
        """The folder of a project with this README.md and nothing else."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top = pathlib.Path(folder.name)
        (top / "docs").mkdir()
        (top / "README.md").write_text(text)
        return top

    def test_up_to_date(self):
        """nothing that README.md and docs show is outdated"""
        self.assertEqual(self.check(TOP), (0, ""))

    def test_picture(self):
        """one that differs is named, with the command that renews it; and one that is missing"""
        text, picture = "<!-- output: ipctrace report docs/recordings/run.ipct", "![a picture](docs/run.svg)\n"
        for command in (f"{text} --brief --color always -->", f"{text} -f svg --figure bands -->"):
            with self.subTest(command):
                top = self.write(f"{command}\n{picture}")
                path, outdated = top / "docs/run.svg", (1, "figures: outdated: docs/run.svg: run scripts/maintain/figures\n")
                self.assertEqual(self.check(top), outdated)
                self.assertEqual(self.run_script(top), (0, ""))
                self.assertEqual(self.check(top), (0, ""))
                path.write_text(path.read_text().replace("<text", "<text "))
                self.assertEqual(self.check(top), outdated)

    def test_block(self):
        """the same for the block after a mark: of a report, of a part of one, and of a unit test"""
        for command in ("ipctrace report docs/recordings/run.ipct --brief", "tests/unit/report/words/test_so_far.c",
                        "ipctrace report docs/recordings/run.ipct | sed -n '/^host/,/^$/p'"):
            with self.subTest(command):
                top = self.write(block(command, "ipctrace: 1 s, no messages\n"))
                self.assertEqual(self.check(top), (1, "figures: outdated: README.md: run scripts/maintain/figures\n"))
                self.assertEqual(self.run_script(top), (0, ""))
                self.assertEqual(self.check(top), (0, ""))

    def test_table(self):
        """the same for the rows of a table, whose titles stay"""
        titles = "| path | state |\n|---|---|\n"
        top = self.write(f"<!-- output: src/model/component.c paths: `name` was -->\n{titles}| `slept` | was so |\n\nEnd.\n")
        self.assertEqual(self.check(top), (1, "figures: outdated: README.md: run scripts/maintain/figures\n"))
        self.assertEqual(self.run_script(top), (0, ""))
        self.assertEqual(self.check(top), (0, ""))
        text = (top / "README.md").read_text()
        self.assertIn(f"{titles}| `slept` | was asleep on the channel |\n| `runnable` | was already runnable |\n", text)
        self.assertTrue(text.endswith("| `blocked` | was asleep for another reason |\n\nEnd.\n"))

    def test_nothing(self):
        """a part that is not there any more is no empty block"""
        command = "ipctrace report docs/recordings/run.ipct | sed -n '/no such line/p'"
        for text in ("", "something\n"):
            self.assertEqual(self.check(self.write(block(command, text))),
                             (1, f"figures: prints nothing: {command}\n"))

    def test_marks(self):
        """whatever is shown has a mark, and only what measures or draws has none of a recording or a test"""
        for path in figures.documents(TOP):
            with self.subTest(path.name):
                text = path.read_text()
                rest = COMMANDS.sub("", figures.MARK.sub("", text))
                self.assertEqual(SHOWN.findall(rest), [])
                for match in figures.MARK.finditer(text):
                    command = match["command"]
                    self.assertTrue(figures.OF_RECORDING.match(command) or figures.OF_UNIT_TEST.fullmatch(command)
                                    or figures.OF_TABLE.fullmatch(command) or MEASURES.match(command)
                                    or command == DRAWS, command)

    def test_recordings(self):
        """each recording is shown, and it is known how to make it again"""
        shown = "".join(path.read_text() for path in figures.documents(TOP))
        names = {path.stem for path in (TOP / figures.FOLDER).iterdir()}
        self.assertEqual(names, set(figures.RECORDINGS))
        self.assertEqual({name for name in names if f"{figures.FOLDER}/{name}.ipct" not in shown}, set())


if __name__ == "__main__":
    tap.main()
