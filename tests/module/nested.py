#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""nested.py VERSION KIND: as nested.c, for PyGObject; VERSION "none": GLib alone. "asyncio" turns the loop inside of a
callback for all its life, as programs do that join two loops."""

import asyncio
import sys

import gi
from gi.repository import Gio, GLib

version, kind = sys.argv[1:]
if version != "none":
    gi.require_version("Gtk", version)
    from gi.repository import Gtk
Gio.File.new_for_path("/")  # loads GIO's modules
loop = GLib.MainLoop()
context = GLib.MainContext.default()
answers = []


def await_answer():
    inner = GLib.MainLoop()
    GLib.timeout_add(1800, inner.quit)
    inner.run()


def iterate_here():
    GLib.timeout_add(1800, answers.append, 1)
    while not answers:
        context.iteration(True)


def run_dialog():
    dialog = Gtk.Window(title="Dialog", modal=True, transient_for=window)
    dialog.show()
    await_answer()
    dialog.destroy()


async def turn():
    """Never for long: another loop waits."""
    for _ in range(150):
        while context.iteration(False):
            pass
        await asyncio.sleep(0.02)


def begin():
    if kind == "asyncio":
        asyncio.run(turn())
    else:
        {"loop": await_answer, "iterate": iterate_here, "dialog": run_dialog}[kind]()
    loop.quit()


if version != "none":
    window = Gtk.Window(title="Nested")
    window.show()
GLib.timeout_add(0 if kind == "asyncio" else 500, begin)
loop.run()
