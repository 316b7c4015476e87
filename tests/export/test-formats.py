# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch export`: every format is read back, and says the same."""

import copy
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import unicodedata

import command
import readers
import tap
from tap import check, contains, equal

program, make_store, read_sysprof, optional = tap.arguments(4)
FORMATS = ["collapsed", "speedscope", "firefox", "json", *optional.split()]
PEOPLE = ["markdown", "brief", "junit", "github", "gitlab"]  # without all stacks: test-ci.py reads them
ONE = "20261121-153012-4242-1"
BARE = "20261121-153500-4300-1"
QUANTUM = 1000000

HOSTILE = [
    "</script><script>document.title='owned'</script>", "<img src=x onerror=alert(1)>", "<!--<script>", "</script x>",
    "a;b;c 12", "`` ` ```",
    "~~~~~~~~", "| x | y |", "\"quoted\" 'name' \\u003c \\", "tab\tnew\nline\u2028end\x1b[31m", "&lt;&amp;",
    "@DATA@ %s %n",
    "\u202eright to left", "@somebody #1", "日本語 🙂", "x" * 3000, "{{7*7}} ${7*7}", "`<i>` ``@x``", " ",
]


def fixture(jankwatch):
    """A filled store, and its first report."""
    subprocess.run([make_store, jankwatch.store, str(os.getpid())], check=True)
    return json.loads(pathlib.Path(jankwatch.store, f"{ONE}.json").read_text())


def keep(jankwatch, report, number):
    """Adds the report to the store, under an ID of its own."""
    report = copy.deepcopy(report)
    report["id"] = f"20261122-120000-77-{number}"
    report["stall"]["began_monotonic_ns"] += number * 10 ** 10
    report["stall"]["began"] = f"2026-11-22T12:{number:02}:00.000000+00:00"
    os.makedirs(jankwatch.store, exist_ok=True)
    pathlib.Path(jankwatch.store, f"{report['id']}.json").write_text(json.dumps(report))
    return report["id"]


def export(jankwatch, name, *arguments, status=0):
    path = pathlib.Path(jankwatch.home, f"out.{name}")
    path.unlink(missing_ok=True)
    result = jankwatch.run("export", "--format", name, "--output", str(path), *arguments)
    equal((name, result.returncode, result.stdout), (name, status, ""))
    return path.read_bytes()


def clean(text):
    return "".join("?" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)


def cut(name, n_bytes=512):
    """Longer names are cut."""
    short = name.encode()[:n_bytes - len("…".encode())].decode(errors="ignore") + "…"
    return name if len(name.encode()) <= n_bytes else short


def names(report, index):
    """What a stack of a stored report is in every format."""
    if index is None or not report["stacks"][index]:
        return ["(stack not read)"]
    calls = [] if report["stacks_complete"][index] else ["(callers not read)"]
    for place in reversed(report["stacks"][index]):
        call = report["frames"][place]
        path = report["modules"][call["module"]]["path"].split("/")[-1] + "+" if "module" in call else ""
        calls.append(call.get("symbol") or f"{path}{call['offset'] - call['symbol_offset']:#x}")
        calls += [inlined["symbol"] for inlined in reversed(call.get("inlined", []))]
    return [cut(clean(name)) for name in calls]


def read(name, data):
    if name == "json":
        return readers.json_lines(data, names)
    if name == "sysprof":
        return readers.sysprof(data, read_sysprof)
    return getattr(readers, name)(data)


def folded(stacks):
    """Folded stacks have no semicolon in a name."""
    return {tuple(name.replace(";", ",") for name in stack): time for stack, time in stacks.items()}


def check_same(jankwatch, *arguments):
    expected = read("json", export(jankwatch, "json", *arguments))["stacks"]
    marks = None
    for name in FORMATS:
        if name == "json":
            continue
        found = read(name, export(jankwatch, name, *arguments))
        if name == "sysprof":
            equal({stack for stack in found["stacks"]}, set(expected))
            quantum = max(QUANTUM, sum(length for _, _, length in found["stall"]) // 100000)
            slack = 4 * quantum * len(found["stall"])
            for stack, n in found["stacks"].items():
                tap.check_between(n * quantum, expected[stack] - slack, expected[stack] + slack,
                                  f"sysprof's {stack[-1]}")
        else:
            equal((name, folded(found["stacks"])), (name, folded(expected)))
        if "stall" in found:
            told = {kind: found.get(kind, set()) for kind in ("stall", "late frame", "wait", "interaction")}
            marks = marks or told
            equal((name, told), (name, marks))
        if "lengths" in found:
            lengths = found["lengths"]
    equal(lengths, sorted((title, length) for title, _, length in marks["stall"]))
    return expected, marks


def test_same(jankwatch):
    fixture(jankwatch)
    stacks, marks = check_same(jankwatch)
    equal(sum(stacks.values()), 2 * 1224 * 10 ** 6)
    equal(stacks[next(stack for stack in stacks if stack[-1] == "is_prime")], 2 * 80 * 10 ** 6)
    equal([len(marks[kind]) for kind in ("stall", "wait", "late frame", "interaction")], [3, 2, 4, 4])
    first = min(marks["stall"], key=lambda mark: (mark[1], -mark[2]))
    equal(first[1:], (11 * 10 ** 9, 3240000001))  # 11 s after the late frame that is the earliest
    wait = min(marks["wait"], key=lambda mark: mark[1])
    equal(wait[1:], (first[1] + 1206 * 10 ** 6, 24 * 10 ** 6))


def test_same_in_one(jankwatch):
    fixture(jankwatch)
    check_same(jankwatch, ONE)


def test_times(jankwatch):
    """The beginning of everything is the same moment."""
    fixture(jankwatch)
    began_ms = 1795275012123.456 - 11000
    equal(readers.strict(export(jankwatch, "firefox", ONE))["meta"]["startTime"], began_ms)
    if "sysprof" in FORMATS:
        found = read("sysprof", export(jankwatch, "sysprof", ONE))
        equal(found["fps"], [59.75])
        tap.check_between(min(found["times"]), 11 * 10 ** 9, 11 * 10 ** 9 + QUANTUM, "the first sample")
        tap.check_between(max(found["times"]), 12 * 10 ** 9, 14.24 * 10 ** 9, "the last sample")


def make_hostile(report, name):
    for call in report["frames"]:
        if "symbol" in call:
            call["symbol"] = name + call["symbol"]
    report["culprit"]["function"] = report["heaviest"]["function"] = name + "compute_primes"
    report["app"]["name"] = report["source"]["name"] = report["samples"][5]["wait"]["syscall"] = name
    report["samples"][5]["wait"].update(kind="file", target=name)
    for tag in report["tags"]:
        tag["value"] = name
    for thread in report["threads"]:
        thread["name"] = name
    for module in report["modules"]:
        module["path"] = f"/usr/lib/{name}"
    for late in report["frame_clock"]["late_frames"]:
        late["culprit"] = name[:40]
    report["interaction"]["label"] = report["interactions"][0]["label"] = name[:63]


def test_hostile(jankwatch):
    report = fixture(jankwatch)
    shutil.rmtree(jankwatch.store)
    for number, name in enumerate(HOSTILE):
        hostile = copy.deepcopy(report)
        make_hostile(hostile, name)
        keep(jankwatch, hostile, number)
    stacks, marks = check_same(jankwatch)
    equal(len(marks["stall"]), len(HOSTILE))
    check(any("日本語 🙂compute_primes" in stack for stack in stacks))

    for number in range(len(HOSTILE)):
        text = export(jankwatch, "markdown", f"20261122-120000-77-{number}").decode()
        check(len(text.splitlines()) < 60, text)
        outside = re.sub(r"^~{8}\n.*?^~{8}\n", "", text, flags=re.MULTILINE | re.DOTALL)
        outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
        check(not re.search(r"[<@#&](?!## )|somebody|owned", outside.replace("### ", "")), outside)


def test_many(jankwatch):
    report = fixture(jankwatch)
    for number in range(40):
        report["app"]["pid"] = 9000 - 7 * number  # a later process may have a smaller number
        keep(jankwatch, report, number)
    check(len(export(jankwatch, "markdown").decode().splitlines()) < 60)
    _, marks = check_same(jankwatch)
    equal(len(marks["stall"]), 43)


def test_overlap(jankwatch):
    """A spin and the stall in it."""
    report = fixture(jankwatch)
    shutil.rmtree(jankwatch.store)
    keep(jankwatch, report, 1)
    report["kind"] = "spin"
    report["stall"]["began_monotonic_ns"] -= 10 ** 10
    keep(jankwatch, report, 2)
    path = pathlib.Path(jankwatch.store, "20261122-120000-77-2.json")
    path.write_text(path.read_text().replace("T12:02:00", "T12:00:59"))
    _, marks = check_same(jankwatch)
    began = sorted(mark[1] for mark in marks["stall"])
    check(began[1] - began[0] == 10 ** 9, began)


def test_empty(jankwatch):
    for name in FORMATS + PEOPLE:
        data = export(jankwatch, name)
        if name in FORMATS:
            equal((name, read(name, data)["stacks"]), (name, {}))
    fixture(jankwatch)
    for name in FORMATS + PEOPLE:
        data = export(jankwatch, name, BARE)
        if name in FORMATS:
            found = read(name, data)
            equal((name, found["stacks"]), (name, {}))
            equal((name, len(found.get("stall", [0]))), (name, 1))


def test_huge_times(jankwatch):
    """What a file may say, but no clock: nothing overflows into another order."""
    report = fixture(jankwatch)
    shutil.rmtree(jankwatch.store)
    report["stall"].update(duration_ns=2 ** 62 - 1, began_monotonic_ns=2 ** 62 - 1)
    report["samples"][1].update(weight_ns=2 ** 62 - 1)
    keep(jankwatch, report, 1)
    path = pathlib.Path(jankwatch.store, "20261122-120000-77-1.json")
    path.write_text(path.read_text().replace("2026-11-22T", "9999-11-22T"))
    for name in FORMATS + PEOPLE:
        data = export(jankwatch, name)
        check(len(data) > 0 and len(data) < 20 * 2 ** 20, name, len(data))
        if name in FORMATS and name not in ("sysprof", "firefox"):
            read(name, data)


def test_usage(jankwatch):
    fixture(jankwatch)
    for arguments in ([], ["--format"], ["--format", "svg"], ["--fly"]):
        result = jankwatch.run("export", *arguments)
        equal((arguments, result.returncode, result.stdout), (arguments, 2, ""))
    for name in FORMATS + PEOPLE:
        contains(jankwatch.run("export", "--help").stdout, f"\n  {name} ")
    result = jankwatch.run("export", "--format", "json", "--output", jankwatch.home)
    equal(result.returncode, 1)
    contains(result.stderr, jankwatch.home)
    equal(len(jankwatch.run("export", "--format", "json").stdout.splitlines()), 3)
    if "sysprof" in FORMATS:
        outer, inner = pty.openpty()
        result = subprocess.run([program, "export", "-f", "sysprof"], env=jankwatch.environment, stdout=inner,
                                stderr=subprocess.PIPE)
        os.close(inner)
        os.close(outer)
        equal(result.returncode, 2)
        contains(result.stderr.decode(), "--output")


def test_filters(jankwatch):
    """The filters of list; the same reports in every format."""
    report = fixture(jankwatch)
    report["app"]["name"] = "gedit"
    keep(jankwatch, report, 1)
    _, marks = check_same(jankwatch, "--app", "gedit")
    equal(len(marks["stall"]), 1)
    equal(len(export(jankwatch, "json", "--kind", "startup").splitlines()), 1)
    result = jankwatch.run("export", "-f", "json", "--app", "nobody")
    equal((result.returncode, result.stdout), (0, ""))
    contains(result.stderr, "matches the filters")
    for arguments in (["--app", "gedit", ONE], ["--kind", "strange"]):
        equal(jankwatch.run("export", "-f", "json", *arguments).returncode, 2)


def test_broken(jankwatch):
    """What cannot be read is named, the rest is there."""
    fixture(jankwatch)
    for name, text in {"cut.json": '{"schema":"jankwatch-report-1","id"',
                       "later.json": '{"schema":"jankwatch-report-9"}'}.items():
        path = os.path.join(jankwatch.home, name)
        pathlib.Path(path).write_text(text)
        result = jankwatch.run("export", "-f", "json", ONE, path)
        equal((result.returncode, len(result.stdout.splitlines()), len(result.stderr.splitlines())), (1, 1, 1))
        contains(result.stderr, path)
        equal(jankwatch.run("export", "-f", "json", path).stdout, "")
    path = os.path.join(jankwatch.store, f"{ONE}.json")
    equal(json.loads(jankwatch.run("export", "-f", "json", path).stdout)["id"], ONE)


command.add_all(globals(), program)
tap.main("/export/formats")
