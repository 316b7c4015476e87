# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Programs run with and without jankwatch inside, each with a home, a store and, where it wants one, a display of
its own; and what they left: their own account of what they did, and the reports."""

import contextlib
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import desktop
import tap

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000

BUILD = pathlib.Path(os.environ["G_TEST_BUILDDIR"]).parent.parent
MODULE_FOLDER = BUILD / "src/module"
MODULE = MODULE_FOLDER / "libgiojankwatch.so"
LIBRARY = BUILD / "src/libjankwatch-1.so.0"
COMMAND = BUILD / "src/cli/jankwatch"
DEMO = BUILD / "src/demo/jankwatch-demo"
STALLER = BUILD / "tests/programs/staller"
SECURE_STALL = BUILD / "tests/module/secure-stall"
HANDLERS = BUILD / "tests/programs/handlers"
GTK_WINDOW = BUILD / "tests/programs/gtk-window"

# What the sanitizers of a build want to be told; all else that surrounds a test is kept from the programs.
_PASSED_ON = ("PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")

NOBODY = 65534

# As many bytes as a program may write to its standard error before anybody reads them.
PIPE_BYTES = 1 << 20


def environment(home, watched=True, config=None, display=None, extra=None):
    """The variables of a program whose files are all below home."""
    variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    variables |= {
        "HOME": f"{home}",
        "XDG_STATE_HOME": f"{home}/state",
        "XDG_CONFIG_HOME": f"{home}/config",
        "XDG_CACHE_HOME": f"{home}/cache",
        "XDG_RUNTIME_DIR": f"{home}",
        "GIO_USE_VFS": "local",
        # Without a GPU the start of GL is a stall itself.
        "GSK_RENDERER": "cairo",
        **desktop.of(display),
    }
    if display is not None:
        variables["DISPLAY"] = display
    if watched:
        variables |= {"GTK_MODULES": "jankwatch", "GTK_PATH": f"{MODULE_FOLDER}",
                      "GIO_EXTRA_MODULES": f"{MODULE_FOLDER}", "JANKWATCH": "1"}
    # Each stall is to have a report, however much it is like another.
    variables["JANKWATCH_CONFIG"] = "annealing=no" if config is None else f"annealing=no,{config}"
    for name, value in (extra or {}).items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = f"{value}"
    return variables


def switches(pid):
    """How often each of its threads has gone to sleep, by name and number. Asked from outside: no loop turns for it."""
    found = {}
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            status = dict(line.split(":", 1) for line in path.read_text().splitlines())
            found[f"{status['Name'].strip()} {path.parent.name}"] = int(status["voluntary_ctxt_switches"])
    return found


def get_stolen_ns():
    """What the host has kept from this machine so far, of all CPUs. It is counted in ticks."""
    return int(pathlib.Path("/proc/stat").read_text().split()[8]) * NS_PER_S // os.sysconf("SC_CLK_TCK")


def read_reports(store):
    """The reports in a folder, in the order of their stalls. A file that is no JSON is an error."""
    reports = [json.loads(path.read_text()) for path in pathlib.Path(store).glob("*.json")]
    return sorted(reports, key=lambda report: report["stall"]["began_monotonic_ns"])


class Program:
    """One program, killed with all its children when the block that uses it ends.

    display: its name; True: that of the session. prefix: words before the command line. Once wait() has returned:
    status, output, errors, truth, reports, sessions, began_ns and ended_ns."""

    def __init__(self, *words, watched=True, config=None, display=None, extra=None, prefix=(), owner=None):
        self._stack = contextlib.ExitStack()
        if display is True:
            display = self._stack.enter_context(desktop.session())
        self.home = pathlib.Path(self._stack.enter_context(desktop.folder("jankwatch-test-")))
        if owner is not None:
            os.chown(self.home, owner, owner)
        self.store = self.home / "state/jankwatch"
        # A pipe, as a terminal's or a journal's: what jankwatch says does not go into files.
        self._errors, errors = os.pipe()
        self._stack.callback(os.close, self._errors)
        fcntl.fcntl(self._errors, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        os.set_blocking(self._errors, False)
        self._read_errors = b""
        self._output = self._stack.enter_context(tempfile.TemporaryFile())
        self.began_ns = time.monotonic_ns()
        self.popen = subprocess.Popen([f"{word}" for word in (*prefix, *words)],
                                      env=environment(self.home, watched, config, display, extra),
                                      stdin=subprocess.DEVNULL, stdout=self._output, stderr=errors,
                                      start_new_session=True)
        os.close(errors)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        self.errors
        self._stack.close()
        self._errors = None

    def _read(self, file):
        file.seek(0)
        return file.read().decode(errors="replace")

    def wait(self, timeout_s=300):
        """Returns itself. A program that does not end in time is an error."""
        try:
            self.status = self.popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.popen.args} hangs: it has not ended after {timeout_s} s\n{self.errors}")
        self.ended_ns = time.monotonic_ns()
        self.output = self._read(self._output)
        self.reports = read_reports(self.store)
        self.sessions = self.read_sessions()
        lines = [line for line in self.output.splitlines() if line.startswith("{") and line.endswith("}")]
        self.truth = json.loads(lines[-1]) if lines else None
        return self

    def read_sessions(self):
        return [json.loads(path.read_text()) for path in (self.store / "sessions").glob("*.json")]

    @property
    def errors(self):
        """What the program has written to its standard error."""
        with contextlib.suppress(BlockingIOError):
            while self._errors is not None and (part := os.read(self._errors, PIPE_BYTES)):
                self._read_errors += part
        return self._read_errors.decode(errors="replace")

    @property
    def messages(self):
        """What jankwatch has said."""
        return [line for line in self.errors.splitlines() if "jankwatch" in line.lower()]

    @property
    def stalls(self):
        return [report for report in self.reports if report["kind"] == "stall"]

    @property
    def longest(self):
        """The report of the longest stall: there must be one."""
        tap.check(self.stalls, "no stall:", self.errors)
        return max(self.stalls, key=lambda report: report["stall"]["duration_ns"])

    def command(self, *words):
        """What `jankwatch` says, while the program is there."""
        return subprocess.run([COMMAND, *words], env=environment(self.home), check=True, capture_output=True,
                              text=True).stdout

    def show(self, report, *options):
        return self.command("show", *options, report["id"])

    def headline(self, report):
        """The first sentence of what it says."""
        return " ".join(self.show(report).split("\n\n")[0].split())

    def wait_for(self, what, condition, timeout_s=120):
        """Returns what condition() returns, once that is true."""
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            result = condition()
            if result:
                return result
            time.sleep(0.01)
        raise AssertionError(f"Waited {timeout_s} s for {what}\n{self.errors}")

    def wait_for_rest(self, pid):
        """Until none of its threads, with the watcher, has gone to sleep anew for a second. Returns: switches()"""
        def look():
            before = switches(pid)
            time.sleep(1)
            return "jankwatch " in f"{before}" and switches(pid) == before and before

        return self.wait_for("its rest", look)

    def wait_for_stall(self):
        """Until staller's has a report, while the program runs on."""
        self.wait_for("the report of a stall", lambda: any(
            f"{name}".startswith("stall_") for report in read_reports(self.store) for name in names(report)))


def run(*words, timeout_s=300, **options):
    """Runs a program to its end."""
    with Program(*words, **options) as program:
        return program.wait(timeout_s)


def ended_ns(report):
    """When the stall ended: what is excluded passed too."""
    stall = report["stall"]
    return stall["began_monotonic_ns"] + stall["duration_ns"] + sum(stall.get("excluded_ns", {}).values())


def covers(report, truth):
    """Whether the stall began no later and ended no earlier than the program says."""
    return (report["stall"]["began_monotonic_ns"] <= truth["began_monotonic_ns"]
            and ended_ns(report) >= truth["ended_monotonic_ns"])


def find_stall(program, truth=None):
    """The one report of the stall that the program tells of."""
    truth = truth or program.truth
    found = [report for report in program.reports if covers(report, truth)]
    if len(found) != 1:
        all_stalls = [(report["kind"], report["stall"]) for report in program.reports]
        raise AssertionError(f"{len(found)} reports cover {truth}; there are {all_stalls}\n{program.errors}")
    return found[0]


def starved(report):
    """For which part of the stall the program wanted a CPU and had none."""
    return report["stall"].get("preempted_ns", 0) / report["stall"]["duration_ns"]


def doubt(report):
    """How far a share may be from the truth: a tenth, and whatever the watcher did not see, or saw too late, by the
    report itself."""
    stall, counts = report["stall"], report["self"]
    unseen = counts["lost_samples"] / max(counts["samples"] + counts["lost_samples"], 1)
    return 0.1 + unseen + starved(report) + stall.get("watcher_late_ns", 0) / stall["duration_ns"]


def has_read_late(report):
    """Whether the watcher had no CPU for the threads: it gives up after 50 ms, which leaves some without a stack."""
    return report["self"]["snapshot_ns"] >= 50 * NS_PER_MS


def own(reports):
    """Without the machine's stalls: those in which the program, the watcher or the X server did little but wait for a
    CPU. Nor start-ups: on a slow machine they are long."""
    return [report for report in reports if report["kind"] != "startup"
            and report["samples"] and starved(report) < 0.5 and "Xvfb" not in f"{report['samples']}"]


def function(report, frame):
    """The name of the function of a frame, None where it has none."""
    return report["frames"][frame].get("symbol")


def functions(report, stack):
    """The names of a stack's functions, innermost first."""
    return [function(report, frame) for frame in report["stacks"][stack]]


def names(report):
    """The names of all functions on the stacks of the samples."""
    return {name for sample in report["samples"] if "stack" in sample for name in functions(report, sample["stack"])}


def unshare():
    """The words that run a command with mounts of its own."""
    return ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--user", "--map-root-user"]


def line_of(lines, text):
    return next(number for number, line in enumerate(lines, 1) if text in line)


def find_calls(report, stack, language, file):
    """Calls of a stack in that file, innermost first: name, line. In JavaScript after a sleep the line is the next."""
    calls = [report["frames"][index] for index in report["stacks"][stack]]
    return [(call["symbol"], call["line"]) for call in calls
            if (call.get("language"), call.get("file")) == (language, file)]
