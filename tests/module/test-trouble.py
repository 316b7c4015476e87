# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What jankwatch cannot have, it says once, in words that help; the program runs on as if it were not there."""

import tap
import watched
from watched import LIBRARY, STALLER

# Some stalls in a row: what goes wrong goes wrong for each of them.
STALLS = ("malloc", 400, 5)
N_STALLS = 5

# A socket in the place of the file cannot be opened.
REFUSE = """mkdir "$HOME/state"
python3 -c 'import os, socket; socket.socket(socket.AF_UNIX).bind(os.environ["HOME"] + "/socket")'
mount --bind "$HOME/socket" /proc/$$/task/$$/syscall"""


def with_mounts(script):
    """The words that run a command after a script of its own mounts."""
    return [*watched.unshare(), "sh", "-ec", f'{script}; exec "$@"', "sh"]


def check_one_message(program, *parts):
    tap.check_equal(len(program.messages), 1, f"the number of messages ({program.errors})")
    for part in parts:
        tap.check(part in program.messages[0], repr(part), "is missing in", program.messages[0])
    tap.check_equal(program.errors.count("\n"), 1, f"the lines on standard error ({program.errors})")


def check_reported(program):
    """Each stall that was planted; the machine may make shorter ones, too."""
    lengths_ns = [watched.ended_ns(report) - report["stall"]["began_monotonic_ns"] for report in program.stalls]
    tap.check(sum(length_ns >= STALLS[1] * watched.NS_PER_MS for length_ns in lengths_ns) >= N_STALLS, lengths_ns)


def check_runs_on(program):
    """It did what it does alone, in no more time."""
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    tap.check_equal(program.truth["times"], N_STALLS, "the number of its stalls")


def check_settings(program, *parts):
    tap.check_equal(program.status, 0, "the exit status")
    check_one_message(program, *parts)
    watched.find_stall(program)


def test_settings(config, *parts):
    check_settings(watched.run(STALLER, "compute", 200, config=config), *parts)


def test_settings_file(text, *parts):
    check_settings(watched.run("sh", "-ec", 'mkdir -p "$XDG_CONFIG_HOME/jankwatch"; '
                               'printf "$TEXT" >"$XDG_CONFIG_HOME/jankwatch/settings.conf"; exec "$@"', "sh",
                               STALLER, "compute", 200, extra={"TEXT": text}), *parts)


def test_settings_pipe():
    """A program does not wait for somebody who writes its settings."""
    check_settings(watched.run(
        "sh", "-ec", 'mkdir -p "$XDG_CONFIG_HOME/jankwatch"; mkfifo "$XDG_CONFIG_HOME/jankwatch/settings.conf"; '
        'exec "$@"', "sh", STALLER, "compute", 200), "settings.conf", "regular file")


def test_pipe(setting, name, script):
    """The watcher does not wait for a reader, and the program's forks do not wait for the watcher."""
    program = watched.run("sh", "-ec", f'cd; mkfifo {name}; {script}; '
                          f'export JANKWATCH_CONFIG="${{JANKWATCH_CONFIG:+$JANKWATCH_CONFIG,}}{setting}=$HOME/pipe"; '
                          'exec "$@"', "sh", STALLER, *STALLS)

    check_runs_on(program)
    check_one_message(program, "/pipe-", "regular file")
    check_reported(program)


def test_store_below_a_file():
    program = watched.run(STALLER, *STALLS, config="store=/dev/null/store")

    check_runs_on(program)
    check_one_message(program, "/dev/null/store")


def test_read_only_store():
    """A folder that nobody may write, not even root."""
    program = watched.run(STALLER, *STALLS,
                          prefix=with_mounts('mkdir "$HOME/state"; mount -t tmpfs -o ro,mode=755 none "$HOME/state"'))

    check_runs_on(program)
    check_one_message(program, f"{program.store}", "Read-only file system")


def test_no_syscall_file(script, reason):
    """Without it nobody knows whether the thread is blocked: it is never signalled."""
    program = watched.run(STALLER, *STALLS, prefix=with_mounts(script))

    check_runs_on(program)
    check_one_message(program, "/syscall", reason)
    check_reported(program)
    for report in program.stalls:
        tap.check_equal(report["self"]["signals_sent"], 0, "signals sent")
        tap.check_equal(report["self"]["samples"], 0, "samples")
        tap.check_equal(report["stacks"], [], "stacks")
    watched.find_stall(program)


def test_no_libunwind():
    """Stacks are one call deep: whatever was running is named all the same."""
    program = watched.run(STALLER, *STALLS, prefix=with_mounts(
        'for library in /usr/lib/*/libunwind-*.so.8 /usr/lib*/libunwind-*.so.8; do '
        '[ ! -e "$library" ] || mount --bind /dev/null "$library"; done'))

    check_runs_on(program)
    check_one_message(program, "libunwind", "only the function that was running")
    check_reported(program)
    for report in watched.own(program.stalls):
        tap.check(report["stacks"], "there is no stack")
        tap.check(all(len(stack) == 1 for stack in report["stacks"]), "a stack is deeper:", report["stacks"])


def test_no_library():
    """The module alone, as a package that was removed by half would leave it."""
    program = watched.run(STALLER, *STALLS, prefix=with_mounts(f'mount --bind /dev/null "{LIBRARY}"'))

    check_runs_on(program)
    check_one_message(program, LIBRARY.name)
    tap.check_equal(program.reports, [], "the reports")


# Every value that is refused: settings/settings and settings/settings-text.
tap.add("settings/unknown-key", test_settings, "intervall=5ms", "intervall", "interval", "Ignoring")
tap.add("settings/file", test_settings_file, "[staller]\\ninterval=soon\\n", "interval", "soon", "10ms")
tap.add("pipe/frame-log", test_pipe, "frame-log", "pipe-$$.csv", ":")
tap.add("pipe/frame-log-with-reader", test_pipe, "frame-log", "pipe-$$.csv", "exec 3<>pipe-$$.csv")
tap.add("no-syscall-file/hidden", test_no_syscall_file, "mount -t tmpfs none /proc/$$/task/$$",
        "No such file or directory")
tap.add("no-syscall-file/refused", test_no_syscall_file, REFUSE, "No such device or address")
tap.add_all(globals())
tap.main("/module/trouble", n_at_once=3)
