# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What jankwatch does on the program's thread is in no report: neither on its stacks nor in its times."""

import pathlib

import tap
import watched

FOLDER = pathlib.Path(__file__).parent


def find_problem(words, config):
    """The worst stall's: what tells it from others, and what it is told by."""
    with watched.Program(*words, config=config) as program:
        program.wait()
    report = max(program.stalls, key=lambda report: report["stall"]["duration_ns"], default=None)
    tap.check(report is not None, "no stall:", program.errors)
    callback = report["frames"][report["source"]["callback"]].get("symbol") if "callback" in report["source"] else None
    return report["fingerprint"], report["culprit"]["function"], report["source"]["name"], callback


def check_one_problem(*words):
    """The same whether the main loop's sources are counted, which wraps their functions, or not."""
    tap.check_equal(find_problem(words, "sources=yes"), find_problem(words, "sources=no"), "the problem of a wrapped source")


tap.add("one-problem/c", check_one_problem, watched.STALLER, "sleep", 700)
tap.add("one-problem/python", check_one_problem, "/usr/bin/python3", FOLDER / "ledger.py", "sleep")
tap.add("one-problem/javascript", check_one_problem, "gjs", FOLDER / "ledger.js", "sleep")
tap.main("/module/own-work", n_at_once=3)
