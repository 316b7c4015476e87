# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program that asks GLib for its descriptors and polls for its loop by itself."""

import tap
import watched
from watched import BUILD, COMMAND, NS_PER_MS

POLLS = BUILD / "tests/module/polls"
POLL_NS = 1500 * NS_PER_MS


def check_polls(how):
    """Who waits for the loop by a call of its own is well; what it does in between is a stall each, without that
    wait."""
    with watched.Program(COMMAND, "run", "--", POLLS, how, watched=False) as program:
        program.wait()
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    truth = dict(line.split() for line in program.output.splitlines())
    stalls = {report["culprit"].get("function"): report["stall"]["duration_ns"] for report in program.reports
              if report["kind"] == "stall"
              and (watched.starved(report) < 0.2 or report["culprit"].get("function") in truth)}
    tap.check_equal(sorted(stalls), sorted(truth), f"the culprits ({program.errors})")
    for name, took_ns in truth.items():
        tap.check(stalls[name] < int(took_ns) + POLL_NS / 2, name, "took", took_ns, "and is told as", stalls[name])


for how in ("poll", "select"):
    tap.add(how, check_polls, how)
tap.main("/module/polls")
