# SPDX-License-Identifier: BSD-2-Clause
"""A client of celery_tasks.py: celery_client.py COUNT NOTES"""

import sys

import celery_tasks
import notes


def main():
    count, path = sys.argv[1:]
    notes.measure(path, lambda: celery_tasks.planted.delay().get(timeout=10), int(count))


main()
