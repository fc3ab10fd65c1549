# SPDX-License-Identifier: BSD-2-Clause
"""varnish before a backend in Python, with an answer from its cache and without."""

from comparison import Explained
from harness import PYTHON, answers, children_of, free_port, wait_for

from .case import Served, program
from .nginx import WAITS

VCL = """vcl 4.1;
backend default {{ .path = "{folder}/behind"; }}
sub vcl_recv {{ return ({does}); }}
sub vcl_backend_response {{ set beresp.ttl = 1h; }}
"""


class Varnish(Served):
    key, program, protocol = "varnish", "varnish with a backend", "http"
    transport = "tcp"
    explained = {"service_ns": Explained("varnish's own work, and the way to its backend and back, are in its service.",
                                         1, None)}

    def start(self, stage):
        self.port = free_port()
        stage.serve(PYTHON, program("http_server.py"), stage.file("behind"), self.way,
                    ready=lambda: answers(stage.file("behind")))
        text = VCL.format(folder=stage.folder, does="hash" if self.way == "none" else "pass")
        master = stage.serve("varnishd", "-F", "-j", "none", "-n", stage.file("varnish"), "-a",
                             f"127.0.0.1:{self.port}", "-f", stage.write("planted.vcl", text), "-s", "malloc,16m",
                             ready=lambda: answers(self.port))
        return wait_for(lambda: children_of(master.pid), "varnish's worker")

    def address(self, stage):
        return self.port


CASES = [Varnish("none", planted="every answer comes from the cache",
                 true="most of a call is the way there and back, and varnish's own work on a CPU",
                 says=r"^(?!.*planted-backend).*(request|response|ran on a CPU)"),
         Varnish("spin", state="blocked", says=WAITS, base=None,
                 true="most of a call is varnish waiting for its backend, which spins 500 us"),
         Varnish("sleep", state="blocked", says=WAITS, base=None,
                 true="most of a call is varnish waiting for its backend, which sleeps 3 ms")]
