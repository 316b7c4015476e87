# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""GNOME Shell, headless, with an extension that switches workspaces, and, in the second half, blocks it for 600 ms
every two seconds, while windows come and go: test-shell.py seconds=SECONDS"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import shells
import tap
import watched

SECONDS = int(sys.argv[1].removeprefix("seconds="))
UUID = "slow@example.org"
EXTENSION = pathlib.Path(__file__).parent / "slow-extension.js"
LINE = next(number for number, line in enumerate(EXTENSION.read_text().splitlines(), 1) if "while" in line)


def read_cpu_ns(pid):
    """What the watcher's threads have computed."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
               if (task / "comm").read_text().startswith("jankwatch"))


def open_windows(home, until):
    """Returns: how many there were"""
    n = 0
    variables = watched.environment(home, watched=False, extra=shells.CLIENT)
    while time.monotonic() < until:
        window = subprocess.Popen([watched.DEMO], env=variables, stderr=subprocess.DEVNULL)
        time.sleep(3)
        n += window.poll() is None
        window.kill()
        window.wait()
        time.sleep(1)
    return n


def check_extension():
    with shells.start("sh", "-c", 'export SLOW_EXTENSION_LOG=$HOME/log; exec "$@"', "sh", watched.COMMAND, "run", "--",
                      config="max-per-session=10000,max-reports=10000,max-bytes=1G") as program:
        home = program.home
        shells.install(home, UUID, EXTENSION.read_text())
        shells.enable(home, [UUID, *shells.SYSTEM])
        shell = shells.wait_for(program)
        time.sleep(5)
        shares, n_windows = [], 0
        for is_blocked in (False, True):
            if is_blocked:
                (home / "log.begin").touch()
            began, before_ns = time.monotonic(), read_cpu_ns(shell)
            n_windows += open_windows(home, began + SECONDS / 2)
            shares.append((read_cpu_ns(shell) - before_ns) / (time.monotonic() - began) / 1e9)
        tap.check(pathlib.Path(f"/proc/{shell}").exists(), "GNOME Shell has ended:", program.errors)
        truths = json.loads((home / "log").read_text())["stalls"]
        os.kill(shell, signal.SIGTERM)
        program.wait()
        text = [program.show(report).replace("\n", " ") for report in program.reports
                if report.get("culprit", {}).get("function") == "blockTheShell"]

    named = 0
    reports = [report for report in program.reports if report["app"]["pid"] == shell]
    for truth in truths:
        report = next((report for report in reports if watched.covers(report, truth)), None)
        tap.check(report is not None, "no report covers", truth, "of", truths[0], "to", truths[-1], "with",
                  [report["stall"] for report in reports
                   if abs(report["stall"]["began_monotonic_ns"] - truth["began_monotonic_ns"]) < 5 * watched.NS_PER_S],
                  f"{len(reports)} reports", program.errors)
        culprit = report.get("culprit", {})
        planted_ns = truth["ended_monotonic_ns"] - truth["began_monotonic_ns"]
        # Without a CPU there may be no sample, and no name; the software renderer may take longer than the extension.
        if (watched.starved(report) < 0.5 and planted_ns > report["stall"]["duration_ns"] / 2
                or culprit.get("function") == "blockTheShell"):
            tap.check_equal(culprit.get("function"), "blockTheShell", "the culprit")
            tap.check(culprit["module"].endswith(f"/{UUID}/extension.js"), "the module to blame:", culprit)
            lines = {call["line"] for call in report["frames"] if call.get("symbol") == "blockTheShell"}
            tap.check(LINE in lines, "the lines:", lines)
            named += 1
    tap.check(named >= 1, "named:", named, "of", len(truths))
    tap.check(n_windows >= 1, "no window stayed open:", program.errors)
    tap.check(any(f"{UUID}/extension.js:{LINE}" in shown for shown in text), "no text names it:", text[:1])
    if any(watched.starved(report) < 0.3 for report in program.reports
           if "blockTheShell" in f"{report.get('culprit')}"):
        tap.check(any(f"blockTheShell() ({UUID}/extension.js:{LINE})" in shown for shown in text), "no headline:", text)
    tap.check("jankwatch-WARNING" not in program.errors and "jankwatch-CRITICAL" not in program.errors, program.errors)
    return (f"{named} of {len(truths)} stalls named, {len(shells.SYSTEM)} other extensions, {n_windows} windows; "
            f"the watcher took {shares[0]:.2%} of a CPU, {shares[1]:.2%} while the extension blocked the shell")


tap.add("extension", check_extension)
tap.main("/module/shell")
