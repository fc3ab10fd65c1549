# SPDX-License-Identifier: BSD-2-Clause
"""gRPC over a unix socket: HTTP/2 frames, and pools of threads in the server."""

from comparison import Explained
from harness import PYTHON, Client, answers

from .case import CALLS, SERVES, Served, program, ways_of

LIBRARY = ("The client's clock also has gRPC's own work in the client, before the first byte of a request is "
           "sent and after the last one of an answer is received.")
PINGS = Explained("HTTP/2 also sends pings and window updates, which are requests to ipctrace.", 1, 1.03)
OWN = Explained("gRPC's own work, in several threads, is part of the service.", 1, None)


class Grpc(Served):
    key, program = "grpc", "gRPC over a unix socket"
    calls = CALLS
    explained = {"count": PINGS, "service_ns": OWN,
                 "p50_ns": Explained(LIBRARY, 0.7, 1), "p99_ns": Explained(LIBRARY, 0.7, 1)}

    def start(self, stage):
        return [stage.serve(PYTHON, program("grpc_server.py"), self.address(stage), self.way,
                            ready=lambda: answers(self.address(stage))).pid]

    def address(self, stage):
        return stage.file("grpc")

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("grpc_client.py"), self.address(stage), self.count,
                      "NOTES")


NONE = Grpc("none", true="most of a call is the service: gRPC's own work in Python, in several threads", says=SERVES)
CASES = [NONE] + ways_of(Grpc, "spin", "sleep", "lock")
