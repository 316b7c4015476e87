# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""animation.py SECONDS: an animation that is watched for a while, then not, and so on, as scenes.c's "alternating", in
Python. Prints what that prints. A frame's CPU time is what the kernel had counted when the thread last slept."""

import json
import pathlib
import sys
import time

import gi
gi.require_version("Gtk", "4.0")
gi.require_version("Jankwatch", "1")
from gi.repository import GLib, Gtk, Jankwatch

FLIPPED_MS, WINDOW_MS, SETTLE_MS = 500, 1000, 1500


def read_ns(task):
    return int((task / "schedstat").read_text().split()[0])


class Animation:
    def __init__(self, application):
        self.application, self.monitor = application, Jankwatch.Monitor.get_default()
        self.ends_ns = time.monotonic_ns() + int(float(sys.argv[1]) * 1e9)
        self.watched, self.windows, self.frames = True, [], None
        label = Gtk.Label(label="000000")
        label.add_tick_callback(self.tick)
        # The window grows with no text.
        scroller = Gtk.ScrolledWindow(child=label)
        Gtk.ApplicationWindow(application=application, child=scroller, default_width=640, default_height=480).present()
        GLib.timeout_add(SETTLE_MS, self.flip)

    def tick(self, label, clock):
        label.set_text(f"{clock.get_frame_counter() % 1000000:06}")
        if self.frames is not None:
            self.frames.append(read_ns(pathlib.Path("/proc/thread-self")))
        return True

    def read_watcher_ns(self):
        tasks = [task for task in pathlib.Path("/proc/self/task").iterdir() if (task / "comm").read_text() == "jankwatch\n"]
        return read_ns(tasks[0]) if tasks else 0

    def flip(self):
        if self.frames is not None:
            self.windows.append({
                "watched": self.watched, "wall_ns": time.monotonic_ns() - self.began_ns,
                "watcher_cpu_ns": self.read_watcher_ns() - self.watcher_ns,
                "frames_ns": [after - before for before, after in zip(self.frames, self.frames[1:])]})
            self.frames = None
        if time.monotonic_ns() >= self.ends_ns:
            print(json.dumps(self.windows))
            self.application.quit()
            return False
        self.watched = not self.watched
        if self.watched:
            self.monitor.start()
        else:
            self.monitor.stop()
        GLib.timeout_add(FLIPPED_MS, self.begin)
        return False

    def begin(self):
        self.watcher_ns, self.began_ns, self.frames = self.read_watcher_ns(), time.monotonic_ns(), []
        GLib.timeout_add(WINDOW_MS, self.flip)
        return False


application = Gtk.Application()
application.connect("activate", Animation)
application.run()
