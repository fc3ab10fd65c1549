# SPDX-License-Identifier: BSD-2-Clause
"""MariaDB: a thread for each connection. The planted handlers are statements."""

import os

from comparison import Explained
from harness import PYTHON, Client, answers

from .case import Served, program, ways_of

STATEMENTS = {
    "none": "DO 1",
    "spin": "BEGIN NOT ATOMIC DECLARE e DATETIME(6) DEFAULT SYSDATE(6) + INTERVAL 500 MICROSECOND; "
            "WHILE SYSDATE(6) < e DO DO 1; END WHILE; END",
    "sleep": "DO SLEEP(0.003)",
    # Another connection has the lock: the statement waits for it, and gives up after 2 ms.
    "lock": "DO GET_LOCK('planted', 0.002)",
}


class MariaDB(Served):
    key, program, protocol = "mariadb", "MariaDB", "mysql"
    calls = {"sleep": ".*futex", "lock": ".*futex"}
    explained = {"service_ns": Explained("MariaDB also parses the statement and prepares it.", 1, 1.15)}

    def start(self, stage):
        folder = stage.file("data")
        os.mkdir(folder)
        how = ("--no-defaults", f"--datadir={folder}", "--user=root")
        stage.spawn("mariadb-install-db", *how, "--skip-test-db", "--auth-root-authentication-method=normal").wait(60)
        return [stage.serve("mariadbd", *how, f"--socket={self.address(stage)}", "--skip-networking",
                            "--skip-grant-tables", f"--pid-file={stage.file('pid')}",
                            ready=lambda: answers(self.address(stage))).pid]

    def address(self, stage):
        return stage.file("mysql")

    def begin_client(self, stage):
        if self.way == "lock":
            Client(stage, "holder", PYTHON, program("client.py"), self.protocol, self.address(stage), 1, 0, "NOTES",
                   "DO GET_LOCK('planted', 1)").wait_until_ready()
        return super().begin_client(stage)

    @property
    def argument(self):
        return STATEMENTS[self.way]


CASES = ways_of(MariaDB, "none", "spin", "sleep", "lock")
