# SPDX-License-Identifier: BSD-2-Clause
"""What README.md says of the cost of tracing is what docs/cost.md has as measured."""

import os
import re
import unittest

import tap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
ITEM = r"^- \*\*{}.*?(?=^(?:- |$))"
TABLE = r"^\| {} \| requests/s .*?(?=^$)"
RATIO = r"\d+\.\d\d"
# The rows of README.md by what docs/cost.md calls them.
TOOLS = {"**ipctrace**": "ipctrace", "**ipctrace** `--level light`": "ipctrace --level light",
         "`perf sched record`": "perf sched record", "`runqlat` (bcc)": "runqlat", "`bpftrace`": "bpftrace script",
         "`strace -f`": "strace -f"}


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def item(begin):
    """An item of a list of README.md."""
    return re.search(ITEM.format(begin), text_of("README.md"), re.M | re.S)[0]


def measured(server):
    """The ratios of the row of ipctrace: requests, p50, p99, p99.9, max, each with its interval."""
    table = re.search(TABLE.format(server), text_of("docs/cost.md"), re.M | re.S)[0]
    row = re.search(r"^\| ipctrace \|(.*)$", table, re.M)[1]
    return [re.findall(RATIO, cell) for cell in row.split("|")[:5]]


class Promises(unittest.TestCase):
    """The costs in README.md."""

    def test_free(self):
        """the answers, the p99 and the maximum of a server with some CPU time left, as they were measured"""
        redis = measured("redis")
        self.assertEqual(re.findall(RATIO, item("A server that leaves")), [*redis[0], redis[2][0], *redis[4]])

    def test_saturated(self):
        """the same of a server without any"""
        memcached = measured("memcached over TCP")
        self.assertEqual(re.findall(RATIO, item("Expect fewer answers")),
                         [memcached[0][0], memcached[2][0], *memcached[4]])

    def test_tools(self):
        """what other tools cost is what was measured beside ipctrace"""
        rows = re.findall(r"^\| (\S.*?) \| .* \| (\d+\.\d\d) \|$", text_of("README.md"), re.M)
        self.assertEqual([name for name, ratio in rows], list(TOOLS))
        for name, ratio in rows:
            line = re.search(rf"^  {re.escape(TOOLS[name])} {{2,}}(\d.*)$", text_of("docs/cost.md"), re.M)[1]
            measured_ratio = line.split()[3]  # behind the time and its interval
            self.assertEqual(f"{float(measured_ratio):.2f}", ratio, name)


if __name__ == "__main__":
    tap.main()
