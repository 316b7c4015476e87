# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Clients of a display server: one that waits for it, and one that waits for events."""

import contextlib
import os
import signal
import subprocess
import sys

import planted
import tap
from tap import contains, equal
from why import why

CLIENT = """
import ctypes, sys
x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
display = ctypes.c_void_p(x.XOpenDisplay(None))
print("ready", flush=True)
if sys.argv[1] == "event":
    x.XNextEvent(display, ctypes.create_string_buffer(192))
sys.stdin.read(1)
x.XSync(display, 0)
"""


@contextlib.contextmanager
def client(what):
    """A client of a display server of its own."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-nolisten", "tcp"], pass_fds=[write],
                              stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as file:
        number = file.readline().strip()
    process = subprocess.Popen([sys.executable, "-c", CLIENT, what], env={**os.environ, "DISPLAY": f":{number}"},
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        equal(process.stdout.readline(), "ready\n")
        yield process, server
    finally:
        server.send_signal(signal.SIGCONT)
        for each in process, server:
            each.kill() if each is process else each.terminate()
            each.wait()
        process.stdin.close()
        process.stdout.close()


def test_a_client_waits_for_events():
    with client("event") as (process, server):
        planted.settle([process.pid, server.pid])
        found = why(process.pid)
        equal([(link["pid"], link["kind"]) for link in found["links"]], [(process.pid, "idle")])
        equal(found["cause"], "idle")


def test_a_client_waits_for_a_stopped_server():
    with client("answer") as (process, server):
        server.send_signal(signal.SIGSTOP)
        process.stdin.write("\n")
        process.stdin.flush()
        while why(process.pid)["links"][0].get("syscall") != "poll":
            pass
        planted.settle([process.pid])
        found = why(process.pid)
        equal([link["kind"] for link in found["links"]], ["display", "stopped"])
        equal(found["cause"], "stopped")
        # From outside, who polls for an answer looks like who polls for an event.
        contains(found["sentence"], f" [{process.pid}] is idle, or waits for Xvfb [{server.pid}], which is stopped")


tap.add_all(globals())
tap.main("/chain/display")
