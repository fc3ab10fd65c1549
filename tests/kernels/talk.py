#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""talk.c's server, for tests that attach to an interpreter: talk.py serve PATH"""

import socket
import sys


def answer(client):
    """Every question with its own words, until the client has enough."""
    while True:
        words = client.recv(64)
        if not words:
            return
        client.sendall(words)


def main():
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(sys.argv[2])
    server.listen(8)
    while True:
        client, _ = server.accept()
        answer(client)


if __name__ == "__main__":
    main()
