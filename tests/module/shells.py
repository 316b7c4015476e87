# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""GNOME Shell, headless, with a home, a bus and extensions of its own."""

import contextlib
import functools
import json
import pathlib
import re
import shutil
import subprocess
import time

from gi.repository import Gio, GLib

import tap
import watched

DISPLAY = "jankwatch-shell"
CLIENT = {"GDK_BACKEND": "wayland", "WAYLAND_DISPLAY": DISPLAY}
WORDS = ["gnome-shell", "--headless", "--wayland", "--no-x11", "--virtual-monitor", "1024x768@60",
         f"--wayland-display={DISPLAY}"]
VARIABLES = {"DBUS_SESSION_BUS_ADDRESS": None, "GSETTINGS_BACKEND": "keyfile", "DISPLAY": None, "GDK_BACKEND": None}

# Its home has to be there first.
START = ("while ! [ -e \"$HOME/ready\" ]; do sleep 0.1; done; export XDG_DATA_HOME=$HOME/data; "
         "exec dbus-run-session --config-file=\"$HOME/bus.conf\" -- sh -c "
         "'export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS; exec \"$@\"' sh \"$@\"")
BUS = """<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <servicedir>{home}/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
# Services that mount file systems in the home.
MOUNTING = ("gtk.vfs", "portal.Desktop", "portal.Documents")


@functools.cache
def version():
    tap.check(shutil.which("gnome-shell") is not None, "There is no gnome-shell: run data/install-packages soak")
    text = subprocess.run(["gnome-shell", "--version"], check=True, capture_output=True, text=True).stdout.split()[2]
    return text.split(".")[0]


def install(home, uuid, code):
    """An extension, written as a module."""
    folder = home / "data/gnome-shell/extensions" / uuid
    folder.mkdir(parents=True)
    # Before that version, extensions were no modules.
    if int(version()) < 45:
        code = re.sub(r"import (\w+) from .*", r"const \1 = imports.gi.\1;", code)
        code = code.replace("export default class ", "var Extension = class ")
        code += "\nfunction init() {\n    return new Extension();\n}\n"
    (folder / "extension.js").write_text(code)
    (folder / "metadata.json").write_text(json.dumps(
        {"uuid": uuid, "name": uuid, "description": uuid, "shell-version": [version()], "url": ""}))


def enable(home, uuids, settings=""):
    """settings: more of GSettings' key file"""
    folder = home / "config/glib-2.0/settings"
    folder.mkdir(parents=True)
    (folder / "keyfile").write_text("[org/gnome/shell]\nwelcome-dialog-last-shown-version='999'\n"
                                    f"enabled-extensions={[*uuids, Shell.PROBE]}\n{settings}")


def start(*prefix, extra=None, **options):
    """A watched.Program that waits for wait_for(), so that its home can be filled. prefix: words before the shell's"""
    return watched.Program("sh", "-c", START, "sh", *prefix, *WORDS, watched=False,
                           extra={**VARIABLES, **(extra or {})}, **options)


def find(home, name="gnome-shell"):
    """The compositor's process, once it serves windows."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if ((process / "exe").readlink().name == name
                    and f"HOME={home}".encode() in (process / "environ").read_bytes().split(b"\0")):
                return int(process.name) if (home / DISPLAY).exists() else None
    return None


def wait_for(program):
    (program.home / "services").mkdir()
    for service in pathlib.Path("/usr/share/dbus-1/services").glob("*.service"):
        if not any(word in service.name for word in MOUNTING):
            shutil.copy(service, program.home / "services")
    (program.home / "bus.conf").write_text(BUS.format(home=program.home))
    (program.home / "ready").touch()
    return program.wait_for("the shell", lambda: find(program.home), 60)


class Shell:
    """One that runs, and runs what it is told."""

    PROBE = "probe@example.org"
    PROBE_CODE = """export default class Probe {
        enable() {
            global.context.unsafe_mode = true;
        }
        disable() {
        }
    }
    """

    def __init__(self, program):
        """program: of start(); its home has the extensions' settings"""
        self.program, self.home = program, program.home
        install(self.home, self.PROBE, self.PROBE_CODE)
        self.pid = wait_for(program)
        variables = pathlib.Path(f"/proc/{self.pid}/environ").read_text().split("\0")
        self.bus = next(line.partition("=")[2] for line in variables if line.startswith("DBUS_SESSION_BUS_ADDRESS="))
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.connection = Gio.DBusConnection.new_for_address_sync(self.bus, flags, None, None)
        self.wait_for("the probe", lambda: self.evaluate("1"))

    def wait_for(self, what, condition):
        def look():
            time.sleep(0.2)
            return condition()

        return self.program.wait_for(what, look, 30)

    def evaluate(self, code):
        """What that JavaScript returns. Before the shell is ready: None"""
        try:
            answer = self.connection.call_sync("org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell", "Eval",
                                               GLib.Variant("(s)", (code,)), None, Gio.DBusCallFlags.NONE, 10000, None)
        except GLib.Error:
            return None
        fine, text = answer.unpack()
        tap.check(fine or not text, code, text)
        return json.loads(text) if text else None

    def client(self, is_watched=False):
        """Variables of a program in that shell."""
        return watched.environment(self.home, is_watched, extra={**CLIENT, "DBUS_SESSION_BUS_ADDRESS": self.bus})
