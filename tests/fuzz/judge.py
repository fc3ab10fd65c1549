# SPDX-License-Identifier: BSD-2-Clause
"""Runs the program, and says what is wrong with how it ended or with what it wrote."""

import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import xml.etree.ElementTree

import schemas

OUTPUT_MAX = 64 << 20
LINES_CHECKED = 40
TROUBLE = re.compile(rb"runtime error|Sanitizer|uninitialised|Invalid (read|write)|definitely lost", re.M)
PLACE = re.compile(rb"(?:in |at |by |^)[^\n]*?(src/[\w/.-]+|[\w.-]+\.[ch]):(\d+)", re.M)
NO_NUMBER = re.compile(rb"[=\" >:,(]-?(?:nan|inf)[\" <,)%]", re.I)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
SANITIZERS = {"ASAN_OPTIONS": "exitcode=99:detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=0",
              "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1", "LC_ALL": "C", "TZ": "UTC"}


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_MAX, OUTPUT_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Judge:
    """Knows the schemas. `prefix` is what stands before the program: valgrind."""

    def __init__(self, program, limit_s, prefix=()):
        self.program = program
        self.limit_s = limit_s
        self.prefix = list(prefix)
        self.validators = schemas.Validators(schemas.of(program))

    def problem(self, command, path):
        """(kind, details) of what is wrong; None: nothing is."""
        argv = [*self.prefix, self.program, command[0], path, *command[1:]]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(argv, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                       env=dict(os.environ, **SANITIZERS), preexec_fn=limit)
            try:
                status = process.wait(self.limit_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return "hangs", f"still runs after {self.limit_s} s"
            out.seek(0)
            err.seek(0)
            return self.ended(command, status, out.read(), err.read())

    def output(self, command, path, environment):
        """What the program writes with these variables."""
        done = subprocess.run([self.program, command[0], path, *command[1:]], capture_output=True, check=False,
                              timeout=self.limit_s, env=dict(os.environ, LC_ALL="C", TZ="UTC", **environment))
        return done.stdout

    def ended(self, command, status, out, err):
        if status == -signal.SIGXFSZ or len(out) >= OUTPUT_MAX:
            return "output without end", f"{len(out)} bytes"
        if status < 0 or TROUBLE.search(err) or status == 99:
            return self.trouble(status, err)
        if status not in (0, 1, 2):
            return "status", f"{status}: {err[-500:].decode(errors='replace')}"
        try:
            return self.written(command, out)
        except (ValueError, xml.etree.ElementTree.ParseError) as wrong:
            return "output", f"{type(wrong).__name__}: {wrong}"[:500]

    @staticmethod
    def trouble(status, err):
        at = TROUBLE.search(err)
        text = err[max(0, at.start() - 200) if at else 0:]
        places = [b":".join(found).decode() for found in PLACE.findall(text)]
        own = [place for place in places if "sanitizer" not in place and "vg_replace" not in place]
        return f"breaks at {own[0] if own else f'status {status}'}", text[:3000].decode(errors="replace")

    def written(self, command, out):
        """What is wrong with the output of a format."""
        form = command[command.index("-f") + 1]
        if form == "perfetto" or not out:
            return None
        text = out.decode("utf-8")
        if CONTROL.search(text):
            return "control character", repr(text[CONTROL.search(text).start():][:80])
        if form in ("svg", "html") and NO_NUMBER.search(out):
            at = NO_NUMBER.search(out).start()
            return "no number", repr(out[max(0, at - 100):at + 40])
        if form == "svg":
            xml.etree.ElementTree.fromstring(text)
        if form == "json":
            return self.invalid([json.loads(text)])
        if form == "ndjson":
            lines = text.splitlines()
            step = max(1, len(lines) // LINES_CHECKED)
            return self.invalid([json.loads(line) for line in lines[:3] + lines[3::step] + lines[-1:]], "messages")
        return None

    def invalid(self, documents, name=None):
        for document in documents:
            wrong = self.validators.problem(name or schemas.name_of(document), document)
            if wrong:
                where = re.sub(r"\[\d+\]", "[]", wrong.split(": ")[0])
                return f"schema {where}", wrong
        return None
