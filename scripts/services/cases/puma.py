# SPDX-License-Identifier: BSD-2-Clause
"""puma: Ruby, with a pool of four threads behind a thread that reads the requests."""

from comparison import Explained
from harness import answers, free_port

from .case import Served, ways_of

APPLICATION = """def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
run lambda {{ |env| {handler}; [200, {{'Content-Length' => '5'}}, ["here\\n"]] }}
"""
HANDLERS = {"sleep": "sleep 0.003", "spin": "till = now + 0.0005; while now < till; end"}


class Puma(Served):
    """Ruby's sleep is a wait for a lock with a timeout."""

    key, program, protocol = "puma", "puma, four threads", "http"
    explained = {"service_ns": Explained("Ruby's own work, and its hand-over between threads, are in it.", 1, 1.5)}

    def start(self, stage):
        self.port = free_port()
        text = APPLICATION.format(handler=HANDLERS[self.way])
        return [stage.serve("puma", "-b", f"tcp://127.0.0.1:{self.port}", "-t", "4:4", "-e", "production", "-C", "-",
                            stage.write("config.ru", text), cwd=stage.folder, ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


CASES = ways_of(Puma, "spin", "sleep")
