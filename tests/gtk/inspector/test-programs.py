#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test-programs.py BUILD_ROOT: the page in GTK's inspector, in programs that know nothing of it. Prints TAP."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

PROGRAMS = [
    ("gtk4-demo", ["gtk4-demo"], {}),
    ("gtk4-widget-factory", ["gtk4-widget-factory"], {"JANK_VISITOR_RTL": "1"}),
    ("gnome-text-editor", ["gnome-text-editor", "--standalone"], {"JANK_VISITOR_DARK": "1"}),
    ("jankwatch-demo", None, {}),
    ("open-from-the-start", None, {"GTK_DEBUG": "interactive"}),
]
SECONDS = 60
MAX_WIDTH = 600


def visit(root, command, extra):
    with tempfile.TemporaryDirectory(prefix="jankwatch-inspector-") as home:
        environment = dict(
            os.environ, HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home, GTK_MODULES="jankwatch",
            GIO_EXTRA_MODULES=f"{root}/src/module", **extra)
        environment.pop("G_DEBUG", None)
        visitor = f"LD_PRELOAD={root}/tests/gtk/inspector/libinspector-visitor.so"
        run = subprocess.Popen(["dbus-run-session", "--", "env", visitor] + command, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            output, error_output = run.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            output, error_output = run.communicate()
    lines = [line for line in output.splitlines() if line.startswith("{")]
    errors = [line for line in error_output.splitlines() if "jankwatch" in line or "CRITICAL" in line]
    return json.loads(lines[-1]) if lines else None, errors


def judge(seen):
    if seen is None:
        return "it printed nothing"
    if not seen["page"]:
        return "there is no page"
    if seen["windows"] < 1:
        return "the program has no window"
    if seen["width"] > MAX_WIDTH:
        return f"the page needs {seen['width']} pixels"
    if "iterations" not in seen["loop"]:
        return f"of the loop it says “{seen['loop']}”"
    if seen["before"] != "" or seen["severity"] not in ("microhang", "hang", "frozen"):
        return "the stall is not what it was"
    return None


def main():
    root = sys.argv[1]
    print(f"1..{len(PROGRAMS)}")
    status = 0
    for i, (name, command, extra) in enumerate(PROGRAMS, 1):
        command = command or [f"{root}/src/cli/demo/jankwatch-demo"]
        if shutil.which(command[0]) is None:
            print(f"ok {i} /inspector/programs/{name} # SKIP {command[0]} is not installed")
            continue
        seen, errors = visit(root, command, extra)
        ours = [line for line in errors if "jankwatch" in line]
        wrong = judge(seen) or (ours[0] if ours else None)
        status |= wrong is not None
        print(f"{'ok' if wrong is None else 'not ok'} {i} /inspector/programs/{name}")
        print(f"# {seen}" + (f": {wrong}" if wrong else ""))
        for line in errors:
            print(f"# {line}")
    return status


sys.exit(main())
