# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Children of every kind run unwatched and unharmed, and their parent goes on to be watched."""

import tap
import watched
from watched import STALLER

KINDS = ("fork", "fork-default", "fork-exec", "posix-spawn", "vfork", "spawn-sync")

ROUNDS = tap.setting("rounds", 10)


def test_fork(kind):
    program = watched.run(STALLER, "fork", kind, ROUNDS, timeout_s=30 + 2 * ROUNDS)
    rounds = program.truth["rounds"]

    tap.check_equal([one["status"] for one in rounds], [0] * ROUNDS, f"the children's exit status ({program.errors})")
    tap.check_equal({report["app"]["pid"] for report in program.reports}, {program.popen.pid}, "who reported")
    for one in rounds:
        report = watched.find_stall(program, one)
        tap.check_equal(report["stall"]["outcome"], "recovered", "the outcome")
    n_samples = sum(report["self"]["samples"] for report in program.stalls)
    tap.check(n_samples >= ROUNDS, "too few samples:", n_samples)
    tap.check_equal(program.messages, [], "what was said")


for kind in KINDS:
    tap.add(f"{kind}", test_fork, kind)
tap.main("/module/fork", n_at_once=3)
