# SPDX-License-Identifier: BSD-2-Clause
"""asyncio: the loop hands each request to a thread of a pool, which writes to the loop's socket pair when it is done."""

from comparison import Explained
from harness import PYTHON, answers, free_port

from .case import CALLS, Served, program, ways_of


class Asyncio(Served):
    key, program = "asyncio", "asyncio, handlers in threads"
    calls = CALLS
    explained = {"service_ns": Explained("The way to the pool's thread and back is in it.", 1, 1.6)}

    def start(self, stage):
        self.port = free_port()
        return [stage.serve(PYTHON, program("asyncio_server.py"), self.port, self.way,
                            ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


CASES = ways_of(Asyncio, "spin", "sleep")
