# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""GNOME Shell, headless, with an extension that blocks it for 600 ms every two seconds: test-shell.py seconds=SECONDS"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import tap
import watched

SECONDS = int(sys.argv[1].removeprefix("seconds="))
UUID = "slow@example.org"
EXTENSION = pathlib.Path(__file__).parent / "slow-extension.js"
LINE = next(number for number, line in enumerate(EXTENSION.read_text().splitlines(), 1) if "while" in line)
OTHERS = [folder.name for folder in pathlib.Path("/usr/share/gnome-shell/extensions").glob("*@*")]
SHELL = ["gnome-shell", "--headless", "--wayland", "--no-x11", "--virtual-monitor", "1024x768@60", "--wayland-display=slow"]


def install(home):
    folder = home / "data/gnome-shell/extensions" / UUID
    folder.mkdir(parents=True)
    shutil.copy(EXTENSION, folder / "extension.js")
    version = subprocess.run(["gnome-shell", "--version"], check=True, capture_output=True, text=True).stdout.split()[2]
    (folder / "metadata.json").write_text(json.dumps(
        {"uuid": UUID, "name": "slow", "description": "slow", "shell-version": [version.split(".")[0]], "url": ""}))
    settings = home / "config/glib-2.0/settings"
    settings.mkdir(parents=True)
    (settings / "keyfile").write_text("[org/gnome/shell]\nwelcome-dialog-last-shown-version='999'\n"
                                      f"enabled-extensions={[UUID, *OTHERS]}\n")


def read_cpu_ns(pid):
    """What the watcher's threads have computed."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
               if (task / "comm").read_text().startswith("jankwatch"))


def check_extension():
    # Its home has to be there first.
    starter = ["sh", "-c", 'while ! [ -e "$HOME/ready" ]; do sleep 0.1; done; '
               'export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS; exec "$0" run -- "$@"', watched.COMMAND, *SHELL]
    extra = {"DBUS_SESSION_BUS_ADDRESS": None, "GSETTINGS_BACKEND": "keyfile", "DISPLAY": None, "GDK_BACKEND": None}
    with watched.Program("dbus-run-session", "--", "sh", "-c",
                         'export XDG_DATA_HOME=$HOME/data SLOW_EXTENSION_LOG=$HOME/log; exec "$@"', "sh", *starter,
                         watched=False, extra=extra) as program:
        home = program.home
        install(home)
        (home / "ready").touch()
        began = time.monotonic()
        program.wait_for("the first stall", lambda: (home / "log").exists(), 60)
        time.sleep(SECONDS)
        shell = json.loads((home / "log").read_text())["pid"]
        share = read_cpu_ns(shell) / (time.monotonic() - began) / 1e9
        tap.check(pathlib.Path(f"/proc/{shell}").exists(), "GNOME Shell has ended:", program.errors)
        truths = json.loads((home / "log").read_text())["stalls"]
        os.kill(shell, signal.SIGTERM)
        program.wait()
        text = [subprocess.run([watched.COMMAND, "show", report["id"]], env=watched.environment(home), check=True,
                               capture_output=True, text=True).stdout.replace("\n", " ")
                for report in program.reports if report.get("culprit", {}).get("function") == "blockTheShell"]

    named = 0
    for truth in truths:
        report = next(report for report in program.reports if watched.covers(report, truth))
        culprit = report.get("culprit", {})
        # Without a CPU there may be no sample, and no name.
        if watched.starved(report) < 0.5 or culprit.get("function") == "blockTheShell":
            tap.check_equal(culprit.get("function"), "blockTheShell", "the culprit")
            tap.check(culprit["module"].endswith(f"/{UUID}/extension.js"), "the module to blame:", culprit)
            lines = {call["line"] for call in report["frames"] if call.get("symbol") == "blockTheShell"}
            tap.check(LINE in lines, "the lines:", lines)
            named += 1
    tap.check(named >= 1, "named:", named, "of", len(truths))
    tap.check(any(f"{UUID}/extension.js:{LINE}" in shown for shown in text), "no text names it:", text[:1])
    if any(watched.starved(report) < 0.3 for report in program.reports if "blockTheShell" in f"{report.get('culprit')}"):
        tap.check(any(f"blockTheShell() ({UUID}/extension.js:{LINE})" in shown for shown in text), "no headline:", text)
    tap.check("jankwatch-WARNING" not in program.errors and "jankwatch-CRITICAL" not in program.errors, program.errors)
    return f"{named} of {len(truths)} stalls named, {len(OTHERS)} other extensions, {share:.2%} of a CPU"


tap.check(shutil.which("gnome-shell") is not None, "There is no gnome-shell: run data/install-packages soak")
tap.add("extension", check_extension)
tap.main("/module/shell")
