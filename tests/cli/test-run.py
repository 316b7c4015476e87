# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch run`: the command's own exit status, signals, streams and environment, and what is told of it."""

import fcntl
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios

import jsonschema

import command
import tap
from tap import contains, equal

program, loop_program, session_schema, installed_modules = tap.arguments(4)

# For a shell that becomes it.
LOOP_PROGRAM = f"exec {shlex.quote(loop_program)}"

# Whoever started the tests may have ignored them: nohup, or a shell in the background.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)

PRINT_ENVIRONMENT = [sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"]


def environment_of(jankwatch, *options, **environment):
    result = jankwatch.run("run", *options, "--", *PRINT_ENVIRONMENT, **environment)
    equal(result.returncode, 0)
    return json.loads(result.stdout)


def summary_of(jankwatch, *words, status):
    path = os.path.join(jankwatch.home, "summary.json")
    result = jankwatch.run("run", "--json", path, "--", *words)
    equal((result.returncode, result.stdout), (status, ""))
    summary = json.loads(pathlib.Path(path).read_text())
    jsonschema.Draft202012Validator(json.loads(pathlib.Path(session_schema).read_text())).validate(summary)
    equal(summary["exit_status"], status)
    return summary, result.stderr


def test_exit_status(jankwatch):
    equal(jankwatch.run("run", "true").returncode, 0)
    equal(jankwatch.run("run", "--", "sh", "-c", "exit 42").returncode, 42)
    equal(jankwatch.run("run", "sh", "-c", "kill -TERM $$").returncode, 143)


def test_limits(jankwatch):
    """A limit that is exceeded fails a command that does not fail itself, and says why in a line."""
    def limited(words, *limits):
        result = jankwatch.run("run", *(word for limit in limits for word in ("--fail-if", limit)), "--", *words)
        return result.returncode, [line for line in result.stderr.splitlines() if "imit" in line]

    quick, slow = [loop_program, "exit=0"], [loop_program, "sleep", "exit=0"]
    status, lines = limited(slow, "longest>100ms", "stalls>100", "stalled>5s")
    equal((status, len(lines)), (3, 1))
    assert re.fullmatch(r"jankwatch: Limit exceeded: longest>100ms \(\d+(\.\d+)? ms\)", lines[0]), lines
    equal(limited(slow, "longest>60s", "hang-rate>3600"), (0, []))
    # Where a busy machine stalls it at its start, too.
    status, lines = limited(quick, "stalls<100")
    equal(status, 3)
    assert re.fullmatch(r"jankwatch: Limit exceeded: stalls<100 \(\d+\)", lines[0]), lines
    for limit, why in (("late>1%", "no frame was drawn"), ("fps<50", "no animation was drawn"),
                       ("startup>1s", "no frame was drawn"), ("input-p98>200ms", "no click or key was answered"),
                       ("strict>0", "potentially blocking calls were not recorded; use --strict")):
        equal(limited(quick, limit),
              (4, [f"jankwatch: Cannot measure whether the limit is exceeded: {limit} ({why})"]))
    # The command's own status comes first.
    equal(limited([loop_program, "sleep"], "stalls>0")[0], 7)
    for limit in ("longest", "longest>", "longest>-1", "longest>5 parsecs", "speed>5", "late>1ms", "longest>nan"):
        result = jankwatch.run("run", "--fail-if", limit, "--", "touch", os.path.join(jankwatch.home, "ran"))
        equal((limit, result.returncode), (limit, 2))
        contains(result.stderr, limit)
    assert not os.path.exists(os.path.join(jankwatch.home, "ran"))


def test_repeat(jankwatch):
    """Each run is a session of its own, and a limit is for the median. A busy machine plants no busy loops."""
    count = os.path.join(jankwatch.home, "count")
    script = (f'echo >> {count}; if [ $(wc -l < {count}) = 2 ]; then {LOOP_PROGRAM} spin exit=0; else {LOOP_PROGRAM} '
              f'exit=0; fi')
    limited = ["--repeat", "3", "--fail-if", "others>0"]
    jankwatch.environment["JANKWATCH_CONFIG"] = "spin-time=300ms"
    result = jankwatch.run("run", *limited, "--", "sh", "-c", script)
    equal((result.returncode, "Limit" in result.stderr), (0, False))
    equal(len({name.rsplit("-", 1)[0] for name in os.listdir(os.path.join(jankwatch.store, "sessions"))}), 3)
    result = jankwatch.run("run", *limited, "--", loop_program, "spin", "exit=0")
    equal(result.returncode, 3)
    contains(result.stderr, " (median of 3 runs))")
    for arguments in (["--repeat", "0"], ["--repeat", "2", "--json", "/nowhere/x"]):
        equal(jankwatch.run("run", *arguments, "--", "true").returncode, 2)


def test_cannot_run(jankwatch):
    for command, status in (("/nowhere/program", 127), ("no-such-program", 127), ("/etc/passwd", 126), ("/", 126)):
        result = jankwatch.run("run", command)
        equal((command, result.returncode, result.stdout), (command, status, ""))
        contains(result.stderr, command)
        assert "watched" not in result.stderr, result.stderr


def test_arguments(jankwatch):
    result = jankwatch.run("run", "printf", "%s|", "--json", "--", "-x", "")
    equal((result.returncode, result.stdout), (0, "--json|--|-x||"))
    equal(jankwatch.run("run", "--", "printf", "%s|", "--report").stdout, "--report|")


def test_streams(jankwatch):
    result = subprocess.run([program, "run", "--", "sh", "-c", "cat; echo error >&2"], env=jankwatch.environment,
                            input=b"in\0put", capture_output=True)
    equal(result.stdout, b"in\0put")
    assert result.stderr.startswith(b"error\njankwatch: "), result.stderr


def test_environment(jankwatch):
    found = environment_of(jankwatch)
    equal((found["GTK_MODULES"], found["JANKWATCH"]), ("jankwatch", "1"))
    assert os.path.exists(os.path.join(found["GIO_EXTRA_MODULES"], "libgiojankwatch.so"))
    assert "JANKWATCH_CONFIG" not in found

    found = environment_of(jankwatch, GTK_MODULES="canberra:x", GIO_EXTRA_MODULES="/a:/b", JANKWATCH="0")
    equal((found["GTK_MODULES"], found["JANKWATCH"]), ("canberra:x:jankwatch", "1"))
    assert found["GIO_EXTRA_MODULES"].endswith(":/a:/b"), found["GIO_EXTRA_MODULES"]
    equal(environment_of(jankwatch, GTK_MODULES="a:jankwatch:b")["GTK_MODULES"], "a:jankwatch:b")
    equal(environment_of(jankwatch, GTK_MODULES="jankwatcher")["GTK_MODULES"], "jankwatcher:jankwatch")


def test_store_option(jankwatch):
    store = os.path.join(jankwatch.home, "other")
    equal(environment_of(jankwatch, "--store", store)["JANKWATCH_CONFIG"], f"store={store}")
    found = environment_of(jankwatch, "--store", store, JANKWATCH_CONFIG="threshold=50")
    equal(found["JANKWATCH_CONFIG"], f"threshold=50,store={store}")
    result = jankwatch.run("run", "--store", store, "--", loop_program, "sleep")
    equal(result.returncode, 7)
    assert any(name.endswith(".json") for name in os.listdir(store)), os.listdir(store)
    assert not os.path.exists(jankwatch.store)


def test_overlay_option(jankwatch):
    store = os.path.join(jankwatch.home, "other")
    equal(environment_of(jankwatch, "--overlay")["JANKWATCH_CONFIG"], "overlay")
    found = environment_of(jankwatch, "--overlay", "--store", store, JANKWATCH_CONFIG="overlay=no,threshold=50")
    equal(found["JANKWATCH_CONFIG"], f"overlay=no,threshold=50,overlay,store={store}")


def start(jankwatch, code):
    """`run` of a Python program, in a session of its own, once it has printed a line."""
    child = subprocess.Popen([program, "run", "--", sys.executable, "-c", code], env=jankwatch.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    equal(child.stdout.readline(), b"ready\n")
    return child


def test_passes_signals_on(jankwatch):
    code = ("import signal, sys, time\n"
            "signal.signal(signal.{0}, lambda *_: sys.exit(42))\n"
            "print('ready', flush=True)\nwhile True: time.sleep(0.05)")
    for number in (signal.SIGTERM, signal.SIGHUP):
        child = start(jankwatch, code.format(number.name))
        child.send_signal(number)
        equal((number, child.wait(30)), (number, 42))
        contains(child.communicate()[1].decode(), "Nothing was watched")


def test_leaves_keys_to_the_command(jankwatch):
    code = ("import sys, time\n"
            "try:\n    print('ready', flush=True)\n    while True: time.sleep(0.05)\n"
            "except KeyboardInterrupt:\n    time.sleep(0.2)\n    sys.exit(43)")
    child = start(jankwatch, code)
    os.killpg(child.pid, signal.SIGINT)
    equal(child.wait(30), 43)
    child = start(jankwatch, "import time\nprint('ready', flush=True)\ntime.sleep(60)")
    os.killpg(child.pid, signal.SIGQUIT)
    equal(child.wait(30), 128 + signal.SIGQUIT)


def test_dispositions(jankwatch):
    code = "import signal; print([s.name for s in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP) " \
           "if signal.getsignal(s) == signal.SIG_IGN], signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    equal(jankwatch.run("run", "--", sys.executable, "-c", code).stdout, "[] set()\n")
    ignored = subprocess.run(
        [program, "run", "--", sys.executable, "-c", code], env=jankwatch.environment, capture_output=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    equal(ignored.stdout, b"['SIGHUP'] set()\n")


def test_no_stalls(jankwatch):
    jankwatch.environment["JANKWATCH_CONFIG"] = "threshold=5s"
    summary, errors = summary_of(jankwatch, loop_program, status=7)
    equal((errors, summary["n_stalls"], len(summary["processes"])), ("jankwatch: No stalls\n", 0, 1))
    assert "frame_clock" not in summary


def test_stalls(jankwatch):
    summary, errors = summary_of(jankwatch, loop_program, "sleep", "compute", status=7)
    planted = [stall for stall in summary["stalls"] if stall.get("culprit", "").startswith("freeze")]
    equal([stall["culprit"] for stall in planted], ["freeze_by_sleeping", "freeze_by_computing"])
    for stall in planted:
        assert stall["duration_ns"] > 290e6, stall
        equal((stall["kind"], stall["outcome"]), ("stall", "recovered"))
    equal(summary["total_ns"], sum(stall["duration_ns"] for stall in summary["stalls"]))
    contains(errors, f"jankwatch: {summary['n_stalls']} stalls, ")
    worst = max(summary["stalls"], key=lambda stall: stall["duration_ns"])
    contains(errors, f"jankwatch show {worst['id']}\n")
    worst = max(planted, key=lambda stall: stall["duration_ns"])
    # In its own line, since a busy machine has the headline.
    shown = command.unwrapped(jankwatch.run("show", worst["id"]).stdout)
    assert re.search(rf" Culprit {worst['culprit']}, .*loop-program\.c:[0-9]+ ", shown), shown
    assert summary["self"]["samples"] > 0
    equal(summary["processes"][0]["app"]["exe"], os.path.realpath(loop_program))


def test_no_stall_but_a_spin(jankwatch):
    """A loop that does not wait is not stalled, and no time in which the program hangs."""
    jankwatch.environment["JANKWATCH_CONFIG"] = "spin-time=300ms,threshold=5s"
    summary, errors = summary_of(jankwatch, loop_program, "spin", status=7)
    equal((summary["n_stalls"], summary["total_ns"], summary["hangs"]["count"]), (0, 0, 0))
    spins = summary["stalls"]
    equal({spin["kind"] for spin in spins}, {"spin"})
    equal(summary["n_reports"]["spin"], len(spins))
    longest = max(spins, key=lambda spin: spin["duration_ns"])
    contains(errors, "jankwatch: No stalls\n")
    contains(errors, " of a loop that did not wait")
    contains(errors, " without waiting: it dispatched spin_cb")
    contains(errors, f"jankwatch show {longest['id']}\n")
    shown = command.unwrapped(jankwatch.run("show", longest["id"]).stdout)
    contains(shown, "without waiting: it dispatched spin_cb")
    assert "stalled" not in shown, shown


def read_until(read, found, text=""):
    """What read() brings, until found(text)."""
    while not found(text):
        more = read()
        assert more, f"it ended: {text!r}"
        text += more.decode(errors="replace")
    return text


def test_told_while_it_hangs(jankwatch):
    """A line when the stall is found, with the source's line, and at 1 s and 5 s; nothing more until it ends."""
    child = subprocess.Popen([program, "run", "--", loop_program, "hang"], env=jankwatch.environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    told = []
    while len(told) < 3:
        line = child.stderr.readline().decode()
        assert line, told
        told += re.findall(r"^jankwatch: (\S+) (m?s) so far: freeze_by_sleeping\(\) \(loop-program\.c:\d+\)(.*)", line)
    equal(child.poll(), None)
    child.terminate()
    rest = child.communicate()[1].decode()
    assert float(told[1][0]) >= 1 and float(told[2][0]) >= 5, told
    equal((told[1][1], told[2][1:]), ("s", ("s", ", sleeping")))
    assert "so far" not in rest or float(told[2][0]) > 20, rest
    equal(child.returncode, 128 + signal.SIGTERM)
    equal([name for name in os.listdir(os.path.join(jankwatch.store, "sessions")) if not name.endswith(".json")], [])


def test_told_at_its_end(jankwatch):
    """The line says what the report says by then, whatever that was when the stall was found."""
    script = pathlib.Path(jankwatch.home, "two.py")
    script.write_text("import time\nfrom gi.repository import GLib as G\ndef freeze():\n time.sleep(0.4)\n time.sleep"
                      "(1.6)\n G.timeout_add(200, it.quit)\nit = G.MainLoop()\nG.timeout_add(99, freeze)\nit.run()")
    errors = jankwatch.run("run", "--", "/usr/bin/python3", str(script)).stderr
    ended, = re.findall(r"^jankwatch: \S+ m?s: (freeze\(\) \(two\.py:\d\)),", errors, re.MULTILINE)
    ident, = (row["id"] for row in json.loads(jankwatch.run("list", "--json").stdout) if row["culprit"] == "freeze")
    contains(command.unwrapped(jankwatch.run("show", ident).stdout), ended)


def test_told_of_processes(jankwatch):
    """Lines of the first program have no name; those of another have its name and number."""
    errors = jankwatch.run("run", "--", "sh", "-c", '"$0" sleep; "$0" sleep; exit 0', loop_program).stderr
    for name in "", r"\[loop-program [0-9]+\] ":
        assert re.search(rf"^jankwatch: {name}[0-9.]+ m?s( so far)?: freeze_by_sleeping\(\)", errors, re.M), errors


def test_startup(jankwatch):
    """One that is quick is nothing to tell while it lasts; one that is not, is, with its function."""
    def told(result):
        return re.findall(r"^jankwatch: (\S+ m?s) of start-up( so far)?(?:: (\S+) .*)?$", result.stderr, re.MULTILINE)

    quick = jankwatch.run("run", "--", loop_program, "start=110")
    equal(quick.returncode, 7)
    lengths_ns = [row["duration_ns"] for row in json.loads(jankwatch.run("list", "--json").stdout)]
    assert not told(quick) or max(lengths_ns) >= 250e6, (quick.stderr, lengths_ns)

    slow = told(jankwatch.run("run", "--", loop_program, "start=1500"))
    # Without a toolkit nobody knows before its end that a loop will run.
    equal([(so_far, function) for _, so_far, function in slow], [("", "freeze_at_start()")])


def test_told_in_place(jankwatch):
    """On a terminal one row counts on, and never reaches the next."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
    child = subprocess.Popen([program, "run", "--", loop_program, "hang"],
                             env={**jankwatch.environment, "TERM": "xterm"},
                             stdout=subprocess.DEVNULL, stderr=its, start_new_session=True)
    os.close(its)
    text = read_until(lambda: os.read(ours, 4096), lambda text: text.count("so far") > 10)
    child.terminate()
    equal(child.wait(30), 128 + signal.SIGTERM)
    os.close(ours)
    rows = [row for row in text.split("\r\x1b[K")[1:-1]]
    assert rows and all(len(row) < 50 and "\n" not in row for row in rows), rows
    lengths = [row.split(" so far")[0] for row in rows]
    assert len(set(lengths)) > 5, lengths


def test_told_at_the_end(jankwatch):
    errors = jankwatch.run("run", "--", loop_program, "sleep", "compute").stderr
    told = re.findall(r"^jankwatch: \S+ m?s( so far)?(?:: (\w+)\(\) \(loop-program\.c:.*)?$", errors, re.MULTILINE)
    ended = [function for so_far, function in told if not so_far and function.startswith("freeze")]
    # One that had no CPU has no function.
    assert ended[:1] == ["freeze_by_sleeping"] and set(ended) <= {"freeze_by_sleeping", "freeze_by_computing"}, errors
    equal(os.listdir(os.path.join(jankwatch.home, "jankwatch")), [])
    errors = jankwatch.run("run", "--quiet", "--", loop_program, "sleep").stderr
    told = [line for line in errors.splitlines() if "so far" in line or "loop-program.c" in line]
    assert all(line.startswith("jankwatch: The worst took") for line in told), errors


def test_turns(jankwatch):
    """Turns are counted where that is asked for, and the record then has the loop's states."""
    def session():
        folder = os.path.join(jankwatch.store, "sessions")
        [name] = os.listdir(folder)
        text = pathlib.Path(os.path.join(folder, name)).read_text()
        os.unlink(os.path.join(folder, name))
        return json.loads(text)

    result = jankwatch.run("run", "--", loop_program, "sleep")
    assert "turns" not in session() and "turns, busy" not in result.stderr, result.stderr
    # What is written at the end is not waited for for ever: so some are written before.
    result = jankwatch.run("run", "--", loop_program, *["sleep"] * 5, JANKWATCH_CONFIG="turns")
    turns = session()["turns"]
    contains(result.stderr, f"{turns['count']:,} iterations, busy for")
    longest = max(float(seconds) for seconds in re.findall(r"took ([\d.]+) m?s", result.stderr))
    assert longest > 0 and turns["longest_ns"] <= turns["total_ns"], turns
    assert turns["p50_ns"] <= turns["p95_ns"] <= turns["p99_ns"] <= turns["longest_ns"], turns


def test_limited(jankwatch):
    """Past max-per-session a stall has no report, and the summary names none."""
    result = jankwatch.run("run", "--", loop_program, "sleep", "compute", JANKWATCH_CONFIG="max-per-session=1")
    equal((result.returncode, result.stdout), (7, ""))
    reports = [name for name in os.listdir(jankwatch.store) if name.endswith(".json")]
    equal(len(reports), 1)
    named = re.findall(r"jankwatch show (\S+)", result.stderr)
    assert all(f"{name}.json" in reports for name in named), result.stderr
    assert named or "No report was saved for it" in command.unwrapped(result.stderr), result.stderr


def test_killed(jankwatch):
    summary, errors = summary_of(jankwatch, loop_program, "die", status=128 + signal.SIGKILL)
    contains([(stall.get("culprit"), stall["outcome"]) for stall in summary["stalls"]],
             ("freeze_by_sleeping", "killed"))
    row, = json.loads(jankwatch.run("list", "--json", "--culprit=freeze_by_sleeping").stdout)
    equal(row["outcome"], "killed")


def test_json_not_written(jankwatch):
    result = jankwatch.run("run", "--json", "/nowhere/file", "true")
    equal(result.returncode, 1)
    contains(result.stderr, "/nowhere/file")
    equal(jankwatch.run("run", "--json", "/nowhere/file", "sh", "-c", "exit 5").returncode, 5)


def test_store_not_writable(jankwatch):
    open(os.path.join(jankwatch.home, "state"), "w").close()
    result = jankwatch.run("run", "--", loop_program, "sleep")
    equal((result.returncode, result.stdout), (7, ""))
    contains(result.stderr, "reports are not saved")
    assert "Nothing was watched" not in result.stderr, result.stderr


def test_module_missing(jankwatch):
    folder = os.path.join(jankwatch.home, "src", "cli")
    os.makedirs(folder)
    jankwatch.program = shutil.copy(program, folder)
    result = jankwatch.run("run", "true")
    if os.path.exists(os.path.join(installed_modules, "libgiojankwatch.so")):
        equal(result.returncode, 0)
    else:
        equal(result.returncode, 1)
        contains(result.stderr, "libgiojankwatch.so")


command.add_all(globals(), program)
tap.main("/cli/run", n_at_once=3)
