#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""application.py VERSION: as application.c, for PyGObject"""

import sys
import time

import gi
gi.require_version("Gtk", sys.argv[1])
from gi.repository import Gio, GLib, Gtk  # noqa: E402


def stall_here():
    time.sleep(1)


def activate(application):
    stall_here()
    Gtk.ApplicationWindow(application=application).present()
    GLib.timeout_add(700, application.quit)


application = Gtk.Application(application_id="org.example.Startup", flags=Gio.ApplicationFlags.NON_UNIQUE)
application.connect("activate", activate)
sys.exit(application.run())
