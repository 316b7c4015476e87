# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""matrix.py [WORD…]: forty programs with a slow start-up, by each way of watching, with a session bus and without, and
whether the report names the function or what it waits for. WORDs select rows. Prints a table; ends with 1 if more than
2 of a column are not named, or a report is missing."""

import collections
import concurrent.futures
import contextlib
import fcntl
import pathlib
import subprocess
import sys
import tempfile
import threading

import desktop
import tap
import watched
from watched import BUILD, COMMAND, MODULE_FOLDER

HERE = pathlib.Path(__file__).parent
PROGRAMS = BUILD / "tests/bench/startup"
BUS_NAME = "org.example.Mute"
LANGUAGES = {
    "c": [PROGRAMS / "starter-gtk4"], "c-gtk3": [PROGRAMS / "starter-gtk3"], "vala": [PROGRAMS / "starter-vala"],
    "rust": [PROGRAMS / "starter-rust"], "python": ["/usr/bin/python3", HERE / "starter.py"],
    "javascript": ["gjs", HERE / "starter.js"], "python-gtk3": ["/usr/bin/python3", HERE / "starter.py"],
}

# ms: how slow. names: one of these is in the report. only_run: other ways begin later.
Place = collections.namedtuple("Place", "ms names needs_bus only_run", defaults=(False, False))
FUNCTION = ["load_things", "loadThings"]
PLACES = {
    "main": Place(300, FUNCTION, only_run=True),
    "initialized": Place(1000, FUNCTION),
    "startup": Place(1500, FUNCTION),
    "activate": Place(500, FUNCTION),
    "presented": Place(700, FUNCTION),
    "dbus": Place(2000, [BUS_NAME], needs_bus=True),
    "second": Place(5000, ["org.gtk.Application", "org.example.Starter"], needs_bus=True),
}
ROWS = [(language, place) for language in list(LANGUAGES)[:6] for place in PLACES if place != "presented"]
ROWS += [("c", "presented"), ("python", "presented"), ("python-gtk3", "startup"), ("python-gtk3", "activate")]
COLUMNS = [(way, bus) for way in ("run", "modules", "session") for bus in ("bus", "no-bus")]
WANTED = 38

_first = threading.Lock()  # one application ID, one first instance


def command(way, home, words):
    """The command line, and its variables."""
    if way == "run":
        return [COMMAND, "run", "--quiet", "--", *words], {}
    if way == "modules":
        return words, {"GTK_MODULES": "jankwatch", "GIO_EXTRA_MODULES": MODULE_FOLDER, "GTK_PATH": MODULE_FOLDER}
    subprocess.run([COMMAND, "session", "on"], env=watched.environment(home), check=True, capture_output=True)
    file = next(home.glob("config/environment.d/*.conf"))
    return ["sh", "-c", f'set -a; . "{file}"; set +a; exec "$@"', "sh", *words], {}


def find_name(program, place):
    """“named” in the first sentence, “below” further down, “unnamed” in the report, or “none”: there is no report."""
    long = [report for report in program.reports if report["stall"]["duration_ns"] >= place.ms * 500_000]
    if any(name in program.headline(report) for report in long for name in place.names):
        return "named"
    if any(name in program.show(report) for report in long for name in place.names):
        return "below"
    return "unnamed" if long else "none"


def look(display, language, name, way, bus):
    place = PLACES[name]
    if (place.needs_bus and bus == "no-bus") or (place.only_run and way != "run"):
        return "-"
    words = [*LANGUAGES[language], name, place.ms, "3.0" if language.endswith("gtk3") else "4.0"]
    extra = {} if bus == "bus" else desktop.NO_BUS
    with contextlib.ExitStack() as stack:
        if name == "second":
            stack.enter_context(_first)
            first = stack.enter_context(watched.Program(*LANGUAGES["c"], "first", place.ms, watched=False,
                                                        display=display))
            wait = ["gdbus", "wait", "--session", "--timeout", "30", "org.example.Starter"]
            subprocess.run(wait, env=watched.environment(first.home, display=display), check=True)
        home = pathlib.Path(stack.enter_context(desktop.folder("jankwatch-test-")))
        words, more = command(way, home, words)
        program = stack.enter_context(watched.Program(*words, watched=False, display=display, extra={**extra, **more}))
        return find_name(program.wait(), place)


@contextlib.contextmanager
def mute(display):
    """A service that does not answer."""
    with tempfile.NamedTemporaryFile() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        service = [sys.executable, BUILD.parent / "tests/cli/stuck-service.py", BUS_NAME,
                   "/" + BUS_NAME.replace(".", "/"), BUS_NAME, lock.name]
        with watched.Program("/usr/bin/python3", *service[1:], watched=False, display=display) as program:
            program.wait_for("the service", lambda: program._read(program._output))
            yield


def main():
    words = tap.rest()
    rows = [row for row in ROWS if not words or any(word in "/".join(row) for word in words)]
    with desktop.session() as display, mute(display), concurrent.futures.ThreadPoolExecutor(2) as pool:
        cells = {(row, column): pool.submit(look, display, *row, *column) for row in rows for column in COLUMNS}
        print(" ".join(["program".ljust(24), *("/".join(column).ljust(14) for column in COLUMNS)]))
        for row in rows:
            print(" ".join(["/".join(row).ljust(24), *(cells[row, column].result().ljust(14) for column in COLUMNS)]),
                  flush=True)
    found = [[cells[row, column].result() for row in rows] for column in COLUMNS]
    print(" ".join(["named".ljust(24), *(f"{each.count('named')} of {len(rows) - each.count('-')}".ljust(14)
                                         for each in found)]))
    missed = max(len(rows) - each.count("-") - each.count("named") for each in found)
    return 1 if missed > len(ROWS) - WANTED or any("none" in each for each in found) else 0


sys.exit(main())
