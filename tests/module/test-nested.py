# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A callback that turns the loop itself until an answer comes is told, with the function that does so, in each
language. Nobody is told where a person is waited for, whatever the person is shown, nor of a program that turns its
only loop there, or polls for its loop by itself."""

import pathlib
import subprocess
import time

import tap
import watched
from watched import BUILD, COMMAND, NS_PER_MS

FOLDER = pathlib.Path(__file__).parent
PROGRAM = BUILD / "tests/module/nested"
VERSIONS = {"none": "none", "3.0": "libgtk-3.so.0", "4.0": "libgtk-4.so.1"}
POLLS = BUILD / "tests/module/polls"
WAIT_NS = 1800 * NS_PER_MS
POLL_NS = 1500 * NS_PER_MS


def run(*words, act=None):
    """The program, and its reports of nested loops."""
    with watched.display() as display:
        with watched.Program(COMMAND, "run", "--", *words, watched=False, display=display) as program:
            if act is not None:
                act(program, display)
            program.wait()
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    return program, [report for report in program.reports if report["kind"] == "nested"]


def check(function, called, *words):
    program, nested = run(*words)
    if any(watched.starved(report) > 0.2 or report["kind"] == "stall" for report in program.reports) and not nested:
        raise tap.Skip(f"the machine gave the program no CPU: {program.errors}")
    tap.check_equal([report["culprit"]["function"] for report in nested], [function], f"the culprit ({program.errors})")
    tap.check(0 < nested[0]["stall"]["duration_ns"] - WAIT_NS / 2, "the length:", nested[0]["stall"])
    tap.check_equal(nested[0]["stall"]["loop_depth"], 1, "the depth")
    tap.check(f"in a nested main loop so far: {function}() (" in program.errors, "the line meanwhile:", program.errors)
    tap.check(f" was in a nested main loop{called} for " in program.errors, "the last line:", program.errors)
    tap.check("report of a callback that did not return" in program.errors, "the summary:", program.errors)


def check_clipboard():
    with watched.display() as display:
        environment = watched.environment("/nonexistent", watched=False, display=display)
        with subprocess.Popen([PROGRAM, "libgtk-3.so.0", "owner"], env=environment, stdout=subprocess.PIPE,
                              text=True) as owner:
            owner.stdout.readline()
            with watched.Program(COMMAND, "run", "--", PROGRAM, "libgtk-3.so.0", "clipboard", watched=False,
                                 display=display) as program:
                program.wait()
            owner.kill()
    tap.check("paste_address() (nested.c:" in program.errors, "who:", program.errors)
    tap.check("was in a nested main loop (gtk_clipboard_wait_for_text()) for " in program.errors, "where:",
              program.errors)


def check_none(*words, act=None):
    program, nested = run(*words, act=act)
    tap.check_equal(nested, [], f"what is told ({program.errors})")


def check_polls(how):
    """Who waits for the loop by a call of its own is well; what it does in between is a stall each, without that
    wait."""
    with watched.Program(COMMAND, "run", "--", POLLS, how, watched=False) as program:
        program.wait()
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    truth = dict(line.split() for line in program.output.splitlines())
    stalls = {report["culprit"].get("function"): report["stall"]["duration_ns"] for report in program.reports
              if report["kind"] == "stall"
              and (watched.starved(report) < 0.2 or report["culprit"].get("function") in truth)}
    tap.check_equal(sorted(stalls), sorted(truth), f"the culprits ({program.errors})")
    for name, took_ns in truth.items():
        tap.check(stalls[name] < int(took_ns) + POLL_NS / 2, name, "took", took_ns, "and is told as", stalls[name])


def drag(program, display):
    """A button goes down, and comes up when the callback returns."""
    def xdotool(*words):
        return subprocess.run(["xdotool", *map(str, words)], env={"PATH": "/usr/bin:/bin", "DISPLAY": display},
                              stdout=subprocess.PIPE, text=True, timeout=60).stdout

    program.wait_for("the window", lambda: xdotool("search", "--onlyvisible", "--name", "^Nested$").split(), 60)
    time.sleep(0.5)
    xdotool("mousemove", 100, 100)
    while program.popen.poll() is None:
        xdotool("mousedown", 1)
        time.sleep(2.5)
        xdotool("mouseup", 1)
        time.sleep(0.3)


def check_drag(*words):
    check_none(*words, act=drag)


for version, library in VERSIONS.items():
    loop, iterate = " (g_main_loop_run())", " (g_main_context_iteration())"
    tap.add(f"c/{version}/loop", check, "await_answer", loop, PROGRAM, library, "loop")
    tap.add(f"c/{version}/iterate", check, "iterate_here", iterate, PROGRAM, library, "iterate")
    tap.add(f"javascript/{version}/loop", check, "awaitAnswer", loop, "gjs", FOLDER / "nested.js", version, "loop")
    tap.add(f"javascript/{version}/iterate", check, "iterateHere", iterate, "gjs", FOLDER / "nested.js", version,
            "iterate")
    script = ("/usr/bin/python3", FOLDER / "nested.py", version)
    tap.add(f"python/{version}/loop", check, "await_answer", " (MainLoop.run())", *script, "loop")
    tap.add(f"python/{version}/iterate", check, "iterate_here", " (MainContext.iteration())", *script, "iterate")
    tap.add(f"python/{version}/asyncio", check_none, *script, "asyncio")
    tap.add(f"c/{version}/whole", check_none, PROGRAM, library, "whole")
    if version != "none":
        for kind in ("dialog", "again", "chooser", "popover", "inside", "late"):
            tap.add(f"c/{version}/{kind}", check_none, PROGRAM, library, kind)
        tap.add(f"c/{version}/drag", check_drag, PROGRAM, library, "drag")
        tap.add(f"python/{version}/dialog", check_none, *script, "dialog")
        tap.add(f"javascript/{version}/dialog", check_none, "gjs", FOLDER / "nested.js", version, "dialog")
for how in ("poll", "select"):
    tap.add(f"polls/{how}", check_polls, how)
tap.add("c/3.0/clipboard", check_clipboard)
tap.main("/module/nested", n_at_once=4)
