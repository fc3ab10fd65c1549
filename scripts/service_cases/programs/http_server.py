# SPDX-License-Identifier: BSD-2-Clause
"""An HTTP server of one thread with a planted handler: http_server.py PATH WAY [NAME]"""

import selectors
import socket
import sys

import work

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhere\n"


def main():
    path, way, *name = sys.argv[1:]
    work.be(*name or ["planted-backend"])
    handle = work.handler(way)
    loop = selectors.DefaultSelector()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    loop.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in loop.select():
            if key.fileobj is listener:
                loop.register(listener.accept()[0], selectors.EVENT_READ)
                continue
            data = key.fileobj.recv(65536)
            if data:
                handle()
                key.fileobj.sendall(ANSWER)
            else:
                loop.unregister(key.fileobj)
                key.fileobj.close()


main()
