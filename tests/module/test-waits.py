# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Blocking calls inside a stall return what they would return, and no earlier."""

import tap
import watched
from watched import NS_PER_MS, STALLER

EVERY_MS = "interval=1ms,first-sample=1ms"


def test_waits(config):
    program = watched.run(STALLER, "waits", config=config)
    calls = program.truth["calls"]
    tap.check(len(calls) >= 20, "too few calls:", len(calls))
    tap.check(all(call["right"] for call in calls), *(f"\n{call}" for call in calls if not call["right"]))
    for call in calls:
        report = watched.find_stall(program, call)
        tap.check(report["self"]["samples"] > 0, "no samples of", call)
    longest = max(calls, key=lambda call: call["elapsed_ns"])
    return f"{longest['name']} took longest, {longest['elapsed_ns'] / NS_PER_MS:.0f} ms"


tap.add("as-set", test_waits, None)
tap.add("every-ms", test_waits, EVERY_MS)
tap.main("/module/waits", n_at_once=2)
