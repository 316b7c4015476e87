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
                process = subprocess.Popen([program, "send", "--json", "--to", server.url], env=environment,
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


def test_delta(jankwatch):
    """A server that adds up deltas, and drops those whose times it has, has the exact counts. Half of the kills are
    after it has taken a body and before the command knows; a new body in five is too large, or refused."""
    chance = random.Random(SEED)
    spare = os.path.join(jankwatch.home, "spare")
    subprocess.run([make_many, spare, str(N_REPORTS), "7"], check=True)
    names = sorted(name for name in os.listdir(spare) if name.endswith(".json"))
    os.makedirs(jankwatch.store, exist_ok=True)
    environment = {**jankwatch.environment, "JANKWATCH_CONFIG": "send-ask=no,send-per-day=2,send-temporality=delta"}
    process, result, n_kills, n_blind = None, 1, 0, 0
    refused, taken = [], set()

    def answer(request, number):
        if "metrics" in request.path and n_kills < N_KILLS and chance.random() < 0.5:
            process.kill()
        if "metrics" in request.path:
            points = set(receiver.points_of(request))
            if n_kills < N_KILLS and chance.random() < 0.2 and not points & taken:
                refused.append(request)
                return receiver.status(chance.choice([400, 413]))
            taken.update(points)
        return receiver.ok()

    with Receiver(answer) as server:
        while names or result != 0:
            for name in names[:10]:
                os.rename(os.path.join(spare, name), os.path.join(jankwatch.store, name))
            del names[:10]
            process = subprocess.Popen([program, "send", "--json", "--to", server.url], env=environment,
                                       stderr=subprocess.DEVNULL)
            try:
                result = process.wait(chance.uniform(0.01, 0.3) if n_kills < N_KILLS and chance.random() < 0.5 else 60)
            except subprocess.TimeoutExpired:
                process.kill()
                result = process.wait()
            n_kills += result != 0
        said = {}
        for points in (receiver.points_of(request) for request in server.taken if "metrics" in request.path):
            n_blind += any(key in said for key in points)
            for key, point in points.items():
                equal((f"seed={SEED}", said.setdefault(key, point)), (f"seed={SEED}", point))
    counts = collections.Counter()
    for (*_, name, fingerprint, _, _), point in said.items():
        if name == "app.hang.duration":
            counts[fingerprint] += int(point["count"])
            equal(int(point["count"]), sum(map(int, point["positive"]["bucketCounts"])))
    equal((f"seed={SEED}", sum(counts.values()), len(counts)), (f"seed={SEED}", N_REPORTS, 7))
    for before, after in itertools.pairwise(sorted(said)):
        assert before[:4] != after[:4] or before[5] == after[4], (f"seed={SEED}", before, after)
    tap.check(n_kills >= 20, f"seed={SEED}: only {n_kills} kills")
    return (f"{n_kills} kills, {n_blind} bodies came twice, {len(refused)} refused: {N_REPORTS} hangs of {N_REPORTS} "
            f"counted in {len(said)} deltas")


command.add_all(globals(), program)
tap.main("/send/killed")
