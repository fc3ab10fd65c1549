# SPDX-License-Identifier: BSD-2-Clause
"""Every message of every kind of run is matched and adds up to the nanosecond."""

import os

import harness
import tap


class Matrix(harness.TestCase):
    """measure() checks every message and the summary of each of these runs."""

    def check_run(self, clients, messages, *options, limit_s=60):
        """Runs, and expects every message to be there."""
        run = self.measure("--clients", clients, "--messages", messages, *options, limit_s=limit_s)
        summary, count = run.summary, clients * messages
        for client in summary["clients"]:
            self.assertIsNone(client["left"], f"client {client['client']} left early")
            self.assertEqual(client["latency_ns"]["count"], messages, f"client {client['client']}")
        self.assertEqual((summary["integrity"]["sent"], len(run.messages)), (count, count))
        self.assertEqual(summary["rounds"]["complete"], messages)
        return run

    def cpus_of(self, run):
        """The CPUs that the server sent from, and those that clients received on."""
        return ({m["sender_cpu"] for m in run.messages}, {m["receiver_cpu"] for m in run.messages})

    def test_main_job(self):
        """the main job: 5 clients, 1000 messages each, 5000 sent and 5000 matched"""
        run = self.check_run(5, 1000, "--transport", "uds")
        workload = run.summary["workload"]
        self.assertEqual(
            [workload[k] for k in ("transport", "pattern", "clients", "messages", "warmup", "size",
                                   "period_ns", "policy", "server_priority", "client_priority")],
            ["uds", "push", 5, 1000, 100, 64, 10_000_000, "rr", 99, 98])
        self.assertIsNone(run.summary["observer"]["bpf_ns_per_message"], "was not asked for")

    def test_one_client(self):
        """one client: first and last latency are the same, and there is no next one"""
        rounds = self.check_run(1, 150, "--warmup", 20).summary["rounds"]
        first = {k: v for k, v in rounds["first_latency_ns"].items() if k != "components_ns"}
        self.assertEqual(first, rounds["last_latency_ns"])
        self.assertEqual(rounds["next_latency_ns"]["count"], 0)

    def test_ten_clients(self):
        """ten clients"""
        self.check_run(10, 150, "--warmup", 20)

    def test_default_clients(self):
        """without --clients there is one client"""
        run = self.measure("--messages", 10, "--warmup", 2)
        self.assertEqual(run.summary["integrity"]["sent"], 10)

    def test_no_warmup(self):
        """without a warm-up the very first message counts"""
        run = self.check_run(3, 30, "--warmup", 0)
        self.assertEqual(min(m["seq"] for m in run.messages), 0)

    def test_policies(self):
        """other, fifo and deadline"""
        for policy in ("other", "fifo", "deadline"):
            with self.subTest(policy):
                run = self.check_run(5, 100, "--warmup", 20, "--policy", policy)
                self.assertEqual(run.summary["workload"]["policy"], policy)

    def test_one_cpu(self):
        """--cpus one: everything happens on one CPU"""
        senders, receivers = self.cpus_of(self.check_run(5, 150, "--warmup", 20, "--cpus", "one"))
        self.assertEqual(len(senders | receivers), 1)

    def test_spread(self):
        """--cpus spread: no client runs on the server's CPU"""
        self.need_two_cpus()
        run = self.check_run(5, 150, "--warmup", 20, "--cpus", "spread")
        senders, receivers = self.cpus_of(run)
        self.assertEqual(len(senders), 1)
        self.assertFalse(senders & receivers)

    def test_lists(self):
        """--cpus server=1,clients=0 is obeyed"""
        self.need_two_cpus()
        run = self.check_run(5, 150, "--warmup", 20, "--cpus", "server=1,clients=0")
        self.assertEqual(self.cpus_of(run), ({1}, {0}))

    def test_list_of_many(self):
        """--cpus server=0,clients=0-1 is obeyed"""
        self.need_two_cpus()
        run = self.check_run(4, 100, "--warmup", 20, "--cpus", "server=0,clients=0-1")
        senders, receivers = self.cpus_of(run)
        self.assertEqual(senders, {0})
        self.assertLessEqual(receivers, {0, 1})

    def need_two_cpus(self):
        self.assertGreaterEqual(len(os.sched_getaffinity(0)), 2, "this test needs two CPUs")

    def test_last_round(self):
        """
        the last round is like the others: no client has left while it is served

        A process that ends keeps its CPU for longer than a round takes. In one run a round may be slow
        for another reason, but not the last one of each.
        """
        slow = 0
        for _ in range(4):
            run = self.check_run(5, 100, "--cpus", "one")
            last = {}
            for message in run.messages:
                number = message["round"]
                last[number] = max(last.get(number, 0), message["latency_ns"])
            slow += last[max(last)] > 0.9 * max(last.values())
        self.assertLess(slow, 4, "runs whose slowest round is the last")

    def test_period(self):
        """--period 1ms"""
        run = self.check_run(5, 1000, "--period", "1ms")
        stamps = sorted({m["stamp_ns"] for m in run.messages})
        gaps = sorted(b - a for a, b in zip(stamps, stamps[1:]))
        self.assertLess(abs(gaps[len(gaps) // 2] - 1_000_000), 200_000, "the usual gap is 1 ms")

    def test_sizes(self):
        """messages of 24 bytes and of 60,000 bytes"""
        for size in (24, 60000):
            with self.subTest(size):
                run = self.check_run(2, 50, "--warmup", 10, "--size", size)
                self.assertEqual({m["bytes"] for m in run.messages}, {size})

    def test_many_clients(self):
        """200 clients, 100 messages each"""
        self.check_run(200, 100, limit_s=120)


if __name__ == "__main__":
    tap.main()
