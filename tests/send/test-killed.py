# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch send` is killed again and again: each report arrives, and a kill repeats one request at most.

reports=2000 kills=200: as many as that."""

import collections
import itertools
import os
import random
import subprocess

import command
import receiver
import tap
from receiver import Receiver
from tap import equal

program, make_many = map(os.path.abspath, tap.arguments(2))
N_REPORTS = tap.setting("reports", 600)
N_KILLS = tap.setting("kills", 30)
SEED = tap.setting("seed", 0) or random.randrange(1 << 30)


def repeated(server, everything):
    """How often each report arrived. Only what the last request of a killed command holds is sent once more."""
    times, may_come = collections.Counter(), set(everything)
    connections = [[set(receiver.ids_of(request)) for request in group if "logs" in request.path]
                   for _, group in itertools.groupby(sorted(server.asked, key=lambda request: request.connection),
                                                     lambda request: request.connection)]
    for requests in connections:
        for ids in requests:
            assert ids <= may_come, (f"seed={SEED}", ids - may_come)
            may_come -= ids
            times.update(ids)
        may_come |= requests[-1] if requests else set()
    equal((f"seed={SEED}", sorted(times)), (f"seed={SEED}", everything))
    return times


def test_killed(jankwatch):
    """Once all have arrived, the next server has nothing yet."""
    chance = random.Random(SEED)
    subprocess.run([make_many, jankwatch.store, str(N_REPORTS)], check=True)
    environment = {**jankwatch.environment, "JANKWATCH_CONFIG": "send-ask=no,send-per-day=1000000"}
    everything = sorted(name.removesuffix(".json") for name in os.listdir(jankwatch.store) if name.endswith(".json"))
    often, n_kills, n_rounds = collections.Counter(), 0, 0
    while n_kills < N_KILLS:
        n_rounds += 1
        with Receiver() as server:
            result = None
            while result != 0:
                process = subprocess.Popen([program, "send", "--to", server.url], env=environment,
                                           stderr=subprocess.DEVNULL)
                try:
                    result = process.wait(chance.uniform(0.005, 0.4) if n_kills < N_KILLS else 60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    n_kills += 1
            often.update(repeated(server, everything).values())
    return (f"{n_kills} kills in {n_rounds} rounds of {N_REPORTS} reports: 0 lost, " +
            ", ".join(f"{n} arrived {many}×" for many, n in sorted(often.items())))


command.add_all(globals(), program)
tap.main("/send/killed")
