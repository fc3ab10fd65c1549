# SPDX-License-Identifier: BSD-2-Clause
"""
Validates JSON with jsonschema, which shares no code with the program. Debian has it for its own Python, which
need not be the one that runs the tests: this file is also the program of a child.

    schemas.py <QUESTIONS     {"schemas": {name: schema}, "documents": [[name, document]]}
"""

import json
import re
import subprocess
import sys

INTERPRETERS = (sys.executable, "/usr/bin/python3")


def interpreter():
    """One that has jsonschema."""
    for python in INTERPRETERS:
        if subprocess.run([python, "-c", "import jsonschema"], capture_output=True, check=False).returncode == 0:
            return python
    raise AssertionError("no Python has jsonschema: run scripts/setup test")


def of(program):
    """{name: schema}: all that the program knows."""
    def shown(name):
        return subprocess.run([program, "report", "--schema", name], capture_output=True, text=True, check=False)

    names = re.search(r"unknown value: use one of (.*)\n", shown("?").stderr)[1]
    return {name: json.loads(shown(name).stdout) for name in names.split(", ")}


def problems(schemas, documents):
    """What is wrong with each (name of a schema, document); None: it is valid."""
    asked = json.dumps({"schemas": schemas, "documents": list(documents)})
    done = subprocess.run([interpreter(), __file__], input=asked, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def name_of(document):
    """The schema that a document names: summary; None: it is a line of ndjson that names none."""
    schema = document.get("schema")
    return schema.removeprefix("ipctrace.").removesuffix("/1") if schema else None


def part_of(line):
    """The definition of a line of ndjson."""
    if "schema" in line:
        return "header"
    return line["kind"] if line.get("kind") in ("message", "call") else "last"


class Validators:
    """Those of all schemas. A line of ndjson meets only its own part, so that an error is easy to read."""

    def __init__(self, schemas):
        import jsonschema  # pylint: disable=import-outside-toplevel

        self.best_match = jsonschema.exceptions.best_match
        for schema in schemas.values():
            jsonschema.Draft202012Validator.check_schema(schema)
        self.of = {name: jsonschema.Draft202012Validator(schema) for name, schema in schemas.items()}
        lines = schemas.get("messages", {"$defs": {}})
        for part in ("header", "message", "call", "last"):
            self.of["messages", part] = jsonschema.Draft202012Validator(
                {"$ref": f"#/$defs/{part}", "$defs": lines["$defs"]})

    def problem(self, name, document):
        """The first one; None: there is none."""
        validator = self.of["messages", part_of(document)] if name == "messages" else self.of[name]
        first = next(validator.iter_errors(document), None)
        if not first:
            return None
        error = self.best_match([first])
        return f"{error.json_path}: {error.message[:300]}"


def answer():
    questions = json.load(sys.stdin)
    validators = Validators(questions["schemas"])
    json.dump([validators.problem(name, document) for name, document in questions["documents"]], sys.stdout)


if __name__ == "__main__":
    answer()
