# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures as tables on a terminal."""

import alternating
import plots
import scaling


def show_rows(head, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        print("  " + "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    print()


def show_alternatives(rows):
    cells = []
    for row in rows:
        if "missing" in row:
            cells.append([row["tool"], row["missing"], *[""] * 11])
            continue
        stops = [plots.duration(row[name]) if row.get(name) else "–" for name in ("stop_median_ns", "stop_p99_ns", "stop_max_ns", "tick_median_ns", "tick_p99_ns",
                                                                              "handler_p99_ns")]
        cells.append([row["tool"], f"{row['found']}/{row['stalls']}" if row["found"] is not None else "cannot tell",
                      f"{row['culprit_right']}/{row['scored']}", "yes" if row["sees_waits"] else "no", *stops,
                      f"{row['interrupted']}/{row['calls']}", "{:+.1f} %".format(row["cpu_added_percent"]) if "cpu_added_percent" in row else "–",
                      f"{row['files_bytes'] / 1024:.0f} kB"])
    show_rows(["beside", "stalls found", "culprit right", "waits seen", "stop median", "p99", "max", "a tick", "p99", "p99 in the handler", "calls interrupted",
               "CPU added", "files"], cells)


def show_busy(found):
    show_rows(["busy use", "programs", "turns", "busy", "CPU", "≥ 40 ms", "longest", "stalls", "detected", "invented"],
              [[f"{found['seconds'] / 60:.1f} min", found["programs"], f"{found['turns']:,}", f"{100 * found['busy_share']:.0f} %",
                f"{100 * found['cpu_share']:.0f} %", found["long_turns"], plots.duration(found["longest_ns"]), found["stalls"],
                found["detected"], found["invented"]]])


def show_frames(rows):
    def rate(value):
        return "none" if value is None else f"{value:.1f}"

    show_rows(["frames of, by", "true FPS", "says", "on screen", "truly late", "says", "drawn/s", "of them added"],
              [[f"{row['phase']}, {row['tool']}", rate(row["true_fps"]), rate(row["fps"]),
                f"{100 * row['shown_share']:.0f} %" if "shown_share" in row else "–", row["true_late"],
                row["late"] if row["late"] is not None else "cannot tell", f"{row['drawn_per_s']:.1f}",
                f"{row['drawn_added_per_s']:+.1f}"] for row in rows if row["tool"] != "nothing"])


def show_perturbation(rows):
    show_rows(["scene, setting", "CPU without", "CPU added (min … max)", "of it the watcher", "waits/s", "frames/s", "memory", "start-up",
               "calls interrupted"],
              [[f"{row['scene']}, {row['setting']}", f"{row['cpu_off_percent']:.1f} %",
                "{} % ({} … {})".format(*(plots.signed(row["cpu_added_percent"][key]) for key in ("median", "min", "max"))),
                "{median:.2f} %".format(**row["watcher_cpu_percent"]), "{median:+.1f}".format(**row["waits_added_per_s"]), "{median:+.1f}".format(**row["frames_added_per_s"]),
                "{median:+.0f} kB".format(**row["memory_added_kb"]), "{median:+.0f} ms".format(**row["start_added_ms"]),
                f"{row['interrupted']}/{row['calls']}" if row["calls"] else "–"] for row in rows])


def show_alternating(rows):
    show_rows(["animation, watched and not in turns", "CPU without", "CPU added (95 %)", "of it the watcher"],
              [[row["setting"], f"{row['cpu_off_percent']:.1f} %", alternating.text(row["cpu_added_percent"]),
                f"{row['watcher_cpu_percent']:.3f} %"] for row in rows])


def show_instructions(found):
    if "missing" in found:
        print(f"  instructions: {found['missing']}\n")
        return
    show_rows(["scene, setting", "instructions a frame", "added", ""],
              [[f"{row['scene']}, {row['setting']}", f"{row['per_frame_off']:,}", f"{row['added']:+,}",
                f"{100 * row['added'] / row['per_frame_off']:+.1f} %"] for row in found])


def show_scaling(rows):
    show_rows(["grows", "to", "costs"],
              [[scaling.NAMES[row["what"]], f"{row['n']:,}", ", ".join(describe(name, value) for name, value in row.items()
                                                                     if name not in ("what", "n"))] for row in rows])


def describe(name, value):
    for ending, write in (("_ns", plots.duration), ("_kb", "{} kB".format), ("_percent", "{} %".format)):
        if name.endswith(ending):
            return f"{name.removesuffix(ending).replace('_', ' ')} {write(value)}"
    return f"{name.replace('_', ' ')} {value}"


def show_figures(rows):
    show_rows(["figure", "value", "must reach", ""], [[row.name, row.text, row.limit or "no worse", "yes" if row.holds else "NO"]
                                                      for row in rows])


def show(result, rows):
    where = result["machine"]
    print(f"\n{where['date']}, {where['cpu']}, {where['cpus']} CPUs, Linux {where['kernel']}\n")
    show_busy(result["busy"])
    show_frames(result["frames"])
    show_alternatives(result["alternatives"])
    show_perturbation(result["perturbation"])
    show_alternating(result["alternating"])
    show_instructions(result["instructions"])
    show_scaling(result["scaling"])
    show_figures(rows)
    for wrong in result["accuracy"]["wrong"]:
        print(f"  not right: stall {wrong['stall']} ({wrong['way']}, {wrong['length_ms']:.0f} ms, {wrong['samples']} samples): "
              f"{wrong['truth']['name']} {100 * wrong['share']:.0f} % by {wrong['truth']['reason']}; "
              f"reported {wrong['culprit']}, {wrong['reason']}")
