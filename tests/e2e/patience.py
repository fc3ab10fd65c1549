# SPDX-License-Identifier: BSD-2-Clause
"""
What holds while nothing takes a CPU away: so many messages are as near to the truth as they should be, or
are not said to be ambiguous.

A machine can be too noisy for that. Then the whole test is done anew, twice at most. What must hold on
every message is an assertion, and fails at once.
"""

import contextlib
import functools

import tap

TRIES = 3


class NotNear(AssertionError):
    """The machine took away the CPU too often: this measurement shows too little."""


def demand(count, at_least, what):
    """So many of what was measured are near."""
    if count < at_least:
        raise NotNear(f"{what}: {count} are near, not {at_least}")


class Patient:
    """Mixed into a case: each of its tests, with all of its subtests, gets so many tries."""

    def __init_subclass__(cls, **how):
        super().__init_subclass__(**how)
        for name, test in list(vars(cls).items()):
            if name.startswith("test") and callable(test):
                setattr(cls, name, patient(test))

    @contextlib.contextmanager
    def subTest(self, *what, **parameters):
        """The subtests after one that was not near are done as well: they may find what is wrong."""
        with super().subTest(*what, **parameters):
            try:
                yield
            except NotNear as why:
                self.disturbed.append(why)


def patient(test):
    @functools.wraps(test)
    def trying(self):
        for left in reversed(range(TRIES)):
            self.disturbed = []
            try:
                test(self)
            except NotNear as why:
                self.disturbed.append(why)
            if not self.disturbed:
                return
            if left:
                tap.comment("\n".join(f"measured anew: {why}" for why in self.disturbed))
                self.doCleanups()
                self.setUp()
        raise self.disturbed[0]
    return trying
