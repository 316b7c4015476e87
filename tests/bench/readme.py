# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The README's part on figures: written from a recorded run, and never by hand."""

import pathlib
import sys
import textwrap

import alternating
import frame_counts
import plots

BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
TOP = pathlib.Path(__file__).resolve().parents[2]


def table(head, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]) + "\n"


def accuracy(result):
    found, busy = result["accuracy"], result["busy"]
    return textwrap.fill(
        f"Of {found['of']} random stalls of 20 ms to 5 s, whose truth the program itself writes down, {found['stalls']} were as long "
        f"as the threshold: {found['detected']} of them were found and {found['invented']} invented, and {busy['invented']} in "
        f"{busy['seconds'] // 60:.0f} minutes of busy use without stalls. The length was right to "
        f"{plots.duration(found['duration_error_p95_ns'])} (95 of 100), the culprit {found['culprit_right']} times of the "
        f"{found['scored']} where one function had 60 % of the time, what it did or waited for {found['reason_right']} times, "
        f"its share to {100 * found['share_error_p95']:.0f} points.", 120) + "\n"


def alternatives(rows):
    def stop(row, name):
        return plots.duration(row[name]) if row.get(name) else "–"

    return table(
        ["", "stalls found", "culprit right", "sees waits", "a sample stops the thread for, median", "99 of 100 below",
         "in the handler, 99 of 100", "calls interrupted", "CPU added to an animation"],
        [[row["tool"], f"{row['found']} of {row['stalls']}" if row["found"] is not None else "cannot tell",
          f"{row['culprit_right']} of {row['scored']}", "yes" if row["sees_waits"] else "no", stop(row, "stop_median_ns"),
          stop(row, "stop_p99_ns"), stop(row, "handler_p99_ns"), f"{row['interrupted']} of {row['calls']}", f"{row['cpu_added_percent']:+.1f} %"]
         for row in rows if "missing" not in row and row["tool"] != "nothing"])


def perturbation(rows):
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    cells = {(row["scene"], row["setting"]): f"{plots.signed(row['cpu_added_percent']['median'])} % ({row['watcher_cpu_percent']['median']:.2f} %)"
             for row in rows}
    return table(["CPU added", *settings],
                 [[f"{scene} ({base:.1f} %)", *(cells[scene, setting] for setting in settings)] for scene, base in
                  dict((row["scene"], row["cpu_off_percent"]) for row in rows).items()])


def in_turns(rows):
    costs = ", ".join(f"{row['setting']} adds {alternating.text(row['cpu_added_percent'])}, the watcher's thread "
                      f"{row['watcher_cpu_percent']:.3f} % of it" for row in rows)
    return textwrap.fill("An animation costs less than two runs of it differ. Within one process that is watched for a second and a half, "
                         f"then not, and so on, {costs}; in brackets the confidence interval of 95 %.", 120) + "\n"


def instructions(rows):
    costs = ", ".join(f"{row['setting']} adds {row['added']:,} ({100 * row['added'] / row['per_frame_off']:.1f} %)" for row in rows)
    return textwrap.fill(f"By callgrind's count a frame of the {rows[0]['scene']} takes its thread {rows[0]['per_frame_off']:,} "
                         f"instructions; {costs}.", 120) + "\n"


def frames(rows):
    def one(phase, tool):
        return next(row for row in rows if (row["phase"], row["tool"]) == (phase, tool))

    def rate(value):
        return "–" if value is None else f"{value:.1f}"

    head = ["frames per second", "truth", "jankwatch", "truth", "GTK's FPS overlay", "frames it adds per second"]
    return table(head, [
        [phase, rate(one(phase, frame_counts.JANKWATCH)["true_fps"]), rate(one(phase, frame_counts.JANKWATCH)["fps"]),
         rate(one(phase, frame_counts.GTK_OVERLAY)["true_fps"]), rate(one(phase, frame_counts.GTK_OVERLAY)["fps"]),
         f"{one(phase, frame_counts.GTK_OVERLAY)['drawn_added_per_s']:+.1f}"]
        for phase in dict.fromkeys(row["phase"] for row in rows)])


def scaling(rows):
    def ends(what, describe):
        some = [row for row in rows if row["what"] == what]
        return [f"{row['n']:,}: {describe(row)}" for row in (some[0], some[-1])]

    def halves(what):
        row = next(row for row in rows if row["what"] == what)
        return [f"{row['n'] // 2:,}: {row['grown_kb']} kB", f"{row['n']:,}: {row['grown_kb'] + row['grown_later_kb']} kB"]

    return table(["what grows", "costs", "from", "to"], [
        ["sources of the loop", "added to a turn",
         *ends("sources", lambda row: f"{plots.duration(row['added_ns'])} to {plots.duration(row['turn_ns'])}")],
        ["turns a second", "CPU, and the watcher's",
         *ends("rate", lambda row: f"{row['added_percent']:.2f} % and {row['watcher_cpu_percent']:.2f} %")],
        ["calls on the stack", "a sample, of the innermost 256", *ends("depth", lambda row: plots.duration(row["sample_ns"]))],
        ["threads", "reading them, once a stall",
         *ends("threads", lambda row: f"{plots.duration(row['snapshot_ns'])}, {row['threads']} read")],
        ["loaded modules", "the same", *ends("modules", lambda row: plots.duration(row["snapshot_ns"]))],
        ["stalls a minute", "the watcher's CPU", *ends("stalls", lambda row: f"{row['watcher_cpu_percent']:.1f} %")],
        ["turns of a session", "memory grown", *halves("turns")],
        ["frames of a session", "memory grown", *halves("frames")],
    ])


def text(result):
    where = result["machine"]
    counted = result.get("instructions", {"missing": "not recorded"})
    return "\n".join([
        f"Recorded on {where['date']} on {where['cpus']} CPUs ({where['cpu']}, Linux {where['kernel']}) by "
        "`tests/bench/jankwatch-bench`, which repeats it:\n",
        accuracy(result),
        "![Error of the length of each stall](data/bench-accuracy.svg)\n",
        "Such stalls, and samples of 40 frames, under what one would use instead; most of a stop of ours is the signal's way to the\nthread, which is the kernel's:\n",
        alternatives(result["alternatives"]),
        "![How long a sample stops the main thread](data/bench-stops.svg)\n",
        "What watching costs programs in per cent of a CPU, as medians of pairs of runs; in brackets what a program takes by itself, and\nthe watcher's thread alone, which pairs cannot tell as exactly:\n",
        perturbation(result["perturbation"]),
        *([in_turns(result["alternating"])] if "alternating" in result else []),
        *([] if "missing" in counted else [instructions(counted)]),
        "Frames, each tool beside the truth of its own run:\n",
        frames(result["frames"]),
        *(["What it costs as programs grow:\n", scaling(result["scaling"])] if "scaling" in result else []),
    ])


def write(result):
    path = TOP / "README.md"
    head, rest = path.read_text().split(BEGIN)
    path.write_text(head + BEGIN + "\n" + text(result) + "\n" + END + rest.split(END)[1])


def check(result):
    """Whether the README says what was recorded."""
    return (BEGIN + "\n" + text(result) + "\n" + END) in (TOP / "README.md").read_text()


if __name__ == "__main__":
    import json
    recorded = json.loads((pathlib.Path(__file__).resolve().parent / "recorded.json").read_text())
    if not check(recorded["result"]):
        sys.exit("The figures in README.md are not those of tests/bench/recorded.json")
