#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A PyGObject program that fills the C library's heap while it stalls, frees all of that, and prints what it has
left."""

import array
import ctypes
import json
import time

from gi.repository import Gio, GLib

N_PARTS = 10
REST_PARTS = 100  # until the last report is written; on a busy machine MOST_PARTS, as long as that has memory
MOST_PARTS = 4000
MUCH_KB = 6000
N_PIECES = 30000
PIECE_BYTES = 184

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
pieces = array.array("Q", bytes(8 * N_PARTS * N_PIECES))
part = 0


def compute():
    until = time.monotonic() + 0.15
    while time.monotonic() < until:
        pass


def read_kb():
    with open("/proc/self/status", encoding="utf-8") as file:
        fields = dict(line.split(":", 1) for line in file)
    return {"anonymous_kb": int(fields["RssAnon"].split()[0]), "resident_kb": int(fields["VmRSS"].split()[0])}


def work():
    global part
    if part < N_PARTS:
        for i in range(part * N_PIECES, (part + 1) * N_PIECES):
            pieces[i] = libc.malloc(PIECE_BYTES)
            ctypes.memset(pieces[i], 1, PIECE_BYTES)
        compute()
    elif part == N_PARTS:
        for i in range(N_PARTS * N_PIECES):
            libc.free(ctypes.c_void_p(pieces[i]))
    part += 1
    if part < N_PARTS + REST_PARTS or (part < N_PARTS + MOST_PARTS and
                                       read_kb()["anonymous_kb"] > began_kb + MUCH_KB):
        return GLib.SOURCE_CONTINUE
    print(json.dumps(read_kb()))
    loop.quit()
    return GLib.SOURCE_REMOVE


# Loads GIO's modules.
Gio.File.new_for_path("/")
loop = GLib.MainLoop()
began_kb = read_kb()["anonymous_kb"]
GLib.timeout_add(5, work)
loop.run()
