# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Runs one kind of stall of `staller` under the watcher and holds its report against its truth."""

import collections
import contextlib
import json
import re

import tap
import watched
from watched import NS_PER_MS

LENGTH_MS = 700
STATUS_CANNOT = 77
COND_BYTES = 48
# A run during which the machine gave the program no CPU for so much of the stall tells of the machine.
DISTURBED = 0.2

# Without a CPU for this share of a stall, a thread may have shown fewer stacks than this.
STARVED = 0.5
MIN_STACKS = 5

STATES = {"computing": "computing_ns", "preempted": "preempted_ns", "page-fault": "page_fault_ns",
          "blocked": "blocked_ns"}
# The process at the other end, which the kernel names.
NAMED_PEERS = {"recv-unix", "send", "waitpid"}
CALL_VARIANTS = {"poll": {"poll", "ppoll"}, "openat": {"open", "openat"}}


# What the detail says of that which has no name of its own.
DETAILS = {"pipe-read": "read of 1 bytes from pipe", "poll": f"pipe; time-out {LENGTH_MS} ms",
           "spawn-output": "pipe of sleep", "sleep": f"{LENGTH_MS} ms", "fcntl-lock": "F_SETLKW",
           "recv-unix": "recvfrom of 1 bytes", "send": "sendto of 4194304 bytes"}


class Verdict:
    """What is wrong with one report: its reason, its detail, its culprit."""

    def __init__(self):
        self.wrong = {"reason": [], "detail": [], "culprit": []}

    def expect(self, part, holds, *what):
        if not holds:
            self.wrong[part].append(" ".join(str(word) for word in what))

    def equal(self, part, value, expected, what):
        self.expect(part, value == expected, what, "is", repr(value), "and not", repr(expected))


def heaviest(pairs):
    """The value with the greatest sum of weights; None of none."""
    sums = collections.Counter()
    for value, weight in pairs:
        sums[value] += weight
    return sums.most_common(1)[0][0] if sums else None


def main_wait(report):
    """The wait of most of the stall, as (kind, syscall, target), and all samples of it."""
    def key(sample):
        wait = sample.get("wait") or {}
        return wait.get("kind"), wait.get("syscall"), wait.get("target")

    # A wait that is over before it can be read is a call and nothing else.
    blocked = [sample for sample in report["samples"] if (sample.get("wait") or {}).get("kind")]
    first = heaviest((key(sample), sample["weight_ns"]) for sample in blocked)
    return [sample["wait"] for sample in blocked if key(sample) == first]


def thread(report, tid):
    found = [entry for entry in report.get("threads", []) if entry["tid"] == tid]
    return found[0] if found else None


def start(kind, length_ms=LENGTH_MS, prefix=(), config=None):
    """A context of the running program; its files are in its home."""
    if kind.startswith("slow") or kind.startswith("hung"):
        prefix = [*watched.unshare(), *prefix]
    # $HOME is not known before the program is made.
    words = ["sh", "-c", "KINDS_FOLDER=$HOME exec \"$0\" \"$@\"", *prefix, watched.STALLER]
    return watched.Program(*words, kind, length_ms, config=config)


def finish(program):
    """Waits for its end; a machine that does not allow the stall skips it."""
    program.wait()
    if program.status == STATUS_CANNOT:
        raise tap.Skip(program.errors.strip())
    tap.check_equal(program.status, 0, f"the exit status\n{program.errors}")
    tap.check(program.truth is not None, "no truth:", program.errors)


def early_truth(program):
    """What a program that never ends printed before its stall."""
    def find():
        if program.popen.poll() == STATUS_CANNOT:
            raise tap.Skip(program.errors.strip())
        lines = [line for line in program._read(program._output).splitlines() if line.endswith("}")]
        return json.loads(lines[0]) if lines else None

    return program.wait_for("the truth", find)


def wait_ongoing(program, condition, what):
    """The report of a stall without end, which is the last one, once it has what is waited for."""
    def find():
        reports = [report for report in watched.read_reports(program.store) if report["kind"] == "stall"]
        return reports[-1] if reports and condition(reports[-1]) else None

    return program.wait_for(what, find)


def tolerance(length_ns):
    """How far the report's time of a state may be from the program's own, in ns."""
    return 0.1 * length_ns + 10 * NS_PER_MS


def examine_stall(verdict, report, truth):
    stall = report["stall"]
    times = {state: stall.get(name, 0) for state, name in STATES.items()}
    verdict.equal("reason", report["kind"], "stall", "the kind of report")
    verdict.expect("reason", sum(times.values()) <= stall["duration_ns"] * 1.02 + NS_PER_MS,
                   "the states", times, "are more than", stall["duration_ns"])
    if truth["ended_monotonic_ns"]:
        length_ns = truth["ended_monotonic_ns"] - truth["began_monotonic_ns"]
        # A virtual machine whose host stops it has that time excluded.
        whole_ns = stall["duration_ns"] + sum(stall.get("excluded_ns", {}).values())
        verdict.expect("reason", length_ns <= whole_ns, "the duration is", stall, "of", length_ns)
        for state, expected_ns in (("computing", truth["cpu_ns"]), ("preempted", truth.get("run_delay_ns", 0))):
            verdict.expect("reason", abs(times[state] - expected_ns) <= tolerance(length_ns) + whole_ns - length_ns,
                           state, "for", times[state], "ns of", times, "and not", expected_ns)
    if truth.get("state"):
        verdict.equal("reason", max(times, key=times.get), truth["state"], f"the state of most of {times}")
        in_samples = heaviest((sample.get("state"), sample["weight_ns"]) for sample in report["samples"])
        # What a thread without CPU did between two looks is known when it has one again: only the sums have it then.
        verdict.expect("reason", in_samples == truth["state"] or truth["state"] == "preempted",
                       "the state of most samples is", in_samples, "and not", truth["state"])


def without_unproved(truth, report):
    """While a disk of this machine is busy, too, a page may come from there: no mapped file is named."""
    waits = main_wait(report)
    unproved = truth.get("wait") == "page" and waits and not waits[0].get("target")
    return truth | {"target": None, "filesystem": None} if unproved else truth


def examine_wait(verdict, report, truth):
    waits = main_wait(report)
    if not truth.get("wait"):
        return
    if not waits:
        verdict.expect("reason", False, "no sample has a wait")
        return
    wait = waits[0]
    verdict.equal("reason", wait.get("kind"), truth["wait"], "the kind of wait")
    if truth.get("syscall"):
        allowed = CALL_VARIANTS.get(truth["syscall"], {truth["syscall"]})
        verdict.expect("reason", wait.get("syscall") in allowed, "the system call is", wait.get("syscall"))
    if truth.get("target"):
        target = wait.get("target") or ""
        verdict.expect("detail", truth["target"] in target, "the target is", repr(target), "not", truth["target"])
        verdict.expect("detail", truth["target"] in wait.get("detail", ""), "the detail is", wait.get("detail"))
    if truth.get("filesystem"):
        verdict.equal("detail", wait.get("filesystem"), truth["filesystem"], "the file system")
    if truth["kind"] in DETAILS:
        verdict.expect("detail", DETAILS[truth["kind"]] in wait.get("detail", ""), "the detail is", wait.get("detail"))
    if truth.get("bytes"):
        verdict.equal("detail", wait.get("bytes"), truth["bytes"], "the bytes asked for")
    if truth.get("timeout_ns"):
        timeouts = {w.get("timeout_ns") for w in waits}
        verdict.expect("detail", all(t is not None and abs(t - truth["timeout_ns"]) <= NS_PER_MS for t in timeouts),
                       "the time-out is", timeouts, "not", truth["timeout_ns"])
    if truth["kind"] in NAMED_PEERS:
        verdict.equal("detail", wait.get("peer_pid"), truth["peer_pid"], "the other end's process")
    elif wait.get("peer_pid") and truth.get("peer_pid"):
        verdict.equal("detail", wait["peer_pid"], truth["peer_pid"], "the other end's process")


def examine_lock(verdict, report, truth):
    if not truth.get("lock"):
        return
    waits = main_wait(report)
    lock = (waits[0].get("lock") if waits else None) or {}
    verdict.equal("reason", lock.get("kind"), truth["lock"], "the kind of lock")
    if truth.get("lock_address"):
        # Which of its words a condition is waited on by differs.
        inside = lock.get("address", 0) - truth["lock_address"]
        verdict.expect("detail", inside == 0 or (truth["lock"] == "cond" and 0 < inside < COND_BYTES),
                       "the lock's address is", lock.get("address"), "and not", truth["lock_address"])
    verdict.equal("detail", lock.get("owner", 0), truth.get("lock_owner", 0), "the lock's owner")
    locks = report.get("locks", {})
    if truth.get("lock_owner"):
        verdict.expect("culprit", locks.get("chain", [])[:2] == [truth["tid"], truth["lock_owner"]]
                       or truth.get("n_chain") == 1, "the chain of locks is", locks)
    verdict.equal("reason", locks.get("deadlock", False), bool(truth.get("n_chain")), "deadlock")
    if truth.get("n_chain"):
        verdict.equal("detail", len(set(locks.get("chain", []))), truth["n_chain"], f"threads in {locks}")


def examine_threads(verdict, report, truth):
    threads = report.get("threads", [])
    if not threads:
        verdict.expect("culprit", False, "no threads")
        return
    verdict.equal("culprit", (threads[0]["tid"], threads[0].get("observed")), (truth["tid"], True), "the first thread")
    if truth.get("holder_function"):
        holder = thread(report, truth["holder"])
        if holder is None:
            verdict.expect("culprit", False, "the holder is not among", [entry["tid"] for entry in threads])
            return
        # A thread that wants a CPU and has none while it is looked at cannot show its stack.
        if "stack" not in holder and (truth["holder_function"] == "holder_computes" or watched.has_read_late(report)):
            return
        names = watched.functions(report, holder["stack"]) if "stack" in holder else []
        verdict.expect("culprit", truth["holder_function"] in names, "the holder's stack is", names)
        if truth["holder"] != truth["tid"]:
            verdict.equal("culprit", holder.get("name"), "holder", "the holder's name")


def examine_headline(verdict, report, line, truth):
    if truth.get("n_chain"):
        verdict.expect("reason", "eadlock" in line, "the headline is", line)
    unseen = truth.get("state") == "preempted" and "culprit" not in report
    verdict.expect("culprit", unseen or f"{truth['function']}()" in line, "the headline is", line)
    if truth.get("state") is None:
        return
    if truth.get("target") and truth.get("wait") not in (None, "poll"):
        verdict.expect("detail", re.split("/", truth["target"])[-1] in line, "the headline is", line)
    if truth["kind"] == "slow-uses":
        # Of four uses; on a busy machine more of its calls take long.
        counted = re.search(r"\((\d+) calls\)", line)
        verdict.expect("detail", counted is not None and int(counted[1]) >= 4, "the headline is", line)
    if truth.get("filesystem") and truth.get("wait") == "file":
        verdict.expect("detail", truth["filesystem"] in line, "the headline is", line)
    if truth.get("lock") and not truth.get("n_chain"):
        verdict.expect("detail", truth["lock"] in line or truth["lock"] == "join", "the headline is", line)
    if truth.get("lock_owner"):
        verdict.expect("detail", "holder" in line or truth["lock_owner"] == truth["tid"], "the headline is", line)
    words = {"computing": "comput", "preempted": "machine was busy",
             "page-fault": "mapped file" if truth.get("filesystem") else "memory from disk"}
    if truth.get("state") in words:
        verdict.expect("reason", words[truth["state"]] in line, "the headline is", line)
    if truth.get("wait") == "sleep":
        verdict.expect("reason", "sleep" in line, "the headline is", line)


def examine_culprit(verdict, report, truth):
    """A thread that hardly has a CPU is hardly seen: then nobody may be blamed, but nobody else."""
    name = report.get("culprit", {}).get("function")
    n_stacks = sum("stack" in sample for sample in report["samples"])
    lasted_ns = truth["ended_monotonic_ns"] - truth["began_monotonic_ns"]
    if name is None and n_stacks < MIN_STACKS and truth.get("run_delay_ns", 0) > STARVED * lasted_ns:
        return
    verdict.equal("culprit", name, truth["function"], "the culprit")


def examine(report, truth, line):
    """On a busy machine the figures and the culprit are still right."""
    verdict, length_ns = Verdict(), truth["ended_monotonic_ns"] - truth["began_monotonic_ns"]
    is_disturbed = truth.get("state") != "preempted" and truth.get("run_delay_ns", 0) > DISTURBED * length_ns
    truth = without_unproved(truth, report) | ({"state": None} if is_disturbed else {})
    examine_stall(verdict, report, truth)
    examine_threads(verdict, report, truth)
    examine_culprit(verdict, report, truth)
    if not is_disturbed:
        examine_wait(verdict, report, truth)
        examine_lock(verdict, report, truth)
        examine_headline(verdict, report, line, truth)
    return verdict


def run_once(kind, prefix=(), config=None, length_ms=LENGTH_MS):
    """The verdict on one run, and its headline."""
    with contextlib.ExitStack() as stack:
        program = stack.enter_context(start(kind, length_ms, prefix, config))
        if kind.startswith("deadlock"):
            truth = early_truth(program)
            report = wait_ongoing(program, lambda r: len(r["samples"]) >= 3, "a report with samples")
        else:
            finish(program)
            truth, report = program.truth, watched.find_stall(program)
        line = program.headline(report)
        return examine(report, truth, line), line


def run_table(kind, n_runs, prefix=(), config=None, length_ms=LENGTH_MS):
    """Returns its line of the table; a wrong run is an error."""
    right = collections.Counter()
    wrong = []
    for _ in range(n_runs):
        verdict, line = run_once(kind, prefix, config, length_ms)
        right.update(part for part, what in verdict.wrong.items() if not what)
        if any(verdict.wrong.values()):
            wrong.append("\n".join([line] + [f"  {part}: {what}" for part, lines in verdict.wrong.items()
                                              for what in lines]))
    table = " ".join(f"{part} {right[part]}/{n_runs}" for part in ("reason", "detail", "culprit"))
    tap.check(not wrong, f"{kind}: {table}\n" + "\n".join(wrong[:3]))
    return f"{kind}: {table}: {line}"


def all_kinds():
    with watched.Program(watched.STALLER, "--list", watched=False) as program:
        return program.wait().output.split()
