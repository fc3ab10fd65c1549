# SPDX-License-Identifier: BSD-2-Clause
"""
A Python program that is a server with one client, both of one thread, on a pair of sockets. What the server does is
up to the test: the program begins with its functions prepare(), work(i) for request i, and finish(). `calls` is how
many requests there are.
"""

_SERVE = """
import os, socket, sys, time
client, server = socket.socketpair()
if os.fork() == 0:
    client.close()
    with open("/proc/self/comm", "w", encoding="ascii") as comm:
        comm.write(NAME)
    prepare()
    server.send(b"ready")
    for i in range(calls):
        server.recv(100)
        work(i)
        server.send(b"answer")
    finish()
    os._exit(0)
server.close()
client.recv(100)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(calls):
    client.send(b"question")
    client.recv(100)
    time.sleep(0.001)
os.wait()
"""


def program(name, functions):
    """The text of the program whose server has this name."""
    return f"{functions}\nNAME = {name!r}{_SERVE}"
