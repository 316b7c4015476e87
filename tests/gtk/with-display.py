#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""with-display.py x11|RATE COMMAND…: runs it on a display server of its own, Xvfb or headless mutter at RATE Hz.

The command's exit status is this one's. Where the server is not installed the test says that it was skipped.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SERVER_SECONDS = 20


def fail_skipped(program):
    print(f"1..0 # SKIP {program} is not installed")
    sys.exit(0)


def start_xvfb(environment):
    if shutil.which("Xvfb") is None:
        fail_skipped("Xvfb")
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
        pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader) as number:
        environment["DISPLAY"] = ":" + number.readline().strip()
    environment["GDK_BACKEND"] = "x11"
    return server


def start_mutter(environment, rate):
    for program in "mutter", "dbus-run-session":
        if shutil.which(program) is None:
            fail_skipped(program)
    display = f"jankwatch-{os.getpid()}"
    command = f"""
        export DBUS_SYSTEM_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS"
        exec mutter --headless --wayland --no-x11 --virtual-monitor 1024x768@{rate} --wayland-display={display}
        """
    server = subprocess.Popen(["dbus-run-session", "--", "sh", "-c", command], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True, env=environment)
    socket = os.path.join(environment["XDG_RUNTIME_DIR"], display)
    deadline = time.monotonic() + SERVER_SECONDS
    while not os.path.exists(socket):
        if server.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"mutter did not start: status {server.poll()}")
        time.sleep(0.05)
    time.sleep(0.5)
    environment["WAYLAND_DISPLAY"] = display
    environment["GDK_BACKEND"] = "wayland"
    # GL in software, in the compositor and here, would be late by itself.
    environment["GSK_RENDERER"] = "cairo"
    environment.pop("DISPLAY", None)
    return server


def stop(server):
    if os.getpgid(server.pid) == server.pid:
        os.killpg(server.pid, signal.SIGTERM)
    else:
        server.terminate()
    server.wait()


def main():
    kind, command = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="jankwatch-display-") as folder:
        environment = dict(os.environ, XDG_RUNTIME_DIR=folder, HOME=folder, NO_AT_BRIDGE="1", GTK_A11Y="none")
        server = start_xvfb(environment) if kind == "x11" else start_mutter(environment, kind)
        try:
            status = subprocess.run(command, env=environment, check=False).returncode
        finally:
            stop(server)
    return status if status >= 0 else 128 - status


sys.exit(main())
