# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""One report has the same names and shares wherever it is read: in `show`, in the tree of `summary` (which is the
page's flame graph, too) and in every format of `export`."""

import collections
import json
import os
import pathlib
import re
import subprocess

import command
import readers
import tap
from tap import check, equal

program, make_store = tap.arguments(2)
ONE = "20261121-153012-4242-1"


def inline(report, function, *names):
    """Functions that were inlined into a call, innermost first."""
    call = next(call for call in report["frames"] if call.get("symbol") == function)
    call["inlined"] = [{"symbol": name, "file": "/src/inner.c", "line": 7} for name in names]


def number(report, function):
    return next(i for i, call in enumerate(report["frames"]) if call.get("symbol") == function)


def plain(report):
    pass


def inlined(report):
    inline(report, "compute_primes", "divides", "next_candidate")
    inline(report, "is_prime", "is_even")
    inline(report, "clock_nanosleep", "syscall_cancel")


def recursive(report):
    call = number(report, "compute_primes")
    report["stacks"][0].insert(0, call)
    report["heaviest"]["path"].append({"frame": call, "share": 0.6, "self_share": 0.5})


def encoded(report):
    for call in report["frames"]:
        if call.get("symbol") == "compute_primes":
            call["symbol"] = "_ZN4Demo7computeIiEEvT_"
    report["culprit"]["function"] = report["heaviest"]["function"] = "_ZN4Demo7computeIiEEvT_"


def lost(report):
    for sample in report["samples"][:3]:
        del sample["stack"]


def cut_off(report):
    report["stacks_complete"] = [False] * len(report["stacks"])


def idle_threads(report):
    """Nobody knows what they do."""
    for thread in report["threads"]:
        thread.pop("wait", None)
        thread["state"] = "blocked"


REPORTS = [plain, inlined, recursive, encoded, lost, cut_off, idle_threads]


def stored(jankwatch, change):
    subprocess.run([make_store, jankwatch.store, str(os.getpid())], check=True)
    path = pathlib.Path(jankwatch.store, f"{ONE}.json")
    report = json.loads(path.read_text())
    for other in pathlib.Path(jankwatch.store).glob("*.json"):
        other.unlink()
    change(report)
    path.write_text(json.dumps(report))
    return report


def run(jankwatch, *arguments):
    result = jankwatch.run(*arguments, COLUMNS="200")
    equal((arguments, result.returncode, result.stderr), (arguments, 0, ""))
    return result.stdout


def export(jankwatch, name):
    return run(jankwatch, "export", "--format", name, ONE)


def leaves(node, outer=()):
    path = outer + (node["function"],)
    if node["self_ns"] > 0:
        yield path[1:], node["self_ns"]
    for child in node["children"]:
        yield from leaves(child, path)


def shares(stacks):
    """Of each function: of the stall, with it on the stack; and by itself."""
    total = sum(stacks.values())
    found = {}
    for function in {name for stack in stacks for name in stack}:
        found[function] = (round(100 * sum(time for stack, time in stacks.items() if function in stack) / total),
                           round(100 * sum(time for stack, time in stacks.items() if function == stack[-1]) / total))
    return found


def folded(stacks):
    sums = collections.Counter()
    for stack, time in stacks:
        sums[tuple(stack)] += time
    return dict(sums)


def test_tree(jankwatch):
    """The tree has each call that the formats have, and each the same time."""
    for change in REPORTS:
        stored(jankwatch, change)
        tree = folded(leaves(json.loads(run(jankwatch, "summary", "--top-down", "--json"))))
        up = json.loads(run(jankwatch, "summary", "--bottom-up", "--json"))
        for name in ("collapsed", "speedscope", "firefox"):
            read = getattr(readers, name)
            stacks = folded((readers.without_loop(stack), time) for stack,
                            time in read(export(jankwatch, name).encode())["stacks"].items())
            equal((change.__name__, name, tree), (change.__name__, name, stacks))
            equal((change.__name__, name, shares(tree)), (change.__name__, name, shares(stacks)))
        innermost = folded(((stack[-1],), time) for stack, time in tree.items())
        equal((change.__name__, {(child["function"],): child["total_ns"] for child in up["children"]}),
              (change.__name__, innermost))


def rows(text):
    """Of the lines after the head of a heaviest path, down to an empty line or a fence: share, self, function."""
    lines = iter(text.split("\n"))
    for line in lines:
        if re.match(r"^ *share +self +function", line):
            break
    for line in lines:
        if line == "" or line.startswith("~"):
            return
        share, self_share = line[:6].strip(), line[6:12].strip()
        yield share, self_share, re.split(r"  | \(", re.sub(r"^[ ▶]+", "", line[12:]))[0]


def steps_of(shown):
    return [row for row in shown if row[0] != ""]


def test_path(jankwatch):
    """An issue has the calls of `show` from the dispatch inward, with libraries' folded, and calls that were inlined
    are in both."""
    for change in REPORTS:
        report = stored(jankwatch, change)
        shown = [row for row in rows(run(jankwatch, "show", ONE)) if not row[2].startswith(("…", "(JavaScript"))]
        written = [row for row in rows(export(jankwatch, "markdown")) if not row[2].startswith(("…", "(JavaScript"))]
        inner = {inlined["symbol"] for call in report["frames"] for inlined in call.get("inlined", [])}
        steps = [row for row in steps_of(shown) if row[2] not in inner]
        program = [row for row in shown if row[2] in ("compute_primes", "on_button_clicked", "is_prime", *inner)]
        others = iter(shown)
        check(written[0] == shown[0] and all(row in others for row in written), change.__name__, written, "of", shown)
        check(all(row in written for row in program), change.__name__, program, "in", written)
        check(not any(row[2] in ("main", "g_application_run", "g_main_context_iteration") for row in written), written)
        equal([row[0] for row in reversed(steps)],
              [f"{100 * step['share']:.0f} %" for step in report["heaviest"]["path"]])
        for call in report["frames"]:
            if call.get("symbol") == "compute_primes":
                for inlined in call.get("inlined", []):
                    check(inlined["symbol"] in [row[2] for row in steps_of(shown)], f"{inlined['symbol']} in {shown}")


def test_branches(jankwatch):
    """What took a fifth beside the heaviest stack is in whatever people read."""
    report = stored(jankwatch, plain)
    equal([branch["time_ns"] for branch in report["heaviest"]["branches"]], [248_000_000])
    text = "clock_nanosleep, called by on_button_clicked"
    for shown in (run(jankwatch, "show", ONE), export(jankwatch, "markdown")):
        for part in (text, "248 ms", "20 %"):
            check(part in shown, f"{part} in {shown}")


command.add_all(globals(), program)
tap.main("/export/outputs")
