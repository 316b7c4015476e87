# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Computes in its loop until it is ended."""

from gi.repository import GLib


def parse_ledger():
    while True:
        pass


GLib.timeout_add(50, parse_ledger)
GLib.MainLoop().run()
