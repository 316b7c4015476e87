# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""GTK 3 programs, brought under watch by GTK 3 itself, by `jankwatch run`, and not at all."""

import csv
import json
import pathlib
import tempfile

import desktop
import tap
import watched
from watched import BUILD, COMMAND, MODULE_FOLDER, NS_PER_MS

WINDOW = BUILD / "tests/gtk3/window"
# GTK 3 looks for modules in modules/ in there.
OTHER_PATH = BUILD / "tests/gtk3"
# Asleep: then the stacks are read whether or not the machine has a CPU for the program.
STALL_MS = 600
N_FRAMES = 60
OTHER_LINE = "the other module is here"

# What GTK 3 alone does; nothing of the machine's comes in.
ALONE = {"GTK_MODULES": None, "GTK_PATH": None, "GIO_EXTRA_MODULES": None, "JANKWATCH": None, "NO_AT_BRIDGE": "1"}
NATIVE = {"GTK_MODULES": "jankwatch", "GTK_PATH": MODULE_FOLDER}


def run(*words, n_frames=N_FRAMES, **extra):
    with desktop.display() as display:
        program = watched.run(*words, WINDOW, n_frames, STALL_MS, watched=False, display=display, extra=ALONE | extra,
                              timeout_s=120)
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    tap.check(program.truth["frames"] >= n_frames, "frames:", program.truth)
    return program


def check_quiet(program):
    """GTK says nothing of a module, and we say nothing."""
    lines = [line for line in program.errors.splitlines() if "module" in line or "jankwatch" in line.lower()]
    tap.check_equal(lines, [], "new on standard error")


def check_unwatched(program):
    check_quiet(program)
    tap.check_equal((program.reports, program.truth["watchers"]), ([], 0), "what is new")


def check_found(program):
    report = watched.find_stall(program)
    tap.check_equal((report["toolkit"]["name"], report["toolkit"]["version"][:2], report["toolkit"]["backend"]),
                    ("GTK", "3.", "x11"), "the toolkit")
    excluded_ns = sum(report["stall"].get("excluded_ns", {}).values())
    tap.check(report["stall"]["duration_ns"] + excluded_ns >= STALL_MS * NS_PER_MS, "its length:", report["stall"])
    tap.check({"name": "action", "value": "GtkButton “Save”"} in report.get("tags", []), "no action:",
              report.get("tags"))
    tap.check_equal(report["culprit"]["function"], "stall_on_purpose", f"the culprit ({program.errors})")


def test_native():
    """GTK 3 loads the module by itself: no line but the program's own, and the stall has its name."""
    program = run(**NATIVE, G_DEBUG="fatal-warnings")
    check_quiet(program)
    tap.check(program.truth["watchers"] >= 1, "nobody watches:", program.truth)
    check_found(program)


def test_inspector():
    """Also while GTK's inspector is open from the start."""
    program = run(**NATIVE, G_DEBUG="fatal-warnings", GTK_DEBUG="interactive")
    check_quiet(program)
    check_found(program)


def test_once():
    """The GIO module comes first, then GTK 3's own: one monitor, and one report of the stall."""
    program = run(**NATIVE | {"GIO_EXTRA_MODULES": MODULE_FOLDER, "JANKWATCH": "1"})
    check_quiet(program)
    check_found(program)


def check_table(tables, clock):
    """The log has a row for each frame of the animation, in order, and says who made it late."""
    tap.check_equal(len(tables), 1, "the number of tables")
    rows = tables[0]
    tap.check_between(len(rows), 1, clock["frames"], f"the number of rows ({clock})")
    tap.check_equal(list(rows[0]), ["fps", "frametime", "elapsed", "busy", "refresh", "late"], "the columns")
    elapsed = [int(row["elapsed"]) for row in rows]
    tap.check(elapsed == sorted(elapsed), "not in order:", elapsed)
    late = [row for row in rows if row["late"] == "program"]
    tap.check(any(float(row["busy"]) > 0 and float(row["frametime"]) > 1.5 * float(row["refresh"]) for row in late),
              "no late row:", rows[-20:])


def test_frames():
    """The frames that the program drew, and the one that was late on purpose after the window's first second."""
    n_frames = 240
    with tempfile.TemporaryDirectory() as folder:
        summary = pathlib.Path(folder, "summary.json")
        program = run(COMMAND, "run", "--overlay", "--quiet", "--json", summary, "--set", f"frame-log={folder}/log.csv",
                      "--", n_frames=n_frames)
        clock = json.loads(summary.read_text())["frame_clock"]
        tables = [list(csv.DictReader(path.open())) for path in pathlib.Path(folder).glob("log-*.csv")]
    tap.check(clock["late_program"] >= 1, "no late frame:", clock)
    tap.check_between(clock["frames"], n_frames - 5, program.truth["frames"] + 5, f"the number of frames ({clock})")
    check_table(tables, clock)


def test_not_asked():
    check_unwatched(run())
    check_unwatched(run(**NATIVE | {"JANKWATCH": "0"}))


def test_other_modules():
    """A program's own modules are loaded as before, beside ours."""
    program = run(COMMAND, "run", "--quiet", "--", **{"GTK_MODULES": "other", "GTK_PATH": OTHER_PATH})
    tap.contains(program.output, OTHER_LINE)
    tap.check("Failed to load module" not in program.errors, program.errors)
    check_found(program)

    other = run(**{"GTK_MODULES": "other", "GTK_PATH": OTHER_PATH})
    tap.contains(other.output, OTHER_LINE)
    check_unwatched(other)


tap.add_all(globals())
tap.main("/gtk3/programs", n_at_once=2)
