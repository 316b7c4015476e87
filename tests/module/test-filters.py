# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program that is started with a filter of system calls ends as it does unwatched, whatever call the filter forbids
and however; and a filter that forbids nothing costs no report.

calls=all tries every number that there is."""

import re
import subprocess

import tap
import watched
from watched import BUILD

REFUSE = BUILD / "tests/module/refuse"
MESSAGES = BUILD / "tests/module/messages"
CONFIG = "threshold=20ms,first-sample=4ms,interval=4ms,sources,turns"
EPERM, ENOSYS = 1, 38
ACTIONS = ("process", "thread", "trap", f"{EPERM}", f"{ENOSYS}")

# What a watched program was seen to call, and the same program unwatched was not; and what such a program needs itself.
NAMES = """clock_gettime clock_nanosleep clone3 close_range eventfd2 exit fcntl futex futex_waitv getdents64 getpeername
getpid getppid getsockopt gettid madvise mincore mkdir newfstatat pidfd_getfd pidfd_open pipe2 poll prctl pread64
prlimit64 process_vm_readv readlink renameat rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigtimedwait
sched_getaffinity sched_yield sysinfo timer_create timer_delete timer_settime uname wait4 write""".split()


def read_numbers():
    text = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"], check=True,
                          capture_output=True, text=True).stdout
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)\n", text)}


def run(action, number, watched_too, case="run"):
    program = watched.run(MESSAGES, case, watched=watched_too, config=CONFIG, prefix=[REFUSE, action, number])
    # GLib's warnings have a process ID and a time, and a loop that cannot wait has any number of them.
    errors = {re.sub(r"[0-9]+", "", line) for line in program.errors.splitlines() if not line.startswith("jankwatch: ")}
    return program, (program.status, program.output, errors)


def test_call(name, number, actions):
    said = set()
    alone = run("process", number, False)[1]
    is_needed = alone[0] != 0
    for action in actions:
        program, found = run(action, number, True)
        expected = run(action, number, False)[1] if is_needed else alone
        tap.check_equal(found, expected, f"{action}: status, output and errors ({program.messages})")
        # Of the settings and of the store.
        tap.check(len(program.messages) <= 2, program.errors)
        said |= {f"{action}: {line}" for line in program.messages}
    return "\n".join(sorted(said))


def test_children():
    """The child that tries is none of the program's, as it is itself told."""
    for number in (-1, NUMBERS["process_vm_readv"]):
        found = [run("process", number, watched_too, "children") for watched_too in (True, False)]
        tap.check_equal(found[0][1], found[1][1], "status, output and errors")


def test_harmless():
    """A filter that forbids nothing, and one that lets calls fail, as containers have them."""
    for number in (-1, NUMBERS["ptrace"]):
        program = watched.run(watched.STALLER, "compute", 1000, config="threshold=50ms", prefix=[REFUSE, EPERM, number])
        tap.check_equal((program.status, program.messages), (0, []), f"status and messages ({program.errors})")
        methods = {sample["method"] for sample in watched.find_stall(program)["samples"]}
        tap.check("signal" in methods, methods)


def test_said():
    program, _ = run("process", NUMBERS["process_vm_readv"], True)
    tap.check_equal((program.reports, len(program.messages)), ([], 1),
                    f"reports and number of messages ({program.errors})")
    tap.contains(program.messages[0], "process_vm_readv")


NUMBERS = read_numbers()
tap.add_all(globals())
IS_ALL = tap.setting("calls", "") == "all"
# Each call by one way to end a program and by one error, in turn.
for i, name in enumerate(sorted(NUMBERS) if IS_ALL else [name for name in NAMES if name in NUMBERS]):
    tap.add(name.replace("_", "-"), test_call, name, NUMBERS[name], ACTIONS if IS_ALL else ACTIONS[i % 3::3])
tap.main("/module/filters", n_at_once=3)
