# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A loop of GLib alone that freezes for 300 ms: glib-only.py [COMMAND…]. COMMAND is run before and inside the loop."""

import subprocess
import sys
import time

from gi.repository import GLib

loop = GLib.MainLoop()


def run_command():
    if sys.argv[1:]:
        subprocess.run(sys.argv[1:])


def freeze_by_computing():
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        for _ in range(10000):
            pass


def freeze():
    freeze_by_computing()
    run_command()
    GLib.timeout_add(50, loop.quit)


run_command()
GLib.timeout_add(50, freeze)
loop.run()
sys.exit(7)
