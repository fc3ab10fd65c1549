# SPDX-License-Identifier: BSD-2-Clause
"""A ZeroMQ PUB socket, and its subscribers as processes: zmq_pub.py PATH COUNT SUBSCRIBERS NOTES"""

import os
import sys
import time

import notes
import zmq

path, count, subscribers, file = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
children = []


def subscribe(number):
    """Counts all but the first message, which only says that it is connected."""
    socket = zmq.Context().socket(zmq.SUB)
    socket.setsockopt(zmq.SUBSCRIBE, b"")
    socket.connect("ipc://" + path)
    socket.recv()
    with open(f"{file}.connected-{number}", "w", encoding="ascii"):
        pass
    received = 0
    while (data := socket.recv()) != b"end":
        received += data != b"first"
    with open(f"{file}.received-{number}", "w", encoding="ascii") as output:
        output.write(str(received))
    os._exit(0)


for number in range(subscribers):
    child = os.fork()
    if not child:
        subscribe(number)
    children.append(child)
server = zmq.Context().socket(zmq.PUB)
server.bind("ipc://" + path)
while not all(os.path.exists(f"{file}.connected-{n}") for n in range(subscribers)):
    server.send(b"first")
    time.sleep(0.01)
time.sleep(0.2)
notes.wait_for_go(file)
for _ in range(count):
    server.send(b"x" * 64)
    time.sleep(0.001)
server.send(b"end")
for child in children:
    os.waitpid(child, 0)
received = []
for number in range(subscribers):
    with open(f"{file}.received-{number}", encoding="ascii") as text:
        received.append(int(text.read()))
# A frame has two bytes before its message. The last message is b"end".
notes.write(file, bytes=sum(received) * (2 + 64) + subscribers * (2 + 3))
os._exit(0)
