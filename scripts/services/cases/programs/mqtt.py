# SPDX-License-Identifier: BSD-2-Clause
"""An MQTT publisher and its subscribers as processes: mqtt.py PORT COUNT SUBSCRIBERS NOTES"""

import os
import socket
import struct
import sys
import time

import notes

port, count, subscribers, file = *map(int, sys.argv[1:4]), sys.argv[4]
TOPIC = b"here"


def text(data):
    return struct.pack("!H", len(data)) + data


def packet(kind, data):
    assert len(data) < 128
    return bytes([kind, len(data)]) + data


def receive(connection, size):
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            sys.exit("mosquitto has closed the connection")
        data += more
    return data


def connect(name):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(packet(0x10, text(b"MQTT") + b"\4\2" + struct.pack("!H", 600) + text(name)))
    assert receive(connection, 4) == b"\x20\2\0\0"
    return connection


def subscribe(number):
    connection = connect(b"s%d" % number)
    connection.sendall(packet(0x82, b"\0\1" + text(TOPIC) + b"\0"))
    receive(connection, 5)
    with open(f"{file}.connected-{number}", "w", encoding="ascii"):
        pass
    received = 0
    for _ in range(notes.WARMUP + count):
        received += 1 if receive(connection, 2 + 2 + len(TOPIC) + 64) else 0
    with open(f"{file}.received-{number}", "w", encoding="ascii") as output:
        output.write(str(received - notes.WARMUP))
    time.sleep(60)  # its connection's end is not in the trace


children = []
for n in range(subscribers):
    child = os.fork()
    if not child:
        subscribe(n)
    children.append(child)
while not all(os.path.exists(f"{file}.connected-{n}") for n in range(subscribers)):
    time.sleep(0.01)
publisher = connect(b"publisher")
sent = 0


def call():
    global sent
    sent = sent % 60000 + 1
    publisher.sendall(packet(0x32, text(TOPIC) + struct.pack("!H", sent) + b"x" * 64))
    receive(publisher, 4)


for _ in range(notes.WARMUP):
    call()
    time.sleep(0.002)
notes.wait_for_go(file)
took = []
for _ in range(count):
    begin = time.monotonic_ns()
    call()
    took.append(time.monotonic_ns() - begin)
    time.sleep(0.002)
received = 0
for n in range(subscribers):
    while not os.path.exists(f"{file}.received-{n}"):
        time.sleep(0.01)
    time.sleep(0.02)
    with open(f"{file}.received-{n}", encoding="ascii") as output:
        received += int(output.read())
notes.write(file, took=took, received=received)
for child in children:
    os.kill(child, 9)
os._exit(0)
