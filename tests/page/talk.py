# SPDX-License-Identifier: BSD-2-Clause
"""
Programs that talk, for a recording of an attach: three tills ask a shop, by a unix socket, and the first one
also writes to a ledger, by a pipe. A hog takes the shop's CPU now and then.

    talk.py SOCKET REQUESTS
"""

import ctypes
import os
import signal
import socket
import sys
import threading
import time

TILLS = 3
SHOP_CPU, OTHER_CPU = 1, 0


def become(name, cpu):
    """Sets the name and the CPU of this thread."""
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
    os.sched_setaffinity(0, {cpu})


def shop(listener):
    become("shop", SHOP_CPU)

    def answer(end):
        become("shop-worker", SHOP_CPU)
        while request := end.recv(64):
            if int(request) % 10 == 0:
                time.sleep(0.0005)
            end.send(request)

    workers = [threading.Thread(target=answer, args=(listener.accept()[0],)) for _ in range(TILLS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def hog():
    become("hog", SHOP_CPU)
    os.nice(-10)
    while True:
        end = time.monotonic() + 0.004
        while time.monotonic() < end:
            pass
        time.sleep(0.02)


def till(number, path, requests, out):
    become(f"till-{number}", OTHER_CPU)
    end = socket.socket(socket.AF_UNIX)
    end.connect(path)
    for i in range(requests):
        end.send(b"%d" % i)
        end.recv(64)
        if number == 1:
            os.write(out, b"sold")
        time.sleep(0.001)


def ledger(fd, out):
    os.close(out)
    become("ledger", OTHER_CPU)
    while os.read(fd, 4):
        pass


def start(function, *arguments):
    pid = os.fork()
    if not pid:
        function(*arguments)
        os._exit(0)
    return pid


def main():
    path, requests = sys.argv[1], int(sys.argv[2])
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    fd, out = os.pipe()
    start(ledger, fd, out)
    start(shop, listener)
    taker = start(hog)
    for pid in [start(till, number + 1, path, requests, out) for number in range(TILLS)]:
        os.waitpid(pid, 0)
    os.kill(taker, signal.SIGKILL)


if __name__ == "__main__":
    main()
