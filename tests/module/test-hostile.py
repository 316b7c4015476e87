# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Code that is hard on whoever interrupts it, sampled every millisecond: the program neither hangs nor crashes."""

import tap
import watched
from watched import NS_PER_S, STALLER

KINDS = ("dl-iterate-phdr", "dlopen", "malloc", "throw", "recursion", "altstack", "coroutine")

SECONDS = tap.setting("seconds", 5)


def test_hostile(kind):
    program = watched.run(STALLER, "hostile", kind, SECONDS, config="interval=1ms,first-sample=1ms",
                          timeout_s=SECONDS + 20)
    truth = program.truth

    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    tap.check(truth["loops"] > 0, "it never went round:", truth)
    tap.check_between(truth["longest_ns"], SECONDS * NS_PER_S, (SECONDS + 1) * NS_PER_S, "the time it took")
    report = watched.find_stall(program)
    costs, starved = report["self"], watched.starved(report)
    # Without a CPU it answers late or not at all.
    at_least = 25 * SECONDS * (1 - starved)
    tap.check(costs["samples"] >= at_least, "too few samples:", costs, starved)
    tap.check(costs["signals_sent"] >= at_least, "too few samples of a running thread:", costs, starved)
    if starved < 0.5:
        tap.check(costs["lost_samples"] <= costs["samples"] * (0.1 + starved), "too many lost:", costs, starved)


for kind in KINDS:
    tap.add(f"{kind}", test_hostile, kind)
tap.main("/module/hostile", n_at_once=2)
