# SPDX-License-Identifier: BSD-2-Clause
"""Boost.Asio: the loop gives the handler to a pool of threads, which wakes the loop by rearming an eventfd."""

from comparison import Explained
from harness import answers, free_port

from .case import CALLS, Served, program, ways_of


class Asio(Served):
    key, program = "asio", "Boost.Asio, handlers in a pool of threads"
    calls = CALLS
    explained = {"service_ns": Explained("The way to the pool's thread and back is in it.", 1, 1.6)}

    def start(self, stage):
        self.port = free_port()
        server = stage.build("asio_server", "c++", "-O2", "-pthread", "-o", "OUT", program("asio_server.cpp"))
        return [stage.serve(server, self.port, self.way, ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


CASES = ways_of(Asio, "spin", "sleep")
