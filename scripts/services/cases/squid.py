# SPDX-License-Identifier: BSD-2-Clause
"""squid: a proxy without a cache before a backend in Python."""

import os

from comparison import Explained
from harness import PYTHON, answers, free_port

from .case import Served, program
from .unbound import ASKS

CONFIGURATION = """http_port 127.0.0.1:{port}
http_access allow all
cache deny all
access_log none
cache_log {folder}/squid.log
pid_filename {folder}/squid.pid
coredump_dir {folder}
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
"""


class Squid(Served):
    key, program, protocol = "squid", "squid with a backend", "http"
    transport = "tcp"
    explained = {"service_ns": Explained("squid's own work, and the way to its backend and back, are in its service.",
                                         1, 3)}

    def start(self, stage):
        self.port, self.behind = free_port(), free_port()
        self.channel = f":{self.port}$"
        stage.serve(PYTHON, program("http_server.py"), self.behind, self.way, ready=lambda: answers(self.behind))
        os.chmod(stage.folder, 0o777)  # squid is another user
        text = CONFIGURATION.format(folder=stage.folder, port=self.port)
        return [stage.serve("squid", "-N", "-f", stage.write("squid.conf", text), ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port

    @property
    def argument(self):
        return f"http://127.0.0.1:{self.behind}/"


CASES = [Squid("sleep", state="blocked", says=ASKS,
               true="most of a call is squid waiting for its backend, which sleeps 3 ms")]
