# SPDX-License-Identifier: BSD-2-Clause
"""A D-Bus service with a planted handler: dbus_service.py PATH WAY FILE; FILE exists when it serves."""

import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
import work
from gi.repository import GLib

path, way, file = sys.argv[1:]
work.be("planted-peer")
handle = work.handler(way)


class Planted(dbus.service.Object):
    @dbus.service.method("here.Planted", in_signature="", out_signature="")
    def Ask(self):
        handle()


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection("unix:path=" + path)
name = dbus.service.BusName("here.Planted", bus)
served = Planted(bus, "/here/Planted")
with open(file, "w", encoding="ascii"):
    pass
GLib.MainLoop().run()
