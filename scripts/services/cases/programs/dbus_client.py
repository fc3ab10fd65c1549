# SPDX-License-Identifier: BSD-2-Clause
"""A D-Bus client of one thread, which speaks the protocol itself: dbus_client.py PATH COUNT NOTES"""

import os
import socket
import struct
import sys

import notes

path, count, file = sys.argv[1:]
PATH, INTERFACE, MEMBER, DESTINATION = 1, 2, 3, 6  # fields of a header
serial = 0


def string_field(code, kind, value):
    return struct.pack("<B", code) + b"\1" + kind + b"\0" + struct.pack("<I", len(value)) + value + b"\0"


def method_call(to, where, interface, member):
    fields = b""
    for field in ((PATH, b"o", where), (INTERFACE, b"s", interface), (MEMBER, b"s", member),
                  (DESTINATION, b"s", to)):
        fields += bytes(-len(fields) % 8) + string_field(*field)
    head = struct.pack("<cBBBIII", b"l", 1, 0, 1, 0, 0, len(fields)) + fields
    return bytearray(head + bytes(-len(head) % 8))


bus = socket.socket(socket.AF_UNIX)
bus.connect(path)
bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
assert bus.recv(4096).startswith(b"OK ")
bus.sendall(b"BEGIN\r\n")
unread = b""


def next_message():
    """(its kind, the rest of it is of no interest)"""
    global unread
    while True:
        if len(unread) >= 16:
            kind, body, fields = unread[1], *struct.unpack("<I4xI", unread[4:16])
            size = 16 + fields + -fields % 8 + body
            if len(unread) >= size:
                unread = unread[size:]
                return kind
        unread += bus.recv(65536)


def ask(message):
    global serial
    serial += 1
    struct.pack_into("<I", message, 8, serial)
    bus.sendall(message)
    while (kind := next_message()) not in (2, 3):
        pass
    assert kind == 2, "an error"


ask(method_call(b"org.freedesktop.DBus", b"/org/freedesktop/DBus", b"org.freedesktop.DBus", b"Hello"))
call = method_call(b"here.Planted", b"/here/Planted", b"here.Planted", b"Ask")
notes.measure(file, lambda: ask(call), int(count))
os._exit(0)
