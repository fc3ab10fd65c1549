# SPDX-License-Identifier: BSD-2-Clause
"""gunicorn: two workers accept from one socket, and close each connection after its answer."""

import os

from comparison import Explained
from harness import PROGRAMS, PYTHON, Client, answers, children_of, free_port, wait_for

from .case import CALLS, Served, program, ways_of

WORKERS = 2


class Gunicorn(Served):
    """Attached to the master and its workers."""

    key, program, protocol = "gunicorn", f"gunicorn with {WORKERS} workers, a connection for each call", "http_once"
    calls = CALLS
    explained = {figure: Explained("The client also connects, and waits for the end of the connection.", 0.7, 1)
                 for figure in ("p50_ns", "p99_ns")} | \
        {"service_ns": Explained("gunicorn also reads the request, and writes the head of its answer.", 1, 1.6)}

    def start(self, stage):
        self.port = free_port()
        master = stage.serve(PYTHON, "/usr/bin/gunicorn", "--workers", WORKERS, "--bind", f"127.0.0.1:{self.port}",
                             "--chdir", PROGRAMS, "--worker-tmp-dir", stage.folder, "gunicorn_app:app",
                             env=os.environ | {"WAY": self.way}, ready=lambda: answers(self.port))
        workers = wait_for(lambda: len(found := children_of(master.pid)) == WORKERS and found, "gunicorn's workers")
        return [master.pid, *workers]

    def address(self, stage):
        return self.port


class Crowd(Gunicorn):
    """Four clients want two workers: half of a call is waiting until one of them accepts."""

    key, program = "gunicorn-crowd", f"gunicorn with {WORKERS} workers, four clients"

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("clients.py"), 4, self.protocol, self.address(stage),
                      self.count // 4, "NOTES")


CASES = ways_of(Gunicorn, "spin", "sleep") + [
    Crowd("sleep", says=r"^[45]\d % of call time is (the server sleeping|waiting for a receiver that sleeps)",
          true="half of a call is the connection waiting until a worker accepts it; the other half is the service, "
               "asleep")]
