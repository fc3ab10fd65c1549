# SPDX-License-Identifier: BSD-2-Clause
"""haproxy before two backends in Python: one answers at once, the other one has the handler."""

from comparison import Explained
from harness import PYTHON, answers, free_port

from .case import Served, program

CONFIGURATION = """global
    nbthread 1
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend planted
    bind 127.0.0.1:{port}
    default_backend behind
backend behind
    server backend-a unix@{folder}/backend-a weight 1
    server backend-b unix@{folder}/backend-b weight 15
"""


class HAProxy(Served):
    """Of 16 calls one goes to the fast backend: too few to change the mean state."""

    key, program, protocol = "haproxy", "haproxy with two backends", "http"
    transport = "tcp"
    state = "blocked"
    explained = {"service_ns": Explained("haproxy's own work, and the way to its backend and back, are in its service.",
                                         1, 1.3)}

    def start(self, stage):
        self.port = free_port()
        for name, way in (("backend-a", "none"), ("backend-b", self.way)):
            stage.serve(PYTHON, program("http_server.py"), stage.file(name), way, name,
                        ready=lambda: answers(stage.file(name)))
        text = CONFIGURATION.format(folder=stage.folder, port=self.port)
        return [stage.serve("haproxy", "-db", "-f", stage.write("haproxy.cfg", text),
                            ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


CASES = [HAProxy(way, state="blocked", says="backend-b",
                 true=f"most of a call is haproxy waiting for backend-b, which {does}; backend-a answers at once")
         for way, does in (("spin", "spins 500 us"), ("sleep", "sleeps 3 ms"))]
for case in CASES:
    case.planted += " in one of the backends, which has 15 of 16 calls"
