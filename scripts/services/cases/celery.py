# SPDX-License-Identifier: BSD-2-Clause
"""Celery with redis: a worker takes tasks from a list, and its child, which has the handler, publishes the results."""

import os

from comparison import Explained
from harness import PROGRAMS, PYTHON, Client, answers, children_of, wait_for

from .case import SLEEPS, Served, program


class Celery(Served):
    """Attached to the worker and its child: a pipe leads to the child, and another one back."""

    key, program = "celery", "Celery with redis, a worker with one child"
    transport = "pipe"
    explained = {figure: Explained("Celery's own work in the client and the worker, and redis, are in the client's "
                                   "round trip and not in the child's.", 0.2, 1) for figure in ("p50_ns", "p99_ns")} | \
        {"service_ns": Explained("The child publishes the result before it answers the worker.", 1, 2)}

    def start(self, stage):
        stage.serve("redis-server", "--port", 0, "--unixsocket", stage.file("redis"), "--save", "", "--dir",
                    stage.folder, ready=lambda: answers(stage.file("redis")))
        self.env = os.environ | {"WAY": self.way, "REDIS": stage.file("redis"), "SERVED": stage.file("served"),
                                 "PYTHONPATH": PROGRAMS}
        worker = stage.serve(PYTHON, "-m", "celery", "-A", "celery_tasks", "worker", "--concurrency", 1,
                             "--without-gossip", "--without-mingle", "--without-heartbeat", env=self.env,
                             cwd=stage.folder, ready=lambda: stage.exists("served"))
        return [worker.pid, *wait_for(lambda: children_of(worker.pid), "Celery's child")]

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("celery_client.py"), self.count, "NOTES", env=self.env)


CASES = [Celery("sleep", says=r"last part of its answer.*" + SLEEPS + ".*nanosleep",
                true="most of a task is its handler, which sleeps 3 ms in the worker's child")]
