# SPDX-License-Identifier: BSD-2-Clause
"""Puts names into recordings that would be markup, script or commands if they were not made harmless."""

import itertools
import json
import zlib

from replay import records

# Of threads: up to 15 bytes. An element with the id `pwn`, or a call of p(), has broken out.
COMMS = [
    b"<i id=pwn>", b"\"><i id=pwn>", b"'><i id=pwn>", b"]]><i id=pwn>", b"--><i id=pwn>", b"</title><p>",
    b"</style><p>", b"</script><p>", b"</svg><p>", b"</text><p id=a>", b"\" onload=p() \"", b"' onload=p() '",
    b"<svg onload=p()", b"javascript:p()", b"${p()}", b"`;p();`", b"\";p();\"", b"\\\";p();//", b"';p();'",
    b"&lt;i&gt;", b"&#60;i&#62;", b"&amp;&", b"%s%n%99999s", b"\xff<i>\xc3", b"\xe2\x82", b"a\nb\r\tc", b"\x1b[31m\x07\x7f",
    "\u202eevil".encode(), "\u2028\u2029\ufeff".encode(), "grün ✓".encode(), "\ufdd0\uffff".encode(), b"",
    b"url(//x.y/z)", b";fill:red;}", b"<!--", b"<![CDATA[", b"<?xml?>", b"__proto__", b"a b  c",
]

# Of sockets, scripts and commands, which may be long.
TEXTS = [
    b"<script>pwned()</script>", b"\"><img src=x onerror=pwned()>", b"'><iframe src=//x.y/>", b"javascript:pwned()",
    b"</script><script>pwned()</script>", b"]]><script>pwned()</script>", b"\xff\xfe<b id=pwn>\n\x1b]0;t\x07",
    b"<a href=javascript:pwned()>", b"<!--", b"</style><style>*{display:none}</style>", b"</svg><i id=pwn>",
    b"&quot;><i id=pwn>", b"<meta http-equiv=refresh content=0;url=//x.y>",
]

# Members of a header that come from outside.
FOREIGN = ("command_line", "target", "peer", "server", "client", "condition")


def named(header):
    """The header with other names. JSON has no invalid bytes: the program wrote it."""
    texts = itertools.cycle(text.decode(errors="replace") for text in TEXTS)
    return header | {name: next(texts) for name in FOREIGN if header.get(name)}


def renamed(record, layout, choose):
    """The bytes of a record with other names in it."""
    raw = bytearray(record.raw)
    for field, at, size in layout["fields"]:
        if field == "comm":
            name = choose(record.kind, bytes(raw[at:at + size]).split(b"\0")[0])
            raw[at:at + size] = name[:size - 1].ljust(size, b"\0")
        elif field == "text":
            length = record.get("length")
            name = choose("text", bytes(raw[at:at + (size if length is None else length)]))[:size - 1]
            raw[at:at + size] = name.ljust(size, b"\0")
            if length:
                place, width = next(field[1:] for field in layout["fields"] if field[0] == "length")
                raw[place:place + width] = len(name).to_bytes(width, "little")
    return bytes(raw)


class Chooser:
    """The same name for the same name, and each of them for some."""

    def __init__(self, first):
        self.comms, self.texts = (itertools.cycle(names[first % len(names):] + names[:first % len(names)])
                                  for names in (COMMS, TEXTS))
        self.chosen = {}

    def __call__(self, kind, name):
        if not name:
            return name
        key = kind == "text", name
        if key not in self.chosen:
            self.chosen[key] = next(self.texts if kind == "text" else self.comms)
        return self.chosen[key]


def forge(path, to, first=0):
    """Writes the first run of a recording with other names, from `first` on; returns those of threads."""
    run = records.read(path)[0]
    text = json.dumps(named(run.header)).encode()
    header = records.PREAMBLE.pack(records.MAGIC, run.version, len(text)) + text
    if run.version >= records.CHECKED:
        header += records.CHECK.pack(zlib.crc32(header))
    choose = Chooser(first)
    with open(to, "wb") as file:
        file.write(records.plain_file(header, [renamed(record, run.header["layouts"][record.kind], choose)
                                               for record in run.all]))
    return [name for (is_text, _), name in choose.chosen.items() if not is_text]
