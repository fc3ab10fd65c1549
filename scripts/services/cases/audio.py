# SPDX-License-Identifier: BSD-2-Clause
"""jackd and PipeWire: five clients in a chain, of which the third one spins."""

import glob
import os
import time

from comparison import percentile
from harness import Client

from .case import Case, configuration

CHAIN, SLOW, SPIN_US, TRACED_S = 5, 2, 300, 3.0
RATE = 48000

# Of all JACK servers of a machine: none of them removes these.
FOR_ALL = ("/dev/shm/jack-shm-registry", "/dev/shm/jack_db-0")


def mapped(pid, prefix):
    """The files that a process has mapped, and that others may use after it."""
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as maps:
        paths = {line.split()[-1] for line in maps if prefix in line}
    return paths - set(FOR_ALL)


class Links:
    """The chain, as one client: its cycles go on for a while."""

    def __init__(self, links):
        self.links = links

    @staticmethod
    def wait_until_ready():
        time.sleep(0.5)

    @staticmethod
    def finish():
        begin = time.monotonic_ns()
        time.sleep(TRACED_S)
        return {"from": begin, "until": begin + TRACED_S * 1e9}

    def began(self):
        """When the cycles of the last link began."""
        return [link.finish()["began"] for link in self.links][-1]


class Audio(Case):
    planted = f"{CHAIN} clients in a chain, link-2 spins {SPIN_US} us"
    true = "each cycle goes from client to client; link-2 is the longest part of it"
    says = r"link-2"
    wrapper = ()

    def env(self, stage):
        raise NotImplementedError

    def cycles(self, summary):
        raise NotImplementedError

    def periods(self, began, summary):
        """What else is compared."""
        return []

    def begin_client(self, stage):
        binary = stage.build_c("jack_link", "-ljack")
        links = []
        for number in range(CHAIN):
            links.append(Client(stage, f"link-{number}", *self.wrapper, binary, number,
                                SPIN_US if number == SLOW else 0, "NOTES", env=self.env(stage)))
            links[-1].wait_until_ready()
        self.links = Links(links)
        return self.links

    def targets(self, stage, pids):
        return pids + [link.process.pid for link in self.links.links]

    def figures(self, noted, summary):
        began = [instant for instant in self.links.began() if noted["from"] <= instant < noted["until"]]
        more = [("cycles per second", len(began) / TRACED_S, self.cycles(summary) / summary["duration_s"], 0.02)]
        more += self.periods(began, summary)
        return dict.fromkeys(("count", "p50_ns", "p99_ns")), \
            dict.fromkeys(("count", "p50_ns", "p99_ns", "service_ns", "known_pct")) | {"states_ns": {}, "more": more}


class Jack(Audio):
    """jackd wakes the clients that sleep, and each client the next one: a cycle is a chain."""

    name, program = "jack", "jackd, dummy driver, 128 frames at 48 kHz"

    def cycles(self, summary):
        return sum(chain["count"] for chain in summary["chains"])

    def periods(self, began, summary):
        periods = [after - before for before, after in zip(began, began[1:])]
        rounds = summary["rounds"] or {}
        handled = [(hop["handled_ns"], chain["count"]) for chain in summary["chains"] for hop in chain["hops"]
                   if hop["to"]["comm"] == f"link-{SLOW}" and hop["handled_ns"]]
        total = sum(count for _, count in handled)
        mean = sum(handled_ns["mean"] * count for handled_ns, count in handled) / max(1, total)
        return [("us period", percentile(periods, 50) / 1e3, (rounds.get("period_ns") or 0) / 1e3, 0.02),
                (f"us in link-{SLOW}", SPIN_US, mean / 1e3, 0.05)]

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
    """
    The clients wake PipeWire, and PipeWire wakes the next client, once in each cycle. Only cycles in which it wakes
    two clients in one go are rounds.
    """

    name, program = "pipewire", "PipeWire, 256 frames at 48 kHz"
    true = "each cycle goes from client to client, through PipeWire; each message is a wakeup"
    says = r"wakeup"

    def cycles(self, summary):
        return sum(channel["messages"] for channel in summary["channels"]
                   if channel["receiver"] and channel["receiver"]["comm"] == "link-0")
    wrapper = ("pw-jack",)

    def env(self, stage):
        return os.environ | {"XDG_RUNTIME_DIR": stage.folder, "PIPEWIRE_LATENCY": f"256/{RATE}"}

    def start(self, stage):
        server = stage.serve("pipewire", "-c", configuration("pipewire.conf"), env=self.env(stage),
                             ready=lambda: stage.exists("pipewire-0"))
        return [server.pid]


CASES = [Jack(), PipeWire()]
