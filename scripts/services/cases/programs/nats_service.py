# SPDX-License-Identifier: BSD-2-Clause
"""A subscriber that replies, of one thread with a planted handler: nats_service.py PORT WAY SERVED"""

import socket
import sys

import work


def main():
    port, way, served = sys.argv[1:]
    work.be("planted-peer")
    handle = work.handler(way)
    server = socket.create_connection(("127.0.0.1", int(port)))
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server.sendall(b'CONNECT {"verbose":false}\r\nSUB asked 1\r\nPING\r\n')
    lines = server.makefile("rb")
    for line in lines:
        words = line.split()
        if words[0] == b"PONG":
            with open(served, "w", encoding="ascii"):
                pass
        elif words[0] == b"PING":
            server.sendall(b"PONG\r\n")
        elif words[0] == b"MSG":
            body = lines.read(int(words[-1]) + 2)
            handle()
            server.sendall(b"PUB %s %d\r\n%s" % (words[3], len(body) - 2, body))


main()
