#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Searches for workloads whose own records are lost, or whose messages wait for ipctrace.

    hunt_losses.py [--seconds S] [--clients N,...] [--only PATTERN/TRANSPORT/CLIENTS,...] [-- OPTION...]

Runs every pattern over every transport at full speed, with real-time priorities as by default, and stops each run
after S seconds. No record may be lost, every message must be matched, and no message may wait for ipctrace itself for
LONGEST_NS. It takes half an hour, so it is no test. The last line is "N passed, N failed".
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("IPCTRACE_PROGRAM", "build/ipctrace")

LONGEST_NS = 5_000_000

ALL = ("uds", "uds-stream", "uds-seqpacket", "tcp", "tcp6", "udp", "udp6", "pipe", "fifo", "shm", "mqueue", "sysv",
       "signal", "signal-std", "eventfd")
TRANSPORTS = {
    "pingpong": ALL,
    "request": ALL,
    "connect": ("uds-stream", "uds-seqpacket", "tcp", "tcp6"),
    "flood": ALL,
    "push": ALL + ("kernel",),
}
# A round has so much time that the queue of no client overflows, in which case it would leave.
PERIOD = {1: "50us", 4: "200us", 16: "1ms"}


def combinations(clients):
    """(pattern, transport, clients) of all runs."""
    for pattern, transports in TRANSPORTS.items():
        for transport in transports:
            for number in clients:
                yield pattern, transport, number


def options_of(pattern, transport, clients):
    """The command line of a run that does not end by itself."""
    options = ["--pattern", pattern, "--transport", transport, "--clients", str(clients), "--messages", "1000000000"]
    if pattern == "push":
        options += ["--period", PERIOD.get(clients, "2ms")]
    return options


def run(seconds, options):
    """The summary of a run that is stopped after that time, or what it says on stderr."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with subprocess.Popen([PROGRAM, *options, "-f", "json", "-q"], stdout=out, stderr=err) as child:
            time.sleep(seconds)
            child.send_signal(signal.SIGINT)
            child.wait()
        out.seek(0)
        err.seek(0)
        text = out.read()
        return json.loads(text) if text else None, err.read().decode(errors="replace").strip()


def problems_of(summary, error):
    """What is wrong with a run: a list of texts."""
    if not summary:
        return [error or "no report"]
    integrity, observer = summary["integrity"], summary["observer"]
    problems = []
    if integrity["lost"]:
        lost = {reason: count for reason, count in integrity["losses"].items() if count}
        problems.append(f"{integrity['lost']} records lost: {lost}")
    if integrity["matched"] != integrity["sent"] or not integrity["sent"]:
        reasons = {reason: count for reason, count in integrity["incomplete"].items() if count}
        problems.append(f"{integrity['matched']} of {integrity['sent']} messages matched: {reasons}")
    if (observer["longest_wait_ns"] or 0) >= LONGEST_NS:
        problems.append(f"a message waited {observer['longest_wait_ns'] / 1e6:.1f} ms for ipctrace")
    return problems


def describe(summary):
    """The figures of a run in a row."""
    observer = summary["observer"]
    return (f"{summary['integrity']['sent']:>9} messages, longest wait {(observer['longest_wait_ns'] or 0) / 1e3:7.1f} us, "
            f"{observer['pauses']:>3} pauses, {observer['paused_ns'] / 1e9:5.2f} s")


def main():
    """Runs all, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", default="1,4,16")
    parser.add_argument("--only", default="")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    chosen = [tuple(name.split("/")) for name in arguments.only.split(",") if name]
    runs = [(pattern, transport, int(clients)) for pattern, transport, clients in chosen] or list(
        combinations([int(number) for number in arguments.clients.split(",")]))
    failed = 0
    for pattern, transport, clients in runs:
        summary, error = run(arguments.seconds, options_of(pattern, transport, clients) + arguments.options)
        problems = problems_of(summary, error)
        failed += bool(problems)
        print(f"{'not ok' if problems else 'ok    '} {pattern + '/' + transport:<24} {clients:>3}  "
              f"{describe(summary) if summary else ''}", flush=True)
        for problem in problems:
            print(f"       {problem}", flush=True)
    print(f"{len(runs) - failed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
