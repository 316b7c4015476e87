# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A session such as a desktop's: an X server with a window manager, and a bus that starts what programs ask it for:
portals with GTK's backend, AT-SPI, which is on, and dconf."""

import atexit
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

SECONDS = 90

# What programs of a session have in common. A program has its own home, and so its own settings.
VARIABLES = {"XDG_CURRENT_DESKTOP": "GNOME", "LC_ALL": "C.UTF-8", "GDK_BACKEND": "x11"}

# Without a session: else the first program on a display starts a bus there, which outlives it.
NO_BUS = {"DBUS_SESSION_BUS_ADDRESS": "disabled:", "GSETTINGS_BACKEND": "memory", "GTK_A11Y": "none",
          "NO_AT_BRIDGE": "1"}

# Calls that are answered once what they need has started.
PORTAL = ["--dest=org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop",
          "org.freedesktop.portal.Settings.ReadAll", "array:string:"]
CALLS = [
    PORTAL,
    ["--dest=org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties.Set", "string:org.a11y.Status",
     "string:IsEnabled", "variant:boolean:true"],
    ["--dest=ca.desrt.dconf", "/ca/desrt/dconf", "org.freedesktop.DBus.Peer.Ping"],
]

_buses = {}  # of a display
_shared = []
_lock = threading.Lock()


def of(display):
    """The variables of a program on that display, or on none."""
    return {**VARIABLES, **({"DBUS_SESSION_BUS_ADDRESS": _buses[display]} if display in _buses else NO_BUS)}


def _need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise AssertionError(f"There is no {program}: data/install-packages test")


@contextlib.contextmanager
def display(*options):
    """The name of an X display of its own, without a bus; options are Xvfb's."""
    _need("Xvfb")
    read_fd, write_fd = os.pipe()
    # Else it begins anew when a program ends, and may turn away the next.
    server = subprocess.Popen(["Xvfb", "-displayfd", f"{write_fd}", "-screen", "0", "1280x800x24", "-nolisten", "tcp",
                               "-noreset", *options],
                              pass_fds=[write_fd], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write_fd)
    try:
        with os.fdopen(read_fd) as numbers:
            number = numbers.readline().strip()
        if not number:
            raise AssertionError("Xvfb did not start")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


def unmount(folder):
    """What a bus's services have mounted there and their end has left dead: even stat() fails on it."""
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        target = line.split()[1]
        if target.startswith(f"{folder}/"):
            subprocess.run(["umount", "--lazy", target] if os.geteuid() == 0 else ["fusermount3", "-uz", target],
                           check=False)


@contextlib.contextmanager
def folder(prefix):
    """An empty folder, removed in the end, where a bus's services may be about to mount or unmount something."""
    path = tempfile.mkdtemp(prefix=prefix)
    try:
        yield path
    finally:
        until = time.monotonic() + SECONDS
        while os.path.lexists(path) and time.monotonic() < until:
            unmount(path)
            shutil.rmtree(path, ignore_errors=True)


def _is_there(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _end(leader):
    """Those that it started end with it."""
    leader.terminate()
    leader.wait()
    until = time.monotonic() + SECONDS
    while _is_there(leader.pid):
        if time.monotonic() > until:
            os.killpg(leader.pid, signal.SIGKILL)
        time.sleep(0.01)


@contextlib.contextmanager
def new_session(is_managed=True):
    """The name of the display of a session of its own, without a window manager if its windows are not managed."""
    _need("openbox", "dbus-daemon", "dbus-send")
    with folder("jankwatch-session-") as home, display() as name:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "XDG_RUNTIME_DIR": home, "DISPLAY": name, **VARIABLES}
        with contextlib.ExitStack() as stack:
            bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address"], env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True, start_new_session=True)
            stack.callback(bus.stdout.close)
            stack.callback(_end, bus)
            address = bus.stdout.readline().strip()
            environment["DBUS_SESSION_BUS_ADDRESS"] = address
            if is_managed:
                manager = subprocess.Popen(["openbox", "--sm-disable"], env=environment, stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
                stack.callback(_end, manager)
            for call in CALLS:
                subprocess.run(["dbus-send", "--session", f"--reply-timeout={SECONDS * 1000}", "--print-reply", *call],
                               env=environment, timeout=SECONDS, check=True, stdout=subprocess.DEVNULL)
            _buses[name] = address
            stack.callback(_buses.pop, name)
            yield name


@contextlib.contextmanager
def session():
    """The name of the display of the one session of this process, which stays until that ends."""
    with _lock:
        if not _shared:
            stack = contextlib.ExitStack()
            atexit.register(stack.close)
            _shared.append(stack.enter_context(new_session()))
    yield _shared[0]
