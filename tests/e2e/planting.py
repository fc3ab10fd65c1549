# SPDX-License-Identifier: BSD-2-Clause
"""Attaches to causes that scripts/causes plants."""

import contextlib
import os
import signal
import sys

import attach
import harness
from replay import records

CAUSES = os.path.join(attach.PROGRAMS, "../../../scripts/causes")


class PlantedCase(attach.AttachCase):
    """A program that ipctrace attaches to for two seconds; it ends with its children."""

    def end_group(self, process):
        """The planted programs are in one process group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def trace(self, command, **variables):
        """(records by type, text of the explanation)"""
        environment = harness.environment() | {"SECONDS_PLANTED": "60"} | variables
        process = self.spawn([sys.executable, *command], env=environment, stderr=None)
        self.addCleanup(self.end_group, process)
        with self.attached("--level", "deep", "-p", process.stdout.readline().strip(), "-d", "2s",
                           stop=False) as attachment:
            pass
        self.end_group(process)
        run, = records.read(attachment.recording)
        self.recording = attachment.recording
        return run, " ".join(harness.ipctrace("explain", attachment.recording).out.split())

    def plant(self, name, cured=False):
        return self.trace([CAUSES, "--plant", name], **({"CURED": "1"} if cured else {}))
