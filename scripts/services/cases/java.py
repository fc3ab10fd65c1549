# SPDX-License-Identifier: BSD-2-Clause
"""Java NIO: one thread with a Selector."""

from harness import answers, free_port

from .case import Served, program, ways_of


class Java(Served):
    key, program = "java", "Java NIO echo server"
    calls = {"sleep": ".*futex", "lock": ".*futex"}  # the JVM sleeps in a futex

    def start(self, stage):
        self.port = free_port()
        folder = stage.build("java", "javac", "-d", "OUT", program("Echo.java"))
        return [stage.serve("java", "-cp", folder, "Echo", self.port, self.way,
                            ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


CASES = ways_of(Java, "none", "spin", "sleep", "lock")
