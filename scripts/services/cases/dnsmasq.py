# SPDX-License-Identifier: BSD-2-Clause
"""dnsmasq: names over UDP, which it asks a server in Python for."""

from harness import PYTHON, free_port

from .case import program
from .unbound import ASKS, Unbound, takes_datagrams


class Dnsmasq(Unbound):
    key, program = "dnsmasq", "dnsmasq with a server to ask"

    def start(self, stage):
        self.port, behind = free_port(), free_port()
        stage.serve(PYTHON, program("dns_server.py"), behind, self.way, ready=lambda: takes_datagrams(behind))
        return [stage.serve("dnsmasq", "--keep-in-foreground", "--user=root", "--port", self.port, "--conf-file=/dev/null",
                            "--cache-size=0", "--no-resolv", "--no-hosts", "--server", f"127.0.0.1#{behind}",
                            "--listen-address=127.0.0.1", "--bind-interfaces", "--pid-file",
                            ready=lambda: takes_datagrams(self.port)).pid]


CASES = [Dnsmasq("sleep", state="blocked", says=ASKS,
                 true="most of a call is dnsmasq waiting for the server behind it, which sleeps 3 ms")]
