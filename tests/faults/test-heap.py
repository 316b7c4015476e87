# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program's heap shrinks as it does unwatched, and nothing is added to GLib's tables, or freed of the program's
heap, behind the program's back.

runs=N does each program of the heap so often."""

import functools
import os
import pathlib
import sys
import tempfile

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402
from watched import BUILD  # noqa: E402

HERE = pathlib.Path(__file__).parent
HEAP = BUILD / "tests/faults/heap"
REGISTERED = BUILD / "tests/faults/libregistered.so"
RUNS = tap.setting("runs", 1)

# What jankwatch itself has: its threads' stacks, records, and what a report took.
OWN_KB = 4000

MOMENTS = ("grow", "wait", "full", "free", "after")
ARENAS = {"any": None, "one": 1}

# Ways to stall of which the watcher asks something else each.
KINDS = ("compute", "sleep", "pipe-read", "flock", "send", "waitpid", "mutex-normal", "dbus-call", "dbus-proxy",
         "many-threads",
         "slow-read")


def test_heap(arenas):
    """Unwatched no stall takes memory."""
    extra = {"MALLOC_ARENA_MAX": arenas}
    plain = watched.run(HEAP, watched=False, extra=extra).truth
    most = 0
    for _ in range(RUNS):
        ran = watched.run(HEAP, *MOMENTS, config="annealing=yes", extra=extra)
        tap.check(ran.stalls, "no report, so nothing was watched:", ran.errors)
        more_kb = ran.truth["anonymous_kb"] - plain["anonymous_kb"]
        tap.check(more_kb < OWN_KB, f"{more_kb} kB more stay; unwatched {plain}, watched {ran.truth}")
        most = max(most, ran.truth["resident_kb"])
    return f"{plain['resident_kb']} kB resident unwatched, {most} watched"


def run_registered(*words, config="threshold=20ms", **options):
    """A program that ran, what each of its threads has added to GLib's tables, and what ours have freed."""
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as folder:
        # LD_PRELOAD cannot name a path with blanks.
        library, lines = pathlib.Path(folder, "registered.so"), pathlib.Path(folder, "lines")
        library.symlink_to(REGISTERED)
        lines.touch()
        program = watched.run(*words, config=config, extra={"LD_PRELOAD": library, "REGISTERED": lines},
                              timeout_s=120, **options)
        return program, lines.read_text().splitlines()


def test_registered(*words, **options):
    program, lines = run_registered(*words, **options)
    tap.check(program.reports, "no report, so nothing was watched:", program.errors)
    tap.check_equal([line for line in lines if line.startswith("jankwatch")], [],
                    "what jankwatch's threads have registered, or freed of the program's heap")
    tap.check(any(line.endswith(": type JsonParser") for line in lines), "the preloaded library sees nothing:", lines)


def test_handlers():
    test_registered(watched.HANDLERS, display=True)


for name, arenas in ARENAS.items():
    tap.add(f"heap-{name}", test_heap, arenas)
for kind in KINDS:
    tap.add(f"registered-{kind}", test_registered, watched.STALLER, kind, 300, 2)
# One report, read and written again with its next ones.
tap.add("registered-again", functools.partial(test_registered, config="threshold=20ms,annealing=yes"),
        HEAP, *MOMENTS)
tap.add("registered-spin", test_registered, watched.STALLER, "spin-idle", 3000)
tap.add("registered-exit", test_registered, watched.STALLER, "exit-in-stall", 300)
tap.add("registered-python", test_registered, "/usr/bin/python3", HERE / "faults.py", "timed")
tap.add("registered-javascript", test_registered, "/usr/bin/gjs", HERE.parent / "module/ledger.js", "compute")
if os.path.exists(watched.HANDLERS):
    tap.add("registered-handlers", test_handlers)
tap.main("/faults", n_at_once=2)
