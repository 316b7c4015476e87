# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch run --strict`: calls on the main thread that may block, in C and in Python."""

import json
import os
import pathlib
import subprocess
import textwrap

import command
import tap
from stuck import bus
from tap import contains, equal

program, c_program, preload, strict = map(os.path.abspath, tap.arguments(4))

HERE = os.path.dirname(os.path.abspath(__file__))
LANGUAGES = {"c": [c_program], "python": ["/usr/bin/python3", os.path.join(HERE, "strict-program.py")]}
SOURCES = {"c": "strict-program.c", "python": "strict-program.py"}
BUS = "org.freedesktop.DBus"
N_PLACED = 60
PLACES = f"""
    import fcntl, tempfile
    from gi.repository import GLib

    loop = GLib.MainLoop()
    file = tempfile.TemporaryFile()

    def lock_twice(depth):
        if depth > 0:
            return lock_twice(depth - 1)
        fcntl.flock(file, fcntl.LOCK_SH)
        fcntl.flock(file, fcntl.LOCK_SH)

    def lock_one_by_one():
        while True:
            fcntl.flock(file, fcntl.LOCK_SH)
            yield

    def look(n=[0], locks=lock_one_by_one()):
        n[0] += 1
        lock_twice(n[0] % 3)
        next(locks)
        return n[0] < {N_PLACED} or loop.quit()

    GLib.timeout_add(40, look)
    loop.run()
"""
# Of each function: the kind of call, what stands in its line, and the target where it is known.
CALLS = {
    "c": {
        "jump_out": ("child", "waitpid (child, NULL, 0)", None),
        "sync_file": ("sync", "fsync (fd)", None), "sync_data": ("sync", "fdatasync (-1)", None),
        "lock_file": ("lock", "flock (fd", None), "lock_range": ("lock", "lockf (fd", None),
        "lock_record": ("lock", "fcntl (fd", None),
        "connect_here": ("connect", "connect (client", None),
        "look_up": ("dns", "getaddrinfo (", "localhost"), "wait_for_child": ("child", "waitpid (child", None),
        "run_shell": ("child", "system (", "exit 4"), "read_shell": ("child", "popen (", "echo 5"),
        "spawn_and_wait": ("child", "g_spawn_sync (", None),
        "wait_for_subprocess": ("child", "g_subprocess_wait (", None),
        "call_bus": ("dbus", "g_dbus_connection_call_sync (", f"{BUS}.GetId"),
        "call_proxy": ("dbus", "g_dbus_proxy_call_sync (", f"{BUS}.ListNames"),
        "make_proxy": ("dbus", "g_dbus_proxy_new_sync (", f"{BUS}.Peer"),
        "send_message": ("dbus", "send_message_with_reply_sync (", f"{BUS}.ListActivatableNames"),
    },
    "python": {
        "sync_file": ("sync", "os.fsync", None), "lock_file": ("lock", "fcntl.flock", None),
        "connect_here": ("connect", "create_connection", None), "look_up": ("dns", "getaddrinfo", "localhost"),
        "run_command": ("child", "subprocess.run", None), "run_shell": ("child", "os.system", "true"),
        "call_proxy": ("dbus", "proxy.call_sync", f"{BUS}.ListNames"),
        "call_bus": ("dbus", "bus.call_sync", f"{BUS}.GetId"),
    },
}
# At the end of a subprocess, GIO may have nothing more to wait for. On a machine with much to do, some calls go unseen.
N_TIMES = 9


def summary(jankwatch, *words):
    path = os.path.join(jankwatch.home, "summary.json")
    with bus(jankwatch):
        result = jankwatch.run("run", "--json", path, *words)
    return json.loads(pathlib.Path(path).read_text()), result


def line_of(call, language):
    return pathlib.Path(HERE, SOURCES[language]).read_text().splitlines()[call["line"] - 1]


def check_listed(jankwatch, language):
    found, result = summary(jankwatch, "--strict", "--", *LANGUAGES[language])
    expected = CALLS[language]
    equal(result.returncode, 7)
    equal(found["strict"], True)
    equal(sorted({call["function"] for call in found["blocking_calls"]}), sorted(expected))
    for call in found["blocking_calls"]:
        kind, text, target = expected[call["function"]]
        equal((call["function"], call["kind"], os.path.basename(call["file"])),
              (call["function"], kind, SOURCES[language]))
        contains(line_of(call, language), text)
        tap.check(1 <= call["count"] <= N_TIMES, call)
        if target is not None:
            equal((call["function"], call["target"]), (call["function"], target))


def test_c(jankwatch):
    check_listed(jankwatch, "c")


def test_python(jankwatch):
    check_listed(jankwatch, "python")


def test_places(jankwatch):
    """Two lines of a function are two places, each found again however it was come to, also below a generator."""
    path = pathlib.Path(jankwatch.home, "places.py")
    path.write_text(textwrap.dedent(PLACES))
    found, _ = summary(jankwatch, "--strict", "--", "/usr/bin/python3", str(path))
    # What began while nobody could answer is not counted.
    places = {(call["function"], call["line"]): call["count"] for call in found["blocking_calls"]}
    lines = [n for n, line in enumerate(path.read_text().splitlines(), 1) if "LOCK_SH" in line]
    equal(sorted(places), [("lock_one_by_one", lines[2]), ("lock_twice", lines[0]), ("lock_twice", lines[1])])
    tap.check(all(N_PLACED // 2 < n <= N_PLACED for n in places.values()), places)


def test_text(jankwatch):
    """Each call is a line, with the function to call instead, in the names of the program's language."""
    with bus(jankwatch):
        in_c = command.unwrapped(jankwatch.run("run", "--strict", "--", c_program, "call_proxy").stderr)
        in_python = command.unwrapped(jankwatch.run("run", "--strict", "--", *LANGUAGES["python"], "call_proxy").stderr)
    contains(in_c, "1 call on the main thread that may block:")
    contains(in_c, f"calls D-Bus synchronously: {BUS}.ListNames, ")
    contains(in_c, "Use instead: g_dbus_proxy_call() does not block the main loop")
    contains(in_python, "call_proxy() (strict-program.py:")
    contains(in_python, "Gio.DBusProxy.call() does not block the main loop")


def test_same(jankwatch):
    """The program says and returns what it does without a list: each call's result and errno."""
    with bus(jankwatch):
        for words in LANGUAGES.values():
            plain = subprocess.run(words, env=jankwatch.environment, capture_output=True, text=True)
            listed = jankwatch.run("run", "--strict", "--", *words)
            equal((listed.returncode, listed.stdout), (plain.returncode, plain.stdout))


def test_fail_if(jankwatch):
    for words, status in ((["--strict"], 3), ([], 4)):
        result = jankwatch.run("run", *words, "--fail-if", "strict>0", "--", "/bin/sh", "-c", '"$0" sync_file || true',
                               c_program)
        equal((words, result.returncode), (words, status))


def test_behind_wrapper(jankwatch):
    found, result = summary(jankwatch, "--strict", "--", "env", "sh", "-c", '"$0" sync_data; exit $?', c_program)
    equal([call["function"] for call in found["blocking_calls"]], ["sync_data"])
    contains(result.stdout, "sync_data -1 9")


def test_not_preloaded(jankwatch):
    """A list that cannot be is not an empty one. GIO finds its module all the same."""
    with bus(jankwatch):
        result = jankwatch.run("run", "--strict", "--fail-if", "strict>0", "--", "env", "-u", "LD_PRELOAD",
                               *LANGUAGES["python"])
    equal(result.returncode, 7)
    contains(command.unwrapped(result.stderr), "Blocking calls are unknown")
    contains(command.unwrapped(result.stderr), "Cannot measure whether the limit is exceeded: strict>0")


def defined(library):
    lines = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True,
                           check=True).stdout
    return {line.split()[-1] for line in lines.splitlines()}


def test_symbols(jankwatch):
    """Without the option nothing stands in front of these functions, nor of any other that is not the library's
    business."""
    blocking = {"fsync", "fdatasync", "flock", "fcntl", "connect", "getaddrinfo", "waitpid",
                "g_main_loop_run"}
    equal(blocking - defined(strict), set())
    equal(blocking & defined(preload), set())
    equal(defined(preload) - defined(strict), set())


command.add_all(globals(), program)
tap.main("/cli/strict", n_at_once=2)
