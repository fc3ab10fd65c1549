# SPDX-License-Identifier: BSD-2-Clause
"""A server of names of one thread with a planted handler: dns_server.py PORT WAY"""

import socket
import struct
import sys

import work

# The name of the question, A, IN, a day, 4 bytes.
RECORD = struct.pack("!3HIH4B", 0xc00c, 1, 1, 86400, 4, 127, 0, 0, 7)


def main():
    port, way = sys.argv[1:]
    work.be("planted-backend")
    handle = work.handler(way)
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", int(port)))
    while True:
        request, peer = server.recvfrom(512)
        handle()
        end = request.index(0, 12) + 5  # of the question
        server.sendto(request[:2] + struct.pack("!5H", 0x8580, 1, 1, 0, 0) + request[12:end] + RECORD, peer)


main()
