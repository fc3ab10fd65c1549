# SPDX-License-Identifier: BSD-2-Clause
"""Reads the tables of src/model, such as that of the components, so that documents and tests need none of their own."""

import ast
import itertools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}\[\]=,.()|]|\w+')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DEFINE = re.compile(r"^#define (\w+)(?:\((\w+)\))?\s+(.*)$", re.MULTILINE)


def tokens_of(text, macros):
    """The tokens of C, in which macros are replaced; they have one argument, which is a token, or none."""
    found = TOKEN.findall(text)
    while found:
        token = found.pop(0)
        if token not in macros:
            yield token
            continue
        name, body = macros[token]
        argument = found[1] if name else None
        if name:
            del found[:3]
        found[:0] = [argument if inner == name else inner for inner in TOKEN.findall(body)]


def value_of(tokens):
    """One value, and the token behind it: a text, a list or {member: value}, or the words of an expression."""
    words, token = [], next(tokens)
    while token not in (",", "}"):
        if token == "{":
            return row_of(tokens), next(tokens)
        words.append(token)
        token = next(tokens)
    if words and all(word.startswith('"') for word in words):
        return "".join(map(ast.literal_eval, words)), token
    return words, token


def row_of(tokens):
    """What stands in braces, the first of which is read."""
    named, plain, token = {}, [], ","
    while token != "}":
        token = next(tokens)
        if token in (".", "["):
            name = next(tokens)
            while next(tokens) != "=":
                pass
            named[name], token = value_of(tokens)
        elif token != "}":
            value, token = value_of(itertools.chain([token], tokens))
            plain.append(value)
    return named or plain


def rows(path, table):
    """{id: {member: value}} of a table, in its order."""
    text = COMMENT.sub("", (ROOT / path).read_text(encoding="utf-8"))
    macros = {name: (argument, body) for name, argument, body in DEFINE.findall(text)}
    start = re.search(rf"\b{table}\[\w*\] = {{", text).end()
    return row_of(tokens_of(text[start:], macros))


def cell(row, column):
    """A column's text: `name` is name as code; of a mark, the letter; empty: there is none."""
    value = row.get(column.strip("`"), "")
    text = value[0] if isinstance(value, list) else value
    return f"`{text}`" if column.startswith("`") else text


def markdown(path, table, columns):
    """The rows of a table that have all of these columns, as those of a table in a document."""
    cells = [[cell(row, column) for column in columns] for row in rows(path, table).values()]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells if all(row))
