# SPDX-License-Identifier: BSD-2-Clause
"""PostgreSQL: a process for each connection. The planted handlers are statements."""

import glob
import os
import pwd
import subprocess
import time

from comparison import Explained
from harness import Client, Missing, PYTHON, children_of, wait_for

from .case import SAYS, Served, program, ways_of

SPIN = ("DO $$ DECLARE b timestamptz := clock_timestamp(); BEGIN "
        "WHILE clock_timestamp() < b + interval '500 us' LOOP END LOOP; END $$")
# pg_sleep() waits by whole milliseconds, and once more if the time is not over: this is 3 ms.
SLEEP = "SELECT pg_sleep(0.0025)"
# Another connection has the lock: the statement waits for it, and gives up after 2 ms.
HOLD = "SELECT pg_advisory_lock(1)"
LOCK = ("DO $$ BEGIN SET LOCAL lock_timeout = '2ms'; PERFORM pg_advisory_xact_lock(1); "
        "EXCEPTION WHEN lock_not_available THEN END $$")


class PostgreSQL(Served):
    key, program, protocol = "postgresql", "PostgreSQL", "postgres"
    explained = {"service_ns": Explained("PostgreSQL also prepares the statement, and undoes it when the lock is not "
                                         "available.", 1, None)}

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
        self.server = server
        self.others = set(children_of(server.pid))
        return [server.pid]

    def targets(self, stage, pids):
        """The process of the client's connection."""
        return sorted(wait_for(lambda: set(children_of(pids[0])) - self.others, "a backend"))[:1]

    def address(self, stage):
        return stage.file("postgres/.s.PGSQL.5432")

    def begin_client(self, stage):
        if self.way == "lock":
            self.hold_lock(stage)
        return super().begin_client(stage)

    def hold_lock(self, stage):
        Client(stage, "holder", PYTHON, program("client.py"), self.protocol, self.address(stage), 1, 0, "NOTES",
               HOLD).wait_until_ready()
        self.others = set(children_of(self.server.pid))

    @property
    def argument(self):
        return {"none": "SELECT 1", "spin": SPIN, "sleep": SLEEP, "lock": LOCK}[self.way]


class Pipeline(PostgreSQL):
    """Several statements are open on a connection. Answers come in their order, which the user has to say."""

    key, program = "postgresql-fifo", "PostgreSQL, four statements open, `--calls fifo`"
    options = ("--calls", "fifo")

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("pipeline.py"), self.address(stage), self.count, 4, "NOTES",
                      self.argument)


PIPELINE = Pipeline("spin", true="a statement waits for those before it, which spin 500 us each: the service, on a CPU",
                    service_ns=None)
CASES = ways_of(PostgreSQL, "none", true="the way there and back, and PostgreSQL's own work",
                says=SAYS["none"] + "|the server working") + \
    ways_of(PostgreSQL, "spin", "sleep", "lock") + [PIPELINE]
