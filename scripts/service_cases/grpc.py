# SPDX-License-Identifier: BSD-2-Clause
"""gRPC over a unix socket: HTTP/2 frames, and pools of threads in the server."""

from services_harness import PYTHON, Client, answers

from .case import Served, program, ways_of

LIBRARY = ("The client's clock also has gRPC's own work in the client, before the first byte of a request is "
           "sent and after the last one of an answer is received.")


class Grpc(Served):
    key, program = "grpc", "gRPC over a unix socket"
    explained = {"p50_ns": LIBRARY, "p99_ns": LIBRARY}

    def start(self, stage):
        return [stage.serve(PYTHON, program("grpc_server.py"), self.address(stage), self.way,
                            ready=lambda: answers(self.address(stage))).pid]

    def address(self, stage):
        return stage.file("grpc")

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("grpc_client.py"), self.address(stage), self.count,
                      "NOTES")


CASES = ways_of(Grpc, "none", "spin", "sleep", "lock")
