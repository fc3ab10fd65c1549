# SPDX-License-Identifier: BSD-2-Clause
"""Xvfb: an X server of one thread, asked with GetInputFocus."""

from harness import answers

from .case import Served, ways_of


class Xvfb(Served):
    key, program, protocol = "xvfb", "Xvfb, GetInputFocus", "x11"

    def start(self, stage):
        self.display = next(n for n in range(90, 190) if not answers(f"/tmp/.X11-unix/X{n}"))
        server = stage.serve("Xvfb", f":{self.display}", "-screen", "0", "640x480x24", "-nolisten", "tcp",
                             ready=lambda: answers(f"/tmp/.X11-unix/X{self.display}"))
        return [server.pid]

    def address(self, stage):
        return f"/tmp/.X11-unix/X{self.display}"


CASES = ways_of(Xvfb, "none")
