# SPDX-License-Identifier: BSD-2-Clause
"""Node: the loop gives each request to a thread (worker_threads), which takes what comes while it is awake."""

from comparison import Explained
from harness import answers, free_port

from .case import Served, program, ways_of


class NodeWorker(Served):
    """Atomics.wait() with a timeout is a wait in a futex."""

    key, program, protocol = "node-worker", "Node, handlers in a thread", "http"
    explained = {"service_ns": Explained("Node's own work, and the way to the thread and back, are in it.", 1, 1.6)}

    def start(self, stage):
        self.port = free_port()
        return [stage.serve("node", program("worker_server.js"), self.port, self.way,
                            ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


CASES = ways_of(NodeWorker, "spin", "sleep")
