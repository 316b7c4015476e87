# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Python calls in reports of a PyGObject program."""

import functools
import pathlib
import tempfile

import tap
import watched

LEDGER = pathlib.Path(__file__).parent / "ledger.py"
LINES = LEDGER.read_text().splitlines()


PACKAGE = """import time


def fetch():
    time.sleep(0.7)
    return 0
"""
APP = """import sys

from gi.repository import GLib, Gio

sys.path.insert(0, sys.argv[1])
import slowfetch  # noqa: E402


def refresh_news():
    return slowfetch.fetch() + 0 > 1


Gio.File.new_for_path("/")  # loads GIO's modules
loop = GLib.MainLoop()
GLib.timeout_add(300, refresh_news)
GLib.timeout_add(1200, loop.quit)
loop.run()
"""


line_of = functools.partial(watched.line_of, LINES)
find_calls = functools.partial(watched.find_calls, language="python", file=f"{LEDGER}")


def check_stall(act, culprit, innermost, lines):
    program = watched.Program("/usr/bin/python3", LEDGER, act)
    with program:
        program.wait()
    tap.check_equal(program.status, 0, "the exit status")
    report = program.longest

    tap.check_equal(report["culprit"]["function"], culprit, "the culprit")
    tap.check_equal(report["culprit"]["module"], f"{LEDGER}", "the culprit's module")
    calls = find_calls(report, report["heaviest"]["stack"])
    names = [name for name, line in calls]
    tap.check(names[0] in innermost, "the innermost call:", calls)
    tap.check_equal(names[-2:], ["Window.on_load", "<module>"], "the outermost calls")
    for name, line in lines.items():
        tap.check_equal(dict(calls).get(name), line_of(line), f"the line in {name}")
    callback = report["frames"][report["source"]["callback"]]
    tap.check_equal((report["source"]["name"], callback["symbol"], callback["line"]),
                    ("[timeout]", "Window.on_load", line_of("def on_load")), "the source")
    stacks = [sample["stack"] for sample in report["samples"] if "stack" in sample]
    named = [stack for stack in stacks if ("Window.on_load", line_of("self.act()")) in find_calls(report, stack)]
    # The first stack of all is the one that Python is found on, and a copy may fail.
    tap.check(len(named) >= max(1, len(stacks) // 2), "samples with Python calls:", len(named), "of", len(stacks))


def check_natives(act, calls):
    """C functions have the names that Python has for them, and stand between the Python calls."""
    with watched.Program("/usr/bin/python3", LEDGER, act) as program:
        program.wait()
    report = program.longest
    stack = [report["frames"][index] for index in report["stacks"][report["heaviest"]["stack"]]]
    symbols = [call.get("symbol") for call in stack]
    tap.check_equal([symbol for symbol in symbols if symbol in calls], calls, f"calls of {symbols}")
    natives = {call["name_from"] for call in stack if call.get("symbol") in calls and "language" not in call}
    tap.check_equal(natives, {"interpreter"}, "where the C functions' names are from")


# A file of GIO's loads its modules.
STALL = "import time; from gi.repository import Gio, GLib; Gio.File.new_for_path('/'); loop = GLib.MainLoop(); " \
        "GLib.timeout_add(50, time.sleep, 0.2); GLib.timeout_add(100, loop.quit); loop.run()"
GJS_STALL = "const {Gio, GLib} = imports.gi; Gio.File.new_for_path('/'); " \
            "const loop = new GLib.MainLoop(null, false); " \
            "GLib.timeout_add(0, 50, () => GLib.usleep(200000)); " \
            "GLib.timeout_add(0, 100, () => loop.quit()); loop.run();"


def test_names():
    """A script's name, not its interpreter's."""
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as folder:
        folder = pathlib.Path(folder)
        (folder / "ledger-tool").write_text(STALL)
        (folder / "shelf.js").write_text(GJS_STALL)
        for words, name in (
            (["/usr/bin/python3", folder / "ledger-tool", "shelf.js"], "ledger-tool"),
            (["/usr/bin/python3", "-u", folder / "ledger-tool"], "ledger-tool"),
            (["/usr/bin/python3", "-c", STALL, "shelf.js"], pathlib.Path("/usr/bin/python3").resolve().name),
            (["gjs", folder / "shelf.js", "ledger-tool"], "shelf.js"),
            (["gjs", "-c", GJS_STALL, "shelf.js"], "gjs"),
        ):
            program = watched.run(*words)
            names = {report["app"]["name"] for report in program.stalls}
            tap.check_equal(names, {name}, f"the names of {words}: {program.errors}")


def test_shown():
    """The script's calls, not its interpreter's."""
    with watched.Program("/usr/bin/python3", LEDGER, "sort") as program:
        program.wait()
        report = program.longest
        shown, native = program.show(report), program.show(report, "--native")
    for call in ("slow_key", "builtins.sorted", "sort_slowly", "Window.on_load"):
        tap.check(call in shown and call in native, call, "is not in", shown)
    tap.check("PyEval_EvalCode" not in shown and "--native" in shown, "the interpreter is in", shown)
    tap.check("PyEval_EvalCode" in native, "the interpreter is not in", native)


def test_inside():
    """An interpreter inside another: the calls of both."""
    program = watched.run("/usr/bin/python3", LEDGER, "inside")
    report = program.longest
    tap.check_equal(report["culprit"]["function"], "compute_inside", "the culprit")
    symbols = watched.functions(report, report["heaviest"]["stack"])
    calls = ("compute_inside", "make_interpreter.<locals>.<lambda>", "run_inside", "Window.on_load")
    tap.check_equal([symbol for symbol in symbols if symbol in calls], [*calls], f"calls of {symbols}")


def test_lock():
    """The interpreter's, which another thread holds."""
    program = watched.run("/usr/bin/python3", LEDGER, "lock", timeout_s=120)
    report = program.longest
    locks = [sample["wait"]["lock"] for sample in report["samples"] if "lock" in sample.get("wait", {})]
    held = [lock for lock in locks if lock.get("kind") == "GIL"
            and lock.get("owner", program.popen.pid) != program.popen.pid]
    tap.check(held, "no wait for the GIL in", [sample.get("wait") for sample in report["samples"]])
    tap.check_equal(report["culprit"]["function"], "want_the_lock", "the culprit")


def test_other_version():
    """One line says why there are no calls."""
    program = watched.run(watched.BUILD / "tests/module/other-python")
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    said = [line for line in program.messages if "Python" in line]
    tap.check(len(said) == 1 and "Python 3.15" in said[0], program.errors)
    tap.check(len(program.stalls) > 0, "no stall")


def check_package():
    """What a package does is the fault of the program that calls it, for the report's writer as for its reader."""
    with tempfile.TemporaryDirectory() as folder:
        packages = pathlib.Path(folder) / "site-packages"
        (packages / "slowfetch").mkdir(parents=True)
        (packages / "slowfetch" / "__init__.py").write_text(PACKAGE)
        app = pathlib.Path(folder) / "app.py"
        app.write_text(APP)
        with watched.Program("/usr/bin/python3", app, packages) as program:
            program.wait()
            report = next((report for report in program.stalls
                           if "fetch" in watched.functions(report, report["heaviest"]["stack"])), None)
            tap.check(report is not None, "no stall:", program.errors)
            shown = program.show(report)
    tap.check_equal(report["culprit"]["function"], "refresh_news", "the culprit")
    tap.check("refresh_news() (app.py:10)" in " ".join(shown.split("\n\n")[0].split()), shown)


tap.add("package", check_package)
tap.add("sleep", check_stall, "sleep", "load_settings_slowly", ("load_settings_slowly",),
        {"load_settings_slowly": "time.sleep(0.7)", "Window.on_load": "self.act()", "<module>": "window.loop.run()"})
tap.add("compute", check_stall, "compute", "add_up", ("add_up", "compute_slowly"),
        {"Window.on_load": "self.act()", "<module>": "window.loop.run()"})
tap.add("beside", check_stall, "beside", "add_up", ("add_up", "compute_slowly"),
        {"Window.on_load": "self.act()", "<module>": "window.loop.run()"})
tap.add_all(globals())
for act, calls in {"sleep": ["time.sleep", "load_settings_slowly", "Window.on_load"],
                   "read": ["os.read", "read_a_pipe", "Window.on_load"],
                   "sort": ["time.sleep", "slow_key", "builtins.sorted", "sort_slowly", "Window.on_load"],
                   "match": ["re.Pattern.match", "match", "match_slowly", "Window.on_load"],
                   "query": ["sqlite3.Connection.execute", "query_slowly", "Window.on_load"]}.items():
    tap.add(f"native-{act}", check_natives, act, calls)
tap.main("/module/python", n_at_once=2)
