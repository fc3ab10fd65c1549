# SPDX-License-Identifier: BSD-2-Clause
"""memcached: four threads, each with libevent."""

from harness import answers

from .case import Served, ways_of


class Memcached(Served):
    key, program, protocol = "memcached", "memcached", "memcached"

    def start(self, stage):
        return [stage.serve("memcached", "-u", "root", "-t", 4, "-s", self.address(stage),
                            ready=lambda: answers(self.address(stage))).pid]

    def address(self, stage):
        return stage.file("memcached")


CASES = ways_of(Memcached, "none")
