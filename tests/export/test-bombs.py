# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Reports as large as a report may be, each of another shape: every command reads each in seconds. CPU time, not time:
other work does not lengthen it by much."""

import json
import os
import pathlib
import resource
import subprocess

import command
import tap
from tap import check, contains, equal

program, optional = tap.arguments(2)

ID = "20261125-100000-1234-1"
MAX_BYTES = 16 << 20
MAX_CPU_S = 10

READERS = [["show"], ["show", "--json"], ["show", "--redact"], ["list"], ["summary"],
           ["summary", "--top-down"]]
FORMATS = ["collapsed", "speedscope", "firefox", "markdown", "brief", "junit", "github", "gitlab",
           "json",
           *optional.split()]


def report():
    return {
        "schema": "jankwatch-report-1", "id": ID, "kind": "stall", "app": {"name": "abc", "pid": 1234},
        "stall": {"began": "2026-11-25T10:00:00+00:00", "duration_ns": 700000000, "outcome": "recovered"},
        "heaviest": {"rule": "path", "function": "abc", "stack": 0, "samples": 1,
                     "path": [{"frame": 0, "share": 1, "self_share": 1}]},
        "culprit": {"function": "abc", "module": "abc", "reason": "abc"}, "stacks": [[0]], "samples": [],
        "frames": [{"module": 0, "symbol": "abc"}], "modules": [{"path": "/lib/abc"}],
    }


def add_stacks(made, n, find):
    """n stacks of 1000 calls, each of the last thousand of them sampled."""
    made["stacks"] = [[find(i, k) for k in range(1000)] for i in range(n)]
    made["samples"] = [{"at_ns": i * 1000000, "weight_ns": 1000000, "stack": i % n, "state": "computing"}
                       for i in range(1000)]
    return made


def colliding(n):
    """Texts that are one to g_str_hash()."""
    return ["".join(("b!", "aB")[i >> bit & 1] for bit in range(18)) for i in range(n)]


def shape_stacks():
    made = report()
    made["frames"] = [{"module": 0, "symbol": f"f{i}"} for i in range(4000)]
    return add_stacks(made, 460, lambda i, k: (i * 7 + k * 13 + i * k % 5) % 4000)


def shape_inlined():
    made = report()
    made["frames"] = [{"module": 0, "symbol": f"f{i}", "inlined": [{"symbol": f"i{i}_{k}"} for k in range(64)]}
                      for i in range(1000)]
    return add_stacks(made, 300, lambda i, k: (i * 7 + k) % 1000)


def shape_frames():
    made, n = report(), 95
    made["frames"] = [{"module": 0, "symbol": f"f{i}", "offset": i} for i in range(1000 * n)]
    return add_stacks(made, n, lambda i, k: 1000 * i + k)


def shape_colliding_names():
    made, n = report(), 100
    made["frames"] = [{"module": 0, "symbol": name} for name in colliding(1000 * n)]
    return add_stacks(made, n, lambda i, k: 1000 * i + k)


def shape_one_long_name():
    made, name = report(), "N" * 7_000_000
    made["frames"][0]["symbol"] = made["culprit"]["function"] = name
    return add_stacks(made, 1, lambda i, k: 0)


def shape_controls():
    made = report()
    made["tags"] = [{"name": "window", "value": "\u0085" * 2_500_000}]
    made["culprit"]["reason"] = "\u202e" * 1_500_000
    return made


def shape_threads():
    made, n = report(), 30_000
    made["threads"] = [{"tid": i + 1, "name": f"t{i}", "state": "blocked", "stack": 0, "waits_for": (i + 1) % n + 1,
                        "wait": {
        "kind": "lock", "lock": {"kind": "mutex", "owner": (i + 1) % n + 1}}} for i in range(n)]
    made["locks"] = {"chain": list(range(1, n)), "deadlock": True}
    return made


def shape_branches():
    made, n = report(), 1000
    made["heaviest"]["path"] = [{"frame": 0, "share": 1, "self_share": 0}] * 1000
    made["heaviest"]["branches"] = [{"frame": 0, "from": 500 + i, "share": 1, "self_share": 0, "time_ns": n - i}
                                    for i in range(n)]
    return add_stacks(made, 1, lambda i, k: 0)


def shape_users():
    made = report()
    made["modules"] = [{"path": f"/home/user{i}/libabc"} for i in range(200_000)]
    return made


SHAPES = {name.removeprefix("shape_"): shape for name, shape in list(globals().items()) if name.startswith("shape_")}


def measure(jankwatch, arguments):
    """The CPU time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([program, *arguments], env=jankwatch.environment, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)), check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    check(result.returncode in (0, 1), arguments, result.returncode, result.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def keep(jankwatch, text):
    check(len(text) <= MAX_BYTES, len(text))
    os.makedirs(jankwatch.store, exist_ok=True)
    pathlib.Path(jankwatch.store, f"{ID}.json").write_text(text)


def try_shape(jankwatch, shape):
    keep(jankwatch, json.dumps(shape(), separators=(",", ":"), ensure_ascii=False))
    equal(jankwatch.run("list").stderr, "")
    for arguments in READERS + [["export", "-f", name, "-o", os.path.join(jankwatch.home, "out")] for name in FORMATS]:
        cpu_s = measure(jankwatch, arguments)
        check(cpu_s <= MAX_CPU_S, arguments, f"takes {cpu_s:.1f} s")


def refused(jankwatch, text, why):
    path = pathlib.Path(jankwatch.home, "sent.json")
    path.write_text(text)
    check(measure(jankwatch, ["show", str(path)]) <= MAX_CPU_S, "refusing")
    result = jankwatch.run("show", str(path))
    equal((result.returncode, result.stdout), (1, ""))
    contains(result.stderr, why)


def test_refused(jankwatch):
    refused(jankwatch, json.dumps({**report(), "x": "a" * (50 << 20)}), "16 MiB")
    refused(jankwatch, json.dumps({**report(), "x": list(range(500_000))}), "more than 500000 values")
    refused(jankwatch, json.dumps({**report(), "x": dict.fromkeys(colliding(200_000), 1)}), "more than 1000 members")


command.add_all(globals(), program)
for name, shape in SHAPES.items():
    command.add(name.replace("_", "-"), lambda jankwatch, shape=shape: try_shape(jankwatch, shape), program)
tap.main("/export/bombs")
