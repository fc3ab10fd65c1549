# SPDX-License-Identifier: BSD-2-Clause
"""No foreign byte reaches a terminal but through src/util/plain.c: a proof over all sources.

The program writes text to people through four doors, and each of them makes plain text of every byte:
log_*() escapes its whole line; `struct text` writes to a stream of plain_open(); stderr is such a
stream from the first line of main() on; the parts of a line that is rewritten in place are escaped. JSON goes through json_value_dump(), which gives ASCII. Whatever
else writes to a stream stands below, with the reason why no foreign byte is in it.
"""

import os
import re
import unittest

import tap

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src")

# They write to stdout, to stderr or to the terminal by themselves.
FORBIDDEN = r"(?:v?printf|puts|putchar|putchar_unlocked|perror|psignal|psiginfo|v?dprintf|v?syslog|" \
            r"v?warnx?|v?errx?|error|error_at_line|putw|fputws|fputwc|fwprintf|wprintf|ttyname|ctermid)"

# The stream is their first argument, or their last one.
STREAM_FIRST = ("fprintf", "vfprintf")
STREAM_LAST = ("fputs", "fputc", "putc", "fwrite", "fputs_unlocked", "putc_unlocked", "fwrite_unlocked")

# {file: {stream: why that is no way for a foreign byte to a terminal}}; "" are all files.
STREAMS = {
    "": {"text->out": "struct text: a stream of plain_open()",
         "page->text.out": "struct text: a stream of plain_open()"},
    "util/plain.c": {"out": "the bytes are plain", "door->out": "the bytes are plain"},
    "util/log.c": {"stderr": "the line is plain, and stderr is a stream of plain_open()"},
    "load/site.c": {"stderr": "a stream of plain_open(), to a pipe of the program's"},
    "tracer/tracer.c": {"stderr": "a stream of plain_open()"},
    "report/text/page.c": {"page->out": "what came through a stream of plain_open(), and codes of colours"},
    "report/json_value.c": {"ctx": "JSON of json_value_dump(), without DEL"},
    "report/json/json.c": {"out": "a newline"},
    "report/json/ndjson.c": {"out": "a newline", "report->out": "JSON of struct line, which is ASCII"},
    "report/markup.c": {"markup->out": "put() writes control characters and what is no UTF-8 as numbers"},
    "report/figure/canvas.c": {"canvas->markup->out": "numbers, and names of this program",
                               "out": "a number"},
    "report/figure/heat_data.c": {"out": "numbers", "counts.stream": "numbers"},
    "report/figure/client_curves.c": {"out": "numbers"},
    "report/figure/cpu_strips.c": {"out": "numbers"},
    "report/csv.c": {"report->out": "own words, numbers, and names as in JSON, which is ASCII",
                     "ctx": "JSON of json_value_dump(), in memory", "memory": "the same"},
    "report/hgrm.c": {"out": "numbers, and words of this program"},
    "report/json/schema.c": {"out": "a newline"},
    "report/text/text.c": {"text->sheet": "what plain_open() has let through before"},
    "report/perfetto/packets.c": {"packets->out": "refused for a terminal, and text in it is UTF-8 without "
                                                  "control characters"},
    "command/list/list_json.c": {"out": "JSON's own words and numbers"},
    "command/doctor/diagnosis_json.c": {"style->out": "a newline"},
    "cli/output.c": {"out": "--help: words of this program"},
    "cli/list.c": {"out": "--help: words of this program"},
    "cli/values.c": {"out": "--help: words of this program"},
    "load/window.c": {"mover->orders": "a pipe to xdotool", "mover.orders": "the same"},
    "load/ftp.c": {"file": "a file of noise"},
    "recording/recording.c": {"writer->file": "a recording: no text"},
    "recording/block.c": {"w->file": "a recording: no text"},
}

# Streams and descriptors of the terminal by name: {file: {what may stand there}}.
STANDARD = {
    "util/plain.c": {"open_door(&door, stderr)", "stderr = stream"},
    "util/log.c": {"fprintf(stderr,"},
    "tracer/tracer.c": {"vfprintf(stderr,", "isatty(STDERR_FILENO)"},
    "util/atomic_file.c": {".descriptor = STDOUT_FILENO}", "stream = stdout;", "stream != stdout"},
    "util/file_place.c": {"fstat(STDOUT_FILENO,"},
    "stacks/namer.c": {"(STDERR_FILENO + 1)"},
    "util/process_limits.c": {"[STDOUT_FILENO] = O_RDONLY", "[STDERR_FILENO] = O_RDONLY", "fd <= STDERR_FILENO"},
    "cli/command_line.c": {"fflush(stdout)", "ferror(stdout)"},
    "cli/output.c": {"argp_state_help(parsing->state, stdout,", "help_print(parsing->syntax, parsing->state->name, stdout)",
                     "help_print_version(stdout)", "isatty(STDOUT_FILENO)"},
    "command/live/attach.c": {"isatty(STDERR_FILENO)"},
    "command/watch/on_slow.c": {"dup2(STDERR_FILENO, STDOUT_FILENO)", "STDERR_FILENO + 1"},
    "command/progress.c": {"isatty(STDERR_FILENO)", "terminal_status_columns(STDERR_FILENO)"},
    "util/status_line.c": {".fd = STDERR_FILENO", "write(STDERR_FILENO, text,"},
    "load/site.c": {"fprintf(stderr,", "STDOUT_FILENO, O_WRONLY)", "STDERR_FILENO + 1"},
    "load/ftp.c": {"addopen(&actions, STDERR_FILENO,", "STDERR_FILENO + 1"},
    "load/load.c": {"dup2(null, STDOUT_FILENO)", "dup2(null, STDERR_FILENO)",
                    "dup2(errors, STDERR_FILENO)", "(STDERR_FILENO + 1)"},
    "workload/handlers/exec.c": {"dup2(output, STDOUT_FILENO)", "dup2(exec->null, STDERR_FILENO)",
                                "STDERR_FILENO + 1"},
    "command/live/target/child.c": {"STDERR_FILENO + 1", "STDERR_FILENO + 2"},
}

# Files that write JSON by hand have no name in it.
WITHOUT_NAMES = ("command/list/list_json.c",)

CODES = {"report/text/layout.c", "report/text/page.c", "util/status_line.c"}


def code_of(path):
    """A source without its comments; strings stay."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    token = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//[^\n]*', re.S)
    return token.sub(lambda m: " " if m[0].startswith("/") else m[0], text)


def without_strings(code):
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', code)


def arguments(code, start):
    """The arguments of the call whose bracket opens at `start`."""
    depth, parts, part = 0, [], ""
    for c in code[start:]:
        depth += (c in "([{") - (c in ")]}")
        if not depth:
            return [" ".join(p.split()) for p in parts + [part]]
        if c == "," and depth == 1:
            parts.append(part)
            part = ""
        elif not (c == "(" and depth == 1 and not part and not parts):
            part += c
    raise AssertionError("a call without an end")


def writes(code):
    """(function, stream) of every call that writes to a stream."""
    for match in re.finditer(rf"\b({'|'.join(STREAM_FIRST + STREAM_LAST)})\s*\(", without_strings(code)):
        words = arguments(without_strings(code), match.end() - 1)
        yield match[1], words[0] if match[1] in STREAM_FIRST else words[-1]


class TerminalBytes(unittest.TestCase):
    """Reads every file below src/."""

    @classmethod
    def setUpClass(cls):
        cls.code = {}
        for folder, _, names in os.walk(SOURCES):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith((".c", ".h")):
                    cls.code[os.path.relpath(path, SOURCES)] = code_of(path)

    def test_forbidden(self):
        """nothing prints by itself, past the doors"""
        for path, code in self.code.items():
            calls = re.findall(rf"\b{FORBIDDEN}\s*\(", without_strings(code))
            self.assertEqual(calls, [], f"{path}: use log_*() or struct text")
            self.assertNotRegex(code, r"#\s*include\s*<(?:err|error|syslog|curses|wchar)\.h>"
                                if path != "util/plain.c" else r"#\s*include\s*<(?:err|error)\.h>", path)

    def test_streams(self):
        """what writes to a stream is known"""
        for path, code in self.code.items():
            known = STREAMS[""] | STREAMS.get(path, {})
            for function, stream in writes(code):
                self.assertIn(stream, known, f"{path}: {function}(): may a foreign byte be in it? "
                              "use log_*() or struct text")

    def test_standard_streams(self):
        """no other code uses stdout, stderr or their descriptors"""
        for path, code in self.code.items():
            rest = without_strings(code)
            for known in STANDARD.get(path, ()):
                rest = rest.replace(known, "")
            self.assertNotRegex(rest, r"\b(?:stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b", path)
            self.assertNotRegex(rest, r"\bwrite\s*\(\s*[012]\s*,", path)
            self.assertNotRegex(code, r"/dev/(?:tty|stdout|stderr|pts)", path)

    def test_text(self):
        """the stream of a struct text is one of plain_open(), and nothing else"""
        for path, code in self.code.items():
            if path != "report/text/layout.c":
                self.assertNotRegex(code, r"\btext(?:->|\.)out\s*=[^=]", path)
                self.assertNotRegex(code, r"\bstruct text \w+ = \{[^}]*\.out", path)
        self.assertEqual(re.findall(r"out = ([^;,]+)[;,]", self.code["report/text/layout.c"]),
                         ["plain_open(page_stream(text->page))"])

    def test_json(self):
        """JSON leaves by json_value_dump() alone, and what is written by hand holds no name"""
        for path, code in self.code.items():
            if path not in ("report/json_value.c", "recording/header.c"):
                self.assertNotRegex(code, r"\bjson_dump\w*\s*\((?!\))", path)
        self.assertIn("JSON_ENSURE_ASCII", self.code["report/json_value.c"])
        for path in WITHOUT_NAMES:
            self.assertNotRegex(self.code[path], r'"[^"]*%[-.*0-9]*[sc]', path)

    def test_codes(self):
        """codes for terminals are written where nothing foreign is"""
        for path, code in self.code.items():
            if path not in CODES:
                self.assertNotRegex(code, r"\\(?:033|x1[bB]|e\[)", path)

    def test_status_line(self):
        """what is rewritten in place is made plain by line_parts_add()"""
        for path, code in self.code.items():
            calls = code.count("status_line_show(") - path.startswith("util/status_line.")
            self.assertEqual(calls, int(path == "command/progress.c"), path)
        self.assertRegex(self.code["command/progress.c"],
                         r"line_parts_fit\(parts, columns, line\);\s*status_line_show\(line\);")
        self.assertIn("plain_text(text, parts->part[parts->cnt++].text, LINE_PART_LEN);",
                      self.code["report/words/so_far.c"])

    def test_first(self):
        """main() sets up stderr before it does anything"""
        body = self.code["main.c"].split("int main(", 1)[1]
        self.assertLess(body.index("plain_set_up();"), body.index("parse_and_run("))
        self.assertLess(body.index("standard_streams_open();"), body.index("plain_set_up();"))


if __name__ == "__main__":
    tap.main()
