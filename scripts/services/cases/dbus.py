# SPDX-License-Identifier: BSD-2-Clause
"""A service behind dbus-daemon: every call goes through the daemon, there and back."""

from comparison import Explained
from harness import PYTHON, Client, answers

from .case import CALLS, SERVES, Served, configuration, program, ways_of


class DBus(Served):
    """Attached to the daemon."""

    key, program = "dbus", "D-Bus service behind dbus-daemon: the daemon"
    explained = {"service_ns": Explained("The daemon wakes the service and is woken by it: two hand-offs are in its "
                                         "service.", 1, None)}

    def start(self, stage):
        with open(configuration("dbus.conf"), encoding="utf-8") as template:
            written = stage.write("bus.conf", template.read().format(path=self.address(stage)))
        daemon = stage.serve("dbus-daemon", f"--config-file={written}", "--nofork", "--nopidfile",
                             "--nosyslog", ready=lambda: answers(self.address(stage)))
        self.service = stage.serve(PYTHON, program("dbus_service.py"), self.address(stage), self.way,
                                   stage.file("served"), ready=lambda: stage.exists("served"))
        return [daemon.pid]

    def address(self, stage):
        return stage.file("bus")

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("dbus_client.py"), self.address(stage), self.count,
                      "NOTES")


class Service(DBus):
    """Attached to the service, and its owner says that it serves: it has connected to the daemon."""

    key, program = "dbus-service", "D-Bus service behind dbus-daemon: the service, `--server planted-peer`"
    options = ("--server", "planted-peer")
    calls = CALLS
    explained = {figure: Explained("The daemon's legs are in the client's round trip and not in the service's.", 0.4, 1)
                 for figure in ("p50_ns", "p99_ns")} | \
        {"service_ns": Explained("The service also reads the call and writes its answer, in Python.", 1, 1.15)}

    def targets(self, stage, pids):
        return [self.service.pid]


class ServiceByItself(Service):
    """The same, and ipctrace has to find out which end serves."""

    key, program, options = "dbus-service-guessed", "D-Bus service behind dbus-daemon: the service", ()
    quiet_s = 0.3  # no call is under way when tracing begins: then the end that sends first is the client


TRUE = {
    "none": "most of a call is the daemon and the service behind it",
    "spin": "most of a call is the daemon waiting for the service behind it, which spins 500 us",
    "sleep": "most of a call is the daemon waiting for the service behind it, which sleeps 3 ms",
    "lock": "most of a call is the daemon waiting for the service behind it, which waits for a lock",
}
BEHIND = r"(planted-peer|call of its own open)"  # the daemon has to say for what it waits
CASES = [DBus("none", true=TRUE["none"], says=SERVES)] + \
    [DBus(way, true=TRUE[way], says=BEHIND, state="blocked") for way in ("spin", "sleep", "lock")] + \
    ways_of(Service, "none", "spin", "sleep", "lock") + ways_of(ServiceByItself, "sleep")
CASES[4].true = "the way there and back, and the work of dbus-python and GLib's loop"
CASES[4].says = "service|request|response|busy"
