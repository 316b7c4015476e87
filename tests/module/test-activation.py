# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Which programs are watched: those that ask for it, and no other."""

import os
import pathlib
import shutil
import tempfile

import tap
import watched
from watched import DEMO, LIBRARY, MODULE, MODULE_FOLDER, NOBODY, SECURE_STALL, STALLER

# Where Debian has what GIO loads, and what it depends on.
SYSTEM_LIBRARIES = "/usr/lib/x86_64-linux-gnu"


def loader_variables(gtk_modules, jankwatch):
    """The loader tells on standard error what it opens and unloads."""
    return {"GIO_EXTRA_MODULES": MODULE_FOLDER, "GTK_MODULES": gtk_modules, "JANKWATCH": jankwatch,
            "LD_DEBUG": "files"}


def loader_log(program):
    """What the loader has said of that."""
    return [line for line in program.errors.splitlines() if "calling init" in line or "calling fini" in line]


def is_mentioned(lines, file, what):
    return any(what in line and file in line for line in lines)


def check_watched(program, expected):
    """By its reports, and by what the loader has opened. The module comes in any case: GIO opens it."""
    lines = loader_log(program)

    tap.check_equal(program.status, 0, "the exit status")
    tap.check(is_mentioned(lines, MODULE.name, "calling init"), "GIO has not opened the module")
    tap.check_equal(is_mentioned(lines, LIBRARY.name, "calling init"), expected, "whether the library was opened")
    tap.check_equal(len(program.reports) > 0, expected, "whether there are reports")


def run_gtk(gtk_modules, jankwatch):
    return watched.run(DEMO, "--auto", "compute", "--seconds", "0.3", watched=False, display=True,
                       extra=loader_variables(gtk_modules, jankwatch))


def test_gtk(gtk_modules, jankwatch, expected):
    check_watched(run_gtk(gtk_modules, jankwatch), expected)


def test_plain(gtk_modules, jankwatch, expected):
    """A program without GTK."""
    program = watched.run(STALLER, "compute", 200, watched=False, extra=loader_variables(gtk_modules, jankwatch))

    check_watched(program, expected)


def test_unloads_at_once():
    """Nothing of it stays in a program that does not ask."""
    with watched.Program(STALLER, "idle", 5, watched=False, extra=loader_variables(None, None)) as program:
        program.wait_for("the module to be unloaded", lambda: is_mentioned(
            loader_log(program), MODULE.name, "calling fini"))
        maps = pathlib.Path(f"/proc/{program.popen.pid}/maps")
        program.wait_for("nothing in memory", lambda: "jankwatch" not in maps.read_text().replace(f"{STALLER}", ""))
        tap.check("libgio-2.0" in maps.read_text(), "the map is not that of the program")
        names = f"{watched.switches(program.popen.pid)}"
        tap.check("jankwatch" not in names, "threads:", names)
        program.wait()

    check_watched(program, False)


def test_stays():
    with watched.Program(STALLER, "idle", 5, watched=False, extra=loader_variables(None, "1")) as program:
        program.wait_for("the library to be opened", lambda: is_mentioned(
            loader_log(program), LIBRARY.name, "calling init"))
        program.wait_for("the watcher thread", lambda: "jankwatch " in f"{watched.switches(program.popen.pid)}")
        maps = pathlib.Path(f"/proc/{program.popen.pid}/maps")
        # The thread runs before the module is done.
        program.wait_for("the module to be unloaded", lambda: MODULE.name not in maps.read_text())
        tap.check(LIBRARY.name in maps.read_text(), "not in memory:", maps.read_text())
        program.wait()

    tap.check_equal(program.status, 0, "the exit status")


def test_setuid(is_setuid):
    """As if installed in the system's own folders, where a setuid program would find it; nobody runs it."""
    if os.geteuid() != 0:
        raise tap.Skip("only root can make a setuid program of another user")
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as folder:
        libraries = pathlib.Path(folder) / "libraries"
        (libraries / "gio/modules").mkdir(parents=True)
        shutil.copy(MODULE, libraries / "gio/modules")
        shutil.copy(LIBRARY, libraries)
        program_file = pathlib.Path(folder) / "secure-stall"
        shutil.copy(SECURE_STALL, program_file)
        for path in (pathlib.Path(folder), *libraries.rglob("*"), libraries, program_file):
            path.chmod(0o755)
        if is_setuid:
            program_file.chmod(0o4755)
        mount = f"mount -t overlay overlay -o lowerdir={libraries}:{SYSTEM_LIBRARIES} {SYSTEM_LIBRARIES}"
        program = watched.run(
            program_file, watched=False, extra={"JANKWATCH": "1", "GTK_MODULES": "jankwatch"},
            prefix=[*watched.unshare(), "sh", "-ec", f'{mount}; exec "$@"', "sh", "setpriv", f"--reuid={NOBODY}",
                    f"--regid={NOBODY}", "--clear-groups"], owner=NOBODY)

    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    tap.check_equal(program.errors, "", "what was said")
    tap.check_equal(len(program.stalls) > 0, not is_setuid, "whether stalls are reported")


for name, gtk_modules, jankwatch, expected in (
        ("alone", "jankwatch", None, True),
        ("middle", "gail:jankwatch:atk-bridge", None, True),
        ("last", "gail::jankwatch", None, True),
        ("longer-name", "jankwatchx:jankwatch-2", None, False),
        ("empty", "", None, False),
        ("switched-off", "jankwatch", "0", False),
        ("switched-on", None, "1", True)):
    tap.add(f"gtk/{name}", test_gtk, gtk_modules, jankwatch, expected)
for name, gtk_modules, jankwatch, expected in (
        ("only-for-gtk", "jankwatch", None, False),
        ("switched-on", None, "1", True),
        ("switched-off", None, "0", False),
        ("neither", None, "yes", False)):
    tap.add(f"plain/{name}", test_plain, gtk_modules, jankwatch, expected)
tap.add_all(globals())
tap.add("installed", test_setuid, False)
tap.add("setuid", test_setuid, True)
tap.main("/module/activation", n_at_once=3)
