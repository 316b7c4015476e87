# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The recorded figures as text: five of Debian 12's in README.md, all in data/figures.md, and those of other releases
in its last table. Nobody writes them by hand."""

import json
import pathlib
import sys
import textwrap

import alternating
import figures

BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
TOP = pathlib.Path(__file__).resolve().parents[2]
README, PAGE = TOP / "README.md", TOP / "data" / "figures.md"


def find_record(system):
    """The file of a release's record. system: as in os-release"""
    return pathlib.Path(__file__).resolve().parent / f"recorded-{system['ID']}{system.get('VERSION_ID', '')}.json"


FIRST = find_record({"ID": "debian", "VERSION_ID": "12"})


def paragraph(text, **options):
    return textwrap.fill(text, 120, break_on_hyphens=False, **options) + "\n"


def where(result):
    machine = result["machine"]
    return (f"{machine['date']} on {machine['cpus']} CPUs ({machine['cpu'].replace('(R)', '')}, Linux "
            f"{machine['kernel']}), "
            "with software rendering on Xvfb")


def table(head, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]) + "\n"


def five(result):
    """What people ask first, each with its conditions."""
    found, busy = result["accuracy"], result["busy"]
    ours = next(row for row in result["alternatives"] if row["tool"] == "jankwatch")
    turns = next(row for row in result["alternating"] if row["setting"] == "default")
    turn = next(row for row in result["scaling"] if row["what"] == "sources")
    idle = next(row for row in result["perturbation"] if (row["scene"], row["setting"]) == ("idle", "default"))
    return [
        f"**Stalls:** {found['detected']} of {found['stalls']} found, at random lengths of 100 ms to 5 s; "
        f"{found['invented'] + busy['invented']} invented, in that run and in {busy['seconds'] // 60:.0f} minutes of "
        f"busy use without stalls.",
        f"**Length:** right to within {figures.duration(found['duration_error_p95_ns'])} in 95 of 100 stalls.",
        f"**Culprit:** right in {found['culprit_right']} of the {found['scored']} stalls in which one function took "
        f"at least 60 % of the time.",
        f"**CPU:** {figures.duration(turn['added_ns'])} more per turn of the loop; "
        f"{figures.signed(turns['cpu_added_percent']['median'])} % of one CPU in an animation at 60 frames per "
        f"second; {abs(idle['waits_added_per_s']['median']):.0f} wake-ups in an idle program.",
        f"**Main thread:** a sample of 40 calls adds "
        f"{figures.duration(ours['stop_median_ns'] - ours['tick_median_ns'])} to a kernel timer tick "
        f"({figures.duration(ours['stop_median_ns'])} instead of {figures.duration(ours['tick_median_ns'])}, "
        f"medians); {ours['interrupted']} of {ours['calls']} system calls were interrupted.",
    ]


def accuracy(result):
    found, busy = result["accuracy"], result["busy"]
    return paragraph(
        f"A test program stalled {found['of']} times at random, for 20 ms to 5 s, and wrote down the truth. "
        f"{found['stalls']} of the stalls reached the threshold of 100 ms: jankwatch found {found['detected']} of "
        f"them and invented {found['invented']}. It invented {busy['invented']} in {busy['seconds'] // 60:.0f} "
        f"minutes of busy use without stalls. In 95 of 100 the length was right to within "
        f"{figures.duration(found['duration_error_p95_ns'])} and the culprit's share to within "
        f"{100 * found['share_error_p95']:.0f} points. One function took at least 60 % of the time in "
        f"{found['scored']} stalls: the culprit was right in {found['culprit_right']} of them, and what it did or "
        f"waited for in {found['reason_right']}.")


def alternatives(rows):
    def stop(row, name):
        return figures.duration(row[name]) if row.get(name) else "–"

    return table(
        ["", "stalls found", "culprit right", "sees waits", "stopped: median", "99 of 100 below", "by a tick: median",
         "99 of 100 below", "in the handler: 99 of 100 below", "system calls interrupted"],
        [[row["tool"], f"{row['found']} of {row['stalls']}" if row["found"] is not None else "cannot tell",
          f"{row['culprit_right']} of {row['scored']}", "yes" if row["sees_waits"] else "no",
          stop(row, "stop_median_ns"),
          stop(row, "stop_p99_ns"), stop(row, "tick_median_ns"), stop(row, "tick_p99_ns"), stop(row, "handler_p99_ns"),
          f"{row['interrupted']} of {row['calls']}"]
         for row in rows if "missing" not in row])


def perturbation(rows):
    return table(["scene", "setting", "the program by itself", "CPU added", "of it the watcher"],
                 [[row["scene"], row["setting"], f"{row['cpu_off_percent']:.1f} %",
                   "{} % ({} … {})".format(*(figures.signed(row["cpu_added_percent"][key])
                                             for key in ("median", "min", "max"))),
                   f"{row['watcher_cpu_percent']['median']:.2f} %"] for row in rows])


def in_turns(rows):
    costs = "; ".join(f"`{row['setting']}` adds {alternating.text(row['cpu_added_percent'])}, the watcher thread "
                      f"{row['watcher_cpu_percent']:.3f} % of it" for row in rows)
    return paragraph("The cost of watching an animation is smaller than the difference between two runs of it. So one "
                     "process is watched for a second and a half, then not, in turns (in brackets the 95 % confidence "
                     "interval): " + costs + ".")


def scaling(rows):
    def ends(what, describe):
        some = [row for row in rows if row["what"] == what]
        return [f"{row['n']:,}: {describe(row)}" for row in (some[0], some[-1])]

    def halves(what):
        row = next(row for row in rows if row["what"] == what)
        return [f"{row['n'] // 2:,}: {row['grown_kb']} kB",
                f"{row['n']:,}: {row['grown_kb'] + row['grown_later_kb']} kB"]

    return table(["what grows", "what it costs", "from", "to"], [
        ["sources of the loop", "added to each turn",
         *ends("sources", lambda row: f"{figures.duration(row['added_ns'])} to {figures.duration(row['turn_ns'])}")],
        ["turns per second", "CPU of the main thread, and of the watcher",
         *ends("rate", lambda row: f"{row['added_percent']:.2f} % and {row['watcher_cpu_percent']:.2f} %")],
        ["calls on the stack", "a sample (the innermost 256 calls)",
         *ends("depth", lambda row: figures.duration(row["sample_ns"]))],
        ["threads", "reading all of them, once per stall",
         *ends("threads", lambda row: f"{figures.duration(row['snapshot_ns'])}, {row['threads']} read")],
        ["loaded modules", "reading all threads, once per stall",
         *ends("modules", lambda row: figures.duration(row["snapshot_ns"]))],
        ["stalls per minute", "CPU of the watcher", *ends("stalls", lambda row: f"{row['watcher_cpu_percent']:.1f} %")],
        ["turns since the start", "memory added", *halves("turns")],
    ])


def releases():
    """Every figure of every release, in the order of the first one's."""
    records = [json.loads(path.read_text())
               for path in [FIRST, *sorted(set(FIRST.parent.glob("recorded-*.json")) - {FIRST})]]
    return table(["", *(record["result"]["machine"]["system"] for record in records)],
                 [[name, *(record["figures"].get(name, "–")[-1] for record in records)]
                  for name in records[0]["figures"]])


def summary(result):
    return "\n".join([BEGIN, paragraph(f"Recorded on {where(result)}. All tables, with other tools beside: "
                                       "[data/figures.md](data/figures.md)."),
                      *(paragraph(line, initial_indent="- ", subsequent_indent="  ")[:-1] for line in five(result)),
                      END])


def page(result):
    return "\n".join([
        "# Figures\n",
        paragraph(f"`tests/bench/jankwatch-bench --record` writes this page. It takes an hour and fails when a figure "
                  f"is worse than recorded. Recorded on {where(result)}."),
        "## How right it is\n",
        accuracy(result),
        "## Beside other tools\n",
        paragraph("Each tool watches a run of its own of the same stalls, and takes stacks of 40 calls. *Stopped* is "
                  "how long a sample keeps the main thread from running; *in the handler* leaves out the kernel's "
                  "delivery of the signal. *By a tick* is how long the kernel's timer tick stopped the thread in the "
                  "same run when no sample was taken: a sample of jankwatch's is taken at such a tick, and only what "
                  "it is longer is its cost."),
        alternatives(result["alternatives"]),
        "## What watching costs\n",
        paragraph("In per cent of one CPU: the median of pairs of runs with and without watching, the smallest and "
                  "the largest of them, and the watcher thread alone, which is measured more exactly than the "
                  "difference of two runs."),
        perturbation(result["perturbation"]),
        in_turns(result["alternating"]),
        "## As programs grow\n",
        scaling(result["scaling"]),
        "## By release\n",
        releases(),
    ])


def readme_with(result):
    head, rest = README.read_text().split(BEGIN)
    return head + summary(result) + rest.split(END)[1]


def texts():
    result = json.loads(FIRST.read_text())["result"]
    return {README: readme_with(result), PAGE: page(result)}


def write():
    for path, text in texts().items():
        path.write_text(text)


if __name__ == "__main__":
    STALE = [path.name for path, text in texts().items() if path.read_text() != text]
    if "--write" in sys.argv:
        write()
    elif STALE:
        sys.exit(f"The figures in {' and '.join(STALE)} are not those of {FIRST.name}: tests/bench/readme.py --write")
