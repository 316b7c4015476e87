# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""As kernel.c."""

import mmap

from gi.repository import GLib

loop = GLib.MainLoop()


def open_image():
    mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE).close()
    GLib.timeout_add(50, loop.quit)


GLib.timeout_add(300, open_image)
loop.run()
