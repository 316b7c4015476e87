# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One test program of other people's, run watched or unwatched in folders of its own, and what came of it."""

import collections
import contextlib
import dataclasses
import getpass
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import desktop

AGGRESSIVE = ("threshold=4ms,interval=1ms,first-sample=1ms,annealing=no,"
              "max-per-session=100000,max-reports=100000,max-bytes=4G")
# The settings of JANKWATCH_CONFIG, or None: unwatched.
MODES = {"unwatched": None, "default": "", "aggressive": AGGRESSIVE}

FOLDERS = {"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config",
           "XDG_DATA_HOME": "data", "XDG_RUNTIME_DIR": "run", "TMPDIR": "tmp"}
RESULT = re.compile(r"^\s*(not ok|ok)\b(?: +\d+)?(?: +-)? *(.*?)(?: - \S+:ERROR:.*)?(?: *# *(skip|todo)\b.*)?$",
                    re.IGNORECASE)
# What a name says of a time or a place differs from run to run.
CHANGES = re.compile(r"\d+\.\d+ *(?:ms|secs?|s)\b|0x[0-9a-f]+|(?<=seed:)\d+|/tmp/\S+", re.IGNORECASE)
# Messages of ours in what a program prints; our names also stand in its environment, which some print.
OURS = re.compile(r"jankwatch-[A-Z]|\b_?jank_|\bJank[A-Z]")


@dataclasses.dataclass
class Program:
    suite: str
    name: str
    command: list
    environment: dict

    def __str__(self):
        return f"{self.suite}/{self.name}"


@dataclasses.dataclass
class Outcome:
    status: str
    results: dict        # of a subtest's name: all its results, sorted
    ours: list           # lines of the program's output that are ours
    output: str
    n_reports: int = 0
    n_samples: int = 0

    def entries(self):
        """What is compared, as name → text."""
        return {"": self.status, **{f":{name}": ", ".join(results) for name, results in self.results.items()}}


def read_results(text):
    results = collections.defaultdict(list)
    for line in text.splitlines():
        match = RESULT.match(line)
        if match is not None:
            result, name, directive = match.groups()
            results[CHANGES.sub("…", name)].append((directive or result).lower())
    return {name: sorted(each) for name, each in results.items()}


class Place:
    """Where one program runs at a time: folders that are emptied before each, and a display."""

    def __init__(self, build):
        # Neither a long path, which sockets could not have, nor our name, which would be found in the output.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="peers-", dir="/tmp"))
        # Both as they were built: LD_PRELOAD cannot name a path with blanks.
        self._force = self.folder / "force.so"
        self._force.symlink_to(build / "tests" / "peers" / "force.so")
        (self.folder / "src/cli").mkdir(parents=True)
        (self.folder / "src/module").symlink_to(build / "src/module")
        self._command = shutil.copy(build / "src/cli/jankwatch", self.folder / "src/cli")
        self._stack = contextlib.ExitStack()
        self.display = self._stack.enter_context(desktop.display())

    def close(self):
        self._stack.close()
        desktop.unmount(self.folder)
        shutil.rmtree(self.folder)

    def _environment(self, program, settings):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "USER": getpass.getuser()}
        environment.update({name: str(self.folder / sub) for name, sub in FOLDERS.items()})
        environment.update(DISPLAY=self.display, GDK_BACKEND="x11", GSK_RENDERER="cairo", GTK_A11Y="none",
                           NO_AT_BRIDGE="1", GSETTINGS_BACKEND="memory", GIO_USE_VFS="local",
                           GIO_USE_VOLUME_MONITOR="unix", LC_ALL="C.UTF-8",
                           PEERS_FORCE="1", LD_PRELOAD=str(self._force))
        environment.update(program.environment)
        if settings:
            environment["JANKWATCH_CONFIG"] = settings
        return environment

    def run(self, program, mode, timeout):
        settings = MODES[mode]
        for sub in (*FOLDERS.values(), "store"):
            _empty(self.folder / sub)
        command = program.command
        if settings is not None:
            command = [self._command, "run", "--quiet", "--store", self.folder / "store", "--", *command]
        with open(self.folder / "stdout", "w+b") as stdout, open(self.folder / "stderr", "w+b") as stderr:
            process = subprocess.Popen(
                ["dbus-run-session", "--", *command], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                env=self._environment(program, settings), cwd=self.folder / "tmp", start_new_session=True)
            try:
                status = str(process.wait(timeout))
            except subprocess.TimeoutExpired:
                status = "time-out"
            _end_group(process)
        return self._read(status)

    def _read(self, status):
        texts = [(self.folder / name).read_text(errors="replace") for name in ("stdout", "stderr")]
        ours = [line for text in texts for line in text.splitlines() if OURS.search(line)]
        outcome = Outcome(status, read_results(texts[0]), ours, "\n-- standard error:\n".join(texts))
        for path in (self.folder / "store").glob("*.json"):
            outcome.n_reports += 1
            outcome.n_samples += json.loads(path.read_text()).get("self", {}).get("samples", 0)
        return outcome


def _empty(folder):
    desktop.unmount(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)


def _end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
