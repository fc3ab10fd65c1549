# SPDX-License-Identifier: BSD-2-Clause
"""What the benchmarks share: medians with their intervals, and how these are shown."""

import argparse
import os
import random
import statistics
import subprocess
import sys

RESAMPLES = 10000


def fail(why):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {why}")


def run(command):
    """Its standard output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        fail(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def median_of(values):
    """Median and its 95 % interval. A fixed seed: the same runs give the same interval."""
    chance = random.Random(1)
    medians = sorted(
        statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES)
    )
    return {
        "median": statistics.median(values),
        "low": medians[int(RESAMPLES * 0.025)],
        "high": medians[int(RESAMPLES * 0.975) - 1],
    }


def shown(interval, scale, digits):
    low, median, high = (interval[key] / scale for key in ("low", "median", "high"))
    return f"{median:9.{digits}f}  [{low:.{digits}f}, {high:.{digits}f}]"


def show_host(host):
    print(f"Linux {host['kernel']} {host['arch']}, {host['cpus']} CPUs, preemption "
          f"{host['preemption']}, virtual machine: {host['virtual']}")


def show_progress(done, of):
    if sys.stderr.isatty():
        end = "\n" if done == of else ""
        print(f"\rrun {done} of {of}", end=end, file=sys.stderr, flush=True)


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text}: must be 1 or more")
    return value


def check_program(path):
    if not os.access(path, os.X_OK):
        fail(f"{path}: no such program: run make")
