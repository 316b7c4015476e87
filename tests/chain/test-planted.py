# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch why` comes to the right end of chains that were planted, and says deadlock of those that close, and of no
others."""

import random
import resource
import time

import planted
import tap
from tap import check
from why import why

N_CHAINS = tap.setting("chains", 12)
SEED = tap.setting("seed", 1)

# None of these waits may be an idle one, and POSIX locks alone would be refused by the kernel.
DEADLOCKS = [["Pipe", "Pipe"], ["Pair", "Flock"], ["Child", "Pipe"], ["AnyChild", "PipeFull"],
             ["Flock", "Flock", "Flock"], ["Mutex", "RobustMutex"], ["Tcp", "Posix", "Ofd"],
             ["Listening", "Child", "Fifo", "Mutex"],
             ["NotAccepted", "Pair"], ["Lease", "Flock", "Pipe", "Tcp", "Mutex", "Pair"], ["Pipe"], ["Flock"]]


def cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check_chain(hops, end):
    """Returns: how long that took, and how much of a CPU's time, in ms."""
    with planted.Planted(hops, end) as chain:
        began, before = time.monotonic(), cpu_s()
        found = why(chain.pids[0])
        took_ms = (time.monotonic() - began) * 1000, (cpu_s() - before) * 1000
        what = f"{hops} {end}: {found}, {planted.calls(chain.pids)}"
        check(found["cause"] == planted.CAUSES.get(end, end), what)
        check([link["pid"] for link in found["links"]] == chain.pids, what)
        check([link["kind"] for link in found["links"][:-1]] == [hop.kind for hop in chain.hops], what)
        return took_ms


def test_each_hop():
    for hop in planted.HOPS:
        check_chain([hop], "sleep")


def test_each_end():
    for end in planted.ENDS:
        check_chain(["Pipe"], end)
        check_chain([], end)


def test_long_chains():
    choose = random.Random(SEED)
    times = []
    for _ in range(N_CHAINS):
        hops = choose.choices(list(planted.HOPS), k=choose.randint(2, 6))
        times.append(check_chain(hops, choose.choice(list(planted.ENDS))))
    walls, cpus = (sorted(column) for column in zip(*times))
    return f"{N_CHAINS} chains, " + ", ".join(
        f"{name} {column[N_CHAINS // 2]:.0f} ms, 95 % at most {column[N_CHAINS * 95 // 100]:.0f} ms"
        for name, column in [("wall", walls), ("CPU", cpus)])


def test_deadlocks():
    for hops in DEADLOCKS:
        with planted.Planted(hops, None) as circle:
            for i, pid in enumerate(circle.pids):
                found = why(pid)
                what = f"{hops} from {i}: {found}"
                check(found["cause"] == "deadlock", what)
                check(found["closes_at"] == 0, what)
                check([link["pid"] for link in found["links"]] == circle.pids[i:] + circle.pids[:i], what)
                check(found["sentence"].startswith("deadlock: "), what)


def test_deadlocks_over_inherited_descriptors():
    """Any of the processes could answer, and each waits: the asker, too."""
    for hop in "Pipe", "Inherited":
        for n in 2, 3:
            with planted.Planted([hop] * n, None, inherit=True) as circle:
                for pid in circle.pids:
                    found = why(pid)
                    check(found["cause"] == "deadlock" and found["closes_at"] == 0 and
                          set(link["pid"] for link in found["links"]) <= set(circle.pids), hop, n, pid, found)
            with planted.Planted([hop] * n, "sleep", inherit=True) as chain:
                found = why(chain.pids[0])
                check(found["cause"] == "several", hop, n, found)


def test_circles_that_poll_are_idle():
    for hops in ["PairPoll", "PairPoll"], ["PairPoll", "Pair"], ["Pipe", "Flock", "PairPoll"]:
        with planted.Planted(hops, None) as circle:
            found = why(circle.pids[0])
            check(found["cause"] == "idle", hops, found)


def test_a_bus_is_left_out_but_what_keeps_it_from_its_work():
    for name, hops in (b"dbus-daemon", ("Pair", "PairFull", "PairPoll", "Listening")), (b"dbus-broker", ("Pair",)), \
                      (b"xdg-dbus-proxy", ("Pair",)):
        for hop in hops:
            for end in "computing", "stopped":
                with planted.Planted(["Flock", hop], end, name=name) as chain:
                    found = why(chain.pids[0])
                    told = end == "stopped"
                    check([link["pid"] for link in found["links"]] == chain.pids[:2 + told], name, hop, end, found)
                    check(found["cause"] == (end if told else "bus"), name, hop, end, found)


tap.add_all(globals())
tap.main("/chain/planted")
