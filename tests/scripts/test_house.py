# SPDX-License-Identifier: BSD-2-Clause
"""The sources keep to the layout that CONTRIBUTING.md describes.

The include table, docs/includes.md, is held against every #include line. A source and its header are one
room: rooms neither include nor call one another in a circle. Files, functions and folders have an upper
size, every file begins with a header, and comments keep to the project's English.
"""

import ast
import collections
import glob
import os
import re
import subprocess
import tokenize
import unittest

import tap

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BUILD = os.path.dirname(os.environ.get("IPCTRACE_PROGRAM", os.path.join(TOP, "build/ipctrace")))

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 60
LINE_COLUMNS_MAX = 100
SOURCES_IN_FOLDER_MAX = 25

# The folders of src/report that are output formats.
FORMATS = ("figure", "html", "json", "perfetto", "text")

ROW = re.compile(r"^\| `([^`]+)` \|([^|]*)\|", re.MULTILINE)
INCLUDED = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(/\*.*?\*/|//[^\n]*)', re.DOTALL)
# The name of a function in its first line; a BPF program has it in a macro.
NAME = re.compile(r'_PROG\((?:"[^"]*", *)?(\w+)|\b(?!\w*_PROG)(\w+)\(')
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\) ")
BEGIN = re.compile(r"^[A-Za-z_][^;=]*\([^;]*\)[^;=]*$")

# Phrases that had to be read twice. CONTRIBUTING.md, Style, has the words to use instead.
DIALECT = re.compile(r"\b[Ww]ho(?:m|ever|mever)?\b|\b(?:[Ss]ome|[Aa]ny|[Nn]o)body\b"
                     r"|\b(?:is|are|was|were|be) told\b|\btold of\b|\b[Tt]ells? (?:\w+ \w+ )?of\b"
                     r"|\bof a target's\b|\bwhen we came\b|\bcomes? to be traced\b|(?:^|[.:] +)Of [a-z][^.]*,")

# A dictionary, and strings that tests look for.
WITH_OTHER_WORDS = ("src/workload/handlers/dictionary.c", "tests/")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def sources(*folders):
    """The C files below these folders, relative to the project."""
    paths = [path for folder in folders for kind in "ch"
             for path in glob.glob(f"{TOP}/{folder}/**/*.{kind}", recursive=True)]
    return sorted(os.path.relpath(path, TOP) for path in paths)


def room(path):
    """A source and its header are one room."""
    return re.sub(r"(\.bpf)?\.[cho]$", "", path)


def target_of(name, path):
    """The file that an #include line of a source names; None: it is generated, or the kernel's."""
    folders = ("bpf", os.path.dirname(path)) if path.startswith("bpf/") else ("src", ".")
    for folder in folders:
        target = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(os.path.join(TOP, target)):
            return target
    return None


def includes(path):
    found = [target_of(name, path) for name in INCLUDED.findall(read(path))]
    return [target for target in found if target]


def circles(arrows):
    """Sets of rooms that reach one another; arrows: {room: {room}}."""
    reach = {start: set().union(*(reachable(arrows, target) for target in arrows[start]))
             for start in arrows}
    found = {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in reach if a in reach[a]}
    return [sorted(circle) for circle in found]


def include_arrows():
    arrows = {}
    for path in sources("src", "bpf"):
        for target in includes(path):
            if room(target) != room(path):
                arrows.setdefault(room(path), set()).add(room(target))
    return arrows


def symbols(path):
    """(defined, wanted) names of an object."""
    listing = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    entries = [line.split()[-2:] for line in listing.splitlines() if len(line.split()) >= 2]
    return ({name for kind, name in entries if kind in "TDBRVW"}, {name for kind, name in entries if kind == "U"})


def call_arrows():
    """{room: rooms that define a name which it uses}, by the program's own objects."""
    objects = {room(path): symbols(os.path.join(BUILD, path[:-1] + "o"))
               for path in sources("src") if path.endswith(".c")}
    home = {name: place for place, (defined, _) in objects.items() for name in defined}
    return {place: {home[name] for name in wanted if home.get(name, place) != place}
            for place, (_, wanted) in objects.items()}


def functions(path):
    """(name, lines) of every function of a C file, which clang-format has set."""
    lines = read(path).splitlines()
    begin = None
    for number, line in enumerate(lines):
        if line == "{" and number and re.search(r"\)[^;=]*$", lines[number - 1]):
            begin = number
            while begin and re.match(r"[\s]", lines[begin - 1]):
                begin -= 1
            begin -= 1
        elif line == "}" and begin is not None:
            yield lines[begin].strip(), number - begin + 1
            begin = None


class House(unittest.TestCase):
    """Reads every source."""

    @classmethod
    def setUpClass(cls):
        cls.table = {name: set(re.findall(r"`([^`]+)`", allowed))
                     for name, allowed in ROW.findall(read("docs/includes.md"))}

    def row_of(self, path):
        """The longest row of the table that holds a file."""
        rows = [row for row in self.table if path == row or path.startswith(row + "/")]
        self.assertTrue(rows, f"{path} is in no row of the table in docs/includes.md")
        return max(rows, key=len)

    def test_table(self):
        """a row of the table may include only rows below it"""
        rows = list(self.table)
        self.assertGreater(len(rows), 15)
        for place, row in enumerate(rows):
            for below in self.table[row]:
                self.assertIn(below, rows[place + 1:], f"{row} may include {below}, which does not stand below it")

    def test_formats(self):
        """an output format includes no other one, and the words of all of them no format"""
        formats = {f"src/report/{name}" for name in FORMATS}
        self.assertEqual(formats - set(self.table), set())
        for row in formats | {"src/report", "src/report/words", "src/insight"}:
            self.assertEqual(formats & self.table[row], set(), row)
        for row in ("src/report/words", "src/insight"):
            self.assertEqual([below for below in self.table[row] if below.startswith("src/report")], [])

    def test_includes(self):
        """files include only what the table allows"""
        wrong = [f"{path} includes {target}" for path in sources("src", "bpf") for target in includes(path)
                 if self.row_of(target) != self.row_of(path)
                 and self.row_of(target) not in self.table[self.row_of(path)]]
        self.assertEqual(wrong, [])

    def test_table_is_needed(self):
        """every permission of the table is used"""
        used = {(self.row_of(path), self.row_of(target))
                for path in sources("src", "bpf") for target in includes(path)}
        unused = [f"{row} may include {below}" for row in self.table for below in self.table[row]
                  if (row, below) not in used]
        self.assertEqual(unused, [])

    def test_include_circles(self):
        """no files include one another in a circle"""
        self.assertEqual(circles(include_arrows()), [])

    def test_call_circles(self):
        """no files call one another in a circle"""
        arrows = call_arrows()
        self.assertGreater(sum(map(len, arrows.values())), 500)
        self.assertEqual(circles(arrows), [])

    def test_bpf_calls(self):
        """a BPF file includes what it calls"""
        arrows = include_arrows()
        paths = sources("bpf")
        define = re.compile(r"^(?:static|OUT_OF_LINE|VERIFIED_ONCE)[^;={]*?\b(\w+)\([^;{]*\)\s*\{", re.MULTILINE)
        home = {name: room(path) for path in paths for name in define.findall(without_comments(path))
                if name != "__attribute__"}
        wrong = []
        for path in paths:
            reached = reachable(arrows, room(path))
            for name in set(re.findall(r"\b(\w+)\(", without_comments(path))):
                if name in home and home[name] not in reached:
                    wrong.append(f"{path} calls {name}() of {home[name]}")
        self.assertEqual(wrong, [])

    def test_files(self):
        """no file is longer than a sitting"""
        paths = sources("src", "bpf", "tests") + python_files()
        longest = {path: len(read(path).splitlines()) for path in paths}
        self.assertEqual({path: n for path, n in longest.items() if n > FILE_LINES_MAX}, {})

    def test_lines(self):
        """no line of C is wider than clang-format sets it: comments and strings are not its own to break"""
        wide = [f"{path}:{number}" for path in sources("src", "bpf", "tests")
                for number, line in enumerate(read(path).splitlines(), 1) if len(line.expandtabs(8)) > LINE_COLUMNS_MAX]
        self.assertEqual(wide, [])

    def test_functions(self):
        """no function is longer than a screen"""
        paths = sources("src", "bpf", "tests")
        long = [f"{path}: {name}: {n}" for path in paths for name, n in functions(path) if n > FUNCTION_LINES_MAX]
        for path in python_files():
            long += [f"{path}: {node.name}: {node.end_lineno - node.lineno + 1}"
                     for node in ast.walk(ast.parse(read(path)))
                     if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= FUNCTION_LINES_MAX]
        self.assertEqual(long, [])

    def test_function_names(self):
        """no function has the name of another one, also where both are static: a search finds one place"""
        for tree in ("src", "bpf"):
            places = {}
            for path in sources(tree):
                for line, _ in functions(path):
                    name = NAME.search(ATTRIBUTE.sub("", line))
                    places.setdefault(name[1] or name[2], set()).add(path)
            self.assertEqual({name: found for name, found in places.items() if len(found) > 1}, {})

    def test_folders(self):
        """no folder has more sources than one can overlook"""
        cnt = {}
        for path in sources("src", "bpf"):
            if path.endswith(".c"):
                cnt[os.path.dirname(path)] = cnt.get(os.path.dirname(path), 0) + 1
        self.assertEqual({folder: n for folder, n in cnt.items() if n > SOURCES_IN_FOLDER_MAX}, {})

    def test_file_names(self):
        """no three sources of src have one name"""
        names = collections.Counter(os.path.basename(path) for path in sources("src"))
        self.assertEqual([name for name, count in names.items() if count > 2], [])

    def test_headers(self):
        """every source begins with its licence and what it is for"""
        bare = [path for path in sources("src", "bpf")
                if not re.match(r"/\* SPDX-License-Identifier: [^\n]*\*/\n/\*", read(path))]
        self.assertEqual(bare, [])

    def test_dialect(self):
        """comments and messages keep to the project's English"""
        found = []
        for path in sources("src", "bpf", "tests"):
            for match in COMMENT.finditer(read(path)):
                if match[1] or not path.startswith(WITH_OTHER_WORDS):
                    text = re.sub(r"\s*\n\s*\*?\s*", " ", match[0]).strip("/* ")
                    found += [f"{path}: {text[max(0, hit.start() - 30):hit.end() + 30]}"
                              for hit in DIALECT.finditer(text)]
        for path in python_files():
            found += [f"{path}: {text}" for text in words_of_python(path) if DIALECT.search(text)]
        self.assertEqual(found, [])


def reachable(arrows, start):
    """The rooms that a room includes, at any depth, and itself."""
    seen, todo = {start}, [start]
    while todo:
        for target in arrows.get(todo.pop(), ()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def without_comments(path):
    return COMMENT.sub(lambda match: " " if match[1] else '""', read(path))


def python_files():
    paths = [os.path.relpath(path, TOP) for folder in ("tests", "scripts")
             for path in glob.glob(f"{TOP}/{folder}/**/*", recursive=True) if os.path.isfile(path)]
    return [path for path in paths if path.endswith(".py")
            or read_start(path).startswith("#!/usr/bin/env python3")]


def words_of_python(path):
    """Its comments and docstrings."""
    with open(os.path.join(TOP, path), "rb") as file:
        tokens = list(tokenize.tokenize(file.readline))
    for before, token in zip(tokens, tokens[1:]):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and before.type in
                                              (tokenize.INDENT, tokenize.NEWLINE, tokenize.NL, tokenize.ENCODING)):
            yield token.string


def read_start(path):
    with open(os.path.join(TOP, path), "rb") as file:
        return file.read(40).decode(errors="replace")


if __name__ == "__main__":
    tap.main()
