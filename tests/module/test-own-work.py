# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What jankwatch does on the program's thread is in no report: neither on its stacks nor in its times."""

import pathlib

import tap
import watched
from watched import BUILD

FOLDER = pathlib.Path(__file__).parent


def find_problem(words, config):
    """The worst stall's: what tells it from others, and what it is told by."""
    with watched.Program(*words, config=config) as program:
        program.wait()
    report = program.longest
    callback = report["frames"][report["source"]["callback"]].get("symbol") if "callback" in report["source"] else None
    return report["fingerprint"], report["culprit"]["function"], report["source"]["name"], callback


def check_one_problem(*words):
    """The same whether the main loop's sources are counted, which wraps their functions, or not."""
    tap.check_equal(find_problem(words, "sources=yes"), find_problem(words, "sources=no"), "a wrapped source's problem")


OWN_WORK = BUILD / "tests/module/own-work"
SLOW_NS = 300 * watched.NS_PER_MS


def run_slowed(act, did, config, extra=None):
    """What stalls are blamed on, where the plug-in's work was slowed down."""
    program = watched.run(OWN_WORK, act, config=config, display=True, extra=extra)
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    tap.check(program.truth[did], "the slow function was called:", program.truth)
    return program.stalls, [report.get("culprit", {}).get("function") for report in program.stalls]


def test_overlay():
    """Its first picture takes long."""
    stalls, culprits = run_slowed("nothing", "slow", "overlay=yes")
    tap.check("pango_attr_font_features_new" not in culprits, "the overlay is blamed:", culprits)


def test_overlay_beside():
    """So does the program's drawing in the same frame: it has a report, of its own time."""
    stalls, culprits = run_slowed("draw", "slow", "overlay=yes")
    tap.check("draw_slowly" in culprits and "pango_attr_font_features_new" not in culprits, "the culprits:", culprits)
    stall = stalls[culprits.index("draw_slowly")]["stall"]
    tap.check(stall["duration_ns"] >= SLOW_NS, "the stall's length:", stall)
    tap.check(stall["excluded_ns"]["own"] >= SLOW_NS, "the overlay's time:", stall["excluded_ns"])


def test_inspector():
    """The page takes long to make, in an inspector that opens and in one that was open before us."""
    for act, extra in (("inspect", None), ("nothing", {"GTK_DEBUG": "interactive"})):
        stalls, culprits = run_slowed(act, "page", None, extra)
        tap.check("gtk_widget_init_template" not in culprits, "the page is blamed:", act, culprits)


tap.add_all(globals())
tap.add("one-problem/c", check_one_problem, watched.STALLER, "sleep", 700)
tap.add("one-problem/python", check_one_problem, "/usr/bin/python3", FOLDER / "ledger.py", "sleep")
tap.main("/module/own-work", n_at_once=3)
