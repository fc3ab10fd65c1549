# SPDX-License-Identifier: BSD-2-Clause
"""--experiment: the published measurements, shortened, with every message accounted for."""

import json

import harness
import tap

# What makes each of them short enough for a test.
SHORT = {
    "grame": ("--clients", "1,3", "--messages", 20, "--warmup", 3),
    "lipc": ("--messages", 200, "--warmup", 10),
    "colorado": ("--messages", 4, "--runs", 1),
    "studio6": ("--messages", 100,),
    "ipc-bench": ("--messages", 50, "--warmup", 5),
}
PUBLISHED = {
    "grame": ("GRAME 2001, 1 client, idle", "GRAME 2001, 1 client, busy", "Windows 98"),
    "lipc": ("published, C and C++", "115000", "25000", "mean of an exchange (us)", "8.7", "40.0", "66.7"),
    "colorado": ("shm: ms per message", "tcp: ms per message", "fifo: ms per message",
                 "deadlocked"),
    "studio6": ("total time against exchanges", "published"),
    "ipc-bench": ("one-way average (ns)", "2115", "throughput", "server's own time"),
}


class Experiment(harness.TestCase):
    """Each of them, live and from its recording."""

    def check_run(self, run):
        what = json.dumps(run["workload"])
        integrity = run["integrity"]
        harness.demand_no_recursion(integrity)
        self.assertGreater(integrity["sent"], 0, what)
        self.assertEqual(integrity["matched"], integrity["sent"], what)
        self.assertEqual(integrity["lost"], 0, what)
        self.assertIn(integrity["corrupt"], (0, None), what)
        self.assertEqual(integrity["residual_ns_max"], 0, what)

    def run_short(self, name):
        path = self.file(f"{name}.ipct")
        result = harness.ipctrace("--experiment", name, *SHORT[name], "--record", path, "-f", "json",
                                  limit_s=300)
        self.check_quiet(result)
        matrix = result.json()
        self.assertEqual((matrix["schema"], matrix["experiment"]), ("ipctrace.sweep/1", name))
        for run in matrix["cells"]:
            self.check_run(run)
        self.assertEqual(harness.ipctrace("report", path, "-f", "json").json(), matrix)
        text = harness.ipctrace("report", path).out
        for words in PUBLISHED[name]:
            self.assertIn(words, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        return matrix["cells"]

    def test_grame(self):
        """grame: sockets and the kernel, idle and with three loads"""
        runs = self.run_short("grame")
        kinds = {(c["workload"]["transport"], c["workload"]["load"]) for c in runs}
        self.assertEqual(kinds, {(transport, load) for transport in ("uds", "kernel")
                                 for load in (None, "launch", "ftp", "window")})
        for run in runs:
            load = run["load"]
            self.assertEqual(load is None, run["workload"]["load"] is None)
            self.assertFalse(load and load["ended"], load)

    def test_lipc(self):
        """lipc: connections over unix and TCP sockets, with the parts of each exchange"""
        runs = self.run_short("lipc")
        self.assertEqual([run["workload"]["transport"] for run in runs], ["uds-stream", "tcp"])
        for run in runs:
            self.assertEqual(run["flow"]["messages"], 200)
            self.assertGreater(run["flow"]["messages_per_second"], 0)
            self.assertEqual(run["connections"]["latency_ns"]["count"], 200)
            self.assertEqual((run["exchanges"]["exchange_ns"]["count"], run["exchanges"]["uncut"]), (200, 0))
            parts = run["exchanges"]["parts_ns"]
            self.assertAlmostEqual(sum(stat["mean"] for stat in parts.values()),
                                   run["exchanges"]["exchange_ns"]["mean"], delta=0.01)

    def test_colorado(self):
        """colorado: up to 256 clients, no client starves, nothing is corrupt"""
        runs = self.run_short("colorado")
        self.assertEqual({(c["workload"]["transport"], c["workload"]["clients"]) for c in runs},
                         {(t, n) for t in ("shm", "tcp", "fifo") for n in (16, 128, 256)})
        for run in runs:
            self.assertEqual(run["calls"]["count"], 4 * run["workload"]["clients"])
            self.assertEqual(run["integrity"]["corrupt"], 0)
            self.assertEqual(len(run["clients"]), run["workload"]["clients"])
            self.assertGreater(run["fairness"]["gap_ns"], 0)

    def test_studio6(self):
        """studio6: six mechanisms, and signals are counted"""
        runs = self.run_short("studio6")
        self.assertEqual([c["workload"]["transport"] for c in runs],
                         ["signal-std", "signal", "pipe", "fifo", "uds-stream", "tcp"])
        for run in runs:
            by_signal = run["workload"]["transport"].startswith("signal")
            self.assertEqual(run["flow"]["signals"] is not None, by_signal, run["flow"])

    def test_ipc_bench(self):
        """ipc-bench: latency and throughput by size, and a server that runs a command"""
        runs = self.run_short("ipc-bench")
        patterns = [c["workload"]["pattern"] for c in runs]
        self.assertEqual((patterns.count("pingpong"), patterns.count("flood")), (16, 16))
        # Not on average: a machine that is held up once does not make an echo slow.
        service = {c["workload"]["handler"]: c["calls"]["service_ns"]["p50"] for c in runs
                   if c["workload"]["pattern"] == "request"}
        self.assertEqual(len(service), 3)
        self.assertGreater(service["exec=echo answer"], 10 * service["echo"])


class Runs(harness.TestCase):
    """--runs: every number of clients several times."""

    def test_runs(self):
        """each run has its number and its own figures; the text has one row per number of clients"""
        path = self.file("runs.ipct")
        result = harness.ipctrace("--clients", "1,2", "--messages", 10, "--warmup", 2, "--runs", 3,
                                  "--record", path, "-f", "json")
        self.check_quiet(result)
        runs = [(c["workload"]["clients"], c["workload"]["run"]) for c in result.json()["cells"]]
        self.assertEqual(runs, [(clients, run) for run in (1, 2, 3) for clients in (1, 2)])
        text = harness.ipctrace("report", path).out
        self.assertIn("3 runs each", " ".join(text.split()))
        rows = [line.split() for line in text.splitlines()]
        self.assertEqual([row[:3] for row in rows if row[1:3] in (["30", "30"], ["60", "60"])],
                         [["1", "30", "30"], ["2", "60", "60"]])


if __name__ == "__main__":
    tap.main()
