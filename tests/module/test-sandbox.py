# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Inside a sandbox as Flatpak makes it: namespaces of its own and no capabilities. The way in is the one that the
manual names. Its filter of system calls: module/filters."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile

import tap
import watched
from watched import LIBRARY, MODULE, STALLER

@contextlib.contextmanager
def sandbox():
    """The words before a command, and the folder in which jankwatch is there."""
    if shutil.which("bwrap") is None:
        raise AssertionError("There is no bwrap: install the package ‘bubblewrap’")
    with tempfile.TemporaryDirectory(prefix="jankwatch-sandbox-") as name:
        folder = pathlib.Path(name)
        (folder / "gio/modules").mkdir(parents=True)
        shutil.copy(MODULE, folder / "gio/modules")
        shutil.copy(LIBRARY, folder)
        words = ["bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--unshare-pid", "--unshare-ipc",
                 "--unshare-net", "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev",
                 "--tmpfs", "/tmp", "--ro-bind", "/usr", "/usr",
                 "--ro-bind", STALLER.parent, "/app/bin", "--ro-bind", folder, folder]
        for link in "lib", "lib64", "bin", "sbin":
            words += ["--symlink", f"usr/{link}", f"/{link}"]
        tried = subprocess.run([f"{word}" for word in (*words, "--", "true")], capture_output=True, text=True)
        if tried.returncode != 0:
            raise tap.Skip(f"this machine allows no namespaces: {tried.stderr.strip()}")
        yield words, folder


def run(*command, **options):
    with sandbox() as (words, folder):
        # A home of its own, as Flatpak's ~/.var/app/ID.
        home = ["sh", "-c", 'exec "$@" --bind "$HOME" "$HOME" -- ' + " ".join(command), "sh"]
        extra = {"GIO_EXTRA_MODULES": folder / "gio/modules", "LD_LIBRARY_PATH": folder}
        return watched.run(prefix=[*home, *words], extra=extra, **options)


def test_stall(kind, method):
    program = run("/app/bin/staller", kind, "1000")
    tap.check(program.truth is not None, program.errors)
    report = watched.find_stall(program)
    tap.check_equal(report["culprit"]["function"], program.truth["function"], "the culprit")
    methods = [sample["method"] for sample in report["samples"]]
    tap.check(method in methods, f"no sample by {method}:", methods)
    tap.check_equal(program.messages, [], "what jankwatch says")


tap.add("compute", test_stall, "compute", "signal")
tap.add("sleep", test_stall, "sleep", "blocked")
tap.main("/module/sandbox")
