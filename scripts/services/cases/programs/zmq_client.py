# SPDX-License-Identifier: BSD-2-Clause
"""A ZeroMQ REQ socket: zmq_client.py PATH COUNT NOTES"""

import os
import sys

import notes
import zmq

path, count, file = sys.argv[1:]
client = zmq.Context().socket(zmq.REQ)
client.connect("ipc://" + path)


def call():
    client.send(b"x" * 64)
    client.recv()


notes.measure(file, call, int(count))
os._exit(0)
