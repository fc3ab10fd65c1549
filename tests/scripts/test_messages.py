# SPDX-License-Identifier: BSD-2-Clause
"""Every message of the program keeps to the rules of CONTRIBUTING.md, Messages.

scripts/maintain/messages collects the messages from the sources. What a message says in place of {...} is known only
when the program runs, but is a `part` of the same list where the program makes it.
"""

import re
import unittest

import script
import tap

LENGTH_MAX = 240  # of a message; an argument counts ARGUMENT_LEN
ARGUMENT_LEN = 12
PERSONS = re.compile(r"\b(?:who(?:m|ever|se)?|(?:some|no|any)body|told)\b", re.IGNORECASE)
ARGUMENT = re.compile(r"\{[^{}]*\}")
DURATION_OUTSIDE = re.compile(r"\{(?!DURATION\()[^{}]*\} ?(?:ns|us|ms|s|seconds?|minutes?)\b")
# What comes from the user or another program, by the names that it has in the sources.
FOREIGN = re.compile(r"(?<!['\w])\{(?:arg|word|path|comm|cgroup|name|record|text|argv\[\d\]"
                     r"|(?:\w+->)+(?:path|handler|load|target)|supervisor->supervised->text)\}(?!')"
                     r"|^--[\w-]+: \{(?!why\})")
NOT_BEGINNING = re.compile(r"[A-Z](?![A-Z0-9])|\d")

# (function, rule): why the rule does not hold there.
EXCEPTIONS = {
    ("src/command/live/run.c:check_run", "colon"): "load_refuse() makes the whole line",
    ("src/command/live/run.c:start_load", "colon"): "load__start() makes the whole line",
    ("src/workload/driver.c:failure_log", "colon"): "worker_fail() makes the whole line",
    ("src/cli/values.c:refuse_value", "colon"): "util/parse.h makes value, reason and remedy",
    ("src/tracer/bpf_failure.c:bpf_failure_say", "colon"): "what failed names the thing, too",
    ("src/recording/read_ahead.c:log_no_thread", "colon"): "what failed names the thing, too",
    ("src/cli/command_line.c:find_command", "quotes"): "the names of the commands",
    ("src/workload/member/worker.c:worker_fail", "quotes"): "the name of a thread of the program itself",
    ("src/cli/attach_hint.c:attach_hint_refuse", "quotes"): "what to type instead",
    ("src/util/parse.c:parse_time_unit", "quotes"): "what to type instead",
    ("src/util/parse.c:parse_time_unit", "duration"): "what to type instead",
}


def outside(text):
    """A text with {} for every argument: what the source itself says."""
    return ARGUMENT.sub("{}", text)


class Messages(unittest.TestCase):
    """Reads the list once."""

    @classmethod
    def setUpClass(cls):
        cls.script = script.load("scripts/maintain/messages")
        cls.messages = cls.script.messages()
        cls.used = set()

    def broken(self, rule, is_broken, *kinds):
        """The messages of these kinds that break a rule and are no exceptions."""
        found = []
        for kind, place, text in self.messages:
            if (not kinds or kind in kinds) and is_broken(text):
                if (place, rule) in EXCEPTIONS:
                    self.used.add((place, rule))
                else:
                    found.append(f"{place}: {text}")
        return found

    def test_all(self):
        """the list has every call that logs"""
        call = re.compile(r"\blog_(?:error|warning|notice|info)\(\s*[^)]")
        cnt = 0
        for path in (self.script.ROOT / "src").rglob("*.c"):
            if path.name != "log.c":
                cnt += len(call.findall(self.script.without_comments(path.read_text())))
        logged = [text for kind, place, text in self.messages
                  if kind in ("error", "warning", "notice", "info") and not place.endswith("worker_fail")]
        self.assertGreater(cnt, 100)
        self.assertEqual(len(logged), cnt)

    def test_persons(self):
        """no thread is a person"""
        self.assertEqual(self.broken("persons", PERSONS.search), [])

    def test_quotes(self):
        """values are in single quotes, and what comes from the user is in quotes"""
        logged = ("error", "warning", "notice", "info", "part")
        self.assertEqual(self.broken("quotes", lambda text: re.search("[\"`“”‘’]", outside(text)), *logged),
                         [])
        self.assertEqual(self.broken("quotes", FOREIGN.search, *logged), [])

    def test_begin_and_end(self):
        """a message begins in lower case, or with a name in capitals, and has no full stop"""
        logged = ("error", "warning", "notice", "info")
        self.assertEqual(self.broken("begin", NOT_BEGINNING.match, *logged), [])
        self.assertEqual(self.broken("end", lambda text: re.search(r"[.!?;,:\s]$", text), *logged, "part"), [])

    def test_form(self):
        """an error has what failed, the thing and the reason; a warning what happened and what it means"""
        self.assertEqual(self.broken("colon", lambda text: outside(text).count(": ") < 2, "error"), [])
        self.assertEqual(self.broken("colon", lambda text: ": " not in outside(text), "warning", "notice"), [])

    def test_durations(self):
        """util/duration.h writes the durations"""
        self.assertEqual(self.broken("duration", DURATION_OUTSIDE.search), [])

    def test_length(self):
        """a message can be read at once"""
        self.assertEqual(self.broken("length", lambda text: len(outside(text).replace("{}", ARGUMENT_LEN * "x"))
                                     > LENGTH_MAX), [])

    def test_table(self):
        """every exception is needed"""
        for name in dir(self):
            if name.startswith("test_") and name not in ("test_table", "test_all"):
                getattr(self, name)()
        self.assertEqual(set(EXCEPTIONS) - self.used, set())


if __name__ == "__main__":
    tap.main()
