# SPDX-License-Identifier: BSD-2-Clause
"""What README.md says of the cost of tracing is what docs/cost.md has as measured."""

import os
import re
import unittest

import tap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
ITEM = re.compile(r"^- \*\*Expect fewer answers.*?(?=^- )", re.M | re.S)
TABLE = r"^\| {} \| requests/s .*?(?=^$)"
RATIO = r"\d+\.\d\d"


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def measured(server):
    """The ratios of the row of ipctrace: requests, p50, p99, p99.9, max, each with its interval."""
    table = re.search(TABLE.format(server), text_of("docs/cost.md"), re.M | re.S)[0]
    row = re.search(r"^\| ipctrace \|(.*)$", table, re.M)[1]
    return [re.findall(RATIO, cell) for cell in row.split("|")[:5]]


class Promises(unittest.TestCase):
    """The warning of README.md."""

    def test_servers(self):
        """the answers, the p99 and the maximum of servers, as they were measured"""
        redis, memcached = measured("redis"), measured("memcached over TCP")
        self.assertEqual(re.findall(RATIO, ITEM.search(text_of("README.md"))[0]),
                         [*redis[0], redis[2][0], *redis[4], memcached[0][0], memcached[2][0], *memcached[4]])


if __name__ == "__main__":
    tap.main()
