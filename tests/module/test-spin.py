# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Spins name the program's function: the callback that the loop dispatched, or the one that iterated the loop
itself. Sentence, culprit, and list agree. A script's: report/build spinner."""

import tap
import watched


def check_spin(kind, function):
    with watched.Program(watched.STALLER, kind, 2300, config="spin-time=500ms") as program:
        program.wait()
        spins = [report for report in program.reports if report["kind"] == "spin"]
        spin = max(spins, key=lambda report: report["self"]["samples"], default=None)
        tap.check(spin is not None, f"no spin: {program.errors}")
        row = next(line for line in program.command("list").splitlines() if spin["id"] in line)
        headline = program.headline(spin)
    tap.check_equal(spin["culprit"]["function"], function, "the culprit")
    tap.check(function in row.split(), function, "is not in", row)
    said = f"it dispatched {function}()" if kind == "spin-idle" else f": {function}() ("
    tap.check(said in headline, said, "is not in", headline)
    tap.check(("over and over" in headline) == (kind == "spin-idle"), headline)
    tap.check(headline.endswith("iterated the loop itself") == (kind != "spin-idle"), headline)


for kind, function in (("spin-idle", "spin_check_again_cb"), ("turned", "turned_waits_cb"),
                       ("turned-busy", "turned_waits_cb")):
    tap.add(kind, check_spin, kind, function)
tap.main("/module/spin", n_at_once=2)
