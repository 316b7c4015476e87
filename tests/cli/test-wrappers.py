# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch run` of a program that stands behind others: it is watched, and what it starts is not."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

import command
import tap
from tap import contains, equal

program, glib_only, sanitized = map(os.path.abspath, tap.arguments(3))
HERE = os.path.dirname(os.path.abspath(__file__))

# A shell reads words: the build's path may have blanks.
links = tempfile.TemporaryDirectory()
for path in glib_only, sanitized:
    os.symlink(path, os.path.join(links.name, os.path.basename(path)))
glib_only, sanitized = (os.path.join(links.name, os.path.basename(path)) for path in (glib_only, sanitized))

PROGRAMS = {
    "c": [glib_only, "loop"],
    "python": ["/usr/bin/python3", os.path.join(HERE, "glib-only.py")],
}

EXECUTABLES = {"c": "/glib-only", "python": "/python3"}

# Takes a command behind it.
WRAPPERS = {
    "env": ["env", "A=b"],
    "env-split": ["env", "-S", "A=b nice"],
    "sh-exec": ["sh", "-c", 'exec "$@"', "sh"],
    "sh-child": ["sh", "-c", '"$@"; exit $?', "sh"],
    "bash-pipe": ["bash", "-c", 'set -o pipefail; "$@" | cat', "bash"],
    "timeout": ["timeout", "60"],
    "nice": ["nice"],
    "setsid-fork": ["setsid", "--fork", "--wait"],
    "stdbuf": ["stdbuf", "-oL"],
    "xargs": ["sh", "-c", 'printf "%s\\0" "$@" | xargs -0 env', "sh"],
    "find": ["find", "/", "-maxdepth", "0", "-exec"],
    "unshare": ["unshare", "--map-root-user"],
    "unshare-fork": ["unshare", "--map-root-user", "--fork", "--pid"],
    "bwrap": ["bwrap", "--dev-bind", "/", "/"],
    "strace": ["strace", "-f", "-o", "/dev/null"],
    "dbus-run-session": ["dbus-run-session", "--"],
    "xvfb-run": ["xvfb-run", "-a"],
    "python": ["python3", "-c", "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"],
    "python-exec": ["python3", "-c", "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])"],
    "perl": ["perl", "-e", "system(@ARGV); exit($? >> 8)"],
}
BEHIND = {"find": [";"]}
STATUS = {"find": 0, "xargs": 123}
TRACERS = {"strace"} # a stop by a tracer is no stall
ALONE = {"xvfb-run": threading.Lock()} # two at once look for the same free number

# What `run` itself sets.
OURS = {"GTK_MODULES", "GTK_PATH", "GIO_EXTRA_MODULES", "JANKWATCH", "JANKWATCH_SESSION", "JANKWATCH_STARTER"}


def need(words):
    """Unwatched, where it can run at all."""
    if shutil.which(words[0]) is None:
        raise tap.Skip(f"{words[0]} is not installed")


def need_wrapper(jankwatch, name):
    need(WRAPPERS[name])
    with ALONE.get(name, contextlib.nullcontext()):
        result = subprocess.run([*WRAPPERS[name], "true", *BEHIND.get(name, [])], env=jankwatch.environment,
                                timeout=100, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        raise tap.Skip(f"{name} does not run here: {result.stderr.strip()}")


def watched(jankwatch, *words, **environment):
    path = os.path.join(jankwatch.home, "summary.json")
    result = jankwatch.run("run", "--quiet", "--json", path, "--", *words, **environment)
    with open(path) as file:
        return json.load(file), result


def check_watched(jankwatch, words, kind="c", status=7, is_traced=False):
    """A busy machine may have no stack, but none of another function, or no CPU for the watcher when a stall ends."""
    summary, result = watched(jankwatch, *words)
    assert (result.returncode, len(summary["processes"])) == (status, 1), result
    contains(summary["processes"][0]["app"]["exe"], EXECUTABLES[kind])
    culprits = [stall.get("culprit") for stall in summary["stalls"]
                if stall["kind"] in ("stall", "startup") and
                (stall["duration_ns"] > 280e6 or stall["outcome"] == "killed")]
    assert culprits or is_traced, (summary["stalls"], result.stderr)
    assert kind != "c" or set(culprits) <= {"freeze_by_computing", None}, culprits


def check_wrapper(jankwatch, name, kind):
    need_wrapper(jankwatch, name)
    need(PROGRAMS[kind])
    with ALONE.get(name, contextlib.nullcontext()):
        check_watched(jankwatch, [*WRAPPERS[name], *PROGRAMS[kind], *BEHIND.get(name, [])], kind,
                      STATUS.get(name, 7), name in TRACERS)


def check_children(jankwatch, kind):
    """Those of a program with GLib are left alone, also before it is watched."""
    need(PROGRAMS[kind])
    summary, result = watched(jankwatch, "sh", "-c", '"$@"', "sh", *PROGRAMS[kind], *PROGRAMS["c"])
    equal((result.returncode, len(summary["processes"])), (7, 1))
    contains(summary["processes"][0]["app"]["exe"], EXECUTABLES[kind])
    summary, result = watched(jankwatch, *PROGRAMS[kind], "env")
    equal(result.stdout.count("JANKWATCH=1"), 2)
    assert "libjankwatch-preload" not in result.stdout, result.stdout


def test_script(jankwatch):
    jankwatch.environment["PATH"] = "/usr/bin:/bin"
    for line in ("#!/usr/bin/env python3", "#! /usr/bin/python3 -u"):
        path = os.path.join(jankwatch.home, "script")
        with open(path, "w") as script, open(PROGRAMS["python"][1]) as source:
            script.write(line + "\n" + source.read())
        os.chmod(path, 0o755)
        for words in ([path], ["nice", path]):
            check_watched(jankwatch, words, "python")


def test_shell_script(jankwatch):
    """Without a first line: execvp() has a shell read it."""
    path = os.path.join(jankwatch.home, "script")
    pathlib.Path(path).write_text(f"cd /\n{glib_only} loop\nexit $?\n")
    os.chmod(path, 0o755)
    check_watched(jankwatch, ["env", path])


def test_folder_in_path(jankwatch):
    """A folder in PATH may hold another of the program's name: execvp() goes on to the next."""
    os.makedirs(os.path.join(jankwatch.home, "bin", "glib-only"))
    folders = [os.path.join(jankwatch.home, "bin"), os.path.dirname(glib_only), os.environ["PATH"]]
    jankwatch.environment["PATH"] = ":".join(folders)
    check_watched(jankwatch, ["glib-only", "loop"])
    check_watched(jankwatch, ["timeout", "60", "glib-only", "loop"])


def test_gio_behind_wrapper(jankwatch):
    """The module that GIO loads comes before the loop: a start-up that freezes is seen."""
    code = "import time\nfrom gi.repository import Gio\nGio.NetworkMonitor.get_default()\ntime.sleep(0.6)\n" \
           "from gi.repository import GLib\nloop = GLib.MainLoop()\nGLib.timeout_add(50, loop.quit)\nloop.run()"
    summary, result = watched(jankwatch, "timeout", "60", "/usr/bin/python3", "-c", code)
    equal([stall["kind"] for stall in summary["stalls"]][:1], ["startup"])


def test_fork_without_exec(jankwatch):
    code = f"import os, runpy\nif os.fork() == 0:\n    runpy.run_path({PROGRAMS['python'][1]!r})\nos.wait()"
    summary, _ = watched(jankwatch, "sh", "-c", '"$@"; :', "sh", "/usr/bin/python3", "-c", code)
    equal(summary["processes"], [])


def test_sanitized(jankwatch):
    """The address sanitizer's runtime refuses to start behind a library, if it is not told otherwise."""
    for words in [], ["sh", "-c", '"$@"; exit $?', "sh"]:
        _, result = watched(jankwatch, *words, sanitized, "loop", ASAN_OPTIONS="detect_leaks=0")
        equal(result.returncode, 7)
        assert "Sanitizer" not in result.stderr and "ASan" not in result.stderr, result.stderr


def test_other_loader(jankwatch):
    """Only the C library's loader finds the library by the name in the variable. Another one would not start a program
    with it."""
    library = jankwatch.run("run", "--", "sh", "-c", 'echo "$LD_PRELOAD"').stdout.strip()
    assert library.startswith("/$LIB/") and not os.path.exists(library), library


def test_list(jankwatch):
    """The program's own libraries stay in the variable, with and without another before ours."""
    for words in [], ["env", "stdbuf", "-oL"]:
        _, result = watched(jankwatch, *words, *PROGRAMS["c"], "sh", "-c", 'echo "${LD_PRELOAD-unset}"',
                            LD_PRELOAD="libm.so.6")
        seen = [line for line in result.stdout.splitlines() if line]
        tap.check(seen and all("jankwatch" not in line and line.startswith("libm.so.6") for line in seen), seen)


def test_asked_not_to(jankwatch):
    for words in ["env", "JANKWATCH=0"], ["env", "-u", "JANKWATCH"], ["env", "-i"]:
        result = jankwatch.run("run", "--", *words, "env")
        assert "LD_PRELOAD" not in result.stdout, result.stdout


def test_iterate(jankwatch):
    """A loop that the program turns itself."""
    check_watched(jankwatch, [glib_only, "iterate"])


def test_services(jankwatch):
    """The bus starts services for whoever asks: they are not the command's."""
    need(["dbus-run-session"])
    services = os.path.join(jankwatch.home, "data", "dbus-1", "services")
    seen = os.path.join(jankwatch.home, "seen")
    os.makedirs(services)
    pathlib.Path(services, "test.Service.service").write_text(
        f'[D-BUS Service]\nName=test.Service\nExec=/bin/sh -c "env > {seen}; {glib_only} loop"\n')
    ask = "dbus-send --session --dest=org.freedesktop.DBus --print-reply / org.freedesktop.DBus.StartServiceByName " \
          'string:test.Service uint32:0; exec "$@"'
    summary, _ = watched(jankwatch, "dbus-run-session", "--", "sh", "-c", ask, "sh", *PROGRAMS["c"],
                         XDG_DATA_HOME=os.path.join(jankwatch.home, "data"))
    text = pathlib.Path(seen).read_text()
    contains(text, "DBUS_STARTER_ADDRESS=")
    assert "LD_PRELOAD" not in text, text
    equal(len(summary["processes"]), 1)


command.add_all(globals(), program)
for wrapper in WRAPPERS:
    command.add(f"{wrapper}/c", check_wrapper, program, wrapper, "c")
for wrapper in ("env", "sh-child", "python-exec"):
    command.add(f"{wrapper}/python", check_wrapper, program, wrapper, "python")
for kind in PROGRAMS:
    command.add(f"children/{kind}", check_children, program, kind)
tap.main("/cli/wrappers", n_at_once=2)
