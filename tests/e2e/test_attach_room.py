# SPDX-License-Identifier: BSD-2-Clause
"""A receiver that is too slow: its senders wait for room, and it is named, with what it did meanwhile."""

import json
import re
import subprocess
import sys

import attach
import harness
import patience
import tap

MESSAGES, SIZE = 300, 65536

# What the report says of a receiver. Less than 1 % is left out.
STATE_WORDS = {"on_cpu": "ran", "runqueue": "waited for a CPU", "blocked": "slept"}

# The receiver takes 64 KiB, and then a millisecond for them. The sender notes how long its writes took, and how much
# lay unsent in its socket after each; the receiver how long it ran, waited for a CPU and was asleep.
PROGRAM = """
import fcntl, json, os, socket, struct, sys, time
kind, pause, notes, messages, size = *sys.argv[1:4], *map(int, sys.argv[4:])
SIOCOUTQNSD = 0x894B

def name(comm):
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(comm)

def pause_for(seconds):
    if pause == "sleep":
        time.sleep(seconds)
        return
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass

def times():
    # How long this thread has run, and waited for a CPU.
    with open("/proc/thread-self/schedstat", encoding="ascii") as file:
        return [int(word) for word in file.read().split()[:2]]

def receive(end):
    name("slow-receiver")
    data = os.read(end, size)
    begin, before = time.monotonic_ns(), times()
    while data:
        pause_for(1e-3 * len(data) / size)
        data = os.read(end, size)
    ran, waited = (after - first for first, after in zip(before, times()))
    asleep = time.monotonic_ns() - begin - ran - waited
    with open(notes + "-receiver", "w", encoding="ascii") as file:
        json.dump({"on_cpu": ran, "runqueue": waited, "blocked": asleep}, file)

def ends():
    if kind == "pipe":
        return os.pipe()
    if kind == "uds-stream":
        return [end.detach() for end in socket.socketpair()]
    listener = socket.create_server(("127.0.0.1", 0))
    sender = socket.create_connection(listener.getsockname())
    return listener.accept()[0].detach(), sender.detach()

receiving, sending = ends()
child = os.fork()
if not child:
    os.close(sending)
    receive(receiving)
    os._exit(0)
os.close(receiving)
name("fast-sender")
print(child, flush=True)
sys.stdin.readline()
took, unsent = [], []
begin, awake_before = time.monotonic_ns(), sum(times())
for _ in range(messages):
    left = memoryview(bytes(size))
    start = time.monotonic_ns()
    while left:
        left = left[os.write(sending, left):]
    took.append(time.monotonic_ns() - start)
    if kind == "tcp":
        unsent.append(struct.unpack("i", fcntl.ioctl(sending, SIOCOUTQNSD, bytes(4)))[0])
asleep = time.monotonic_ns() - begin - (sum(times()) - awake_before)
os.close(sending)
os.waitpid(child, 0)
with open(notes, "w", encoding="ascii") as file:
    json.dump({"took": took, "unsent": unsent, "asleep": asleep, "all": time.monotonic_ns() - begin}, file)
"""


class Room(attach.AttachCase):
    """A planted slow receiver, over each transport whose senders wait for it."""

    PRIORITY = 1  # real-time: while a sender waits for a CPU, it does not wait for room
    NEAR = 0.05  # share of the planted time
    NEAR_STATE = 0.1  # share of all time: messages do not wait at the start and at the end

    def trace(self, kind, pause, priority):
        notes = self.file("notes")
        process = self.spawn([sys.executable, "-c", PROGRAM, kind, pause, notes, str(MESSAGES),
                              str(SIZE)], priority=priority, stdin=subprocess.PIPE)
        receiver = int(process.stdout.readline())
        with self.attached("-p", process.pid, stop=False) as attachment:
            process.communicate("go\n", timeout=60)
        self.check_whole(attachment, unknown_start=1)  # "go" comes over a pipe that is older than the attachment
        with open(notes, encoding="ascii") as sender, open(notes + "-receiver", encoding="ascii") as states:
            return attachment, json.load(sender), (receiver, json.load(states))

    def check_receiver(self, room, receiver, noted, planted):
        """The receiver is the only culprit, and its states add up. It did what it has noted, and what was planted."""
        self.assertEqual([(entry["reader"]["pid"], entry["reader"]["comm"]) for entry in room],
                         [(receiver, "slow-receiver")])
        states = room[0]["states_ns"]
        self.assertEqual(sum(states.values()), room[0]["ns"])
        self.assertEqual(room[0]["share"], 1)
        patience.demand(sum(noted[state] for state in planted), 0.5 * sum(noted.values()), f"{planted} of {noted}")
        for state, noted_ns in noted.items():
            difference = states[state] / room[0]["ns"] - noted_ns / sum(noted.values())
            patience.demand(-abs(difference), -self.NEAR_STATE, f"{state} of {states}, by its own account {noted}")

    def planted_ns(self, kind, noted):
        """
        How long the messages waited: asleep in their write() calls, and then in the sender's socket, which
        empties as fast as the receiver receives.
        """
        pace = noted["all"] / (MESSAGES * SIZE)
        return noted["asleep"] + sum(pace * unsent for unsent in noted["unsent"])

    def check_kind(self, kind, pause="spin", planted=("on_cpu", "runqueue"), priority=PRIORITY):
        attachment, noted, (receiver, did) = self.trace(kind, pause, priority)
        room = attachment.summary["room"]
        messages = attachment.of(kind)
        self.assertEqual(sum(message["bytes"] == SIZE for message in messages), MESSAGES)
        room_ns = sum(message["room_ns"] for message in messages)
        self.assertEqual(sum(entry["ns"] for entry in room), room_ns)
        self.check_receiver(room, receiver, did, planted)
        planted_ns = self.planted_ns(kind, noted)
        if kind != "tcp":
            self.assertLessEqual(room_ns, sum(noted["took"]))
        patience.demand(-abs(room_ns - planted_ns), -self.NEAR * planted_ns, f"room over {kind}")
        return attachment

    def test_kinds(self):
        """over TCP, a unix stream and a pipe: the planted time, within 5 %"""
        for kind in ("tcp", "uds-stream", "pipe"):
            with self.subTest(kind):
                self.check_kind(kind)

    def test_sleeping(self):
        """a receiver that sleeps instead of running, and in which call"""
        attachment = self.check_kind("uds-stream", "sleep", ("blocked",))
        calls = {entry["call"] for entry in attachment.summary["room"][0]["blocked_on"]}
        self.assertIn("clock_nanosleep", calls)

    def test_verdict(self):
        """the verdict of the report names the receiver, and what it did, which depends on what else needs the CPUs"""
        attachment = self.check_kind("tcp", priority=None)
        room, = attachment.summary["room"]
        means = {part: stat["mean"] for part, stat in attachment.summary["components_ns"].items() if stat}
        patience.demand(means["room"], max(means.values()), f"ns of the largest component of {means}")
        text = " ".join(harness.ipctrace("report", attachment.recording, "--brief").out.split())
        name = r"slow-receiver \(pid \d+\)"
        self.assertRegex(text, f"waiting for room at the receiver: {name} receives too slowly; meanwhile {name} (ran|waited|slept) ")
        said = text.partition("; meanwhile ")[2]
        for state, words in STATE_WORDS.items():
            share = 100 * room["states_ns"][state] / room["ns"]
            found = re.search(words + r" ([\d.]+) %", said)
            self.assertLess(abs(share - float(found.group(1) if found else 0)), 1, f"% {words}: {said}")


if __name__ == "__main__":
    tap.main()
