# SPDX-License-Identifier: BSD-2-Clause
"""A client of one thread: client.py PROTOCOL ADDRESS COUNT PAUSE_US NOTES [ARGUMENT]

It speaks the protocol of the server by itself, so that between its clock readings there is a call and
nothing else.
"""

import os
import socket
import struct
import sys

import notes


def connect(address):
    if address.isdigit():
        connection = socket.create_connection(("127.0.0.1", int(address)))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    return connection


def receive(connection, size):
    data = connection.recv(size)
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            sys.exit("the server has closed the connection")
        data += more
    return data


def echo(connection, argument):
    request = b"x" * int(argument or 64)

    def call():
        connection.sendall(request)
        receive(connection, len(request))
    return call


def until(connection, request, ending):
    def call():
        connection.sendall(request)
        answer = connection.recv(65536)
        while not answer.endswith(ending):
            answer += connection.recv(65536)
    return call


def redis(connection, argument):
    words = argument.split("\t")
    command = b"*%d\r\n" % len(words) + b"".join(
        b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)
    return until(connection, command, b"\r\n")


def memcached(connection, argument):
    connection.sendall(b"set key 0 0 5\r\nvalue\r\n")
    connection.recv(100)
    return until(connection, b"get key\r\n", b"END\r\n")


def http(connection, argument):
    request = f"GET {argument or '/'} HTTP/1.1\r\nHost: here\r\n\r\n".encode()
    buffer = bytearray(1 << 20)

    def call():
        connection.sendall(request)
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(65536)
        head, _, body = head.partition(b"\r\n\r\n")
        lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        left = int(lines[b"content-length"]) - len(body)
        while left:
            left -= connection.recv_into(buffer, min(left, len(buffer)))
    return call


def query(statement):
    text = statement.encode() + b"\0"
    return b"Q" + struct.pack("!I", len(text) + 4) + text


def postgres(connection, argument):
    words = b"user\0postgres\0database\0postgres\0\0"
    connection.sendall(struct.pack("!II", len(words) + 8, 196608) + words)
    ready = b"Z\0\0\0\5I"
    answer = b""
    while not answer.endswith(ready):
        answer += connection.recv(65536)
    return until(connection, query(argument), ready)


def zmtp(connection, argument):
    """ZeroMQ's wire protocol, 3.0, as a REQ socket speaks it."""
    connection.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))
    receive(connection, 64)
    ready = b"\5READY\x0bSocket-Type" + struct.pack("!I", 3) + b"REQ"
    connection.sendall(b"\4" + bytes([len(ready)]) + ready)
    receive(connection, receive(connection, 2)[1])
    request = b"\1\0\0\x40" + b"x" * 64

    def call():
        connection.sendall(request)
        receive(connection, len(request))
    return call


def x11(connection, argument):
    """GetInputFocus, the least request with an answer."""
    connection.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
    receive(connection, struct.unpack("<H", receive(connection, 8)[6:])[0] * 4)

    def call():
        connection.sendall(b"\x2b\0\1\0")
        receive(connection, 32)
    return call


PROTOCOLS = {f.__name__: f for f in (echo, redis, memcached, http, postgres, zmtp, x11)}


def main():
    protocol, address, count, pause_us, path = sys.argv[1:6]
    connection = connect(address)
    call = PROTOCOLS[protocol](connection, sys.argv[6] if len(sys.argv) > 6 else "")
    notes.measure(path, call, int(count), int(pause_us) / 1e6)
    # Without the interpreter's own end: the last message of the trace is the last answer.
    os._exit(0)


if __name__ == "__main__":
    main()
