# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""GNOME Shell's dialog “… is not responding” with the extension of data/shell-extension, over programs that freeze:
test-shell-dialog.py rounds=ROUNDS"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import shells
import tap
import watched

ROUNDS = int(sys.argv[1].removeprefix("rounds="))
UUID = "jankwatch@jankwatch.org"
FOLDER = pathlib.Path(__file__).parent
SOURCE = FOLDER.parent.parent / "data/shell-extension"
FREEZES = FOLDER / "freezes.py"
LINE = next(number for number, line in enumerate(FREEZES.read_text().splitlines(), 1) if "sum(range" in line)
PATH = f"{watched.COMMAND.parent}:{os.environ['PATH']}"
# A program freezes for so long, but is killed once its dialog was read.
SECONDS = 60
# The shell asks a window; if that does not answer within a second, the dialog comes.
SETTINGS = "[org/gnome/mutter]\ncheck-alive-timeout=uint32 1000\n"
# Each ping has a number of its own.
ASK = """global.get_window_actors().forEach(
    (actor, i) => actor.meta_window.check_alive(global.display.get_current_time_roundtrip() + i))"""
READ = """global.get_window_actors().flatMap(actor => actor.get_children().filter(child => child.contentLayout).map(
  dialog => {
    const content = dialog.contentLayout.get_first_child();
    return [`${actor.meta_window.get_pid()}`, content.description, content._description.clutter_text.use_markup,
            dialog.buttonLayout.get_children().map(button => button.label)];
}))"""
PRESS = """global.get_window_actors().forEach(actor => actor.get_children().filter(child => child.contentLayout)
    .forEach(dialog => dialog.buttonLayout.get_children().at(-1).emit('clicked', 1)))"""
TITLES = "global.get_window_actors().map(actor => actor.meta_window.get_title())"
NOTIFICATIONS = "Main.messageTray.getSources().flatMap(source => source.notifications.map(({title}) => title))"
DEFAULT = "You may choose to wait"


@contextlib.contextmanager
def shell(path):
    with shells.start(extra={"PATH": path}) as program:
        shutil.copytree(SOURCE, program.home / "data/gnome-shell/extensions" / UUID)
        shells.enable(program.home, [UUID], SETTINGS)
        yield shells.Shell(program)
        # Whatever goes wrong in an extension is a line there.
        for word in ("JS ERROR", "JS WARNING", UUID, "Gjs-CRITICAL"):
            tap.check(word not in program.errors, program.errors)


class Frozen:
    """Programs that freeze, of each kind one."""

    def __init__(self, shell, kinds, is_watched, name="python3"):
        self.shell = shell
        self.programs = {kind: subprocess.Popen([sys.executable, FREEZES, kind, f"{SECONDS}", name],
                                                env=shell.client(is_watched), start_new_session=True) for kind in kinds}

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        for process in self.programs.values():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def wait_for_dialogs(self, fits):
        """Returns: by kind description and buttons, once all of them fit."""
        kinds = {f"{process.pid}": kind for kind, process in self.programs.items()}

        def find():
            self.shell.evaluate(ASK)
            found = {kinds[pid]: (text, buttons) for pid, text, is_markup, buttons in self.shell.evaluate(READ)
                     if pid in kinds and fits(text) and not is_markup}
            return found if len(found) == len(kinds) else None

        return self.shell.wait_for("dialogs", find)


def expected(kind, pid, is_watched):
    own = rf"python3 \[{pid}\] "
    return own + {
        "freeze_in_sleep": r"sleeps for .* s",
        "freeze_computing": rf"computes in freeze_computing\(\) \(freezes\.py:{LINE}\)" if is_watched else "computes",
        "freeze_on_child": r"waits for sleep \[\d+\], which sleeps for .* s",
    }[kind]


KINDS = ("freeze_in_sleep", "freeze_computing", "freeze_on_child")


def check_dialogs():
    texts = []
    with shell(PATH) as own:
        for n in range(ROUNDS):
            is_watched = n % 2 == 0
            with Frozen(own, KINDS, is_watched) as frozen:
                for kind, (text, buttons) in frozen.wait_for_dialogs(lambda text: DEFAULT not in text).items():
                    pattern = expected(kind, frozen.programs[kind].pid, is_watched)
                    tap.check(re.fullmatch(pattern, text), f"{kind}: {text!r} is not {pattern}")
                    tap.check_equal("Show Report" in buttons, is_watched)
                    texts.append(text)
    return "\n".join([f"{len(texts)} dialogs", *texts[:2 * len(KINDS)]])


def check_report():
    """The button opens the report."""
    with shell(PATH) as own, Frozen(own, KINDS[:1], True) as frozen:
        frozen.wait_for_dialogs(lambda text: DEFAULT not in text)
        own.evaluate(PRESS)
        own.wait_for("the window", lambda: "jankwatch" in [title.lower() for title in own.evaluate(TITLES)])


def check_notification():
    """Nobody uses the window, so there is no dialog."""
    with shell(PATH) as own, Frozen(own, KINDS[:1], True):
        own.wait_for("the notification", lambda: "“freezes.py” is not responding" in own.evaluate(NOTIFICATIONS))
        tap.check_equal(own.evaluate(READ), [])


for name in ("dialogs", "report", "notification"):
    tap.add(name, globals()[f"check_{name}"])
tap.main("/module/shell-dialog")
