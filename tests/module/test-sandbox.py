# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Inside a sandbox as Flatpak makes it: namespaces of its own, no capabilities, and a filter that refuses what
Flatpak's refuses to programs that are not being developed. The way in is the one that the manual names."""

import contextlib
import errno
import pathlib
import shutil
import struct
import subprocess
import tempfile

import tap
import watched
from watched import LIBRARY, MODULE, STALLER

X86_64 = 0xC000003E
NEW_USER = 0x10000000  # CLONE_NEWUSER
TIOCSTI = 0x5412
PTRACE, PERSONALITY, PERF_EVENT_OPEN, CLONE, IOCTL = 101, 135, 298, 56, 16

# syslog uselib acct modify_ldt quotactl add_key keyctl request_key move_pages mbind get_mempolicy set_mempolicy
# migrate_pages unshare setns mount umount2 pivot_root chroot
REFUSED = [103, 134, 163, 154, 179, 248, 250, 249, 279, 237, 239, 238, 256, 272, 308, 165, 166, 155, 161,
           PTRACE, PERF_EVENT_OPEN]
# clone3 open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr
UNKNOWN = [435, 428, 429, 430, 431, 432, 433, 442]

LOAD, EQUAL, HAS_BITS, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER_AT, ARCHITECTURE_AT, ARGUMENT_AT = 0, 4, 16


def make_filter():
    """A program for the kernel's packet filter, as struct sock_filter; a jump skips so many if it holds, so many if
    not."""
    steps = [(LOAD, 0, 0, ARCHITECTURE_AT), (EQUAL, 1, 0, X86_64), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER_AT)]
    for numbers, error in (REFUSED, errno.EPERM), (UNKNOWN, errno.ENOSYS):
        for number in numbers:
            steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE | error)]
    steps += [(EQUAL, 0, 4, CLONE), (LOAD, 0, 0, ARGUMENT_AT), (HAS_BITS, 0, 1, NEW_USER),
              (RETURN, 0, 0, REFUSE | errno.EPERM), (RETURN, 0, 0, ALLOW)]
    steps += [(EQUAL, 0, 4, IOCTL), (LOAD, 0, 0, ARGUMENT_AT + 8), (EQUAL, 0, 1, TIOCSTI),
              (RETURN, 0, 0, REFUSE | errno.EPERM), (RETURN, 0, 0, ALLOW)]
    steps += [(EQUAL, 0, 4, PERSONALITY), (LOAD, 0, 0, ARGUMENT_AT), (EQUAL, 1, 0, 0),
              (RETURN, 0, 0, REFUSE | errno.EPERM), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("HBBI", *step) for step in (*steps, (RETURN, 0, 0, ALLOW)))


@contextlib.contextmanager
def sandbox():
    """The words before a command, and the folder in which jankwatch is there."""
    if shutil.which("bwrap") is None:
        raise AssertionError("There is no bwrap: install the package ‘bubblewrap’")
    with tempfile.TemporaryDirectory(prefix="jankwatch-sandbox-") as name:
        folder = pathlib.Path(name)
        (folder / "filter").write_bytes(make_filter())
        (folder / "gio/modules").mkdir(parents=True)
        shutil.copy(MODULE, folder / "gio/modules")
        shutil.copy(LIBRARY, folder)
        words = ["sh", "-c", 'exec 9<"$0"; exec bwrap "$@"', folder / "filter", "--seccomp", "9",
                 "--unshare-user", "--uid", "1000", "--gid", "1000", "--unshare-pid", "--unshare-ipc", "--unshare-net",
                 "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
                 "--ro-bind", "/usr", "/usr", "--ro-bind", STALLER.parent, "/app/bin", "--ro-bind", folder, folder]
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


def test_filter():
    """Else the other tests prove nothing."""
    code = ("import ctypes, os; libc = ctypes.CDLL(None, use_errno=True); "
            f"print([(libc.syscall(n, 0, 0, 0, 0, 0), ctypes.get_errno()) for n in {[PTRACE, PERF_EVENT_OPEN, 272]}], "
            "os.getpid() < 10)")
    program = run("/usr/bin/python3", "-c", f"'{code}'", watched=False)
    tap.check_equal(program.output, f"{[(-1, errno.EPERM)] * 3} True\n", f"what the sandbox refuses ({program.errors})")


def test_stall(kind, method):
    program = run("/app/bin/staller", kind, "400")
    tap.check(program.truth is not None, program.errors)
    report = watched.find_stall(program)
    watched.skip_if_starved(report)
    tap.check_equal(report["culprit"]["function"], program.truth["function"], "the culprit")
    methods = [sample["method"] for sample in report["samples"]]
    tap.check(method in methods, f"no sample by {method}:", methods)
    tap.check_equal(program.messages, [], "what jankwatch says")


tap.add("filter", test_filter)
tap.add("compute", test_stall, "compute", "signal")
tap.add("sleep", test_stall, "sleep", "blocked")
tap.main("/module/sandbox")
