# SPDX-License-Identifier: BSD-2-Clause
"""An io_uring server with liburing: every receive and send goes through the ring."""

from harness import answers, free_port

from .case import CALLS, Served, ways_of


class Uring(Served):
    key, program = "uring", "io_uring server"
    calls = CALLS

    def start(self, stage):
        self.port = free_port()
        return [stage.serve(stage.build_c("uring_server", "-luring"), self.port, self.way,
                            ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


CASES = ways_of(Uring, "none", "spin", "sleep", "lock")
