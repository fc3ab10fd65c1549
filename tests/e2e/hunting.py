# SPDX-License-Identifier: BSD-2-Clause
"""What the hunts have in common: a test for each number, made when it is asked for."""

import sys

import tap


def test_of(manner):
    """A test method that checks this manner."""
    def test(self):
        self.check(manner)
    test.__doc__ = str(manner)
    return test


def main(make, case_of, transports):
    """
    Runs the numbers that the command line asks for: FIRST COUNT [TRANSPORT...]. make(number,
    transports) is a manner, and case_of(manner) the class that it is a test of.
    """
    first, count = map(int, sys.argv[1:3])
    for number in range(first, first + count):
        manner = make(number, sys.argv[3:] or transports)
        setattr(case_of(manner), f"test_{number:09}", test_of(manner))
    del sys.argv[1:]
    tap.main()
