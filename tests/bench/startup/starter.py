# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""As starter.c; “main” is a script's module level, before GTK is imported. VERSION is GTK's."""

import sys
import time

verb, ms, version = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def load_things():
    time.sleep(ms / 1000)


def slow_at(place):
    if verb == place:
        load_things()


slow_at("main")
import gi  # noqa: E402
gi.require_version("Gtk", version)
from gi.repository import Gio, GLib, Gtk  # noqa: E402


def call_service():
    try:
        Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
            "org.example.Mute", "/org/example/Mute", "org.example.Mute", "ListAll", None, None, 0, ms, None)
    except GLib.Error:
        pass


def activate(application):
    slow_at("activate")
    if verb == "dbus":
        call_service()
    Gtk.ApplicationWindow(application=application).present()
    slow_at("presented")
    GLib.timeout_add(700, application.quit)


def command_line(application, line):
    application.activate()
    return 0


slow_at("initialized")
flags = Gio.ApplicationFlags
application = Gtk.Application(application_id="org.example.Starter",
                              flags=flags.HANDLES_COMMAND_LINE if verb == "second" else flags.NON_UNIQUE)
application.connect("startup", lambda application: slow_at("startup"))
application.connect("activate", activate)
application.connect("command-line", command_line)
application.run()
