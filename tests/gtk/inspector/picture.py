#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""picture.py JANKWATCH GRAB_WINDOW FILE.png: the README's picture of the inspector's page, made on the display that is
there.

The program is this file again: it stalls by itself, for real, while a spinner turns.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

STALLS_SECONDS = 11
# Of the window's buttons
PAGE, STALLS, FIRST_ROW = ("697", "25"), ("498", "72"), ("300", "178")
SHADOW_PX = "2"
SIZE_PX = 905, 660
# Of what the README explains: a stall, the sentence, the strip, the program's functions, the buttons
MARKS = ("470,178", "850,333", "600,354", "470,505", "712,404")


def load_settings():
    time.sleep(0.3)


def parse(line):
    total = 0
    for letter in line:
        total += ord(letter) % 7
    return total


def import_statement():
    until = time.monotonic() + 0.45
    while time.monotonic() < until:
        parse("2026-11-24; groceries; 31.20" * 40)


def total_by_month():
    sqlite3.connect(":memory:").execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1500000) "
        "SELECT sum(i % 12) FROM n").fetchall()


def save():
    lock = threading.Lock()
    lock.acquire()
    threading.Timer(0.25, lock.release).start()
    lock.acquire()


def redraw_chart():
    until = time.monotonic() + 0.12
    while time.monotonic() < until:
        parse("chart")


def run_program():
    import gi
    gi.require_version("Gtk", "4.0")
    from gi.repository import GLib, Gtk

    def stall(function):
        function()
        return False

    def activate(application):
        spinner = Gtk.Spinner(spinning=True)
        Gtk.ApplicationWindow(application=application, title="Ledger", child=spinner, default_width=320,
                              default_height=240).present()
        Gtk.Window.set_interactive_debugging(True)
        for window in Gtk.Window.get_toplevels():
            if window.__gtype__.name == "GtkInspectorWindow":
                window.set_default_size(*SIZE_PX)
        for i, function in enumerate([load_settings, import_statement, redraw_chart, total_by_month, save,
                                      import_statement]):
            GLib.timeout_add(4000 + 1000 * i, stall, function)

    application = Gtk.Application()
    application.connect("activate", activate)
    application.run()


def click(place):
    subprocess.run(["xdotool", "mousemove", *place, "click", "1"], check=True)
    time.sleep(0.7)


def main(jankwatch, grab_window, picture):
    with tempfile.TemporaryDirectory(prefix="jankwatch-picture-") as store:
        environment = dict(os.environ, GSK_RENDERER="cairo", GSETTINGS_BACKEND="memory", GIO_USE_VFS="local",
                           GTK_THEME="Adwaita")
        program = subprocess.Popen([jankwatch, "run", "--store", store, "--", "/usr/bin/python3", __file__],
                                   env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(STALLS_SECONDS)
            for place in PAGE, STALLS, FIRST_ROW:
                click(place)
            subprocess.run([grab_window, SHADOW_PX, str(SIZE_PX[1]), picture, *MARKS], check=True)
        finally:
            program.terminate()
            program.wait()
    print(f"{picture}: {os.path.getsize(picture)} bytes")


if len(sys.argv) == 1:
    run_program()
else:
    main(*sys.argv[1:])
