# SPDX-License-Identifier: BSD-2-Clause
"""The components of a message as the program's own table has them: their names, and what they need."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../scripts/maintain"))

import model_tables  # noqa: E402  pylint: disable=wrong-import-position

ROWS = {row["name"]: row for row in model_tables.rows("src/model/component.c", "components").values() if "mark" in row}
COMPONENTS = tuple(ROWS)
TITLES = {name: row["title"] for name, row in ROWS.items()}
SERVICE_STATES = tuple(row["name"] for row in
                       model_tables.rows("src/model/component.c", "service_states").values())


def without(*needs):
    """The components that need none of these, such as NEEDS_CALLS."""
    return tuple(name for name, row in ROWS.items() if not set(needs) & set(row.get("needs", ())))
