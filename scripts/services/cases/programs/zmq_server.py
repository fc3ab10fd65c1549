# SPDX-License-Identifier: BSD-2-Clause
"""A ZeroMQ REP socket with a planted handler: zmq_server.py PATH WAY"""

import sys

import work
import zmq

path, way = sys.argv[1:]
handle = work.handler(way)
server = zmq.Context().socket(zmq.REP)
server.bind("ipc://" + path)
while True:
    request = server.recv()
    handle()
    server.send(request)
