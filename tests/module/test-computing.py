# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The rest of the table: stalls that want a CPU, a loop that spins, and what is no stall. As many at a
time as every machine has CPUs. runs=20 asks for each so many times."""

import os

import kinds
import tap
import watched

N_RUNS = tap.setting("runs", 1)

SPIN_MS = 1500
SPIN_CONFIG = "spin-time=500ms"


def test_preempted():
    """On one CPU with eight processes that want it too."""
    cpu = sorted(os.sched_getaffinity(0))[-1]
    return kinds.run_table("preempted", N_RUNS, ["taskset", "--cpu-list", cpu], length_ms=1000)


def test_page_faults():
    """How much of it was waiting depends on the disk; the report has it as the program saw it."""
    for _ in range(N_RUNS):
        with kinds.start("major-faults") as program:
            kinds.finish(program)
            truth, report = program.truth, watched.find_stall(program)
            if truth["n_major_faults"] < 100:
                raise tap.Skip(f"the file stayed in memory: {truth['n_major_faults']} major faults")
            stall = report["stall"]
            length_ns = truth["ended_monotonic_ns"] - truth["began_monotonic_ns"]
            waited_ns = length_ns - truth["cpu_ns"] - truth["run_delay_ns"]
            if waited_ns < length_ns / 10:
                raise tap.Skip(f"{truth['n_major_faults']} major faults waited for {waited_ns} of {length_ns} ns alone")
            tap.check_between(stall.get("page_fault_ns", 0), waited_ns - kinds.tolerance(length_ns), length_ns,
                              f"the time of page faults in {stall}, of {waited_ns}")
            tap.check_equal(report["culprit"]["function"], truth["function"], "the culprit")


def test_slow_dlopen():
    """Reads and page faults in turn, of one library."""
    for _ in range(N_RUNS):
        with kinds.start("slow-dlopen") as program:
            kinds.finish(program)
            truth, report = program.truth, watched.find_stall(program)
            stall = report["stall"]
            waited_ns = stall.get("blocked_ns", 0) + stall.get("page_fault_ns", 0)
            wanted_ns = stall["duration_ns"] - stall.get("preempted_ns", 0)
            tap.check(waited_ns >= 0.8 * wanted_ns, "it waited for", waited_ns, "of", stall)
            tap.check_equal(report["culprit"]["function"], "stall_in_slow_dlopen", "the culprit")
            targets = {sample["wait"].get("target") for sample in report["samples"]
                       if (sample.get("wait") or {}).get("kind") == "file"}
            tap.check(targets <= {truth["target"]}, "targets:", targets)


def test_kernel():
    """A stall inside one system call that computes names that call."""
    with kinds.start("kernel") as program:
        kinds.finish(program)
        report = watched.find_stall(program)
        samples = [sample for sample in report["samples"] if sample.get("kernel", "").startswith("mmap")]
        tap.check(samples, "no sample inside the call:", report["samples"])
        tap.check_equal(report["culprit"]["function"], "stall_in_kernel", "the culprit")
        if watched.starved(report) < 0.3:
            tap.contains(program.headline(report), f"in the kernel ({samples[0]['kernel']})")


def spins(program):
    return [report for report in program.reports if report["kind"] == "spin"]


def test_spin(kind):
    for _ in range(N_RUNS):
        with kinds.start(kind, SPIN_MS, config=SPIN_CONFIG) as program:
            kinds.finish(program)
            truth, reports = program.truth, spins(program)
            # A machine that gives the program no CPU for a while ends a spin, and another begins.
            tap.check(reports, "no spin:", program.errors)
            report = max(reports, key=lambda one: one["stall"]["duration_ns"])
            tap.check_equal(report["source"]["name"], truth["source"], "the source")
            tap.check_equal(watched.function(report, report["source"]["callback"]), truth["callback"], "the callback")
            ran_ns = (1 - watched.starved(report)) * report["stall"]["duration_ns"]
            turns = report["stall"]["turns"] / ran_ns * watched.NS_PER_S
            tap.check(turns >= 2000, "turns a second:", turns)
            tap.check(report["stall"]["duration_ns"] <= program.ended_ns - program.began_ns, "the duration:",
                      report["stall"])
            line = program.headline(report)
            tap.check(truth["callback"] in line and truth["source"] in line, "the headline is", line)


def test_calm(kind):
    for _ in range(N_RUNS):
        with kinds.start(kind, SPIN_MS, config=SPIN_CONFIG) as program:
            kinds.finish(program)
            # One that hardly has a CPU has no rest left.
            found = [spin for spin in spins(program) if watched.starved(spin) < 0.25]
            tap.check_equal(found, [], "the spins")


def test_hostile(name):
    """Code that is hard on whoever interrupts it, for 5 s, sampled every millisecond: it neither hangs nor crashes."""
    return kinds.run_table(name, N_RUNS, config="interval=1ms,first-sample=1ms", length_ms=5000)


for name in ("compute", "dlopen"):
    tap.add(f"{name}", kinds.run_table, name, N_RUNS)
for name in ("malloc", "dl-iterate-phdr"):
    tap.add(f"{name}", test_hostile, name)
tap.add_all(globals())
for name in ("spin-idle", "spin-fd", "spin-timeout", "spin-beside", "spin-drawing"):
    tap.add(f"{name}", test_spin, name)
for name in ("calm-idle", "calm-1-ms", "calm-144-hz", "calm-bursts", "calm-late"):
    tap.add(f"{name}", test_calm, name)
tap.main("/module/computing", n_at_once=2)
