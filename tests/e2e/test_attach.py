# SPDX-License-Identifier: BSD-2-Clause
"""Servers whose answer is known: every component is what the server and its caller have noted."""

import os
import signal
import statistics

import attach
import harness
import tap
import truth

UNIT = 64
SPIN_NS, SLEEP_NS, BUSY_NS, BLOCK_NS, STARVE_NS = 400_000, 700_000, 1_000_000, 2_000_000, 3_000_000
WAIT_NS = 500_000
SPIN_PERIOD_NS = 9_370_000
PRIORITY = 10  # of service and caller: below the spinner, above everybody else
SOCKETS = ("uds", "uds-stream", "uds-seqpacket", "tcp", "udp")
TRANSPORTS = SOCKETS + ("pipe", "fifo")

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
    """What the programs know of their own messages and sleeps."""

    @staticmethod
    def ways_of(noted, records):
        """(record, its send, its receive)."""
        sent, received = noted.by_id(truth.SEND), noted.by_id(truth.RECEIVE)
        return [(record, sent[id_], received[id_])
                for record in records for id_ in noted.ids_of(record)]

    def check_bulk(self, pairs, what, at_least):
        """Of (got, true) pairs, which are so many or more, nine in ten are near."""
        self.assertGreaterEqual(len(pairs), at_least, what)
        near = sum(attach.is_near(got, true) for got, true in pairs)
        self.assertGreaterEqual(near, attach.BULK * len(pairs),
                                f"{what}: near the truth of {len(pairs)}, such as {pairs[:5]}")

    def check_latency(self, ways):
        pairs = [(record["latency_ns"], taken.exit_ns - given.enter_ns)
                 for record, given, taken in ways]
        self.check_bulk(pairs, "latency", 1)

    def check_slept(self, calls, call, noted, count, is_meant=lambda id_: True):
        """
        Whoever went to sleep, by the kernel's own count, did so in this call, but for those who are
        said not to be cut. The services that were meant to, as far as they did: a timer can be over
        before its thread is asleep.
        """
        slept = noted.by_id(truth.SLEPT)
        services = [e for e in noted.entries(truth.SERVICE) if is_meant(e.id)]
        asleep = [e for e in services if e.id in slept]
        self.assertEqual(len(services), count)
        self.assertGreater(len(asleep), 0.9 * count)
        known = sum(part["calls"] for part in calls["blocked_on"] if part["call"] == call)
        uncut = sum(calls["service_not_cut"].values())
        self.assertLessEqual(known, len(asleep), calls)
        self.assertGreaterEqual(known, len(asleep) - uncut, calls)
        return asleep


class KnownAnswers(Known):
    """One service and one caller after the other, each of which asks for something else."""

    def addresses(self, transport):
        """(of the service, of its caller, what both inherit)."""
        if transport != "pipe":
            address, fds = self.address(transport)
            return address, address, fds
        (asked, ask), (hear, answer) = os.pipe(), os.pipe()
        for fd in (asked, ask, hear, answer):
            self.addCleanup(os.close, fd)
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
        side = self.file(f"side-{transport}")
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
        asked = {job: [way for way in ways if way[1].tid == tid] for job, tid in tids.items()}
        self.check_busy(asked["busy"], noted)
        self.check_blocked(asked["block"], noted, sent)
        self.check_starved(asked["starve"], spinner, spins)
        if transport in SOCKETS:
            received = noted.by_id(truth.RECEIVE)
            self.check_all_calls(attachment.summary["calls"], noted, sent, received)
            self.check_services(attachment.summary["calls"], noted, sent, tids)
        self.check_service_channels(attachment, transport, tids)

    def check_busy(self, ways, noted):
        """The request came while the service was busy elsewhere."""
        intervals = [(e.enter_ns, e.exit_ns) for e in noted.entries(truth.BUSY)]
        self.check_component(ways, "busy", intervals, BUSY_NS, JOBS["busy"][0][1])

    def check_blocked(self, ways, noted, sent):
        """It came while the service read from another pipe, until something was written there."""
        side = [e for e in noted.entries(truth.RECEIVE) if e.bytes != UNIT]
        intervals = [(e.enter_ns, sent[e.id].enter_ns) for e in side]
        self.check_component(ways, "blocked", intervals, BLOCK_NS, JOBS["block"][0][1])
        for record, _, _ in ways:
            on = record["blocked_on"]
            self.assertEqual(sum(part["ns"] for part in on), record["blocked_ns"])
            if record["blocked_ns"] > BLOCK_NS / 2:
                self.assertEqual(on[0]["call"], "read", record)

    def check_component(self, ways, component, intervals, true_ns, count):
        """What the intervals leave of the time from its send to the receive."""
        pairs = []
        for record, given, taken in ways:
            spent = truth.overlap(given.exit_ns, taken.enter_ns, intervals)
            if spent > true_ns / 2:
                pairs.append((record[component + "_ns"], spent))
        self.check_bulk(pairs, component, 0.9 * count)

    def check_starved(self, ways, spinner, spins):
        """
        The service was to run, and the spinner ran instead: this is its blame. The spin was under
        way when the message was sent: one that begins later may also come after the receive, and
        before the service has noted when that was. The spinner's log cannot tell what interrupts
        took of its time.
        """
        waits, blames = [], []
        for record, given, taken in ways:
            spent = truth.overlap(given.exit_ns, taken.exit_ns,
                                  [spin for spin in spins if spin[0] < given.enter_ns])
            if spent < STARVE_NS / 2:
                continue
            waits.append((record["runqueue_ns"] or 0, spent))
            blames.append((sum(b["ns"] for b in record["blame"] if b["class"] in ("irq", "softirq")
                               or (b["tid"], b["comm"]) == (spinner, "rt-spinner")), spent))
        self.check_bulk(waits, "run queue", 10)
        self.check_bulk(blames, "blame of the spinner", 10)

    def check_all_calls(self, calls, noted, sent, received):
        """Requests, services and answers on average, which nobody can have hit alone."""
        services = noted.entries(truth.SERVICE)
        self.assertEqual(calls["count"], len(services))
        means = {"service": statistics.mean(e.exit_ns - e.enter_ns for e in services),
                 "request": statistics.mean(received[e.id].exit_ns - sent[e.id].enter_ns
                                            for e in services)}
        for part, mean in means.items():
            got = calls[part + "_ns"]["mean"]
            self.assertTrue(attach.is_near(got, mean), f"{part}: {got} is not {mean}")
        on_cpu = statistics.mean(self.on_cpu_ns(services, noted))
        states = calls["service_ns"]["states_ns"]
        self.assertTrue(attach.is_near(states["on_cpu"], on_cpu), f"{states}, not {on_cpu}")
        off_cpu = states["runqueue"] + states["blocked"]
        self.assertTrue(attach.is_near(off_cpu, means["service"] - on_cpu), f"{states}, {means}")

    def on_cpu_ns(self, services, noted):
        """
        Of each: all of it, if there was no switch. The clock of a thread's CPU time leaves out what
        the host of a virtual machine took of it.
        """
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
            self.assertGreater(mean_ns, (1 - attach.NEAR_SHARE) * asked_ns, blocked_on)
            self.assertLess(mean_ns, (1 + attach.NEAR_SHARE) * off_cpu_ns, blocked_on)

    def check_service_channels(self, attachment, transport, tids):
        """Who spoke with whom, and how much."""
        channels = [c for c in attachment.channels(transport)
                    if c["bytes"] == UNIT * c["messages"]]
        if transport in ("pipe", "fifo"):  # the same two for all callers
            self.assertEqual([c["messages"] for c in channels],
                             [sum(count for _, count in JOBS.values())] * 2)
            return
        for job, tid in tids.items():
            mine = [c for c in channels if tid in (c["sender"]["pid"], c["receiver"]["pid"])]
            self.assertEqual([c["messages"] for c in mine], [JOBS[job][1]] * 2, f"{job}: {mine}")
            self.assertEqual({c[way]["comm"] for c in mine for way in ("sender", "receiver")},
                             {"caller", "service"})


def known_answers(transport):
    def test(self):
        self.check_transport(transport)
    test.__doc__ = f"{transport}: busy, blocked, starved, spinning and sleeping as it is known"
    return test


for name in TRANSPORTS:
    setattr(KnownAnswers, "test_" + name.replace("-", "_"), known_answers(name))


class Beside(Known):
    """What others do on the CPU of a target is none of its messages."""

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


class Pipelining(attach.AttachCase):
    """More requests before their answers: a request is what one send carries."""

    CALLS, DEPTH = 100, 8

    def trace(self, transport, asking, answering=()):
        """The attachment to a service that gets so many requests at a time."""
        self.begin_logs()
        address, _ = self.address(transport)
        service = self.start("service", *answering, address)
        with self.attached("-p", service.pid) as attachment:
            self.run_to_end("caller", "-n", self.CALLS, "-k", self.DEPTH, *asking, address)
        self.end(service)
        self.check_right(self.truth(), attachment.messages)
        return attachment

    def check_calls_of(self, asking, answering, messages, calls):
        for transport in ("uds-stream", "tcp"):
            with self.subTest(transport):
                attachment = self.trace(transport, asking, answering)
                self.check_whole(attachment, messages * self.CALLS)
                self.assertEqual(attachment.summary["calls"]["count"], calls * self.CALLS)

    def test_requests(self):
        """eight requests, of which a receive may take several, and an answer to each: eight calls"""
        self.check_calls_of(["-e"], [], 2 * self.DEPTH, self.DEPTH)

    def test_answers(self):
        """eight in one message, and an answer to each: one call"""
        self.check_calls_of([], [], 1 + self.DEPTH, 1)

    def test_one_answer(self):
        """eight in one message, and all answers in one: one call"""
        self.check_calls_of([], ["-g"], 2, 1)


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
        """They are those of its messages, of which the ids tell what was one burst."""
        self.assertEqual((rounds["count"], rounds["complete"]), (self.ROUNDS, self.ROUNDS))
        by_id = {id_: record for record in records for id_ in noted.ids_of(record)}
        sent = noted.entries(truth.SEND)
        first, following, last = [], [], []
        for at in range(0, len(sent), self.CLIENTS):
            burst = [by_id[e.id] for e in sent[at:at + self.CLIENTS]]
            arrivals = sorted(record["recv_ns"] - burst[0]["send_ns"] for record in burst)
            first.append(arrivals[0])
            last.append(arrivals[-1])
            following += [b - a for a, b in zip(arrivals, arrivals[1:])]
        for name, values in (("first", first), ("next", following), ("last", last)):
            self.check_stat(rounds[name + "_latency_ns"], values, name)
        self.assert_near(rounds["service_time_ns"], statistics.mean(last) + statistics.pstdev(last),
                         "service time")


if __name__ == "__main__":
    tap.main()
