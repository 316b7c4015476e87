# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Frames that do not come though each turn of the loop is short: whoever is dispatched before GTK draws is named; work
that lets the frames through is not, nor is one that no window waits for. So it is where GTK comes late."""

import re

import tap
import watched
from watched import BUILD, COMMAND, NS_PER_MS


def run_to_end(*words):
    program = watched.run(COMMAND, "run", "--", *words, watched=False, display=True)
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    return program


def run(*words):
    program = run_to_end(*words)
    frames = [report for report in program.reports if report["kind"] == "frame"]
    return program, sorted(frames, key=lambda report: report["stall"]["duration_ns"])


def check(*words):
    program, frames = run(*words)
    # The machine may make others. Without a CPU, nobody is seen at work: the source is known.
    named = [report for report in frames if report.get("culprit", {}).get("function") == "work_here" or
             report["verdict"]["kind"] == "starved-machine" and
             watched.function(report, report["source"].get("callback", 0)) in ("chunk_cb", "pipe_cb")]
    tap.check(named, "the program's work is not named:", [report.get("culprit") for report in frames], program.errors)
    stall = named[-1]["stall"]
    # A stall that the machine makes cuts it in two.
    tap.check(stall["duration_ns"] >= 750 * NS_PER_MS or program.stalls, "the length:", stall)
    tap.check(stall["turns"] * stall["threshold_ns"] >= stall["duration_ns"], "the turns:", stall)
    tap.check_equal(named[-1]["source"]["priority"], 0, "the priority of the source")
    tap.check("Reports of missing frames" in program.errors and "No frame for" in program.errors, "the summary:",
              program.errors)


def check_none(*words):
    """The machine may keep the program from its CPU; the program's work is nobody's fault."""
    program, frames = run(*words)
    named = [report["culprit"]["function"] for report in frames
             if watched.starved(report) < 0.2 and report.get("culprit", {}).get("function") == "work_here"]
    tap.check_equal(named, [], "what is named")


def find_parts(program):
    """What was dispatched before each late frame."""
    return [[part for part in clock.get("parts", []) if part["frame_monotonic_ns"] == late["ended_monotonic_ns"] and
             "function" in part]
            for clock in (session.get("frame_clock", {}) for session in program.read_sessions())
            for late in clock.get("late_frames", [])]


def run_until(find, *words):
    """Until find(program) finds something, since the machine may make longer stalls of what is planted, and leave no
    time for samples, which alone can tell some names. Returns: that, and the program."""
    with watched.Program(COMMAND, "run", "--", *words, watched=False, display=True, extra={"STAY": 1}) as program:
        found = program.wait_for("what is planted", lambda: find(program), 120)
        program.popen.terminate()
        return found, program.wait()


def check_rows(name, *words):
    """Bursts, each of ten times 4 ms: no stall and no starved frame. The first tells that somebody should count. On a
    busy machine a burst is a starved frame, or several are one."""
    bursts, program = run_until(lambda program: [parts[0] for parts in find_parts(program) if parts and
                                                 parts[0]["count"] % 10 == 0 and re.search(name, parts[0]["function"])],
                                *words)
    for part in bursts:
        tap.check(part["total_ns"] >= 3.9 * NS_PER_MS * part["count"], "for how long:", part)
    tap.check(re.search(r"Worst late frame: late by [0-9.]+ m?s: .* [0-9.]+ m?s", program.errors), "the summary:",
              program.errors)


def check_ten(name, *words):
    """Each of ten functions that are called once is named, without a sample. The machine may cut a burst in two."""
    def find(program):
        found = [parts for parts in find_parts(program) if len(parts) >= 3]
        return found if len({part["function"] for parts in found for part in parts}) >= 10 else None

    found, _ = run_until(find, *words)
    # The one that makes them may be seen, too.
    wrong = [part for parts in found for part in parts if part["total_ns"] >= 3 * NS_PER_MS and
             not re.search(f"{name}|^(burst|ten) ", part["function"])]
    tap.check_equal(wrong, [], "what is not one of the ten")
    for parts in found:
        names = [part["function"] for part in parts]
        tap.check_equal(len(set(names)), len(names), "each for itself")


def check_custom(*words):
    """The ledger does not know the source; samples do."""
    run_until(lambda program: [part for parts in find_parts(program) for part in parts
                               if re.search("on_row_cb|work_here|dispatch_cb", part["function"])], *words)


def check_late(version, *words):
    """GTK comes when the main loop has long turned: its frames are watched all the same."""
    program = run_to_end(*words)
    stalls = [report for report in program.stalls if report.get("culprit", {}).get("function") == "stall_here"]
    tap.check_equal(len(stalls), 1, f"the planted stalls of {[report.get('culprit') for report in program.stalls]}")
    toolkit = stalls[0].get("toolkit", {})
    tap.check_equal((toolkit.get("name"), toolkit.get("version", "").split(".")[0], toolkit.get("backend")),
                    ("GTK", version, "x11"), "the toolkit")
    frames = [session["frame_clock"]["frames"] for session in program.sessions if "frame_clock" in session]
    tap.check(len(frames) == 1 and frames[0] > 1, "the frames of the session:", frames, program.errors)


for version, library in (("3", "libgtk-3.so.0"), ("4", "libgtk-4.so.1")):
    program = BUILD / "tests/module/starved"
    tap.add(f"gtk{version}/idle", check, program, library, "idle")
    tap.add(f"gtk{version}/low", check_none, program, library, "low")
    tap.add(f"gtk{version}/rows", check_rows, "on_row_cb", program, library, "rows")
    for stage in ("absent", "loaded", "displayless"):
        tap.add(f"gtk{version}/{stage}", check_late, version, program, library, stage)
tap.add("gtk4/pipe", check, program, library, "pipe")
tap.add("gtk4/hidden", check_none, program, library, "hidden")
tap.add("gtk4/answers", check_rows, "on_answer_cb|work_here", program, library, "answers")
tap.add("gtk4/custom", check_custom, program, library, "custom")
tap.add("gtk4/ten", check_ten, r"^row_\d_cb$", program, library, "ten")
tap.main("/module/starved", n_at_once=2)
