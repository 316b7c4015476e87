# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The frames of GNOME Shell, headless, with an extension that animates and, in the second half, blocks the shell for 40
ms at every tenth frame: test-shell-frames.py seconds=SECONDS"""

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
UUID = "frames@example.org"
EXTENSION = pathlib.Path(__file__).parent / "frames-extension.js"
BLOCK_NS = 40 * watched.NS_PER_MS


def run_shell():
    """Returns: its blocks, its reports, and what summary says of them"""
    with shells.start("sh", "-c", 'export SLOW_EXTENSION_LOG=$HOME/log; exec "$@"', "sh", watched.COMMAND, "run", "--",
                      config="max-per-session=10000,max-reports=10000,max-bytes=1G") as program:
        home = program.home
        shells.install(home, UUID, EXTENSION.read_text())
        shells.enable(home, [UUID])
        shell = shells.Shell(program)
        time.sleep(SECONDS / 2)
        (home / "log.begin").touch()
        time.sleep(SECONDS / 2)
        (home / "log.begin").unlink()
        # It writes down the last ones.
        time.sleep(2)
        log = json.loads((home / "log").read_text())
        os.kill(shell.pid, signal.SIGTERM)
        program.wait()
        summary = subprocess.run([watched.COMMAND, "summary", "--by", "extension", "--json"],
                                 env=watched.environment(home), check=True, capture_output=True, text=True).stdout
        tap.check("jankwatch-WARNING" not in program.errors and "jankwatch-CRITICAL" not in program.errors,
                  program.errors)
        blocks = [{"began_monotonic_ns": until_us * 1000 - BLOCK_NS, "ended_monotonic_ns": until_us * 1000}
                  for until_us in log["blocks"]]
        return blocks, [report for report in program.reports if report["app"]["pid"] == shell.pid], summary


def check_frames():
    blocks, reports, summary = run_shell()
    tap.check(len(blocks) > SECONDS, "the extension has blocked", len(blocks), "frames")
    found = [next((report for report in reports if watched.covers(report, block)), None) for block in blocks]
    tap.check(None not in found, len([report for report in found if report is None]), "blocks without a report")
    clock = found[-1]["frame_clock"]
    (monitor,) = clock["windows"]
    tap.check(monitor["name"].startswith("Meta-"), "the monitor:", monitor["name"])
    tap.check(clock["presentation"], clock)
    # The last one is not over yet.
    tap.check(clock["late_program"] >= 0.9 * (len(blocks) - 1), "late by the shell:", clock["late_program"])
    tap.check(clock["late_program"] < clock["frames"] / 2, "late by the shell:", clock["late_program"], "of",
              clock["frames"])
    tap.check(UUID in summary, summary)
    # Without a CPU there may be no sample; the software renderer may take longer than the extension.
    judged = [report for report in found
              if watched.starved(report) < 0.3 and report["stall"]["duration_ns"] < 2 * BLOCK_NS
              and report["self"]["samples"]]
    named = [report for report in judged if report.get("culprit", {}).get("function") == "blockAFrame"]
    tap.check(judged and len(named) >= 0.9 * len(judged), "named:", len(named), "of", len(judged))
    tap.check(all(report["culprit"]["module"].endswith(f"/{UUID}/extension.js") for report in named), named[:1])
    return (f"{len(named)} of {len(judged)} named, {len(blocks)} blocks, {clock['late_program']} late by the shell, "
            f"{clock['late_compositor']} by the display, of {clock['frames']}")


tap.add("frames", check_frames)
tap.main("/module/shell-frames")
