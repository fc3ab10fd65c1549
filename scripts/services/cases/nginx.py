# SPDX-License-Identifier: BSD-2-Clause
"""nginx as a proxy before a backend in Python. The handler is the backend's."""

from comparison import Explained
from harness import PYTHON, answers, children_of, free_port, wait_for

from .case import Served, program, ways_of

CONFIGURATION = """daemon off; pid {folder}/pid; error_log stderr; worker_processes 1; user root;
events {{}}
http {{
    access_log off; keepalive_requests 100000; {paths}
    upstream behind {{ server unix:{folder}/behind; keepalive 8; keepalive_requests 100000; }}
    server {{ listen 127.0.0.1:{port};
        location / {{ proxy_pass http://behind; proxy_http_version 1.1;
                      proxy_set_header Connection ""; }} }}
}}
"""
PATHS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Nginx(Served):
    """Attached to nginx's worker, as the owner of the proxy does it."""

    key, program, protocol = "nginx", "nginx with a backend", "http"
    transport = "tcp"
    explained = {"service_ns": Explained("nginx's own work, and the way to its backend and back, are in its service.",
                                         1, 1.3)}

    def start(self, stage):
        self.port = free_port()
        paths = " ".join(f"{part}_temp_path {stage.file(part)};" for part in PATHS)
        text = CONFIGURATION.format(folder=stage.folder, paths=paths, port=self.port)
        self.backend = stage.serve(PYTHON, program("http_server.py"), stage.file("behind"), self.way,
                                   ready=lambda: answers(stage.file("behind")))
        master = stage.serve("nginx", "-p", stage.folder, "-e", "stderr", "-c",
                             stage.write("nginx.conf", text), ready=lambda: answers(self.port))
        return wait_for(lambda: children_of(master.pid), "nginx's worker")

    def address(self, stage):
        return self.port


class Backend(Nginx):
    """The same calls as the backend's owner sees them: its client is nginx."""

    key, program = "nginx-backend", "nginx with a backend: the backend"
    transport = "uds-stream"
    explained = {figure: Explained("nginx's own time is in the client's round trip and not in the backend's.", 0.7, 1)
                 for figure in ("p50_ns", "p99_ns")}

    def targets(self, stage, pids):
        return [self.backend.pid]


TRUE = {
    "none": "most of a call is nginx, and it waits for its backend for the largest part",
    "spin": "most of a call is nginx waiting for its backend, which spins 500 us",
    "sleep": "most of a call is nginx waiting for its backend, which sleeps 3 ms",
}
WAITS = r"(planted-backend|call of its own open, to .*/behind)"  # the proxy has to say for what it waits
CASES = [Nginx("none", true=TRUE["none"], says=WAITS)] + [
    Nginx(way, true=TRUE[way], state="blocked", says=WAITS) for way in ("spin", "sleep")
] + ways_of(Backend, "spin")
