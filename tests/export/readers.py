# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Reads each format back, strictly: to what is the same in all of them.

Each reader takes the bytes of a file and returns what it holds of:
stacks: {(outermost, …, innermost): nanoseconds}; stalls: {(title, began, length in ns since the first mark)};
waits: {(text, began, length)}.
"""

import collections
import json
import re
import subprocess


def strict(data):
    """JSON without what only some readers take: double keys, NaN."""
    def pairs(items):
        assert len({key for key, _ in items}) == len(items), items
        return dict(items)

    def refuse(word):
        raise ValueError(word)
    return json.loads(data.decode(), object_pairs_hook=pairs, parse_constant=refuse)


def add_up(items):
    sums = collections.Counter()
    for stack, time in items:
        sums[tuple(stack)] += time
    return {stack: time for stack, time in sums.items() if time}


def without_loop(stack):
    """As trees and the page have it: from the dispatch of a source inwards."""
    is_loop = [name.startswith("g_main_") for name in stack]
    if True not in is_loop:
        return stack
    first = at = is_loop.index(True)
    while at < len(stack) and (is_loop[at] or stack[at].startswith("libglib-2.0.so")):
        at += 1
    return stack[at:] if at < len(stack) else stack[:first] + stack[first:]


def collapsed(data):
    lines = [re.fullmatch(r"(.+) (\d+)", line).groups() for line in data.decode().split("\n")[:-1]]
    assert len({stack for stack, _ in lines}) == len(lines)
    return {"stacks": add_up((stack.split(";"), int(time)) for stack, time in lines)}


def speedscope(data):
    file = strict(data)
    names = [frame["name"] for frame in file["shared"]["frames"]]
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    items = []
    for profile in file["profiles"]:
        assert (profile["type"], profile["unit"], profile["startValue"]) == ("sampled", "nanoseconds", 0)
        assert len(profile["samples"]) == len(profile["weights"]) and sum(profile["weights"]) <= profile["endValue"]
        items += [([names[i] for i in stack], time) for stack, time in zip(profile["samples"], profile["weights"])
                  if stack]
    return {"stacks": add_up(items),
            "lengths": sorted((profile["name"], profile["endValue"]) for profile in file["profiles"])}


def from_ms(ms):
    return round(ms * 1e6)


def columns(table):
    """Every column is as long as the table says."""
    for name, column in table.items():
        assert not isinstance(column, list) or len(column) == table["length"], (name, table["length"])
    return table


def firefox(data):
    file = strict(data)
    meta, items, marks = file["meta"], [], collections.defaultdict(set)
    assert meta["preprocessedProfileVersion"] == 55 and file["libs"] == []
    kinds = {schema["name"] for schema in meta["markerSchema"]}
    for thread in file["threads"]:
        strings = thread["stringArray"]
        stack, frame, func, resource, samples, markers = (columns(thread[name]) for name in (
            "stackTable", "frameTable", "funcTable", "resourceTable", "samples", "markers"))
        assert len(set(strings)) == len(strings) and isinstance(thread["pid"], str)
        assert samples["time"] == sorted(samples["time"]) and samples["weightType"] == "tracing-ms"
        assert all(-1 <= i < resource["length"] for i in func["resource"])
        assert all(i is None or i < at for at, i in enumerate(stack["prefix"]))
        assert all(0 <= i < len(meta["categories"]) for i in frame["category"] + markers["category"])
        for at, weight in zip(samples["stack"], samples["weight"]):
            calls = []
            while at is not None:
                calls.append(strings[func["name"][frame["func"][stack["frame"][at]]]])
                at = stack["prefix"][at]
            if calls:
                items.append((calls[::-1], from_ms(weight)))
        for name, begin, end, phase, about in zip(*(markers[key]
                                                    for key in ("name", "startTime", "endTime", "phase", "data"))):
            assert phase == 1 and about["type"] == strings[name] and about["type"] in kinds and end >= begin
            marks[about["type"]].add((about["text"], from_ms(begin), from_ms(end) - from_ms(begin)))
    return {"stacks": add_up(items), **marks}


def json_lines(data, clean):
    """From the reports themselves; clean() makes a name of a frame."""
    items = []
    for line in data.decode().split("\n")[:-1]:
        report = strict(line.encode())
        at, length = 0, report["stall"]["duration_ns"] + sum(
            report["stall"].get("excluded_ns", {}).get(key, 0) for key in ("stopped", "traced", "own"))
        for i, sample in enumerate(report["samples"]):
            begin = 0 if i == 0 else min(max(at, (report["samples"][i - 1]["at_ns"] + sample["at_ns"]) // 2), length)
            at = begin + min(sample["weight_ns"], length - begin)
            items.append((clean(report, sample.get("stack")), at - begin))
    return {"stacks": add_up(items)}


def sysprof(data, read_sysprof):
    """By Sysprof's own library: a sample is a quantum."""
    output = subprocess.run([read_sysprof], input=data, capture_output=True, check=True).stdout.decode()
    items, marks, times, fps = [], collections.defaultdict(set), [], []
    for kind, *fields in (line.split("\t") for line in output.split("\n")[:-1]):
        if kind == "sample":
            times.append(int(fields[0]))
            items.append((fields[1:][::-1], 1))
        elif kind == "mark":
            marks[fields[2]].add((fields[3], int(fields[0]), int(fields[1])))
        elif kind == "fps":
            fps.append(float(fields[1]))
    return {"stacks": add_up(items), "times": times, "fps": fps, **marks}
