# SPDX-License-Identifier: BSD-2-Clause
"""A gRPC client: grpc_client.py PATH COUNT NOTES"""

import os
import sys

import grpc
import notes

path, count, file = sys.argv[1:]
ask = grpc.insecure_channel("unix:" + path).unary_unary("/Planted/Ask")
notes.measure(file, lambda: ask(b"x" * 64), int(count))
os._exit(0)
