# SPDX-License-Identifier: BSD-2-Clause
"""The programs that run on every kernel, and what they must show.

A check takes what a case left behind and the kernel's own traits, and gives a list of problems.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import model  # noqa: E402
from replay import records, stacks  # noqa: E402

SPIN_NS = 3_000_000
QUESTIONS = 100
PROBLEM_LEN = 400

# TCG is slow and the host may be busy, which is no fault of the tracer.
SLOWNESS = re.compile(r"hrtimer: interrupt took|clocksource: .*(tsc|watchdog|skew|wd-)"
                      r"|perf: interrupt took too long|sched: (RT|DL) (throttling|replenish)")


class Kernel:
    """What the checks must know about a kernel."""

    def __init__(self, name, allowed=None):
        self.name = name
        self.realtime = name.endswith("-rt")
        self.has_timers = not self.realtime and name != "5.10"
        self.allowed = allowed or {}  # {reason of an incomplete message: why it is no failure}


class Case:
    """A shell command in the guest, in a folder of its own, and what is expected of it."""

    def __init__(self, name, command, check, limit_s=300):
        self.name = name
        self.command = command
        self.check = check
        self.limit_s = limit_s


def messages_of(program, recording):
    """Every message of a recording that came from the guest; `program` shows it here."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(recording)
        file.flush()
        shown = subprocess.run([program, "report", file.name, "-f", "ndjson"], capture_output=True,
                               text=True)
    if shown.returncode:
        return None, f"its recording cannot be read: {shown.stderr.strip()}"
    lines = [json.loads(line) for line in shown.stdout.splitlines()]
    return [line for line in lines if line.get("kind") == "message"], None


def check_ending(outcome):
    """Exit status 0 and nothing on stderr."""
    if outcome is None or outcome.status is None:
        return ["did not end"]
    said = outcome.text("err").strip()
    if outcome.status:
        said = said or outcome.text("progress").strip()
        return [f"exit status {outcome.status}: {said or 'no word why'}"]
    return [f"stderr: {said}"] if said else []


def check_integrity(summary, expected, kernel):
    """Every message is matched, except for the known limits of this kernel."""
    integrity = summary["integrity"]
    missing = {reason: count for reason, count in integrity["incomplete"].items()
               if count and reason not in kernel.allowed}
    allowed = sum(count for reason, count in integrity["incomplete"].items()
                  if reason in kernel.allowed)
    problems = [f"{count} incomplete: {reason}" for reason, count in missing.items()]
    if integrity["sent"] != expected:
        problems.append(f"{integrity['sent']} messages sent, not {expected}")
    if integrity["matched"] + allowed + sum(missing.values()) != integrity["sent"]:
        problems.append(f"{integrity['matched']} of {integrity['sent']} matched")
    if integrity["residual_ns_max"]:
        problems.append(f"residual {integrity['residual_ns_max']} ns")
    problems += [f"{count} lost: {reason}" for reason, count in integrity["losses"].items() if count]
    return problems


def check_messages(messages, summary):
    """The components of every message are no less than 0 and add up to its latency."""
    # An attachment may begin in the middle of a used channel.
    matches = ("exact", "resynced") if summary["mode"] == "attach" else ("exact",)
    if len(messages) != summary["integrity"]["matched"]:
        return [f"{len(messages)} messages in the recording"]
    for message in messages:
        parts = [message[f"{component}_ns"] or 0 for component in model.COMPONENTS]
        blame = sum(share["ns"] for share in message["blame"])
        if min(parts) < 0 or sum(parts) != message["latency_ns"]:
            return [f"does not add up: {json.dumps(message)}"]
        if blame != (message["runqueue_ns"] or 0):
            return [f"blame does not add up: {json.dumps(message)}"]
        if message["match"] not in matches:
            return [f"match is {message['match']}: {json.dumps(message)}"]
    return []


def check_kernel_named(summary, kernel):
    """The report says which preemption model this is."""
    model = summary["host"]["preemption"]
    return [f"preemption model is {model}"] if (model == "rt") != kernel.realtime or not model else []


def measured(expected, mode="run"):
    """A check of a run, or attach, with so many messages."""
    def check(outcome, kernel, program):
        problems = check_ending(outcome)
        if problems:
            return problems
        summary = json.loads(outcome.text("out"))
        messages, wrong = messages_of(program, outcome.files.get("run.ipct", b""))
        if wrong:
            return [wrong]
        if summary["mode"] != mode:
            return [f"mode is {summary['mode']}"]
        return (check_integrity(summary, expected, kernel) + check_messages(messages, summary)
                + check_kernel_named(summary, kernel))
    return check


def check_kernel_transport(outcome, kernel, program):
    """A timer in the kernel: there is none for BPF on PREEMPT_RT, and none before Linux 5.15."""
    if kernel.has_timers:
        return measured(100)(outcome, kernel, program)
    if outcome is None or outcome.status is None:
        return ["did not end"]
    reason = "PREEMPT_RT" if kernel.realtime else "5.15"
    said = outcome.text("err").strip()
    if outcome.status not in (1, 2) or reason not in said or len(said.splitlines()) != 1:
        return [f"is not refused for {reason}: status {outcome.status}: {said}"]
    return []


def check_attached(outcome, kernel, program):
    """Every question and every answer of a program that ran before, and the calls that they are."""
    problems = measured(2 * QUESTIONS, mode="attach")(outcome, kernel, program)
    if problems:
        return problems
    calls = json.loads(outcome.text("out"))["calls"]
    count = calls["count"] if calls else 0
    return [] if count == QUESTIONS else [f"{count} calls, not {QUESTIONS}"]


def check_doctor(outcome, kernel, program):
    """The doctor ends with success where the main job runs, and names what the kernel is."""
    if outcome is None or outcome.status is None:
        return ["did not end"]
    diagnosis = json.loads(outcome.text("out"))
    problems = [f"{finding['subject']}: {finding['value']}: {finding['cost']}"
                for finding in diagnosis["findings"] if finding["health"] == "missing"]
    if outcome.status != (1 if problems else 0) or diagnosis["main_job"] != (not problems):
        problems.append(f"exit status {outcome.status} does not fit")
    if diagnosis["transports"]["kernel"] != kernel.has_timers:
        problems.append(f"transport kernel: {diagnosis['transports']['kernel']}")
    # What the same guest's run has shown.
    shown = outcome.files.get("run.json")
    switch = json.loads(shown)["components_ns"]["switch"] if shown else None
    if shown and diagnosis["components"]["switch"] != (switch is not None):
        problems.append(f"component switch: {diagnosis['components']['switch']}")
    return problems


def overlap_ns(spins, begin, end):
    """How long it was spinning between two instants."""
    return sum(max(0, min(end, spin[1]) - max(begin, spin[0])) for spin in spins)


def accounted_ns(spins, begin, end):
    """
    By how much the kernel's account of the spinner's CPU time is (less, more) than the spins between two instants.
    Less: interrupts within a spin. More: around it, mostly what the host took from the emulated CPU.

                      head   spin i   tail             head
        ..spin i-1]..........[######]...................[spin i+1..
                  ^ end_cpu  ^ begin_cpu                ^ begin_cpu
    """
    less = more = 0
    for before, spin, after in zip([spins[0], *spins], spins, [*spins[1:], spins[-1]]):
        if spin[0] < end and spin[1] > begin:
            spun_ns = spin[1] - spin[0]
            less += max(0, spun_ns - (spin[3] - spin[2]))
            more += max(0, after[2] - before[3] - spun_ns)
    return less, more


def check_spinner(outcome, kernel, program):
    """
    A real-time task notes its own times. Messages that waited for it blame it by name and for that time; other
    messages do not.
    """
    problems = measured(1000)(outcome, kernel, program)
    if problems:
        return problems
    messages, _ = messages_of(program, outcome.files["run.ipct"])
    spins = [tuple(map(int, line.split())) for line in outcome.text("spins").splitlines()]
    hit = named = agreed = asleep = 0
    for message in messages:
        true_ns = overlap_ns(spins, message["queued_ns"], message["recv_ns"])
        # A spin may delay the wakeup call of the sender. Then the receiver is asleep, and waits in no run queue.
        woken_ns = message["queued_ns"] + (message["wakeup_ns"] or 0)
        awake_ns = overlap_ns(spins, woken_ns, message["recv_ns"])
        if true_ns > SPIN_NS / 2 >= awake_ns:
            asleep += 1
            continue
        near_ns = overlap_ns(spins, message["stamp_ns"] - SPIN_NS, message["user_ns"] + SPIN_NS)
        blamed_ns = sum(share["ns"] for share in message["blame"]
                        if (share["class"], share["comm"]) == ("task", "rt-spinner"))
        if blamed_ns and not near_ns:
            return [f"the spinner is blamed, but was not there: {json.dumps(message)}"]
        if true_ns > SPIN_NS / 2:
            hit += 1
            less_ns, more_ns = accounted_ns(spins, message["queued_ns"], message["recv_ns"])
            agreed += 0.8 * (awake_ns - less_ns) < blamed_ns < 1.2 * true_ns + more_ns
        named += true_ns > SPIN_NS / 2 and blamed_ns > 0
    if hit < 10:
        return [f"the spinner was in the way of {hit} messages only, of {len(spins)} spins"]
    if asleep > hit / 10:
        return [f"{asleep} messages, of {hit + asleep}, were spun at before the wakeup of their receiver"]
    if named < hit or agreed < 0.7 * hit:
        return [f"the spinner is blamed in {named} of {hit} messages, for its time in {agreed}"]
    return []


def check_stacks(outcome, kernel, program):
    """What the client sleeps in has the kernel's names. A guest has no libdw for those of programs."""
    problems = measured(100)(outcome, kernel, program)
    if problems:
        return problems
    with tempfile.NamedTemporaryFile() as file:
        file.write(outcome.files["run.ipct"])
        file.flush()
        (run,) = records.read(file.name)
    sleeps = [stack for stack in stacks.stacks_of(run) if stack.kind == stacks.BLOCKED]
    receives = [stack for stack in sleeps if any("recvmsg" in (name or "") for name in stack.kernel)]
    lost = {name: count for name, count in run.of("stacks")[0].items()
            if name in ("lost", "no_room", "overfull") and count}
    if len(receives) < 50 or lost:
        return [f"{len(receives)} of {len(sleeps)} sleeps are in a receive, lost {lost}"]
    return [] if any(stack.user for stack in receives) else ["no stack of a program"]


def new_warnings(log):
    """Lines of the kernel's log, as `dmesg -r` gives them, that are warnings or worse."""
    found = []
    for line in log.splitlines():
        level = re.match(r"<(\d+)>", line)
        if level and int(level[1]) % 8 <= 4 and not SLOWNESS.search(line):
            found.append(line)
    return found


def attach(name, server):
    """Attaches to a running server. The client starts at the first progress line of the tracer."""
    return Case(name, f"{server} serve socket & server=$!; "
                "until [ -S socket ]; do sleep 0.1; done; "
                "ipctrace attach -f json --record run.ipct --interval 200ms -p $server 2>progress & "
                "until [ -s progress ]; do sleep 0.1; done; "
                f"talk ask socket {QUESTIONS}; asked=$?; kill -INT $! 2>/dev/null; wait $!; status=$?; "
                "kill -TERM $server; exit $((asked + status))", check_attached)


RUN = "ipctrace -f json --record run.ipct"


def push(name, clients, options=""):
    return Case(name, f"{RUN} --clients {clients} --messages 100 --warmup 10 {options}",
                measured(100 * clients))


def in_namespace(case):
    """The same in a PID namespace, as in a container."""
    return Case(f"{case.name}, PID ns", f"unshare -p -f --mount-proc sh -c '{case.command}'",
                case.check, case.limit_s)


CASES = [
    push("uds 1", 1),
    push("uds 5", 5),
    push("uds-stream", 3, "--transport uds-stream"),
    push("tcp", 3, "--transport tcp"),
    push("udp", 3, "--transport udp"),
    push("pipe", 3, "--transport pipe"),
    Case("kernel", f"{RUN} --transport kernel --clients 1 --messages 100 --warmup 10",
         check_kernel_transport),
    # On the CPU that --cpus one takes. Not the tick's period: it hits the rounds at all moments.
    Case("spinner", f"spinner $(($(nproc) - 1)) {SPIN_NS} 17370000 3000 cpu >spins & "
         f"{RUN} --clients 5 --messages 200 --warmup 10 --period 20ms --cpus one; status=$?; "
         "kill -TERM $!; wait $!; exit $status", check_spinner),
    Case("stacks", f"{RUN} --level full --stacks --messages 100 --warmup 10 2>said", check_stacks),
    attach("attach C", "talk"),
    attach("attach Python", "talk.py"),
    in_namespace(push("uds", 2)),
    in_namespace(push("pipe", 2, "--transport pipe")),
    in_namespace(attach("attach C", "talk")),
    Case("doctor", "ipctrace -f json --messages 5 --warmup 1 >run.json 2>/dev/null; "
         "ipctrace doctor -f json", check_doctor),
]


def judge(case, outcome, kernel, program):
    """The problems of one case, with those that only the kernel's log shows; a line each."""
    problems = case.check(outcome, kernel, program)
    warnings = new_warnings(outcome.text("log")) if outcome else []
    if warnings:
        problems.append(f"kernel log: {warnings[0]} and {len(warnings) - 1} lines more")
    return [shortened(problem) for problem in problems]


def shortened(problem):
    """The text in one line of limited length."""
    problem = " / ".join(problem.splitlines())
    return problem if len(problem) <= PROBLEM_LEN else problem[:PROBLEM_LEN] + " ..."


def folder_of(case):
    """The name of its folder."""
    return case.name.replace(",", "").replace(" ", "-")
