# SPDX-License-Identifier: BSD-2-Clause
"""lighttpd with CGI: a process for each request, whose output it reads from a pipe."""

import os

from comparison import Explained
from harness import answers, free_port

from .case import Served, ways_of

CONFIGURATION = """server.modules = ("mod_cgi")
server.port = {port}
server.bind = "127.0.0.1"
server.document-root = "{folder}/documents"
server.max-keep-alive-requests = 100000
cgi.assign = (".cgi" => "")
"""
HANDLER = """#!/bin/sh
sleep 0.003
printf 'Content-Type: text/plain\\r\\nContent-Length: 5\\r\\n\\r\\nhere\\n'
"""


class Lighttpd(Served):
    key, program, protocol = "lighttpd", "lighttpd with CGI", "http"
    transport = "tcp"
    argument = "/planted.cgi"
    explained = {"service_ns": Explained("Two programs begin and end in each call.", 1, 5)}

    def start(self, stage):
        self.port = free_port()
        os.mkdir(stage.file("documents"))
        os.chmod(stage.write("documents/planted.cgi", HANDLER), 0o755)
        text = CONFIGURATION.format(folder=stage.folder, port=self.port)
        return [stage.serve("lighttpd", "-D", "-f", stage.write("lighttpd.conf", text),
                            ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


CASES = ways_of(Lighttpd, "sleep", count=100)
