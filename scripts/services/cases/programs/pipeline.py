# SPDX-License-Identifier: BSD-2-Clause
"""A PostgreSQL client with several statements open: pipeline.py PATH COUNT OPEN NOTES STATEMENT"""

import collections
import os
import sys
import time

import client
import notes

READY = b"Z\0\0\0\5I"


def main():
    path, count, width, file, statement = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:6]
    connection = client.connect(path)
    client.postgres(connection, statement)
    request = client.query(statement)
    notes.wait_for_go(file)
    begun, took, unread, sent = collections.deque(), [], b"", 0
    while len(took) < count:
        while len(begun) < width and sent < count:
            begun.append(time.monotonic_ns())
            connection.sendall(request)
            sent += 1
        unread += connection.recv(65536)
        while READY in unread:
            _, _, unread = unread.partition(READY)
            took.append(time.monotonic_ns() - begun.popleft())
    notes.write(file, took=took)
    os._exit(0)


main()
