#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""overlay-picture.py JANKWATCH GRAB_WINDOW FILE.png: the README's picture, made on the display that is there.

An unmodified gtk4-demo scrolls through several things; going on to its weather list stalls it for real.
"""

import os
import subprocess
import sys
import tempfile
import time

NEXT_BUTTON = "62", "27"
PAGES_TO_THE_LIST = 5
PAGE_SECONDS = 1.6
STARTUP_SECONDS = 5
SHADOW_PX = "4"
HEIGHT_PX = "290"


def main(jankwatch, grab_window, picture):
    with tempfile.TemporaryDirectory(prefix="jankwatch-picture-") as store:
        # Software GL would be late by itself.
        environment = dict(os.environ, GSK_RENDERER="cairo", GSETTINGS_BACKEND="memory", GIO_USE_VFS="local")
        command = [jankwatch, "run", "--overlay", "--store", store, "--", "gtk4-demo", "--run=iconscroll"]
        program = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(STARTUP_SECONDS)
            for _ in range(PAGES_TO_THE_LIST):
                subprocess.run(["xdotool", "mousemove", *NEXT_BUTTON, "click", "1"], check=True)
                time.sleep(PAGE_SECONDS)
            subprocess.run([grab_window, SHADOW_PX, HEIGHT_PX, picture], check=True)
        finally:
            program.terminate()
            program.wait()
    print(f"{picture}: {os.path.getsize(picture)} bytes")


main(*sys.argv[1:])
