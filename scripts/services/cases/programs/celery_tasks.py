# SPDX-License-Identifier: BSD-2-Clause
"""A task with a planted handler. The environment has the way, the path of redis, and the file that says that the worker
is ready."""

import os

import celery
from celery.signals import worker_ready

import work

REDIS = "redis+socket://" + os.environ["REDIS"]
app = celery.Celery("planted", broker=REDIS, backend=REDIS)
app.conf.worker_hijack_root_logger = False
handle = work.handler(os.environ["WAY"])


@worker_ready.connect
def ready(**_):
    with open(os.environ["SERVED"], "w", encoding="ascii"):
        pass


@app.task
def planted():
    handle()
