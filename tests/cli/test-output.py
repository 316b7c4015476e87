# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What a path that a command shall write to may be: what is there and is no regular file stays what it is."""

import os
import pathlib
import stat
import subprocess
import threading

import command
import tap
from tap import check, contains, equal

program, make_store = tap.arguments(2)

# Each writes to the path that follows.
COMMANDS = {
    "export": ["export", "-f", "collapsed", "-o"],
    "run": ["run", "--quiet", "--json"],
}


def write(jankwatch, name, path, status=0, **options):
    subprocess.run([make_store, jankwatch.store, str(os.getpid())], check=True)
    end = ["--", "true"] if name == "run" else []
    words = [os.path.abspath(program), *COMMANDS[name], str(path), *end]
    result = subprocess.run(words, env=jankwatch.environment, timeout=100, **{"capture_output": True, **options})
    equal((name, result.returncode), (name, status))
    return result


def is_answer(name, content):
    check(content.startswith(b"{") if name == "run" else b"compute_primes" in content, name, content)
    check(content.endswith(b"\n"), name, content)


def test_pipe(jankwatch):
    path = pathlib.Path(jankwatch.home, "pipe")
    os.mkfifo(path)
    for name in COMMANDS:
        read = []
        reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
        reader.start()
        write(jankwatch, name, path)
        reader.join()
        is_answer(name, read[0])
        check(stat.S_ISFIFO(path.lstat().st_mode), name)


def make_device(jankwatch, name, minor):
    """A node of the test's own, like /dev/null or /dev/full: a command that is wrong would replace that for
    everybody."""
    path = pathlib.Path(jankwatch.home, name)
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, minor))
        open(path, "wb").close()
    except PermissionError as error:
        raise tap.Skip(f"no device can be made here: {error}") from None
    return path


def test_device(jankwatch):
    path = make_device(jankwatch, "null", 3)
    for name in COMMANDS:
        write(jankwatch, name, path)
        check(stat.S_ISCHR(path.lstat().st_mode), name)
        equal(path.read_bytes(), b"")


def test_link_to_device(jankwatch):
    path, device = pathlib.Path(jankwatch.home, "link"), make_device(jankwatch, "full", 7)
    path.symlink_to("full")
    for name in COMMANDS:
        contains(write(jankwatch, name, path, status=1).stderr.decode(), "No space left on device")
        equal(os.readlink(path), "full")
        check(stat.S_ISCHR(device.lstat().st_mode), name)


def test_link(jankwatch):
    path, target = pathlib.Path(jankwatch.home, "link"), pathlib.Path(jankwatch.home, "target")
    for name in COMMANDS:
        for content in (b"before", None):
            path.unlink(missing_ok=True)
            path.symlink_to("target")
            target.unlink(missing_ok=True)
            if content is not None:
                target.write_bytes(content)
                target.chmod(0o640)
            write(jankwatch, name, path)
            check(path.is_symlink(), name)
            is_answer(name, target.read_bytes())
            if content is not None:
                equal(stat.S_IMODE(target.stat().st_mode), 0o640)


def test_standard_output(jankwatch):
    # As /dev/stdout, which a command that is wrong would replace for everybody.
    link, path = pathlib.Path(jankwatch.home, "stdout"), pathlib.Path(jankwatch.home, "out")
    for name in COMMANDS:
        link.unlink(missing_ok=True)
        link.symlink_to("/proc/self/fd/1")
        for stdout in (link, "-"):
            is_answer(name, write(jankwatch, name, stdout, cwd=jankwatch.home).stdout)
        check(not pathlib.Path(jankwatch.home, "-").exists(), name)
        # What is in the file already stays.
        path.write_bytes(b"before\n")
        with open(path, "ab") as file:
            write(jankwatch, name, link, capture_output=False, stdout=file, stderr=subprocess.PIPE)
        before, after = path.read_bytes().split(b"\n", 1)
        equal(before, b"before")
        is_answer(name, after)
        equal(os.readlink(link), "/proc/self/fd/1")


def test_read_only(jankwatch):
    path = pathlib.Path(jankwatch.home, "kept")
    for name in COMMANDS:
        path.unlink(missing_ok=True)
        path.write_bytes(b"before")
        path.chmod(0o444)
        writable = os.access(path, os.W_OK)
        write(jankwatch, name, path, status=0 if writable else 1)
        equal(path.read_bytes() == b"before", not writable)
        equal(stat.S_IMODE(path.stat().st_mode), 0o444)


def test_folder(jankwatch):
    path = pathlib.Path(jankwatch.home, "folder")
    path.mkdir()
    for name in COMMANDS:
        contains(write(jankwatch, name, path, status=1).stderr.decode(), "Is a directory")
        equal(list(path.iterdir()), [])


command.add_all(globals(), program)
tap.main("/cli/output")
