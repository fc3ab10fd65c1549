# SPDX-License-Identifier: BSD-2-Clause
"""An HTTP server of one thread with a planted handler: http_server.py PATH|PORT WAY [NAME]"""

import selectors
import socket
import sys

import work

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhere\n"


def listen(address):
    if address.isdigit():
        return socket.create_server(("127.0.0.1", int(address)), backlog=64)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    return listener


def main():
    address, way, *name = sys.argv[1:]
    work.be(*name or ["planted-backend"])
    handle = work.handler(way)
    loop = selectors.DefaultSelector()
    listener = listen(address)
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
