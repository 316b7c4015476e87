# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Blocking calls inside a stall return what they would return, when they would return it."""

import errno
import functools

import tap
import watched
from watched import NS_PER_MS, STALLER

# Time-outs of sockets end on the kernel's ticks, and a thread that wakes has to be let run.
MARGIN_NS = 40 * NS_PER_MS

# Of each stall, and of the call in it.
LENGTHS_MS = (350, 200)

EVERY_MS = "interval=1ms,first-sample=1ms"

# A connect() that a signal met within the microseconds of its start is made again, and then says so when its time
# is over.
SAME_ERRORS = {("connect_loopback", errno.EALREADY): errno.EINPROGRESS}

SECONDS = tap.setting("seconds", 10)


@functools.cache
def unwatched():
    return watched.run(STALLER, "waits", *LENGTHS_MS, watched=False).truth["calls"]


def differences(call, expected):
    call = call | {"errno": SAME_ERRORS.get((call["name"], call["errno"]), call["errno"])}
    return [name for name in ("name", "result", "errno") if call[name] != expected[name]] + [
        name for name in ("elapsed_ns", "remaining_ns") if abs(call[name] - expected[name]) > MARGIN_NS]


def test_waits(config):
    program = watched.run(STALLER, "waits", *LENGTHS_MS, config=config)
    calls = program.truth["calls"]

    tap.check_equal(len(calls), len(unwatched()), "the number of calls")
    tap.check(len(calls) >= 15, "too few calls:", len(calls))
    wrong = [(call, expected) for call, expected in zip(calls, unwatched()) if differences(call, expected)]
    tap.check(not wrong, *(f"\nwatched {call}\nalone   {expected}" for call, expected in wrong))
    for call in calls:
        report = watched.find_stall(program, call)
        tap.check(report["self"]["samples"] > 0, "no samples of", call)


def test_short_waits():
    """Calls that begin and end all the time: a signal that came late would end one of them early."""
    program = watched.run(STALLER, "short-waits", SECONDS, config=EVERY_MS, timeout_s=SECONDS + 30)
    wrong = [call for call in program.truth["calls"] if call["unexpected"] or call["interrupted"] or call["early"]]
    report = watched.find_stall(program)

    tap.check(not wrong, "calls that did not return as they should:", wrong)
    tap.check(all(call["calls"] >= 100 for call in program.truth["calls"]), "too few calls:", program.truth)
    tap.check(report["self"]["samples"] >= 100 * SECONDS, "too few samples:", report["self"])


if tap.setting("seconds", 0) == 0:
    tap.add("waits/as-set", test_waits, None)
    tap.add("waits/every-ms", test_waits, EVERY_MS)
tap.add("waits/short", test_short_waits)
tap.main()
