# SPDX-License-Identifier: BSD-2-Clause
"""pgbouncer before PostgreSQL: four clients share a pool of two connections."""

import os
import pwd

from harness import PYTHON, Client, answers

from .case import program
from .postgresql import PostgreSQL

CLIENTS, POOL, PORT = 4, 2, 6432
CONFIGURATION = """[databases]
postgres = host={folder}/postgres user=postgres pool_size={size}
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
logfile = {folder}/bouncer.log
"""


class PgBouncer(PostgreSQL):
    """Attached to pgbouncer. A statement waits until one before it has given its connection back."""

    channel = rf"PGSQL\.{PORT}"
    key, program = "pgbouncer", f"pgbouncer before PostgreSQL, {CLIENTS} clients, a pool of {POOL}"

    def start(self, stage):
        super().start(stage)
        text = CONFIGURATION.format(folder=stage.folder, size=POOL, port=PORT)
        user = pwd.getpwnam("postgres")
        os.chown(stage.folder, user.pw_uid, -1)
        return [stage.serve("pgbouncer", stage.write("pgbouncer.ini", text), user=user.pw_uid, group=user.pw_gid,
                            extra_groups=[], ready=lambda: answers(self.address(stage))).pid]

    def targets(self, stage, pids):
        return pids

    def address(self, stage):
        return stage.file(f".s.PGSQL.{PORT}")

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("clients.py"), CLIENTS, self.protocol, self.address(stage),
                      self.count // CLIENTS, "NOTES", self.argument)


CASES = [PgBouncer("sleep", state="blocked", service_ns=CLIENTS // POOL * 3_000_000,
                   says=r"call of its own open, to \S*postgres",
                   true="most of a call is pgbouncer waiting for PostgreSQL, which sleeps 3 ms: half of it for a "
                        "connection of the pool")]
