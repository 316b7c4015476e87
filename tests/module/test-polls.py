# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program whose loop is not the default context's, or that polls for its loop by itself, or runs it in a thread."""

import tap
import watched
from watched import BUILD, COMMAND, NS_PER_MS

POLLS = BUILD / "tests/module/polls"
POLL_NS = 1500 * NS_PER_MS

SCRIPT = """
const { GLib } = imports.gi;
function compute_here() {
    const began = GLib.get_monotonic_time();
    while (GLib.get_monotonic_time() < began + 400000);
    print('compute_here', (GLib.get_monotonic_time() - began) * 1000);
}
const context = GLib.MainContext.new(), loop = GLib.MainLoop.new(context, false);
context.push_thread_default();
for (const [ms, func] of [[1500, compute_here], [3000, () => loop.quit()]]) {
    const source = GLib.timeout_source_new(ms);
    source.set_callback(() => { func(); return false; });
    source.attach(context);
}
loop.run();
"""

THREAD = """import threading, time
from gi.repository import Gio, GLib
Gio.Vfs.get_default()
def compute_here(data):
    began = time.monotonic_ns()
    while time.monotonic_ns() < began + 400_000_000:
        pass
    print('compute_here', time.monotonic_ns() - began)
def run():
    context = GLib.MainContext.new()
    loop = GLib.MainLoop.new(context, False)
    for ms, func in ((1500, compute_here), (3000, lambda data: loop.quit())):
        source = GLib.timeout_source_new(ms)
        source.set_callback(func)
        source.attach(context)
    loop.run()
threading.Thread(target=run).start()
"""


def check_polls(*words):
    """Who waits for the loop by a call of its own is well; what it does in between is a stall each, without that
    wait."""
    with watched.Program(COMMAND, "run", "--", *words, watched=False) as program:
        program.wait()
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    tap.check("No main loop" not in program.errors, program.errors)
    starts = [report.get("culprit", {}).get("function") for report in program.reports if report["kind"] == "startup"]
    tap.check("beside-start" not in words or starts == ["main"], "the start-up's culprits:", *starts)
    truth = dict(line.split() for line in program.output.splitlines())
    stalls = {report.get("culprit", {}).get("function"): report["stall"]["duration_ns"] for report in program.stalls}
    stalls = {name: length_ns for name, length_ns in stalls.items() if name in truth or length_ns >= POLL_NS / 2}
    tap.check_equal(sorted(stalls), sorted(truth), f"the culprits ({program.errors})")
    for name, took_ns in truth.items():
        tap.check(stalls[name] < int(took_ns) + POLL_NS / 2, name, "took", took_ns, "and is told as", stalls[name])


for how in ("poll", "select", "run", "thread", "beside", "beside-start"):
    tap.add(how, check_polls, POLLS, how)
tap.add("run-javascript", check_polls, "gjs", "-c", SCRIPT)
tap.add("thread-python", check_polls, "/usr/bin/python3", "-c", THREAD)
tap.main("/module/polls", n_at_once=4)
