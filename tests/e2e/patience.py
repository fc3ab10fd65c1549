# SPDX-License-Identifier: BSD-2-Clause
"""
Checks that hold only while nothing takes a CPU away: so many messages are near to the truth, are not marked
`ambiguous`, or are of the kind that a test is about.

A machine can be too noisy for that. Then the whole test runs again, at most four times, and later each time, as
noise comes in bursts. What must hold for every message is an assertion, which fails at once.
"""

import contextlib
import functools
import os
import re
import time

import tap

TRIES = 5
FIRST_PAUSE_S = 1  # doubled each time


class NotNear(AssertionError):
    """The machine took the CPU away too often, so that this measurement shows too little."""


def demand(count, at_least, what):
    """The measurement must have so many of these at least."""
    if count < at_least:
        raise NotNear(f"{what}: {count}, but at least {at_least:g} are needed")


def demand_said(pattern, text):
    """What an explanation says of its calls must have this, unless other programs were more in their way."""
    demand(len(re.findall(pattern, text)), 1, f"times '{pattern}' in '{text}'")


class Patient:
    """A mixin for harness.TestCase: each test with all of its subtests gets TRIES tries."""

    def __init_subclass__(cls, **how):
        super().__init_subclass__(**how)
        for name in dir(cls):  # also those of a mixin that is no test case itself
            test = getattr(cls, name)
            if name.startswith("test") and callable(test) and not hasattr(test, "is_patient"):
                setattr(cls, name, patient(test))

    @contextlib.contextmanager
    def subTest(self, *what, **parameters):
        """The subtests after one that was not near run, too: they may find what is wrong."""
        with super().subTest(*what, **parameters):
            try:
                yield
            except NotNear as why:
                self.disturbed.append(why)


def patient(test):
    @functools.wraps(test)
    def trying(self):
        present = os.listdir(self.folder)
        for number in range(TRIES):
            self.disturbed = []
            try:
                test(self)
            except NotNear as why:
                self.disturbed.append(why)
            if not self.disturbed:
                return
            if number < TRIES - 1:
                tap.comment("\n".join(f"measured again: {why}" for why in self.disturbed))
                self.doCleanups()
                self.remove_all_but(present)
                time.sleep(FIRST_PAUSE_S * 2 ** number)
                self.setUp()
        raise self.disturbed[0]
    trying.is_patient = True
    return trying
