# SPDX-License-Identifier: BSD-2-Clause
"""jackd and PipeWire: five clients in a chain, of which the third one spins. A cycle is a round."""

import glob
import os
import time

from services_harness import Client, Missing, answers, wait_for

from .case import Case, program

CHAIN, SLOW, SPIN_US, TRACED_S = 5, 2, 300, 3.0
RATE = 48000

# Of all JACK servers of a machine: none of them removes these.
FOR_ALL = ("/dev/shm/jack-shm-registry", "/dev/shm/jack_db-0")


def mapped(pid, prefix):
    """The files that a process has mapped, and that others may use after it."""
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as maps:
        paths = {line.split()[-1] for line in maps if prefix in line}
    return paths - set(FOR_ALL)


class Audio(Case):
    planted = f"{CHAIN} clients in a chain, link-2 spins {SPIN_US} us"
    true = "each cycle goes from client to client; link-2 is the longest part of it"
    says = r"link-2"
    wrapper = ()

    def env(self, stage):
        raise NotImplementedError

    def begin_client(self, stage):
        self.links = []
        binary = stage.build_c("jack_link", "-ljack")
        for number in range(CHAIN):
            spin_us = SPIN_US if number == SLOW else 0
            self.links.append(Client(stage, f"link-{number}", *self.wrapper, binary, number, spin_us, "NOTES",
                                     env=self.env(stage)))
            self.links[-1].wait_until_ready()
        self.begin = None
        return self

    def wait_until_ready(self):
        time.sleep(0.5)

    def targets(self, stage, pids):
        return pids + [link.process.pid for link in self.links]

    def finish(self):
        """Lets the cycles go on for a while. The cycles of the last client in that time."""
        begin = time.monotonic_ns()
        time.sleep(TRACED_S)
        end = time.monotonic_ns()
        self.noted = [begin, end]
        return {}

    def figures(self, noted, summary):
        begin, end = self.noted
        cycles = [sum(begin <= instant < end for instant in link.finish()["began"]) for link in self.links]
        rounds = summary["rounds"] or {"count": 0, "complete": 0}
        traced_s = (end - begin) / 1e9
        truth = cycles[-1] / traced_s
        said = rounds["count"] / summary["duration_s"] if summary.get("duration_s") else 0
        return {"count": None, "p50_ns": None, "p99_ns": None}, \
            {"count": None, "p50_ns": None, "p99_ns": None, "service_ns": None, "states_ns": {},
             "known_pct": None, "more": [("cycles per second", truth, said, 0.02)]}


class Jack(Audio):
    name, program = "jack", "jackd, dummy driver, 128 frames at 48 kHz"

    def env(self, stage):
        return os.environ | {"JACK_DEFAULT_SERVER": f"ipctrace{os.getpid()}", "JACK_NO_START_SERVER": "1",
                             "JACK_NO_AUDIO_RESERVATION": "1"}

    def start(self, stage):
        env = self.env(stage)
        name = env["JACK_DEFAULT_SERVER"]
        stage.remove_at_end(f"/dev/shm/jack_{name}_*", f"/dev/shm/jack_sem.*_{name}_*",
                            *[path for path in FOR_ALL if not os.path.exists(path)])
        server = stage.serve("jackd", "-r", "-n", name, "-d", "dummy", "-r", RATE, "-p", 128, env=env,
                             ready=lambda: glob.glob(f"/dev/shm/jack_{name}_*"))
        stage.remove_at_end(*mapped(server.pid, "/dev/shm/jack-"))
        return [server.pid]


class PipeWire(Audio):
    name, program = "pipewire", "PipeWire, 256 frames at 48 kHz"
    wrapper = ("pw-jack",)

    def env(self, stage):
        return os.environ | {"XDG_RUNTIME_DIR": stage.folder, "PIPEWIRE_LATENCY": f"256/{RATE}"}

    def start(self, stage):
        server = stage.serve("pipewire", "-c", program("pipewire.conf"), env=self.env(stage),
                             ready=lambda: stage.exists("pipewire-0"))
        return [server.pid]


CASES = [Jack(), PipeWire()]
