#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""interactions.py VERSION [rows]: as interactions.c, for PyGObject"""

import signal
import sys
import time

import gi
gi.require_version("Gtk", sys.argv[1])
from gi.repository import Gio, GLib, Gtk  # noqa: E402


N_ROWS = 6
rows = 0


def on_row():
    global rows
    rows += 1
    time.sleep(0.055)
    return rows % N_ROWS != 0


def load_folder(button):
    if len(sys.argv) > 2:
        GLib.timeout_add(0, on_row)
    else:
        time.sleep(0.4)


def read_mail():
    time.sleep(0.7)
    return GLib.SOURCE_CONTINUE


def activate(application):
    button = Gtk.Button(label="Open", visible=True)
    button.connect("clicked", load_folder)
    Gtk.ApplicationWindow(application=application, child=button, title="Interactions", default_width=300,
                          default_height=200).present()


application = Gtk.Application(application_id="org.example.Interactions", flags=Gio.ApplicationFlags.NON_UNIQUE)
application.connect("activate", activate)
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, read_mail)
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, application.quit)
sys.exit(application.run())
