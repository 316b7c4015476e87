# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The animation of scenes.c in Python."""

import gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk


def tick(label, clock):
    label.set_text(f"{clock.get_frame_counter() % 1000000:06}")
    return True


def activate(application):
    label = Gtk.Label(label="000000")
    label.add_tick_callback(tick)
    # The window grows with no text.
    scroller = Gtk.ScrolledWindow(child=label)
    Gtk.ApplicationWindow(application=application, child=scroller, default_width=640, default_height=480).present()


application = Gtk.Application()
application.connect("activate", activate)
application.run()
