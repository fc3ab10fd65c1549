# SPDX-License-Identifier: BSD-2-Clause
"""A client of one thread: client.py PROTOCOL ADDRESS COUNT PAUSE_US NOTES [ARGUMENT]

It speaks the protocol of the server by itself, so that between its clock readings there is a call and
nothing else.
"""

import os
import socket
import struct
import sys
import time

import notes


def connect(address):
    if address.startswith("udp:"):
        connection = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        connection.connect(("127.0.0.1", int(address[4:])))
        return connection
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


def http_once(connection, argument):
    """A connection for each request."""
    peer, family = connection.getpeername(), connection.family
    connection.close()

    def call():
        with socket.socket(family) as once:
            once.connect(peer)
            once.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
            while once.recv(65536):
                pass
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


def mysql(connection, argument):
    """Statements that are answered with OK and no rows."""
    def packet():
        head = receive(connection, 4)
        return receive(connection, int.from_bytes(head[:3], "little"))

    packet()
    long_password, protocol_41, secure = 1, 0x200, 0x8000
    words = struct.pack("<IIB23x", long_password | protocol_41 | secure, 1 << 24, 45) + b"root\0\0"
    connection.sendall(struct.pack("<I", len(words) | 1 << 24) + words)
    packet()
    request = b"\3" + argument.encode()
    request = struct.pack("<I", len(request)) + request

    def call():
        connection.sendall(request)
        answer = connection.recv(65536)
        if answer[4:5] != b"\0":
            sys.exit(f"the server answers {answer!r}")
    return call


def dns(connection, argument):
    """The address of a name. Each call has a name of its own, so that no cache knows it."""
    asked = 0

    def call():
        nonlocal asked
        asked += 1
        labels = [b"name-%d" % asked, argument.encode()]
        name = b"".join(bytes([len(label)]) + label for label in labels) + b"\0"
        connection.send(struct.pack("!6H", asked, 0x100, 1, 0, 0, 0) + name + struct.pack("!2H", 1, 1))
        answer = connection.recv(512)
        if struct.unpack("!4H", answer[:8])[::3] != (asked, 1):
            sys.exit(f"the server answers {answer!r}")
    return call


def nats(connection, argument):
    """A request to a subscriber behind the server."""
    connection.sendall(b'CONNECT {"verbose":false}\r\nSUB inbox 1\r\n')
    time.sleep(2.5)  # until the server has measured its way to the client
    connection.sendall(b"PING\r\n")
    answer = b""
    while b"PONG\r\n" not in answer:
        answer += connection.recv(65536)
    return until(connection, b"PUB asked inbox 4\r\nhere\r\n", b"\r\nhere\r\n")


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


PROTOCOLS = {f.__name__: f for f in (echo, redis, memcached, http, http_once, postgres, mysql, dns, nats, zmtp, x11)}


def caller(protocol, address, argument=""):
    return PROTOCOLS[protocol](connect(address), argument)


def main():
    protocol, address, count, pause_us, path = sys.argv[1:6]
    call = caller(protocol, address, *sys.argv[6:])
    notes.measure(path, call, int(count), int(pause_us) / 1e6)
    # Without the interpreter's own end: the last message of the trace is the last answer.
    os._exit(0)


if __name__ == "__main__":
    main()
