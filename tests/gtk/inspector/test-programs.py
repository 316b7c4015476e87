# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test-programs.py BUILD_ROOT: the page in GTK's inspector, in programs that know nothing of it."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import tap

PROGRAMS = [
    ("gtk4-demo", ["gtk4-demo"], {}),
    ("gtk4-widget-factory", ["gtk4-widget-factory"], {"JANK_VISITOR_RTL": "1"}),
    ("gnome-text-editor", ["gnome-text-editor", "--standalone"], {"JANK_VISITOR_DARK": "1"}),
    ("jankwatch-demo", ["{root}/src/demo/jankwatch-demo"], {}),
    ("jankwatch-view", ["{root}/src/view/jankwatch-view", "--store", "{home}/shown"], {"G_DEBUG": "fatal-criticals"}),
    ("open-from-the-start", ["{root}/src/demo/jankwatch-demo"],
     {"GTK_DEBUG": "interactive", "G_DEBUG": "fatal-warnings"}),
    ("without-library", ["{root}/src/demo/jankwatch-demo"],
     {"LD_LIBRARY_PATH": "{home}", "JANKWATCH_CONFIG": "overlay"})]
# A bus that starts nothing: a portal would be watched as well, and has messages of its own.
BUS = """<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>"""
SECONDS = 150
# Of libadwaita, as the visitor sets the theme
THEME_WARNING = "Adwaita-WARNING **: "
MAX_WIDTH = 600


def read_culprits(store):
    return [json.loads(path.read_text()).get("culprit", {}).get("function") for path in store.glob("*.json")]


def make_store(root, store, environment):
    subprocess.run([f"{root}/src/cli/jankwatch", "demo", "--auto=sleep", "--store", store], env=environment, check=True,
                   capture_output=True)
    tap.check(len(read_culprits(store)) > 0, "the demo left no report")


def visit(root, command, extra):
    with tempfile.TemporaryDirectory(prefix="jankwatch-inspector-") as home:
        extra = {name: value.format(home=home) for name, value in extra.items()}
        if "LD_LIBRARY_PATH" in extra:
            pathlib.Path(home, "gtk").mkdir()
            for name in "libjankwatch-1.so.0", "gtk/libjankwatch-gtk4.so":
                pathlib.Path(home, name).symlink_to(f"{root}/src/{name}")
        environment = dict(
            os.environ, HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home, GTK_MODULES="jankwatch",
            GIO_EXTRA_MODULES=f"{root}/src/module", **{"G_DEBUG": "", **extra})
        command = [word.format(root=root, home=home) for word in command]
        if "--store" in command:
            make_store(root, pathlib.Path(home, "shown"), environment)
        # LD_PRELOAD cannot name a path with a blank, as that of the build folder may be.
        visitor = shutil.copy(f"{root}/tests/gtk/inspector/libinspector-visitor.so", home)
        bus = pathlib.Path(home, "bus.conf")
        bus.write_text(BUS)
        run = subprocess.Popen(
            ["dbus-run-session", f"--config-file={bus}", "--", "env", f"LD_PRELOAD={visitor}"] + command,
            env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            output, error_output = run.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            output, error_output = run.communicate()
        culprits = read_culprits(pathlib.Path(home, "jankwatch"))
    lines = [line for line in output.splitlines() if line.startswith("{")]
    errors = [line for line in error_output.splitlines() if "jankwatch" in line or "CRITICAL" in line]
    return json.loads(lines[-1]) if lines else None, culprits, errors


def test(root, name, command, extra):
    if shutil.which(command[0].format(root=root)) is None:
        raise tap.Skip(f"{command[0]} is not installed")
    seen, culprits, errors = visit(root, command, extra)
    tap.check(seen is not None, "it printed nothing", errors)
    # The one links it, in the other the inspector is open; none shows the overlay, which has a library, too.
    tap.check_equal(seen["mapped"], [name in ("jankwatch-view", "open-from-the-start"), name != "without-library"],
                    "the library is mapped before and after")
    if name == "without-library":
        why = "\n".join([seen["label"], *errors])
        tap.check(re.search(r"inspector.so: .*No such file(.|\n)*jankwatch: Could not open the overlay: .*", why), why)
        return why
    tap.check(seen["page"], "there is no page")
    tap.check(seen["windows"] >= 1, "the program has no window")
    tap.check(seen["width"] <= MAX_WIDTH, "the page needs so many pixels:", seen["width"])
    tap.check_equal(seen["before"], "", "the stall before there was one")
    tap.check(seen["severity"] in ("microhang", "hang", "frozen"), "the stall's severity is", seen["severity"])
    tap.check("visitor_stall" in culprits, "the reports are of", culprits)
    tap.check(not [line for line in errors if "jankwatch" in line and THEME_WARNING not in line], "\n".join(errors))
    return "\n".join([f"{seen}", *errors])


ROOT, = tap.arguments(1)
for name, *parts in PROGRAMS:
    tap.add(name, test, ROOT, name, *parts)
tap.main("/inspector/programs", n_at_once=3)
