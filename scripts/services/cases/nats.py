# SPDX-License-Identifier: BSD-2-Clause
"""NATS: a request goes through nats-server to a subscriber, and its answer comes back the same way."""

from comparison import Explained
from harness import PYTHON, answers, free_port

from .case import Served, program

BEHIND = r"(planted-peer|call of its own open)"


class Nats(Served):
    """Attached to nats-server."""

    key, program, protocol = "nats", "NATS request and reply: nats-server", "nats"
    explained = {"service_ns": Explained("nats-server wakes the subscriber and is woken by it: two hand-offs are in "
                                         "its service.", 1, 1.5)}

    def start(self, stage):
        self.port = free_port()
        text = f'host: "127.0.0.1"\nport: {self.port}\nping_interval: "1h"\n'
        server = stage.serve("nats-server", "-c", stage.write("nats.conf", text), ready=lambda: answers(self.port))
        self.peer = stage.serve(PYTHON, program("nats_service.py"), self.port, self.way, stage.file("served"),
                                ready=lambda: stage.exists("served"))
        return [server.pid]

    def address(self, stage):
        return self.port


TRUE = "most of a call is nats-server waiting for the subscriber behind it, which "
CASES = [Nats("spin", true=TRUE + "spins 500 us", says=BEHIND, state="blocked"),
         Nats("sleep", true=TRUE + "sleeps 3 ms", says=BEHIND, state="blocked")]
