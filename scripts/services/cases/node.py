# SPDX-License-Identifier: BSD-2-Clause
"""Node: HTTP with bodies of 1 MB, in one event loop."""

from comparison import Explained
from harness import answers, free_port

from .case import Served, program, ways_of


class Node(Served):
    key, program, protocol = "node", "Node, bodies of 1 MB", "http"
    explained = {"service_ns": Explained("Node's timers and waits end up to a millisecond late.", 1, 1.3)}

    def start(self, stage):
        self.port = free_port()
        return [stage.serve("node", program("http_server.js"), self.port, self.way,
                            ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


CASES = [Node("none", count=300, true="the answer takes the largest part: 1 MB go through the socket",
              says=r"response|answer|room|service|receive")] + \
    ways_of(Node, "spin", "sleep", "lock", count=300)
