# SPDX-License-Identifier: BSD-2-Clause
"""unbound: names over UDP. What it does not know it asks a server in Python, from a new port for each name."""

from comparison import Explained
from harness import PYTHON, free_port

from .case import Served, program

CONFIGURATION = """server:
    interface: 127.0.0.1@{port}
    do-daemonize: no
    use-syslog: no
    username: ""
    chroot: ""
    directory: "{folder}"
    pidfile: "{folder}/pid"
    num-threads: 1
    do-not-query-localhost: no
    module-config: "iterator"
    local-zone: "known." redirect
    local-data: "known. A 127.0.0.7"
    local-zone: "test." nodefault
forward-zone:
    name: "test"
    forward-addr: 127.0.0.1@{behind}
remote-control:
    control-enable: no
"""
ASKS = r"(planted-backend|call of its own open)"


def takes_datagrams(port):
    with open("/proc/net/udp", encoding="ascii") as sockets:
        return f":{port:04X} " in sockets.read()


class Unbound(Served):
    key, program, protocol = "unbound", "unbound with a server to ask", "dns"
    transport = "udp"
    explained = {"service_ns": Explained("Its own work, and the way to the server behind it and back, are in its service.",
                                         1, None)}

    def start(self, stage):
        self.port, behind = free_port(), free_port()
        stage.serve(PYTHON, program("dns_server.py"), behind, self.way, ready=lambda: takes_datagrams(behind))
        text = CONFIGURATION.format(folder=stage.folder, port=self.port, behind=behind)
        return [stage.serve("unbound", "-d", "-c", stage.write("unbound.conf", text),
                            ready=lambda: takes_datagrams(self.port)).pid]

    def address(self, stage):
        return f"udp:{self.port}"

    def figures(self, noted, summary):
        self.channel = f":{self.port}$"
        return super().figures(noted, summary)

    @property
    def argument(self):
        return "known" if self.way == "none" else "test"


CASES = [Unbound("none", planted="unbound knows all names",
                 true="most of a call is the way there and back, and unbound's own work on a CPU",
                 says=r"^(?!.*planted-backend).*(request|response|ran on a CPU)"),
         Unbound("spin", state="blocked", says=ASKS,
                 true="most of a call is unbound waiting for the server behind it, which spins 500 us"),
         Unbound("sleep", state="blocked", says=ASKS,
                 true="most of a call is unbound waiting for the server behind it, which sleeps 3 ms")]
