# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The frames of headless mutter itself, which has a window that animates on one of two monitors."""

import json
import os
import signal
import subprocess

import shells
import tap
import watched

START = """export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS
exec "$0" run --json "$HOME/summary" -- mutter --headless --wayland --no-x11 --virtual-monitor 800x600@60 \
  --virtual-monitor 800x600@30 --wayland-display=%s""" % shells.DISPLAY


def test_monitors():
    with watched.Program("dbus-run-session", "--", "sh", "-c", START, watched.COMMAND, watched=False,
                         extra=shells.VARIABLES) as program:
        mutter = program.wait_for("mutter", lambda: shells.find(program.home, "mutter"))
        variables = watched.environment(program.home, watched=False, extra=shells.CLIENT)
        own = subprocess.run([watched.GTK_WINDOW, "animated", "3"], env=variables, check=True, capture_output=True,
                             text=True, timeout=60).stdout
        os.kill(mutter, signal.SIGTERM)
        program.wait()
        clock = json.loads((program.home / "summary").read_text())["frame_clock"]
    drawn = json.loads(own)["frames"]
    tap.check(clock["presentation"], clock)
    # The window is on one of the two; its own clock is what the compositor lets it have.
    tap.check_equal({window["name"] for window in clock["windows"]}, {"Meta-0", "Meta-1"})
    rates = {window["name"]: window["refresh_ns"] for window in clock["windows"] if window["frames"] > drawn / 2}
    tap.check(rates and set(rates.values()) <= {16666666, 33333332}, rates, "of", clock, own)
    tap.check(clock["active_ns"] > watched.NS_PER_S, clock)


tap.add_all(globals())
tap.main("/module/compositor")
