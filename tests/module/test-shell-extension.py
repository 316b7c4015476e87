# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""GNOME Shell's extension in gjs, as a script and as a module, with a false dialog; soak/shell-dialog has the shell."""

import json
import pathlib
import subprocess
import tempfile

import tap
import watched

SOURCE = pathlib.Path(__file__).parent.parent.parent / "data/shell-extension"
URL = "resource:///org/gnome/shell/ui/closeDialog.js"
DIALOG = """class {
    _initDialog() {
        const content = { description: '' };
        this.buttons = [];
        const contentLayout = { get_first_child: () => content };
        this._dialog ||= { connect() {}, contentLayout, addButton: button => this.buttons.push(button.label) };
        this.content = content;
        this._window = { get_pid: () => 4711 };
    }
}"""
# With the extension and after it, a dialog each; GLib is run until the command has been heard.
USE = """
const { Gio, GLib } = imports.gi;
const extension = make({ dir: Gio.File.new_for_path('/usr/share/gnome-shell/extensions/x') });
const own = CloseDialog.prototype._initDialog;
extension.enable();
const dialog = new CloseDialog();
dialog._initDialog();
let isLate = false;
GLib.timeout_add(0, Number(ARGV[0]), () => (isLate = true));
while (!dialog.content.description && !isLate)
    GLib.MainContext.default().iteration(true);
extension.disable();
const isRestored = CloseDialog.prototype._initDialog === own;
print(JSON.stringify([dialog.content.description, dialog.buttons, isRestored]));
"""
ANSWER = [{"sentence": "<b>x</b> [4711]\n" + "y" * 1000 + " sleeps", "report": "/r.json"}]


def run(home, way, answer):
    """Returns: the dialog's text, its buttons, and whether the shell is as before; what jankwatch was asked"""
    variables = watched.environment(home, watched=False, extra={"PATH": f"{home}/bin:/usr/bin:/bin"})
    (home / "bin").mkdir()
    if answer is not None:
        command = home / "bin/jankwatch"
        command.write_text(f"#!/bin/sh\necho \"$*\" >>\"$HOME/asked\"\ncat <<'.'\n{answer}\n.\n")
        command.chmod(0o755)
    if way == "script":
        (home / "ui").mkdir()
        (home / "ui/closeDialog.js").write_text(f"var CloseDialog = {DIALOG};\n")
        (home / "use.js").write_text(f"imports.searchPath.unshift('{SOURCE}', '{home}');\n"
                                     "const { CloseDialog } = imports.ui.closeDialog;\n"
                                     f"const make = imports.extension.init;\n{USE}")
    else:
        (home / "dialog.js").write_text(f"export const CloseDialog = {DIALOG};\n")
        (home / "extension.js").write_text((SOURCE / "extension.js").read_text().replace(URL, "./dialog.js"))
        (home / "use.js").write_text("import Extension from './extension.js';\n"
                                     "import { CloseDialog } from './dialog.js';\n"
                                     f"const make = data => new Extension(data);\n{USE}")
    ms = "30000" if "sentence" in (answer or "") else "500"
    words = ["gjs", *(["-m"] if way == "module" else []), home / "use.js", ms]
    done = subprocess.run(words, env=variables, check=False, capture_output=True, text=True, timeout=60)
    tap.check_equal((done.returncode, done.stderr), (0, ""))
    asked = (home / "asked").read_text() if (home / "asked").exists() else ""
    return json.loads(done.stdout), asked


def check_way(way):
    with tempfile.TemporaryDirectory() as folder:
        (text, buttons, is_restored), asked = run(pathlib.Path(folder), way, json.dumps(ANSWER))
        tap.check_equal(asked, "why --json 4711\n")
        tap.check(text.startswith("<b>x</b> [4711]\ufffdyyy"), text)
        tap.check_equal(len(text), 300)
        tap.check_equal(buttons, ["Show Report"])
        tap.check(is_restored, "the shell has our function still")
    for answer in (None, "", "[]", "null", "Segmentation fault"):
        with tempfile.TemporaryDirectory() as folder:
            (text, buttons, _), _ = run(pathlib.Path(folder), way, answer)
            tap.check_equal((text, buttons), ("", []))


def test_metadata():
    metadata = json.loads((SOURCE / "metadata.json").read_text())
    tap.check_equal(metadata["shell-version"], [f"{version}" for version in range(43, 52)])
    tap.check_equal(metadata["uuid"], "jankwatch@jankwatch.org")


tap.add_all(globals())
for way in ("script", "module"):
    tap.add(way, check_way, way)
tap.main("/module/shell-extension")
