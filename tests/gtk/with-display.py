#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""with-display.py [--no-gl] x11|broadway|RATE[+RATE…] COMMAND…: runs it on a display server of its own.

That is Xvfb, Broadway without a browser, or headless mutter with a monitor of each RATE Hz (its bus is
JANKWATCH_TEST_MUTTER). With --no-gl GTK draws with cairo. The command's exit status is this one's. Where the server is
not installed the test says that it was skipped.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SERVER_SECONDS = 90
LEAKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaks-of-others")


def fail_skipped(program):
    print(f"1..0 # SKIP {program} is not installed")
    sys.exit(0)


def wait_for(is_up, server):
    deadline = time.monotonic() + SERVER_SECONDS
    while not is_up():
        if server.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"{server.args[0]} did not start: status {server.poll()}")
        time.sleep(0.05)


def start_xvfb(environment):
    if shutil.which("Xvfb") is None:
        fail_skipped("Xvfb")
    reader, writer = os.pipe()
    server = subprocess.Popen(
        # Else it begins anew when a program ends, and may turn away the next; and types a key again that a busy machine
        # lets go of late.
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset", "-ardelay",
         "3000"],
        pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader) as number:
        environment["DISPLAY"] = ":" + number.readline().strip()
    environment["GDK_BACKEND"] = "x11"
    return server


def start_broadway(environment):
    if shutil.which("gtk4-broadwayd") is None:
        fail_skipped("gtk4-broadwayd")
    folder = environment["XDG_RUNTIME_DIR"]
    # The number names a socket in that folder; the browser's side is a socket as well, instead of a port for all.
    server = subprocess.Popen(["gtk4-broadwayd", "--unixsocket", os.path.join(folder, "browser"), ":5"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    wait_for(lambda: any("broadway" in name for name in os.listdir(folder)), server)
    environment["BROADWAY_DISPLAY"] = ":5"
    environment["GDK_BACKEND"] = "broadway"
    environment.pop("DISPLAY", None)
    return server


def start_mutter(environment, rates):
    for program in "mutter", "dbus-run-session":
        if shutil.which(program) is None:
            fail_skipped(program)
    display = f"jankwatch-{os.getpid()}"
    monitors = " ".join(f"--virtual-monitor 1024x768@{rate}" for rate in rates.split("+"))
    command = f"""
        export DBUS_SYSTEM_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS"
        echo "$DBUS_SESSION_BUS_ADDRESS" >"$XDG_RUNTIME_DIR/bus-of-mutter"
        exec mutter --headless --wayland --no-x11 {monitors} --wayland-display={display}
        """
    server = subprocess.Popen(["dbus-run-session", "--", "sh", "-c", command], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True, env=environment)
    socket = os.path.join(environment["XDG_RUNTIME_DIR"], display)
    wait_for(lambda: os.path.exists(socket), server)
    time.sleep(0.5)
    with open(os.path.join(environment["XDG_RUNTIME_DIR"], "bus-of-mutter"), encoding="utf-8") as file:
        environment["JANKWATCH_TEST_MUTTER"] = file.read().strip()
    environment["WAYLAND_DISPLAY"] = display
    environment["GDK_BACKEND"] = "wayland"
    # GL in software, in the compositor and here, would be late by itself.
    environment["GSK_RENDERER"] = "cairo"
    environment.pop("DISPLAY", None)
    return server


def has_ended(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def stop(server):
    """Returns when nothing of it is left that could still write into the folder."""
    if os.getpgid(server.pid) != server.pid:
        server.terminate()
        server.wait()
        return
    os.killpg(server.pid, signal.SIGTERM)
    server.wait()
    deadline = time.monotonic() + SERVER_SECONDS
    while not has_ended(server.pid):
        if time.monotonic() > deadline:
            os.killpg(server.pid, signal.SIGKILL)
        time.sleep(0.02)


def main():
    has_gl = sys.argv[1] != "--no-gl"
    kind, *command = sys.argv[1 if has_gl else 2:]
    with tempfile.TemporaryDirectory(prefix="jankwatch-display-") as folder:
        environment = dict(os.environ, XDG_RUNTIME_DIR=folder, HOME=folder, NO_AT_BRIDGE="1", GTK_A11Y="none",
                           LSAN_OPTIONS=f"suppressions='{LEAKS}':print_suppressions=0")
        if not has_gl:
            environment["GDK_DEBUG"] = "gl-disable"
        if kind == "x11":
            server = start_xvfb(environment)
        elif kind == "broadway":
            server = start_broadway(environment)
        else:
            server = start_mutter(environment, kind)
        try:
            status = subprocess.run(command, env=environment, check=False).returncode
        finally:
            stop(server)
    return status if status >= 0 else 128 - status


sys.exit(main())
