# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The suites: installed tests of Debian's *-tests packages, and modules of CPython's own tests."""

import configparser
import os
import pathlib
import shlex
import subprocess
import sys

from program import Program

HERE = pathlib.Path(__file__).resolve().parent
INSTALLED = pathlib.Path("/usr/share/installed-tests")
CPYTHON_FOLDER = pathlib.Path(os.__file__).parent / "test"
# A suite's name: its folder below INSTALLED.
FOLDERS = {
    "glib": "glib", "gjs": "gjs", "gtk4": "gtk-4.0", "libsoup": "libsoup-3.0", "pango": "pango",
    "gdk-pixbuf": "gdk-pixbuf", "glib-networking": "glib-networking", "librsvg": "RSVG", "dbus-python": "dbus-python",
    "graphene": "graphene-1.0", "gtksourceview": "gtksourceview-5", "gcab": "libgcab-1.0",
}
# They take minutes and tell nothing but times.
BENCHMARKS = {"glib/performance"}
# Modules whose tests need no test_main().
CPYTHON = """
    abc argparse array ast asyncgen asyncore atexit augassign base64 bdb binascii bisect bool bufio bytes bz2
    calendar call capi class cmath code codecs collections compile complex contextlib contextlib_async copy
    coroutines csv ctypes dataclasses datetime defaultdict deque descr dict dis enum enumerate exceptions
    except_star fcntl file fileio filter float fractions frame fstring functools future gc generators genericpath
    getpass glob grammar graphlib gzip hashlib heapq hmac html inspect int io isinstance iter itertools json list
    logging lzma mailbox marshal math memoryview mmap operator os patma pathlib pickle pipes poll posix pprint pty
    queue random re select selectors set shutil signal socket sqlite3 statistics string struct subprocess syslog
    tempfile textwrap thread threading time traceback tracemalloc tuple types typing unicodedata unittest urlparse
    uuid wait3 wait4 weakref zipfile zlib
    """.split()
# A minute of what jankwatch comes closest to: loops, threads, tasks, D-Bus, JavaScript. The longest first.
SLICE = {
    "glib": """
        timeout gsubprocess gmenumodel mainloop gdbus-proxy threadtests gdbus-export unix actions asyncqueue cancellable
        cond contexts custom-dispatch gdbus-close-pending gdbus-connection gdbus-names gdbus-peer gdbus-proxy-threads
        gdbus-subscribe gdbus-threading once pollable signals simple-async-result sleepy-stream socket-service task
        testing thread thread-pool timer unix-fd unix-streams
        """.split(),
    "gjs": """
        testAsync testExceptions testGDBus testGio testGLib testGObject testMainloop testPromise testSignals testTimers
        """.split(),
}


def _read_installed(suite, path):
    entry = configparser.RawConfigParser(strict=False)
    entry.optionxform = str
    entry.read(path)
    test = entry["Test"]
    environment = dict(pair.split("=", 1) for pair in test.get("TestEnvironment", "").split(";") if pair)
    name = str(path.relative_to(INSTALLED / FOLDERS[suite]).with_suffix(""))
    return Program(suite, name, shlex.split(test["Exec"]), environment)


def version(suite):
    """Returns: the package that the suite is of, with its version"""
    path = CPYTHON_FOLDER / "test_os.py" if suite == "cpython" else next((INSTALLED / FOLDERS[suite]).rglob("*.test"))
    package = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, check=True).stdout.split(":")[0]
    return subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}", package], capture_output=True, text=True,
                          check=True).stdout


def names():
    return [*FOLDERS, "cpython"]


def programs(suite):
    """Returns: the programs of this suite that this machine has"""
    if suite == "cpython":
        return [Program(suite, name, [sys.executable, str(HERE / "cpython.py"), f"test.test_{name}"], {})
                for name in CPYTHON if any(CPYTHON_FOLDER.glob(f"test_{name}*"))]
    found = [_read_installed(suite, path) for path in sorted((INSTALLED / FOLDERS[suite]).rglob("*.test"))]
    return [program for program in found if str(program) not in BENCHMARKS]
