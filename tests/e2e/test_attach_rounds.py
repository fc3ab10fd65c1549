# SPDX-License-Identifier: BSD-2-Clause
"""Rounds of an attach: their period, planted deadlines that are missed, with their causes, and chains of processes."""

import statistics
import subprocess

import attach
import harness
import patience
import tap

# All rounds take less than 2 s: a first answer, the line at the end, is not waited for any longer.
PERIOD_NS, ROUNDS, EVERY = 20_000_000, 90, 9
PRIORITY = 50


class Conducted(attach.AttachCase):
    """A program of the tests that waits for a line before it begins."""

    def conduct(self, *arguments):
        """Traces it from its first message to its last one. Its output as well."""
        conductor = self.ready(self.spawn([self.program("conductor"), *arguments],
                                          priority=PRIORITY, stdin=subprocess.PIPE))
        # The processes in the middle of a chain exchange nothing with its first one.
        pids = [conductor.pid, *harness.children_of(conductor.pid)]
        with self.attached("-p", ",".join(map(str, pids))) as attachment:
            self.go(conductor)
            conductor.stdin.close()
            out = conductor.stdout.read()
            conductor.wait()
        return attachment, out


class Deadlines(Conducted):
    def measure(self, kind):
        attachment, _ = self.conduct("rounds", PERIOD_NS, ROUNDS, kind, EVERY)
        rounds = attachment.summary["rounds"]
        self.assertEqual((rounds["count"], rounds["complete"]), (ROUNDS, ROUNDS))
        self.assertEqual(rounds["start_distance_ns"]["count"], ROUNDS - 1)
        self.assertIsNone(rounds["tick_ns"])
        for what in ("late", "unfinished"):
            counts = [cause["count"] for cause in rounds["missed"]["causes"] if cause["missed"] == what]
            self.assertEqual(sum(counts), rounds["missed"][what], rounds["missed"])
        self.check_period(rounds)
        return attachment, rounds

    def check_period(self, rounds):
        patience.demand(-abs(rounds["period_ns"] - PERIOD_NS), -0.02 * PERIOD_NS, "period")
        self.assertAlmostEqual(rounds["efficiency_pct"],
                               100 * rounds["service_time_ns"] / rounds["period_ns"])

    def check_cause(self, rounds, what, component, expected):
        """Each planted round is counted, for its reason. A busy machine may add others."""
        found = sum(cause["count"] for cause in rounds["missed"]["causes"]
                    if (cause["missed"], cause["component"]) == (what, component))
        other = "late" if what == "unfinished" else "unfinished"
        patience.demand(found, expected, f"{what} because of {component}")
        patience.demand(-found, -expected, f"{what} because of {component}")
        patience.demand(-rounds["missed"][what], -expected - 2, f"{what} for other reasons")
        patience.demand(-rounds["missed"][other], -2, other)

    def test_none(self):
        """a period of 20 ms, and no missed deadline"""
        _, rounds = self.measure("none")
        for what in ("late", "skipped", "unfinished"):
            patience.demand(-rounds["missed"][what], 0, what)

    def test_busy(self):
        """ten rounds that are late because the sender computes"""
        _, rounds = self.measure("busy")
        self.check_cause(rounds, "late", "busy", ROUNDS // EVERY)
        patience.demand(-abs(rounds["missed"]["skipped"] - ROUNDS // EVERY), -2, "skipped periods")

    def test_asleep(self):
        """ten rounds that are late because the sender sleeps"""
        _, rounds = self.measure("asleep")
        self.check_cause(rounds, "late", "blocked", ROUNDS // EVERY)

    def test_held(self):
        """ten rounds whose last message is sent late: dispatch is the cause, also of the peaks"""
        attachment, rounds = self.measure("held")
        self.check_cause(rounds, "unfinished", "dispatch", ROUNDS // EVERY)
        causes = {cause["component"]: cause["count"] for cause in attachment.summary["peaks"]["causes"]}
        patience.demand(causes.get("dispatch", 0), ROUNDS // EVERY, f"peaks by cause: {causes}")
        largest = attachment.summary["peaks"]["largest"]
        patience.demand(largest["component"] == "dispatch", True, f"largest peak: {largest}")
        self.assertLessEqual(largest["component_ns"], largest["latency_ns"])
        late = [m for m in attachment.messages if m["dispatch_ns"] and m["dispatch_ns"] > PERIOD_NS]
        self.assertGreaterEqual(len(late), ROUNDS // EVERY)
        for message in late:
            self.assertEqual(message["recv_ns"] - message["send_ns"], message["latency_ns"])

    def test_slow_client(self):
        """ten rounds whose last client is still busy with the message before"""
        attachment, rounds = self.measure("slow")
        # The last one is of a client that has no further message.
        expected = ROUNDS // EVERY - 1
        self.check_cause(rounds, "unfinished", "busy", expected)
        slow = [m for m in attachment.messages if m["busy_ns"] > PERIOD_NS]
        patience.demand(len(slow), expected, "slow messages")
        self.assertEqual(len({m["receiver_tid"] for m in slow}), 1)
        # A message that waits for its receiver is still in its round.
        self.assertEqual({m["round"] is None for m in attachment.of("uds-seqpacket")}, {False})


class Chains(Conducted):
    """Three processes between a conductor's send and its receive, of which each one takes its time."""

    WORK_NS = (300_000, 600_000, 1_200_000)

    def test_pipes(self):
        """the order of the processes, the time of each, and the cycle that the conductor measures"""
        attachment, out = self.conduct("chain", PERIOD_NS, ROUNDS, *self.WORK_NS)
        took = [int(line) for line in out.split()]
        self.assertEqual(len(took), ROUNDS)
        chains = attachment.summary["chains"]
        chain = max(chains, key=lambda chain: len(chain["hops"]))
        self.assertEqual((len(chains), chain["count"]), (1, ROUNDS), chains)
        self.check_way(chain["hops"])
        self.check_times(chain, took)

    def check_way(self, hops):
        """From one to the next, and back to the first."""
        self.assertEqual(len(hops), len(self.WORK_NS) + 1)
        for hop, following in zip(hops, hops[1:] + hops[:1]):
            self.assertEqual(hop["to"]["pid"], following["from"]["pid"])
            self.assertEqual((hop["transport"], hop["from"]["comm"]), ("pipe", "conductor"))
        self.assertEqual(len({hop["from"]["pid"] for hop in hops}), len(hops))

    def check_times(self, chain, took):
        """The cycle lies within that of the conductor's clock, and the hops add up to it."""
        hops, cycle = chain["hops"], chain["cycle_ns"]
        self.assertLessEqual(cycle["max"], max(took))
        self.assertLessEqual(cycle["mean"], statistics.mean(took))
        patience.demand(-abs(cycle["p50"] - statistics.median(took)),
                        -attach.NEAR_NS - attach.NEAR_SHARE * statistics.median(took), "median cycle")
        parts = sum(hop["latency_ns"]["mean"] for hop in hops)
        parts += sum(hop["handled_ns"]["mean"] for hop in hops[:-1])
        self.assert_near(parts, cycle["mean"], "hops of the cycle")
        self.assertIsNone(hops[-1]["handled_ns"])
        for hop, work_ns in zip(hops, self.WORK_NS):
            self.assertGreaterEqual(hop["handled_ns"]["mean"], work_ns)
            patience.demand(-hop["handled_ns"]["mean"], -1.2 * work_ns - attach.NEAR_NS, "work")


if __name__ == "__main__":
    tap.main()
