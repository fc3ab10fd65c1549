# SPDX-License-Identifier: BSD-2-Clause
"""redis: one thread with epoll. A handler is planted by a script that asks for the time again and again."""

from harness import answers

from .case import CALLS, Served, ways_of

SPIN = ("EVAL\tlocal b=redis.call('TIME') repeat local n=redis.call('TIME') "
        "until (n[1]-b[1])*1000000+n[2]-b[2]>=500 return 1\t0")


class Redis(Served):
    key, program, protocol = "redis", "redis", "redis"
    calls = CALLS

    def start(self, stage):
        return [stage.serve("redis-server", "--port", 0, "--unixsocket", self.address(stage), "--save", "",
                            "--enable-debug-command", "yes", "--dir", stage.folder,
                            ready=lambda: answers(self.address(stage))).pid]

    def address(self, stage):
        return stage.file("redis")

    @property
    def argument(self):
        return {"none": "GET\tkey", "spin": SPIN, "sleep": "DEBUG\tSLEEP\t0.003"}[self.way]


CASES = ways_of(Redis, "none", "spin", "sleep")
