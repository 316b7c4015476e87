# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Blocking calls inside a stall return what they would return, when they would return it."""

import tap
import watched
from watched import NS_PER_MS, STALLER

# As staller has each call last. Time-outs of sockets end on the kernel's ticks, and a thread that wakes has to be let run.
WAIT_NS = 200 * NS_PER_MS
MARGIN_NS = 40 * NS_PER_MS

EVERY_MS = "interval=1ms,first-sample=1ms"

# A machine that stops for a moment lengthens a call of one round, what we do those of all.
ROUNDS = 3


def run_round(config):
    """The names of the calls that took too long. Too short, or another result: wrong at once."""
    program = watched.run(STALLER, "waits", config=config)
    calls = program.truth["calls"]
    tap.check(len(calls) >= 20, "too few calls:", len(calls))
    tap.check(all(call["right"] for call in calls), *(f"\n{call}" for call in calls if not call["right"]))
    for call in calls:
        report = watched.find_stall(program, call)
        tap.check(report["self"]["samples"] > 0, "no samples of", call)
    return {call["name"] for call in calls if call["elapsed_ns"] > WAIT_NS + MARGIN_NS}


def test_waits(config):
    late = run_round(config)
    for _ in range(ROUNDS - 1):
        if late:
            late &= run_round(config)
    tap.check_equal(late, set(), f"the calls that took too long in {ROUNDS} rounds")


tap.add("as-set", test_waits, None)
tap.add("every-ms", test_waits, EVERY_MS)
tap.main("/module/waits")
