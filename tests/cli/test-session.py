# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch session`: what it writes has a session's programs watched, and off leaves nothing of it."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import textwrap

import command
import tap
from tap import check, contains, equal

program, loop_program = tap.arguments(2)

PYTHON = """
    #!/usr/bin/python3
    import time
    from gi.repository import Gio, GLib

    def freeze():
        time.sleep(0.6)

    loop = GLib.MainLoop()
    Gio.File.new_for_path("/")
    GLib.timeout_add(50, freeze)
    GLib.timeout_add(500, loop.quit)
    loop.run()
"""


def tree(jankwatch, folder="config"):
    """All that is below a folder, with contents and modes."""
    found = {}
    for path in pathlib.Path(jankwatch.home, folder).rglob("*"):
        info = path.lstat()
        found[str(path)] = (info.st_mode, path.read_bytes() if path.is_file() else None)
    return found


def files(jankwatch):
    config = pathlib.Path(jankwatch.environment.get("XDG_CONFIG_HOME") or os.path.join(jankwatch.home, ".config"))
    return (config / "environment.d/90-jankwatch.conf",
            config / "systemd/user/org.gnome.Shell@.service.d/jankwatch.conf")


def session(jankwatch, *arguments, status=0, **environment):
    result = jankwatch.run("session", *arguments, **environment)
    equal((result.returncode, status == 0 and result.stderr), (status, status == 0 and ""))
    return result


def sourced(jankwatch, **before):
    """The variables that a shell has after reading the file."""
    path = files(jankwatch)[0]
    result = subprocess.run(["sh", "-c", 'set -a; . "$0"; set +a; env -0', path],
                            env={"PATH": os.environ["PATH"], **before}, stdout=subprocess.PIPE, text=True, check=True)
    return dict(entry.split("=", 1) for entry in result.stdout.split("\0") if entry)


def test_environment(jankwatch):
    session(jankwatch, "on", "--except", "totem", "--except", "gnome-calculator")
    found = sourced(jankwatch)
    equal(found["GTK_MODULES"], "jankwatch")
    equal(found["JANKWATCH_EXCEPT"], "totem:gnome-calculator")
    check(os.path.exists(os.path.join(found["GIO_EXTRA_MODULES"], "libgiojankwatch.so")), found)
    found = sourced(jankwatch, GTK_MODULES="canberra:x", GIO_EXTRA_MODULES="/a")
    equal(found["GTK_MODULES"], "canberra:x:jankwatch")
    check(found["GIO_EXTRA_MODULES"].startswith("/a:/"), found)


def test_systemd_reads_it(jankwatch):
    generator = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"
    if not os.path.exists(generator):
        raise tap.Skip("systemd is not installed")
    session(jankwatch, "on", "--except", "totem")
    result = subprocess.run([generator], env={**jankwatch.environment, "GTK_MODULES": "canberra"}, capture_output=True,
                            text=True, check=True)
    contains(result.stdout.splitlines(), "GTK_MODULES=canberra:jankwatch")
    contains(result.stdout.splitlines(), "JANKWATCH_EXCEPT=totem")
    equal(result.stderr, "")


def freeze(jankwatch, name, **environment):
    """Runs the program, as a session's; the programs that have reports."""
    variables = sourced(jankwatch)
    subprocess.run([os.path.join(jankwatch.home, name), "compute"], stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=100, env={**jankwatch.environment, **variables, "DBUS_SESSION_BUS_ADDRESS": "disabled:",
                        "LD_PRELOAD": "libgtk-4.so.1", **environment})
    result = jankwatch.run("list", "--json")
    equal(result.returncode, 0)
    return {report["app"] for report in json.loads(result.stdout)}


def test_programs(jankwatch):
    """As a session starts them; GIO's module asks whether GTK 4 is there."""
    try:
        ctypes.CDLL("libgtk-4.so.1")
    except OSError:
        raise tap.Skip("there is no GTK 4")
    names = {"freezer", "freezer-in-python"}
    shutil.copy(loop_program, os.path.join(jankwatch.home, "freezer"))
    path = pathlib.Path(jankwatch.home, "freezer-in-python")
    path.write_text(textwrap.dedent(PYTHON).lstrip())
    path.chmod(0o700)

    session(jankwatch, "on", *(f"--except={name}" for name in names), "--except=other")
    for name in names:
        equal(freeze(jankwatch, name), set())
    session(jankwatch, "on", "--except=freezer-")
    for name in names:
        contains(freeze(jankwatch, name), name)


def test_run_watches_what_is_left_out(jankwatch):
    name = os.path.basename(loop_program)
    result = jankwatch.run("run", "--", loop_program, "compute", JANKWATCH_EXCEPT=name)
    contains(result.stderr, "freeze_by_computing")


def test_off_leaves_nothing(jankwatch):
    """With and without folders and files of the user's beside it."""
    config = pathlib.Path(jankwatch.home, "config")
    for beside in (None, "environment.d/10-mine.conf", "systemd/user/mine.service",
                   "systemd/user/org.gnome.Shell@.service.d/mine.conf"):
        if beside is not None:
            (config / beside).parent.mkdir(parents=True, exist_ok=True)
            (config / beside).write_text("A=b\n")
        before = {name for name, (_, content) in tree(jankwatch).items() if content is not None}
        session(jankwatch, "on", "--shell")
        check(len(tree(jankwatch)) > len(before), "nothing was written")
        session(jankwatch, "on", "--shell", "--except", "totem")
        session(jankwatch, "on")
        session(jankwatch, "off")
        equal({name for name, (_, content) in tree(jankwatch).items() if content is not None}, before)
        equal([path.parent.exists() for path in files(jankwatch)],
              [any(name.startswith(f"{path.parent}/") for name in before) for path in files(jankwatch)])
    session(jankwatch, "off")


def test_again(jankwatch):
    session(jankwatch, "on", "--shell")
    before = tree(jankwatch)
    session(jankwatch, "on", "--shell")
    equal(tree(jankwatch), before)
    session(jankwatch, "on")
    equal([path.exists() for path in files(jankwatch)], [True, False])
    # As 0.2.0 wrote it, with a check at its end.
    files(jankwatch)[0].write_text("# Written by “jankwatch session on”, removed by “jankwatch session off”, unless it "
                                   "has been edited.\nGTK_MODULES=\"jankwatch\"\n# check 0123456789abcdef 1\n")
    session(jankwatch, "off")
    equal(files(jankwatch)[0].exists(), False)


def test_edited(jankwatch):
    """What is somebody else's stays, whichever of the files it is."""
    for i in (0, 1):
        for text in ("A=b\n", ""):
            session(jankwatch, "on", "--shell")
            path = files(jankwatch)[i]
            path.write_text(text)
            before = tree(jankwatch)
            for words in ["on", "--shell", "--except", "a"], ["off"]:
                contains(command.unwrapped(session(jankwatch, *words, status=1).stderr), "did not write it")
                equal(path.read_text(), text)
                equal(words == ["off"] or tree(jankwatch) == before, True)
            contains(command.unwrapped(jankwatch.run("session", "status").stderr), "did not write it")
            equal({name for name, (_, content) in tree(jankwatch).items() if content is not None}, {str(path)})
            path.unlink()


def test_edited_and_not_asked_for(jankwatch):
    """GNOME Shell's file is a person's: programs are watched without it."""
    path = files(jankwatch)[1]
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\n")
    session(jankwatch, "on")
    session(jankwatch, "on", "--shell", status=1)
    equal((path.read_text(), files(jankwatch)[0].exists()), ("[Service]\n", True))


def test_link(jankwatch):
    path = files(jankwatch)[0]
    path.parent.mkdir(parents=True)
    path.symlink_to("/dev/null")
    session(jankwatch, "on", status=1)
    session(jankwatch, "off", status=1)
    equal(os.readlink(path), "/dev/null")


def test_home(jankwatch):
    """Without XDG_CONFIG_HOME, and with one that is no absolute path."""
    for value in (None, "config"):
        jankwatch.environment.pop("XDG_CONFIG_HOME", None)
        if value is not None:
            jankwatch.environment["XDG_CONFIG_HOME"] = value
        session(jankwatch, "on")
        check(os.path.exists(os.path.join(jankwatch.home, ".config/environment.d/90-jankwatch.conf")), "no file")
        session(jankwatch, "off")
        equal(os.path.exists(os.path.join(jankwatch.home, ".config/environment.d")), False)


def test_cannot_write(jankwatch):
    """For root, too."""
    pathlib.Path(jankwatch.home, "config").write_text("")
    contains(session(jankwatch, "on", "--shell", status=1).stderr, "90-jankwatch.conf")
    equal(pathlib.Path(jankwatch.home, "config").read_text(), "")
    session(jankwatch, "off", status=0)


def test_when(jankwatch):
    jankwatch.environment["XDG_CONFIG_HOME"] = os.path.join(jankwatch.home, "a 'folder'")
    line = re.search("set -a; .*; set \\+a", session(jankwatch, "on").stdout)[0]
    modules = subprocess.run(["sh", "-c", line + '; echo "$GTK_MODULES"'], env={}, capture_output=True, text=True,
                             check=True).stdout
    equal(modules, "jankwatch\n")
    os.mkdir(os.path.join(jankwatch.home, "systemd"))
    contains(session(jankwatch, "on").stdout, "Takes effect when you log in again.")
    contains(session(jankwatch).stdout, "Takes effect when you log in again.")
    check("log in" not in session(jankwatch, "status", GTK_MODULES="a:jankwatch").stdout, "is in effect")


def test_status(jankwatch):
    found = session(jankwatch, "status").stdout
    contains(found, "Programs with GTK: not watched\nGNOME Shell: not watched\n")
    contains(found, "0 programs are watched now")
    session(jankwatch, "on", "--shell", "--except", "totem")
    with subprocess.Popen([loop_program, "hang"], env={**jankwatch.environment, **sourced(jankwatch), "JANKWATCH": "1"},
                          stderr=subprocess.DEVNULL) as popen:
        try:
            for _ in range(100):
                found = session(jankwatch, "status").stdout
                if "1 program is watched now" in found:
                    break
        finally:
            popen.kill()
    contains(found, "1 program is watched now")
    contains(found, "Left out: totem\n")
    for path in files(jankwatch):
        contains(found, f": watched: {path}\n")
    contains(found, "Takes effect" if os.path.isdir(os.path.join(jankwatch.home, "systemd")) else "set -a; ")


def test_usage(jankwatch):
    for arguments in (["maybe"], ["on", "off"], ["off", "--shell"], ["on", "--except", "a b"],
                      ["on", "--except", "/bin/a"],
                      ["on", "--except", "$HOME"], ["on", "--except", "a:b"], ["on", "--except", ""]):
        session(jankwatch, *arguments, status=2)
        equal(tree(jankwatch), {})


command.add_all(globals(), program)
tap.main("/cli/session")
