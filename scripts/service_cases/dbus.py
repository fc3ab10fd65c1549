# SPDX-License-Identifier: BSD-2-Clause
"""A service behind dbus-daemon: every call goes through the daemon, there and back."""

from services_harness import PYTHON, Client, answers

from .case import SAYS, Served, program, ways_of

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>custom</type>
  <listen>unix:path={path}</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class DBus(Served):
    """Attached to the daemon."""

    key, program = "dbus", "D-Bus service behind dbus-daemon: the daemon"

    def start(self, stage):
        configuration = stage.write("bus.conf", CONFIGURATION.format(path=self.address(stage)))
        daemon = stage.serve("dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile",
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
    """Attached to the service."""

    key, program = "dbus-service", "D-Bus service behind dbus-daemon: the service"
    explained = {figure: "The daemon's legs are in the client's round trip and not in the service's."
                 for figure in ("p50_ns", "p99_ns")}

    def targets(self, stage, pids):
        return [self.service.pid]


CASES = ways_of(DBus, "spin", "sleep", "lock") + ways_of(Service, "sleep")
