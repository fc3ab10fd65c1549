# SPDX-License-Identifier: BSD-2-Clause
"""Clients with a process and a connection each: clients.py CLIENTS PROTOCOL ADDRESS COUNT NOTES [ARGUMENT]

Each makes COUNT calls, one after another. See client.py.
"""

import multiprocessing
import sys

import client
import notes


def run(ready, go, queue, count, words):
    call = client.caller(*words)
    notes.warm_up(call)
    ready.wait()
    go.wait()
    queue.put(notes.timed(call, count))
    queue.close()
    queue.join_thread()


def main():
    clients, protocol, address, count, path = sys.argv[1:6]
    ready = multiprocessing.Barrier(int(clients) + 1)
    go = multiprocessing.Event()
    queue = multiprocessing.Queue()
    words = (protocol, address, *sys.argv[6:])
    for _ in range(int(clients)):
        multiprocessing.Process(target=run, args=(ready, go, queue, int(count), words), daemon=True).start()
    ready.wait()
    notes.wait_for_go(path)
    go.set()
    notes.write(path, took=[ns for _ in range(int(clients)) for ns in queue.get()])


main()
