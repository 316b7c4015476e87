# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch run` of what it cannot watch says why, of the process that is the matter, in one line."""

import os
import shutil
import struct
import subprocess

import command
import tap
from tap import equal

program, glib_only, static, preload = map(os.path.abspath, tap.arguments(4))

# Has GTK, and neither opens a display nor runs a loop.
LOADS_GTK = "import ctypes, time; ctypes.CDLL('libgtk-3.so.0'); time.sleep(1)"


def why(jankwatch, *words, status=None, **environment):
    result = jankwatch.run("run", "--quiet", "--", *words, **environment)
    said = [line for line in result.stderr.splitlines() if line.startswith("jankwatch: ")]
    equal((len(said), said[0].partition("Nothing was watched: ")[:2]), (1, ("jankwatch: ", "Nothing was watched: ")))
    assert status is None or result.returncode == status, result
    return said[0].partition("Nothing was watched: ")[2]


def test_no_glib(jankwatch):
    equal(why(jankwatch, "sleep", "1", status=0), "‘sleep’ does not use GLib")
    equal(why(jankwatch, "sh", "-c", "sleep 1; exit 3", status=3), "‘sleep’ does not use GLib")


def test_emptied(jankwatch):
    for words in ["env", "-i"], ["sh", "-c", 'unset JANKWATCH; "$@"; exit $?', "sh"], \
                 ["env", "-u", "LD_PRELOAD", "GIO_EXTRA_MODULES=/nowhere"]:
        text = why(jankwatch, *words, glib_only, "loop", status=7)
        assert text.startswith("‘glib-only’ was started without jankwatch's environment variables"), text
        assert "SANDBOXES in jankwatch(1)" in text, text


def test_asked_not_to(jankwatch):
    equal(why(jankwatch, "env", "JANKWATCH=0", glib_only, "loop"), "‘glib-only’ was started with JANKWATCH=0")


def test_foreign(jankwatch):
    text = why(jankwatch, "env", "-u", "LD_PRELOAD", glib_only, "loop")
    assert text.startswith("‘glib-only’ uses GLib without GIO"), text
    equal(why(jankwatch, static, "environ"),
          f"‘{os.path.basename(static)}’ is linked statically: jankwatch cannot follow it")


def test_architecture(jankwatch):
    """The head of a program for other machines, which the kernel does not start."""
    path = os.path.join(jankwatch.home, "other")
    with open(path, "wb") as file:
        file.write(struct.pack("<4sBBBx8xHHIIIIIHHHHHH", b"\x7fELF", 1, 1, 1, 2, 3, 1, 0, 52, 0, 0, 52, 32, 0, 0, 0, 0))
    os.chmod(path, 0o755)
    equal(why(jankwatch, path), "‘other’ is built for another architecture: jankwatch cannot follow it")


def test_display(jankwatch):
    text = why(jankwatch, "/usr/bin/python3", "-c", LOADS_GTK)
    assert "has no display: DISPLAY and WAYLAND_DISPLAY are not set" in text, text
    text = why(jankwatch, "/usr/bin/python3", "-c", LOADS_GTK, DISPLAY=":none")
    assert "exited before its main loop ran" in text, text


def test_blank_in_path(jankwatch):
    """LD_PRELOAD cannot name it."""
    root = os.path.join(jankwatch.home, "a folder", "src")
    os.makedirs(os.path.join(root, "cli"))
    os.symlink(os.path.dirname(os.path.dirname(preload)), os.path.join(root, "module"))
    jankwatch.program = shutil.copy(program, os.path.join(root, "cli"))
    result = jankwatch.run("run", "--", glib_only, "loop")
    equal(result.returncode, 7)
    tap.contains(command.unwrapped(result.stderr), "a space or a colon")


def test_store_elsewhere(jankwatch):
    elsewhere = os.path.join(jankwatch.home, "elsewhere")
    text = why(jankwatch, "env", f"XDG_STATE_HOME={elsewhere}", glib_only, "loop", status=7)
    assert text.startswith("jankwatch ran inside ‘glib-only’, but ‘" + jankwatch.store), text


def test_sandbox(jankwatch):
    """The module is not in the sandbox's file system."""
    modules = os.path.join(os.path.dirname(os.path.dirname(jankwatch.program)), "module")
    # The folder above as well: the command may be a copy, which has a link to the modules.
    words = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", os.path.realpath(modules), "--tmpfs", os.path.dirname(modules)]
    if shutil.which("bwrap") is None or subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        raise tap.Skip("bwrap does not run here")
    text = why(jankwatch, *words, glib_only, "loop", status=7)
    assert text.startswith("‘glib-only’ cannot see ‘") and "SANDBOXES in jankwatch(1)" in text, text


def test_other_user(jankwatch):
    if os.geteuid() != 0:
        raise tap.Skip("only root can run a program as another user here")
    equal(why(jankwatch, "setpriv", "--reuid=65534", "sleep", "1"),
          "‘sleep’ ran as another user; jankwatch follows only your own programs")


command.add_all(globals(), program)
tap.main("/cli/nothing", n_at_once=2)
