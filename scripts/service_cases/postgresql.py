# SPDX-License-Identifier: BSD-2-Clause
"""PostgreSQL: a process for each connection. The planted handlers are statements."""

import glob
import os
import pwd
import subprocess
import time

from services_harness import Client, Missing, PYTHON, children_of, wait_for

from .case import Served, program, ways_of

SPIN = ("DO $$ DECLARE b timestamptz := clock_timestamp(); BEGIN "
        "WHILE clock_timestamp() < b + interval '500 us' LOOP END LOOP; END $$")
HOLD = ("SELECT pg_advisory_lock(1)", "SELECT pg_sleep(0.004)", "SELECT pg_advisory_unlock(1)")


class PostgreSQL(Served):
    key, program, protocol = "postgresql", "PostgreSQL", "postgres"

    def start(self, stage):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not found:
            raise Missing("PostgreSQL is not installed: run sudo scripts/setup services")
        programs, folder, user = found[-1], stage.file("postgres"), pwd.getpwnam("postgres")
        how = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        os.mkdir(folder)
        os.chown(folder, user.pw_uid, -1)
        stage.spawn(f"{programs}/initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "postgres",
                    "--no-sync", **how).wait(60)
        server = stage.serve(
            f"{programs}/postgres", "-D", f"{folder}/data", "-k", folder, "-c", "listen_addresses=",
            "-c", "fsync=off", "-c", "autovacuum=off", **how,
            ready=lambda: not subprocess.run([f"{programs}/pg_isready", "-q", "-h", folder]).returncode)
        time.sleep(0.3)
        self.others = set(children_of(server.pid))
        return [server.pid]

    def targets(self, stage, pids):
        """The process of the client's connection."""
        return sorted(wait_for(lambda: set(children_of(pids[0])) - self.others, "a backend"))[:1]

    def address(self, stage):
        return stage.file("postgres/.s.PGSQL.5432")

    @property
    def argument(self):
        return {"none": "SELECT 1", "spin": SPIN, "sleep": "SELECT pg_sleep(0.003)"}[self.way]


CASES = ways_of(PostgreSQL, "none", "spin", "sleep")
