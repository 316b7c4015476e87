# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A wait for a Python lock names the thread that holds it: an RLock's, and a Lock's by `with`. Of others it says
nothing."""

import pathlib
import sys

import kinds
import tap
import watched

HOLDERS = pathlib.Path(__file__).parent / "holders.py"
sys.path.insert(0, f"{HOLDERS.parent}")
from holders import AGAIN, HOLDS, TRAPS  # noqa: E402


def test_holder(name):
    with watched.Program("/usr/bin/python3", HOLDERS, name) as program:
        report, truth = program.wait().longest, program.truth
        said = program.headline(report)
    locks = [(sample["wait"]["lock"], sample["weight_ns"]) for sample in report["samples"]
             if sample.get("wait", {}).get("lock", {}).get("kind") in ("threading.Lock", "threading.RLock")]
    tap.check(locks, "no wait for the lock:", [sample.get("wait") for sample in report["samples"]])
    owners = [(lock.get("owner", 0), weight) for lock, weight in locks]
    # In the end another one that wants it may have it, and no CPU.
    tap.check_equal(kinds.heaviest(owners), truth["holder"], f"the lock's owner ({said})")
    tap.check(name in HOLDS or {owner for owner, _ in owners} == {0}, "owners:", owners)
    # A thread that computes may have no CPU to answer what it is in.
    if name in HOLDS and name != "busily" and not watched.has_read_late(report):
        kind = "RLock" if name in AGAIN else "Lock"
        tap.check(f"(threading.{kind}) that thread {truth['holder']} " in said and " holds in save_database()" in said,
                  said)


for name in (*HOLDS, *TRAPS):
    tap.add(name, test_holder, name)
tap.main("/module/holders", n_at_once=2)
