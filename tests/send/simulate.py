# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Plays a day of many machines against a receiver, at full speed: simulate.py COMMAND [machines=100000] [store=FOLDER
of reports]

Each machine sends from one to five reports and its totals, as `jankwatch send` made them of real reports, under a name
of its own. Without store= the reports are those of planted.py, run under watch."""

import gzip
import http.client
import multiprocessing
import os
import random
import re
import resource
import shutil
import subprocess
import time

import command
import tap
from receiver import Receiver

program, = map(os.path.abspath, tap.arguments(1))
N_MACHINES = tap.setting("machines", 100_000)
STORE = tap.setting("store", "")
N_VARIANTS = 60
HERE = os.path.dirname(os.path.abspath(__file__))
TYPE = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
random.seed(1)


class Day:
    """What one machine sends: two bodies, in which its names can be replaced, as they are as long as all others."""

    def __init__(self, jankwatch, paths):
        store = os.path.join(jankwatch.home, "variant")
        os.makedirs(store)
        for path in paths:
            shutil.copy(path, store)
        words = [program, "send", "--dry-run", "--store", store]
        result = subprocess.run(words, env=jankwatch.environment, capture_output=True, check=True)
        shutil.rmtree(store)
        self.names = set(re.findall(rb'(?:instance|device)\.id","value":\{"stringValue":"(\w{32})"', result.stdout))
        n = sum(int(length) + 1 for length in re.findall(rb"logs, [^,]*, (\d+)", result.stderr))
        self.bodies = {"/v1/logs": result.stdout[:n], "/v1/metrics": result.stdout[n:]}
        self.n_reports = len(paths)

    def of(self, machine):
        for path, body in self.bodies.items():
            for i, name in enumerate(self.names):
                body = body.replace(name, b"%032x" % (machine << 4 | i))
            yield path, gzip.compress(body, 3)


def take(pipe):
    """The receiver's process: unpacks what comes."""
    def answer(request, number):
        lengths.append(len(request.body))
        return b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    lengths = []
    with Receiver(answer, keeps=False) as server:
        pipe.send(server.url)
        pipe.recv()
        usage = resource.getrusage(resource.RUSAGE_SELF)
        pipe.send((server.n_bytes, sum(lengths), usage.ru_utime + usage.ru_stime))


def play(days, machines, address, paths):
    """Returns: the bytes for each path."""
    connection, n_bytes = http.client.HTTPConnection(address), dict.fromkeys(paths, 0)
    for machine in machines:
        for path, body in days[machine % len(days)].of(machine):
            if path not in paths:
                continue
            connection.request("POST", path, body, TYPE)
            answer = connection.getresponse()
            answer.read()
            tap.check(answer.status < 300, path, answer.status)
            n_bytes[path] += len(body)
    return n_bytes


def make_days(jankwatch):
    store = STORE or jankwatch.store
    if not STORE:
        environment = {**jankwatch.environment, "JANKWATCH_CONFIG": "threshold=12ms,first-sample=4ms,interval=2ms"}
        subprocess.run([program, "run", "--quiet", "--", "/usr/bin/python3", os.path.join(HERE, "planted.py")],
                       check=True, env=environment, capture_output=True)
    paths = [os.path.join(store, name) for name in os.listdir(store) if name.endswith(".json")]
    tap.check(len(paths) >= 5, len(paths), "reports")
    return [Day(jankwatch, random.sample(paths, random.choice((1, 2, 2, 3, 5)))) for _ in range(N_VARIANTS)]


def test_receiver(jankwatch):
    days = make_days(jankwatch)
    here, there = multiprocessing.Pipe()
    receiver = multiprocessing.Process(target=take, args=[there])
    receiver.start()
    address = here.recv().removeprefix("http://")
    began = time.process_time()
    n_bytes = play(days, range(N_MACHINES), address, ["/v1/logs", "/v1/metrics"])
    simulator_s = time.process_time() - began
    here.send(None)
    n_received, n_unpacked, receiver_s = here.recv()
    receiver.join()
    tap.check(n_received == sum(n_bytes.values()), n_received, n_bytes)
    n_reports = sum(days[machine % len(days)].n_reports for machine in range(N_MACHINES))
    return (f"{N_MACHINES} machines, {n_reports} reports: {n_bytes['/v1/logs'] / n_reports:.0f} bytes a report, "
            f"{n_bytes['/v1/metrics'] / N_MACHINES:.0f} bytes of totals a machine, unpacked "
            f"{n_unpacked / n_received:.1f} times as much; receiver {n_reports / receiver_s:.0f}, simulator "
            f"{n_reports / simulator_s:.0f} reports a second of CPU")


command.add_all(globals(), program)
tap.main("/send/simulate", 1)
