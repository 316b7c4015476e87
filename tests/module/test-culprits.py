# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Who froze the program: each kind of stall of the demo, and what a report says of it beside. Staller's: kinds.py."""

import os

import tap
import watched
from watched import DEMO, NS_PER_MS, STALLER

DEMO_CULPRITS = {
    "compute": "stall_compute",
    "sleep": "stall_sleep",
    "file": "stall_file",
    "lock": "stall_lock",
    "deadlock": "stall_deadlock",
    "dbus": "stall_dbus",
    "split": "split_heavy",
}
SEVERITIES = {"minor": 0, "microhang": 250 * NS_PER_MS, "hang": 500 * NS_PER_MS, "frozen": 5000 * NS_PER_MS}


def check_culprit(report, program, name):
    culprit = report["culprit"]

    tap.check_equal(culprit["function"], name, "the culprit")
    tap.check_equal(culprit["module"], f"{program}", "the culprit's module")
    tap.check(culprit["reason"], "the culprit has no reason")


def check_stacks(report, through):
    """Every stack reaches its thread's base; the heaviest, which is not of the handler's last moment, through these
    functions."""
    stacks = {sample["stack"] for sample in report["samples"] if "stack" in sample}
    tap.check(stacks, "no stacks")
    tap.check(all(report["stacks_complete"]), "stacks are cut off:", report["stacks_complete"])
    for stack in stacks:
        names = watched.functions(report, stack)
        tap.check_equal(names[-2:], ["__libc_start_main", "_start"], "the base of a stack")
        tap.check("main" in names, "main is missing in", names)
    names = watched.functions(report, report["heaviest"]["stack"])
    for name in through:
        tap.check(name in names, name, "is missing in", names)


def check_numbers(report, program):
    """What holds in every report of a stall that the program has survived."""
    stall, heaviest = report["stall"], report["heaviest"]

    tap.check_equal(report["schema"], "jankwatch-report-1", "the schema")
    tap.check_equal(report["app"]["pid"], program.popen.pid, "the process")
    tap.check_equal(report["app"]["exe"], f"{program.popen.args[0]}", "the executable")
    tap.check_equal(stall["outcome"], "recovered", "the outcome")
    tap.check_equal(stall["threshold_ns"], 100 * NS_PER_MS, "the threshold")
    tap.check_equal(stall["loop_depth"], 1, "the depth of loops")
    severity = max((low, name) for name, low in SEVERITIES.items() if low <= stall["duration_ns"])[1]
    tap.check_equal(stall["severity"], severity, "the severity")
    tap.check(0 <= heaviest["self_share"] <= heaviest["share"] <= 1.0001, "shares:", heaviest)
    tap.check(0 < heaviest["confidence"] <= 1, "the confidence:", heaviest)
    tap.check(1 <= len(report["samples"]) <= 20, "the ring has", len(report["samples"]), "samples")
    weight_ns = sum(sample["weight_ns"] for sample in report["samples"])
    tap.check_between(weight_ns, 0.98 * stall["duration_ns"], 1.02 * stall["duration_ns"], "the samples' weight")
    at_ns = [sample["at_ns"] for sample in report["samples"]]
    tap.check(at_ns == sorted(at_ns) and 0 <= at_ns[0] and at_ns[-1] <= stall["duration_ns"], "times:", at_ns)
    tap.check_equal(report["process"]["n_threads"] >= 2 and report["process"]["rss_bytes"] > 1 << 20, True,
                    "the process in the report")
    tap.check_equal("memory" in report.get("pressure", {}), os.path.exists("/proc/pressure/memory"), "the pressure")


def test_demo(kind, culprit):
    program = watched.run(DEMO, "--auto", kind, "--seconds", "0.6", "--truth", "/dev/stdout", display=True)
    tap.check(program.status == 0 and program.truth is not None, program.status, program.errors)
    report = watched.find_stall(program)

    check_numbers(report, program)
    check_culprit(report, DEMO, culprit)
    source = report["source"]
    tap.check_equal((source["name"], source["priority"], watched.function(report, source["callback"])),
                    ("[jankwatch-demo] press", 0, "auto_press_cb"), "the source")
    check_stacks(report, ["g_application_run", "auto_press_cb", "demo_window_clicked_cb", f"stall_{kind}"])
    tap.check_equal(report["app"]["name"], "jankwatch-demo", "the program's name")
    tap.check_equal(report["app"]["id"], "org.jankwatch.Demo", "the program's ID")
    tap.check_equal((report["toolkit"]["name"], report["toolkit"]["backend"]), ("GTK", "x11"), "the toolkit")
    if kind == "split":
        doubt = watched.doubt(report)
        tap.check_between(report["heaviest"]["share"], 0.6 - doubt, 0.6 + doubt, "the heavy part's share")


def test_rule_last20():
    """Of the samples that it has, whichever those are on a busy machine, the innermost function that most of them met.
    They are at least half an interval apart, so that the oldest of them cannot be older than those before it take."""
    report = watched.find_stall(watched.run(STALLER, "split", 2500, config="rule=last20,interval=35"))
    heaviest, samples = report["heaviest"], report["samples"]
    n_taken = report["self"]["samples"] + report["self"]["lost_samples"]
    innermost = [watched.functions(report, sample["stack"])[0] for sample in samples if "stack" in sample]
    n_most = max(innermost.count(name) for name in innermost)

    tap.check_equal(len(samples), min(n_taken, 20), "the number of stacks")
    tap.check(samples[0]["at_ns"] >= (n_taken - 20) * 17 * NS_PER_MS, "of", n_taken, "the oldest is of",
              samples[0]["at_ns"])
    tap.check_equal((heaviest["rule"], heaviest["samples"]), ("last20", len(innermost)), "the rule and its samples")
    newest = next(name for name in reversed(innermost) if innermost.count(name) == n_most)
    tap.check_equal(heaviest["function"], newest, "the heaviest function")
    tap.check_between(heaviest["share"], n_most / len(innermost) - 0.001, n_most / len(innermost) + 0.001, "its share")
    names = watched.functions(report, heaviest["stack"])
    check_culprit(report, STALLER, next(name for name in names if name.startswith("split_") or name == "stall_split"))


for kind, name in DEMO_CULPRITS.items():
    tap.add(f"demo/{kind}", test_demo, kind, name)
tap.add_all(globals())
tap.main("/module/culprits", n_at_once=2)
