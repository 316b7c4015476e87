#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import time

import gi

gi.require_version("Jankwatch", "1")
from gi.repository import GLib, Jankwatch


def stall(monitor, report):
    print(f"stalled for {report.get_duration_ns() // 1000000} ms in {report.get_culprit()}")
    loop.quit()


def load():
    time.sleep(0.3)


loop = GLib.MainLoop()
monitor = Jankwatch.Monitor.new()
monitor.connect("stall", stall)
monitor.set_threshold_ms(50)
monitor.start()
GLib.timeout_add(500, load)
loop.run()
