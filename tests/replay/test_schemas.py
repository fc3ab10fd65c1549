# SPDX-License-Identifier: BSD-2-Clause
"""Every JSON output has the shape that its schema says, and a schema refuses any other shape."""

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import schemas
import tap
from replay import test_recordings
from replay.test_recordings import NAMES, UNTRACED, path_of

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
UNITS = ("message", "call", "round")

# {words of a schema: the program's array of them}, which stands in a file that the tables cannot refer to
WORDS = {("list", "listed_connection", "state"): "src/command/channels/channel_list.c:names",
         ("doctor", "finding", "health"): "src/command/doctor/diagnosis.c:health_names",
         ("doctor", "finding", "attach"): "src/command/doctor/diagnosis.c:health_names",
         ("doctor", "finding", "run"): "src/command/doctor/diagnosis.c:health_names"}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def sources():
    return [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(TOP, "src")) for name in names]


def array_of(place):
    """The words of an array of names, which one file defines."""
    path, _, name = place.rpartition(":")
    pattern = re.compile(rf"\b{name}\[[^\]]*\] = \{{(.*?)\}};", re.DOTALL)
    found = [match[1] for file in ([path] if path else sources()) for match in pattern.finditer(read(file))]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} arrays are called {name}")
    return re.findall(r'\] =\s*\{?\s*(?:\.name = |NAMED\()?"([^"]*)"', found[0])


def ipctrace(*arguments):
    return subprocess.run([test_recordings.PROGRAM, *arguments], capture_output=True, text=True, timeout=240,
                          check=False)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schemas = schemas.of(test_recordings.PROGRAM)

    def check(self, documents):
        """{what it is: (name of its schema, document)}"""
        for what, problem in zip(documents, schemas.problems(self.schemas, documents.values())):
            with self.subTest(what):
                self.assertIsNone(problem)


class Printed(Case):
    """What report --schema prints."""

    def test_printed(self):
        """a name that has no schema is refused"""
        refused = ipctrace("report", "--schema", "no-such")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertEqual(len(self.schemas), 7)

    def test_words(self):
        """words that the tables repeat are those of the program"""
        for (name, definition, member), place in WORDS.items():
            with self.subTest(name):
                shape = self.schemas[name]["$defs"][definition]["properties"][member]
                self.assertCountEqual(shape["enum"], array_of(place))
        patterns = [name for file in os.listdir(os.path.join(TOP, "src/workload/patterns")) if file.endswith(".c")
                    for name in re.findall(r'\.name = "(\w+)"', read(f"src/workload/patterns/{file}"))]
        shape = self.schemas["summary"]["$defs"]["workload_spec"]["properties"]["pattern"]
        self.assertCountEqual(shape["enum"], patterns)

    def test_names(self):
        """every schema that the sources name is printed"""
        found = {name for path in sources() for name in re.findall(r'"ipctrace\.(\w+)/\d+"', read(path))}
        # The head of a recording is not an output.
        self.assertEqual(found - {"recording"}, set(self.schemas))

    def test_whole(self):
        """every member of an object is known, and required unless its description says more"""
        missing = {"explanation", "truncated"}
        for name, schema in self.schemas.items():
            for shape in self.objects(schema):
                with self.subTest(name, members=list(shape["properties"])[:4]):
                    self.assertIs(shape["additionalProperties"], False)
                    self.assertLessEqual(set(shape["properties"]) - set(shape["required"]), missing)

    def objects(self, shape):
        if isinstance(shape, dict):
            if shape.get("type") == "object":
                yield shape
            for part in shape.values():
                yield from self.objects(part)
        elif isinstance(shape, list):
            for part in shape:
                yield from self.objects(part)


class Outputs(Case):
    """All recordings in all formats."""

    def shown(self, *arguments):
        return json.loads(ipctrace(*arguments).stdout)

    def test_summaries(self):
        """report -f json"""
        documents = {}
        for name in NAMES:
            document = self.shown("report", path_of(name), "-f", "json")
            documents[name] = schemas.name_of(document), document
        self.assertEqual({schema for schema, _ in documents.values()}, {"summary", "sweep"})
        self.check(documents)

    def test_explanations(self):
        """ipctrace explain -f json, of each unit"""
        documents = {}
        for name in NAMES:
            for unit in UNITS:
                said = ipctrace("explain", path_of(name), "-f", "json", "--unit", unit).stdout
                if said:
                    document = json.loads(said)
                    documents[f"{name}, {unit}"] = schemas.name_of(document), document
        self.assertEqual({schema for schema, _ in documents.values()}, {"explain", "explain_sweep"})
        self.assertGreater(len(documents), 30)
        self.check(documents)

    def test_lines(self):
        """the first lines, every 7th message, and the last line of report -f ndjson"""
        documents = {}
        for name in NAMES:
            if name not in UNTRACED:
                lines = ipctrace("report", path_of(name), "-f", "ndjson").stdout.splitlines()
                for number in {0, 1, len(lines) - 1, *range(0, len(lines), 7)}:
                    documents[f"{name}:{number + 1}"] = "messages", json.loads(lines[number])
        self.assertGreater(len(documents), 200)
        self.check(documents)


def paths_of(document, at=(), seen=None):
    """Where its objects are: one of each set of members."""
    seen = set() if seen is None else seen
    if isinstance(document, list):
        document = dict(enumerate(document))
    elif isinstance(document, dict):
        if frozenset(document) not in seen:
            yield at
        seen.add(frozenset(document))
    else:
        return
    for name, part in document.items():
        yield from paths_of(part, at + (name,), seen)


def shortened(document):
    """The same with at most two entries in each list."""
    if isinstance(document, dict):
        return {name: shortened(part) for name, part in document.items()}
    if isinstance(document, list):
        return [shortened(part) for part in document[:2]]
    return document


def changed(document, path, change):
    """A copy in which `change` was made to the object at `path`."""
    document = part = copy.copy(document)
    for step in path:
        part[step] = copy.copy(part[step])
        part = part[step]
    change(part)
    return document


def removed(name):
    return lambda part: part.pop(name)


def renamed(name):
    return lambda part: part.update({f"{name}_": part.pop(name)})


def retyped(name):
    return lambda part: part.update({name: {"no": "such"}})


def misspelt(name):
    """Another word, or a number of the wrong kind or sign."""
    return lambda part: part.update({name: part[name] + "?" if isinstance(part[name], str) else -1.5})


class Bites(Case):
    """Outputs that are changed in one place are refused."""

    @staticmethod
    def wrong(document):
        """(what was done, document)"""
        for path in paths_of(document):
            part = document
            for step in path:
                part = part[step]
            yield f"{path}: more", changed(document, path, lambda part: part.update({"more": 0}))
            yield f"{path}: a member renamed", changed(document, path, renamed(next(iter(part))))
            for name in part:
                yield f"{path}: {name} of another type", changed(document, path, retyped(name))
                yield f"{path}: no {name}", changed(document, path, removed(name))
                if name.endswith("_ns") and isinstance(part[name], int):
                    yield f"{path}: {name} negative", changed(document, path, misspelt(name))
                if name in ("component", "class", "path", "match", "transport", "schema") and part[name]:
                    yield f"{path}: {name} misspelt", changed(document, path, misspelt(name))

    def check_bites(self, schema, document, least):
        wrong = list(self.wrong(document))
        self.assertGreater(len(wrong), least)
        asked = [(schema, document)] + [(schema, changed_) for _, changed_ in wrong]
        valid, *problems = schemas.problems(self.schemas, asked)
        self.assertIsNone(valid)
        self.assertEqual([what for (what, _), problem in zip(wrong, problems) if not problem], [])

    def test_summary(self):
        """summaries of calls and of rounds"""
        for name in ("tcp-request", "one-cpu"):
            shown = json.loads(ipctrace("report", path_of(name), "-f", "json").stdout)
            self.check_bites("summary", shortened(shown), 400)

    def test_explanation(self):
        """explanations of messages and of calls"""
        for unit in ("message", "call"):
            shown = json.loads(ipctrace("explain", path_of("tcp-request"), "-f", "json", "--unit", unit).stdout)
            self.check_bites("explain", shortened(shown), 200)

    def test_lines(self):
        """lines of ndjson"""
        header, message, *_, end = ipctrace("report", path_of("spinner"), "-f", "ndjson").stdout.splitlines()
        for line, least in ((header, 60), (message, 100), (end, 15)):
            self.check_bites("messages", json.loads(line), least)


if __name__ == "__main__":
    tap.main()
