# SPDX-License-Identifier: BSD-2-Clause
"""Servers with known answers: every component is what the server and its caller have logged."""

import os
import signal
import statistics
import uuid

import attach
import bracket
import harness
import patience
import tap
import truth

UNIT = 64
SPIN_NS, SLEEP_NS, BUSY_NS, BLOCK_NS, STARVE_NS = 400_000, 700_000, 1_000_000, 2_000_000, 3_000_000
WAIT_NS = 500_000
SPIN_PERIOD_NS = 9_370_000
PRIORITY = 10  # of service and caller: below the spinner, above all other threads
SOCKETS = ("uds", "uds-stream", "uds-seqpacket", "tcp", "udp")
TRANSPORTS = SOCKETS + ("pipe", "fifo")

# As every message must be inside of its bracket, a few that are near its limits show any mistake.
NEAR_CNT = 3

# The time from `queued` to the receive call is in these.
BEFORE_RECEIVE = ("wakeup", "blocked", "busy", "runqueue", "switch")

# In which system call the service sleeps for an answer.
SLEEPS = {"sleep": ("clock_nanosleep", SLEEP_NS), "wait": ("futex", WAIT_NS)}

# Name of the caller's job: its options, and how many messages it sends.
JOBS = {
    "echo": (["-n", 200], 200),
    "spin": (["-n", 100, "-o", "spin", "-d", SPIN_NS], 100),
    "sleep": (["-n", 100, "-o", "sleep", "-d", SLEEP_NS], 100),
    "wait": (["-n", 60, "-o", "wait", "-d", WAIT_NS], 60),
    "busy": (["-n", 100, "-o", "busy", "-d", BUSY_NS], 200),
    "block": (["-n", 80, "-o", "block", "-d", BLOCK_NS], 160),
    "starve": (["-n", 160, "-p", 4_100_000], 160),
}


class Known(attach.AttachCase):
    """Known answers from the logs of the programs: their messages and sleeps."""

    @staticmethod
    def ways_of(noted, records):
        """Every record with its send and its receive."""
        sent, received = noted.by_id(truth.SEND), noted.by_id(truth.RECEIVE)
        return [bracket.Way(record, sent[id_], received[id_])
                for record in records for id_ in noted.ids_of(record)]

    def check_inside(self, limits, got_ns, what, way):
        self.assertTrue(limits.has(got_ns), f"{what}: {got_ns} is not in {limits} of {way}")

    def check_latency(self, ways):
        """
        Always within the calls, and near their whole length if the sender was not held up in its own.
        The receiver's exit from the kernel has no second reading: one in ten may be held up there.
        """
        unhindered, prompt = [], 0
        for way in ways:
            whole_ns = way.taken.exit_ns - way.given.enter_ns
            self.check_inside(bracket.Bracket(max(0, way.until_receive.low), whole_ns),
                              way.record["latency_ns"], "latency", way)
            arrived_ns = way.record["queued_ns"]
            prompt += arrived_ns <= way.given.exit_ns
            self.assertTrue(way.is_inet or arrived_ns <= way.given.exit_ns, way)
            sending_ns = way.given.exit_ns - way.given.enter_ns
            if sending_ns <= bracket.BELOW_HIGH_NS:
                # What level light does not see of the send call is no mistake.
                unseen_ns = 0 if way.record["send_path_ns"] is not None else sending_ns
                unhindered.append(whole_ns - way.record["latency_ns"] - unseen_ns)
        patience.demand(prompt, attach.BULK * len(ways), "messages delivered in their send calls")
        patience.demand(len(unhindered), len(ways) / 2, "sends without a disturbance")
        patience.demand(sum(rest_ns <= attach.NEAR_NS for rest_ns in unhindered),
                       attach.BULK * len(unhindered), "latency")

    def check_slept(self, calls, call, noted, count, is_meant=lambda id_: True):
        """
        Every service that slept, by the kernel's own count, slept in this call, except those that are
        reported as not cut. Returns the services that slept as they were meant to: a timer can be over
        before its thread is asleep.
        """
        slept = noted.by_id(truth.SLEPT)
        services = [e for e in noted.entries(truth.SERVICE) if is_meant(e.id)]
        asleep = [e for e in services if e.id in slept]
        self.assertEqual(len(services), count)
        known = sum(part["calls"] for part in calls["blocked_on"] if part["call"] == call)
        uncut = sum(calls["service_not_cut"].values())
        self.assertLessEqual(known, len(asleep), calls)
        self.assertGreaterEqual(known, len(asleep) - uncut, calls)
        patience.demand(len(asleep), 0.9 * count, f"services asleep in {call}")
        return asleep


class KnownAnswers(Known):
    """One service and one caller after the other, each of which asks for something else."""

    def addresses(self, transport):
        """(of the service, of its caller, what both inherit)."""
        if transport != "pipe":
            address, fds = self.address(transport)
            return address, address, fds
        asked, ask, hear, answer = self.keep(*os.pipe(), *os.pipe())
        return f"fd:{asked},{answer}", f"fd:{hear},{ask}", (asked, ask, hear, answer)

    def starve(self, caller):
        """The same while a spinner of a higher priority comes and goes: its spins."""
        spinner = self.spawn([self.program("spinner"), attach.SERVER_CPU, STARVE_NS, SPIN_PERIOD_NS,
                              200])
        self.join(caller())
        attach.end(spinner)
        return spinner.pid, [tuple(map(int, line.split())) for line in spinner.stdout]

    def trace(self, transport):
        """(attachment, truth, {job: caller's tid}, spinner's tid, its spins)."""
        service_at, caller_at, fds = self.addresses(transport)
        side = self.file(f"side-{uuid.uuid4().hex[:8]}")
        os.mkfifo(side)
        service = self.start("service", "-u", UNIT, "-s", side, service_at, cpu=attach.SERVER_CPU,
                             priority=PRIORITY, pass_fds=fds)
        tids = {}

        def caller(job):
            process = self.start("caller", "-u", UNIT, "-s", side, *JOBS[job][0], caller_at,
                                 cpu=attach.CALLER_CPU, priority=PRIORITY, pass_fds=fds)
            tids[job] = process.pid
            return process

        with self.attached("-p", service.pid) as attachment:
            for job in JOBS:
                if job != "starve":
                    self.join(caller(job))
            spinner, spins = self.starve(lambda: caller("starve"))
        self.end(service)
        return attachment, self.truth(), tids, (spinner, spins)

    def check_transport(self, transport):
        attachment, noted, tids, (spinner, spins) = self.trace(transport)
        count = 2 * sum(count for _, count in JOBS.values())
        side_count = JOBS["block"][0][1]
        self.check_whole(attachment, count + side_count)
        records = [m for m in attachment.of(transport) if m["bytes"] == UNIT]
        self.assertEqual(len(records), count, attachment.summary["integrity"])
        self.check_right(noted, attachment.messages)
        sent = noted.by_id(truth.SEND)
        ways = self.ways_of(noted, records)
        self.check_latency(ways)
        asked = {job: [way for way in ways if way.given.tid == tid] for job, tid in tids.items()}
        self.check_busy(asked["busy"], noted)
        self.check_blocked(asked["block"], noted, sent)
        self.check_starved(asked["starve"], spinner, spins)
        if transport in SOCKETS:
            received = noted.by_id(truth.RECEIVE)
            self.check_all_calls(attachment.summary["calls"], noted, sent, received)
            self.check_services(attachment.summary["calls"], noted, sent, tids)
        self.check_service_channels(attachment, transport, tids)

    def check_busy(self, ways, noted, component="busy"):
        """The service was busy elsewhere: until its next receive call it ran, or waited for a CPU."""
        intervals = [(e.enter_ns, e.exit_ns) for e in noted.entries(truth.BUSY)]
        close = 0
        for way in self.spent(ways, intervals, BUSY_NS):
            limits = way.until_receive
            self.assertEqual(way.sum_ns("wakeup", "blocked"), 0, way)
            self.check_inside(limits, way.sum_ns(component, "runqueue", "switch"), component, way)
            call_ns = way.taken.exit_ns - way.taken.enter_ns if component == "receive" else 0
            close += limits.is_near(way.record[component + "_ns"], bracket.ABOVE_LOW_NS + call_ns)
        patience.demand(close, JOBS["busy"][0][1] / 2, component)

    @staticmethod
    def spent(ways, intervals, whole_ns):
        """Those that waited for half of such an interval before the receive call began."""
        return [way for way in ways if way.taken.enter_ns > way.left_ns and
                truth.overlap(way.left_ns, way.taken.enter_ns, intervals) > whole_ns / 2]

    def check_blocked(self, ways, noted, sent, components=BEFORE_RECEIVE):
        """
        It came while the service read from another pipe, until something was written there. A
        service that was asleep when the message came was asleep until that write.
        """
        side = [(e, sent[e.id]) for e in noted.entries(truth.RECEIVE) if e.bytes != UNIT]
        close = 0
        for way in self.spent(ways, [(e.enter_ns, w.enter_ns) for e, w in side], BLOCK_NS):
            read, write = next(pair for pair in side if pair[0].exit_ns > way.left_ns)
            blocked_ns = way.record["blocked_ns"]
            self.check_inside(way.until_receive, way.sum_ns(*components), "blocked and run", way)
            self.check_blocked_on(way.record)
            if way.record["path"] == "blocked":
                limits = way.until(write.enter_ns, read.exit_ns)
                self.check_inside(limits, blocked_ns, "blocked", way)
                # The write of one CPU, which ends it, wakes another.
                close += limits.is_near(blocked_ns, 2 * bracket.ABOVE_LOW_NS)
        patience.demand(close, NEAR_CNT, "blocked")

    def check_blocked_on(self, record):
        on = record["blocked_on"]
        self.assertEqual(sum(part["ns"] for part in on), record["blocked_ns"])
        if record["blocked_ns"] > BLOCK_NS / 2:
            self.assertEqual(on[0]["call"], "read", record)

    def check_starved(self, ways, spinner, spins):
        """
        The service was to run, and the spinner ran instead: this is its blame. The spin was under
        way when the message was sent, so the service cannot run before its end. The spinner's log
        cannot show what interrupts took of its time.
        """
        waits = blames = 0
        for way in ways:
            end_ns = next((end for begin, end in spins if begin < way.given.enter_ns
                           and end > way.left_ns + STARVE_NS / 2), None)
            if end_ns is None:
                continue
            limits = way.until(end_ns, way.taken.exit_ns)
            self.check_inside(limits, way.sum_ns("wakeup", "blocked", "runqueue", "switch"),
                              "starved", way)
            blamed_ns = sum(b["ns"] for b in way.record["blame"] if b["class"] in ("irq", "softirq")
                            or (b["tid"], b["comm"]) == (spinner, "rt-spinner"))
            waits += limits.is_near(way.record["runqueue_ns"] or 0)
            blames += limits.is_near(blamed_ns)
        patience.demand(waits, NEAR_CNT, "run queue")
        patience.demand(blames, NEAR_CNT, "blame of the spinner")

    def check_all_calls(self, calls, noted, sent, received):
        """Requests, services and answers on average."""
        services = noted.entries(truth.SERVICE)
        self.assertEqual(calls["count"], len(services))
        service_ns = statistics.mean(e.exit_ns - e.enter_ns for e in services)
        request_ns = statistics.mean(received[e.id].exit_ns - sent[e.id].enter_ns
                                     for e in services)
        on_cpu_ns = statistics.mean(self.on_cpu_ns(services, noted))
        states = calls["service_ns"]["states_ns"]
        off_cpu_ns = states["runqueue"] + states["blocked"]
        # The readings of a service lie between its calls, those of a request around them.
        self.assertGreaterEqual(calls["service_ns"]["mean"], service_ns)
        self.assertLessEqual(calls["request_ns"]["mean"], request_ns)
        for what, got_ns, true_ns in (
                ("service", calls["service_ns"]["mean"], service_ns),
                ("request", calls["request_ns"]["mean"], request_ns),
                ("service on CPU", states["on_cpu"], on_cpu_ns),
                ("service off CPU", off_cpu_ns, service_ns - on_cpu_ns)):
            self.demand_mean(what, got_ns, true_ns)

    @staticmethod
    def demand_mean(what, got_ns, true_ns):
        if abs(got_ns - true_ns) > attach.NEAR_NS:
            raise patience.NotNear(f"{what}: {got_ns} is not {true_ns} on average")

    def on_cpu_ns(self, services, noted):
        """The CPU time of each; all of its time without a switch, as CPU time lacks what the host took."""
        off_cpu = {**noted.by_id(truth.SLEPT), **noted.by_id(truth.PREEMPTED)}
        return [e.bytes if e.id in off_cpu else e.exit_ns - e.enter_ns for e in services]

    def check_services(self, calls, noted, sent, tids):
        """
        For an answer the service slept in the call that it was asked for: for as long as it was
        asked to, and no longer than it was not on a CPU.
        """
        blocked_on = calls["blocked_on"]
        parts = {part["call"]: part for part in blocked_on}
        self.assert_near(sum(part["share"] for part in blocked_on), 1, "shares")
        for job, (call, asked_ns) in SLEEPS.items():
            slept = self.check_slept(calls, call, noted, JOBS[job][1],
                                     lambda id_: sent[id_].tid == tids[job])
            off_cpu_ns = statistics.mean(e.exit_ns - e.enter_ns - e.bytes for e in slept)
            mean_ns = parts[call]["ns"] / parts[call]["calls"]
            self.assertLess(mean_ns, (1 + attach.NEAR_SHARE) * off_cpu_ns, blocked_on)
            patience.demand(mean_ns, (1 - attach.NEAR_SHARE) * asked_ns, f"{call}: {blocked_on}")

    def check_service_channels(self, attachment, transport, tids):
        """The processes at both ends of each channel, and the number of messages."""
        channels = [c for c in attachment.channels(transport)
                    if c["bytes"] == UNIT * c["messages"]]
        if transport in ("pipe", "fifo"):  # the same two for all callers
            self.assertEqual([c["messages"] for c in channels],
                             [sum(count for _, count in JOBS.values())] * 2)
            return
        for job, tid in tids.items():
            mine = [c for c in channels if tid in (c["sender"]["pid"], c["receiver"]["pid"])]
            self.assertEqual([c["messages"] for c in mine], [JOBS[job][1]] * 2,
                             f"{job} {tid}: {mine} of {attachment.channels()}")
            self.assertEqual({c[way]["comm"] for c in mine for way in ("sender", "receiver")},
                             {"caller", "service"})


def known_answers(transport):
    def test(self):
        self.check_transport(transport)
    test.__doc__ = f"{transport}: busy, blocked, starved, spinning and sleeping as it is known"
    return test


for name in TRANSPORTS:
    setattr(KnownAnswers, "test_" + name.replace("-", "_"), patience.patient(known_answers(name)))


class Beside(Known):
    """Calls of other threads on the CPU of a target are none of its messages."""

    CALLS = 100

    def test_timer(self):
        """sleeps that end while a peer's io_uring is busy there are named by their call"""
        address, _ = self.address("uds-stream")
        service = self.start("service", address, cpu=attach.SERVER_CPU, priority=PRIORITY)
        # Not traced before it connects: what its threads call is not known.
        caller = self.spawn([self.program("caller"), "-n", self.CALLS, "-o", "sleep", "-d", SLEEP_NS,
                             "-b", attach.SERVER_CPU, address, self.logs])
        harness.wait_until(lambda: harness.is_stopped(caller))
        with self.attached("-p", service.pid) as attachment:
            caller.send_signal(signal.SIGCONT)
            self.join(self.ready(caller))
        self.end(service)
        self.check_slept(attachment.summary["calls"], "clock_nanosleep", self.truth(), self.CALLS)


class Rounds(Known):
    """One thread that sends to five sockets on every tick."""

    ROUNDS, CLIENTS = 100, 5

    def test_fan_out(self):
        """first, next and last latency and the service time of every burst"""
        addresses = [self.address("uds")[0] for _ in range(self.CLIENTS)]
        readers = [self.start("reader", address, priority=PRIORITY) for address in addresses]
        writer = ["chrt", "-f", PRIORITY, self.program("writer"), "-q", "-n", self.ROUNDS, "-p",
                  10_000_000, *addresses, self.logs]
        with self.attached("--", *writer, stop=False) as attachment:
            pass
        self.end(*readers)
        noted = self.truth()
        records = attachment.of("uds")
        self.check_whole(attachment, self.ROUNDS * self.CLIENTS)
        self.check_right(noted, records)
        self.check_latency(self.ways_of(noted, records))
        self.check_rounds(attachment.summary["rounds"], noted, records)

    def check_rounds(self, rounds, noted, records):
        """The rounds are those of its messages, whose ids show which of them were one burst."""
        self.assertEqual((rounds["count"], rounds["complete"]), (self.ROUNDS, self.ROUNDS))
        by_id = {id_: record for record in records for id_ in noted.ids_of(record)}
        sent = noted.entries(truth.SEND)
        first, following, last = [], [], []
        for at in range(0, len(sent), self.CLIENTS):
            burst = [by_id[e.id] for e in sent[at:at + self.CLIENTS]]
            self.check_burst(burst)
            arrivals = sorted(record["recv_ns"] - burst[0]["send_ns"] for record in burst)
            first.append(arrivals[0])
            last.append(arrivals[-1])
            following += [b - a for a, b in zip(arrivals, arrivals[1:])]
        self.assertEqual({r["round"] for r in records}, set(range(self.ROUNDS)))
        for name, values in (("first", first), ("next", following), ("last", last)):
            self.check_stat(rounds[name + "_latency_ns"], values, name)
        self.assert_near(rounds["service_time_ns"], statistics.mean(last) + statistics.pstdev(last),
                         "service time")

    def check_burst(self, burst):
        """Its messages have one number, and know how long the sender took until their own sends."""
        self.assertEqual(len({record["round"] for record in burst}), 1)
        self.assertEqual({record["client"] for record in burst}, set(range(1, self.CLIENTS + 1)))
        for record in burst:
            self.assertEqual(record["dispatch_ns"], record["send_ns"] - burst[0]["send_ns"])


if __name__ == "__main__":
    tap.main()
