# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Loops that spin: a source that is always ready, and a callback that turns the loop itself. Argument: which."""

import sys
import time

from gi.repository import Gio, GLib

Gio.File.new_for_path("/")  # loads GIO's modules
loop = GLib.MainLoop()
end = time.monotonic() + 2.3


def poll_queue():
    if time.monotonic() < end:
        return GLib.SOURCE_CONTINUE
    loop.quit()
    return GLib.SOURCE_REMOVE


def wait_for_download():
    context = GLib.MainContext.default()
    while time.monotonic() < end:
        while context.pending():
            context.iteration(False)
    loop.quit()
    return GLib.SOURCE_REMOVE


def fill_list():
    """Most of the time, in the loop that another callback turns."""
    until = time.monotonic() + 0.004
    while time.monotonic() < until:
        pass
    return GLib.SOURCE_CONTINUE


GLib.timeout_add(100, lambda: GLib.SOURCE_CONTINUE)
if sys.argv[1] == "kept":
    GLib.idle_add(poll_queue)
else:
    GLib.timeout_add(100, wait_for_download)
if sys.argv[1] == "turned-busy":
    GLib.timeout_add(5, fill_list)
loop.run()
