# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A wait for a Python lock names the thread that holds it: an RLock's, and a Lock's by `with`. Of others it says
nothing."""

import pathlib
import sys

import tap
import watched

HOLDERS = pathlib.Path(__file__).parent / "holders.py"
sys.path.insert(0, f"{HOLDERS.parent}")
from holders import AGAIN, HOLDS, TRAPS  # noqa: E402


def run(*words):
    """The first sentence of the longest stall, and the truth."""
    with watched.Program(*words) as program:
        program.wait()
        report = program.longest
        return report, program.headline(report), program.truth


def test_holder(name):
    report, said, truth = run("/usr/bin/python3", HOLDERS, name)
    locks = [sample["wait"]["lock"] for sample in report["samples"] if "lock" in sample.get("wait", {})]
    locks = [lock for lock in locks if lock["kind"] in ("threading.Lock", "threading.RLock")]
    tap.check(locks, "no wait for the lock:", [sample.get("wait") for sample in report["samples"]])
    owners = {lock.get("owner", 0) for lock in locks}
    tap.check_equal(owners, {truth["holder"]}, f"the lock's owner ({said})")
    # A thread that computes may have no CPU to answer what it is in.
    if name in HOLDS and name != "busily":
        kind = "RLock" if name in AGAIN else "Lock"
        tap.check(f"(threading.{kind}) that thread {truth['holder']} " in said and " holds in save_database()" in said,
                  said)


for name in (*HOLDS, *TRAPS):
    tap.add(name, test_holder, name)
tap.main("/module/holders", n_at_once=2)
