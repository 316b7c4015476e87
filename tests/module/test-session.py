# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What `jankwatch run` knows of a program, also when that is killed; and what many equal stalls cost the disk."""

import os
import signal
import time

import desktop
import tap
import watched
from watched import COMMAND, GTK_WINDOW, NS_PER_S, STALLER


def read_session(program):
    """The one session file, with the number of the process it is of."""
    sessions = program.read_sessions()
    return sessions[0] if len(sessions) == 1 and "pid" in sessions[0] else None


def watched_ns(session):
    return session["hangs"]["watched_ns"] if session else 0


def test_killed_animation():
    """Its file has frames of all but the last seconds, though nothing has ended."""
    with watched.Program(COMMAND, "run", "--", GTK_WINDOW, "animated", 300, watched=False, display=True) as program:
        def is_animating():
            session = read_session(program) or {}
            return session.get("frame_clock", {}).get("active_ns", 0) >= 3 * NS_PER_S and session

        began = program.wait_for("3 s of frames in the session", is_animating)
        grown = program.wait_for("two more seconds in the file",
                                 lambda: watched_ns(read_session(program)) >= watched_ns(began) + 2 * NS_PER_S)
        os.kill(began["pid"], signal.SIGKILL)
        program.wait()
        session = read_session(program)

    tap.check_equal(program.status, 128 + signal.SIGKILL, f"the exit status ({program.errors})")
    tap.check(grown and watched_ns(session) <= program.ended_ns - program.began_ns, "more than it lasted:",
              session["hangs"])
    tap.check(session["frame_clock"]["frames"] > began["frame_clock"]["frames"], "no more frames in the file:", session)


# Stalls before its first frame, and is killed in a stall right after that, once that has a report.
KILLED = """
import glob, os, signal, time, gi
gi.require_version("Gtk", "4.0"); from gi.repository import GLib, Gtk
def stall():
    seen = [{}]
    while len(seen) < 5:
        now = {name: os.stat(name).st_mtime for name in glob.glob(f"{os.environ['XDG_STATE_HOME']}/jankwatch/*.json")}
        seen += [now] if now != seen[-1] else []
    os.kill(os.getpid(), signal.SIGKILL)
def present():
    time.sleep(0.15)
    window.present()
    window.get_surface().get_frame_clock().connect("after-paint", lambda clock: GLib.idle_add(stall))
Gtk.init(); window = Gtk.Window()
GLib.timeout_add(300, present)
GLib.MainLoop().run()
"""


def test_killed_after_first_frame():
    """Its session has that frame, however lately it was written."""
    program = watched.run(COMMAND, "run", "--", "/usr/bin/python3", "-c", KILLED, watched=False, display=True)
    tap.check_equal((program.status, program.sessions[0]["reach"]), (128 + signal.SIGKILL, "drawn"), program.errors)


def test_idle_is_left_alone():
    """A window that has come to rest: no more wake-ups, also though the session is kept up to date. Others on its
    display would take the focus from it."""
    with desktop.new_session() as display, watched.Program(COMMAND, "run", "--", GTK_WINDOW, "idle", 300, watched=False,
                                                           display=display) as program:
        program.wait_for("the first frame", lambda: "startup" in (read_session(program) or {}))
        session = read_session(program)
        before = program.wait_for_rest(session["pid"])
        modified = [path.stat().st_mtime_ns for path in (program.store / "sessions").glob("*.json")]
        time.sleep(5)
        after = watched.switches(session["pid"])
        modified_after = [path.stat().st_mtime_ns for path in (program.store / "sessions").glob("*.json")]
        os.kill(session["pid"], signal.SIGTERM)
        program.wait()

    ours = [name for name in before if name.startswith("jankwatch ")]
    tap.check(ours and all(after.get(name) == before[name] for name in ours), "the watcher's switches:", before, after)
    tap.check_equal(modified_after, modified, "the times of the session file")


def test_sources():
    with watched.Program(COMMAND, "run", "--sources", "--", STALLER, "busy-short", 3, watched=False) as program:
        program.wait()
        session = read_session(program)

    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    sources = session["sources"]
    tap.check(sources == sorted(sources, key=lambda source: -source["total_ns"]), "not in their order:", sources)
    tap.check(all(source["count"] >= 1 and 0 <= source["longest_ns"] <= source["total_ns"] for source in sources),
              "sources:", sources)
    tap.check(f'{sources[0]["count"]:d}' in program.errors.replace(",", ""), "the table:", program.errors)


tap.add_all(globals())
tap.main("/module/session", n_at_once=2)
