# SPDX-License-Identifier: BSD-2-Clause
"""Reads the first screen of a report."""

import re


def answer_of(text, label):
    """What stands behind a label such as CAUSE, in one line; empty: nothing does."""
    found = re.search(rf"^{label} +(\S.*(?:\n +\S.*)*)", text, re.MULTILINE)
    return " ".join(found.group(1).split()) if found else ""
