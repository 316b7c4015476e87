# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""As dumped.c, in Python."""

import os
import subprocess
import sys
import threading
import time

from gi.repository import Gio, GLib

seen, lock = set(), threading.Lock()


def hold():
    with lock:
        time.sleep(0.02)


def step():
    thread = threading.Thread(target=hold)
    thread.start()
    with lock:
        seen.add(f"sum {sum(i * 31 % 7 for i in range(300000))}")
    thread.join()
    fd = os.open("/dev/null", os.O_RDONLY)
    seen.add(f"descriptor {fd}")
    os.close(fd)
    seen.add(f"child {subprocess.run(['sh', '-c', 'echo so; exit 3'], capture_output=True, stdin=subprocess.DEVNULL)}")
    child = os.fork()
    if child == 0:
        os._exit(42)
    seen.add(f"status {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}")
    if os.path.exists(os.path.join(os.environ["HOME"], "stop")):
        loop.quit()
    return GLib.SOURCE_CONTINUE


Gio.File.new_for_path("/")
loop = GLib.MainLoop()
GLib.timeout_add(400, step)
loop.run()
print("\n".join(sorted(seen)))
sys.exit(7)
