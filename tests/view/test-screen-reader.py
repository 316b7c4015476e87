#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test-screen-reader.py VIEW MAKE_MANY: what a screen reader meets in the window: roles, and a name for all that takes
input. On a display and a bus of its own."""

import os
import subprocess
import sys
import tempfile
import time

import tap

SECONDS = 150
# What assistive technology is told to be there, by role
WANTED = [
    ("frame", "Jankwatch"), ("push button", "Main Menu"),
    ("list", "Programs, those with the most time first"),
    ("page tab list", "Report"), ("page tab", "Flames"), ("page tab", "Threads"),
    ("image", "Flame graph"), ("image", "Samples over time"), ("entry", "Find in the flame graph"),
    ("push button", "Open in the editor"), ("push button", "Copy as issue"),
    ("push button", "Save the report as a file"), ("push button", "The report before this one"), ("list", "Samples"),
    ("label", "All Programs"),
]
ROLES = {"button": "push button"}
TAKES_INPUT = ("push button", "toggle button", "check box", "entry", "text", "list", "page tab", "page tab list")


def walk(node, found):
    from gi.repository import GLib
    try:
        # From at-spi 2.52 on a button of any kind.
        found.append((ROLES.get(node.get_role_name(), node.get_role_name()), node.get_name()))
        children = [node.get_child_at_index(i) for i in range(node.get_child_count())]
    except GLib.Error:  # it is gone meanwhile
        return
    for child in children:
        if child is not None:
            walk(child, found)


def read_window():
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi
    found = []
    desktop = Atspi.get_desktop(0)
    for i in range(desktop.get_child_count()):
        if desktop.get_child_at_index(i) is not None:
            walk(desktop.get_child_at_index(i), found)
    return found


def listen(view, folder):
    """Prints what is missing, and what has no name."""
    window = subprocess.Popen([view, "--store", folder], env=dict(os.environ, GTK_A11Y="atspi"))
    deadline = time.monotonic() + SECONDS
    missing, nameless = WANTED, []
    while missing and time.monotonic() < deadline and window.poll() is None:
        time.sleep(0.3)
        found = read_window()
        missing = [pair for pair in WANTED if pair not in found]
        nameless = [pair for pair in found if pair[0] in TAKES_INPUT and (not pair[1] or pair[1].startswith("Gtk"))]
    window.kill()
    window.wait()
    for pair in missing:
        print("missing:", *pair)
    for pair in nameless:
        print("nameless:", *pair)


def test_roles_and_names():
    try:
        import gi
        gi.require_version("Atspi", "2.0")
    except (ImportError, ValueError):
        raise tap.Skip("that needs gir1.2-atspi-2.0")
    with tempfile.TemporaryDirectory(prefix="jankwatch-view-") as folder:
        subprocess.run([MAKE_MANY, folder, "20", "5"], check=True)
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("DBUS_SESSION_BUS_ADDRESS", "NO_AT_BRIDGE", "GTK_A11Y")}
        result = subprocess.run(["dbus-run-session", "--", sys.executable, "-B", __file__, "--listen", VIEW, folder],
                                env=environment, text=True, stdout=subprocess.PIPE, timeout=3 * SECONDS)
        # The registry prints, too.
        wrong = [line for line in result.stdout.splitlines() if line.startswith(("missing:", "nameless:"))]
        tap.check(result.returncode == 0 and not wrong, "\n".join(wrong))


if __name__ == "__main__":
    if sys.argv[1] == "--listen":
        listen(*sys.argv[2:])
    else:
        VIEW, MAKE_MANY = tap.arguments(2)
        tap.add("roles-and-names", test_roles_and_names)
        tap.main("/view/screen-reader")
