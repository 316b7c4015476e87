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

# A machine that stops for a moment lengthens a call of one round, what we do those of all. Signals that end calls early
# are counted by sample/unharmed.
ROUNDS = 3


@functools.cache
def unwatched(number):
    return watched.run(STALLER, "waits", *LENGTHS_MS, watched=False).truth["calls"]


def is_right(call, expected):
    error = SAME_ERRORS.get((call["name"], call["errno"]), call["errno"])
    return (call["name"], call["result"], error) == tuple(expected[name] for name in ("name", "result", "errno"))


def took_as_long(call, expected):
    return all(abs(call[name] - expected[name]) <= MARGIN_NS for name in ("elapsed_ns", "remaining_ns"))


def pairs_of_round(number, config):
    program = watched.run(STALLER, "waits", *LENGTHS_MS, config=config)
    calls = program.truth["calls"]

    tap.check_equal(len(calls), len(unwatched(number)), "the number of calls")
    tap.check(len(calls) >= 15, "too few calls:", len(calls))
    for call in calls:
        report = watched.find_stall(program, call)
        tap.check(report["self"]["samples"] > 0, "no samples of", call)
    return list(zip(calls, unwatched(number)))


def test_waits(config):
    unlike = None
    for number in range(ROUNDS):
        pairs = pairs_of_round(number, config)
        wrong = [pair for pair in pairs if not is_right(*pair)]
        tap.check(not wrong, *(f"\nwatched {call}\nalone   {expected}" for call, expected in wrong))
        now_unlike = {call["name"]: (call, expected) for call, expected in pairs if not took_as_long(call, expected)}
        unlike = {name: pair for name, pair in now_unlike.items() if unlike is None or name in unlike}
        if not unlike:
            return
    tap.check(False, *(f"\nwatched {call}\nalone   {expected}" for call, expected in unlike.values()))


tap.add("as-set", test_waits, None)
tap.add("every-ms", test_waits, EVERY_MS)
tap.main("/module/waits")
