# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""34 planted problems, in 3 releases of 8 builds of a C program and in a script, are 34 groups to whoever gets the
reports.

Arguments: COMMAND; then of the 8 builds and 3 releases as many as builds= and releases= say, each run runs= times, with
all problems rounds= times in each run. With fleet=FOLDER, data/fleet, the queries there are asked, too."""

import collections
import concurrent.futures
import functools
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import servers
import tap
from tap import equal

jankwatch, = map(os.path.abspath, tap.arguments(1))
HERE = pathlib.Path(__file__).parent
# Stripped of all names but those that the loader needs.
STRIPPED = ["-s", "-rdynamic", "-DEXPORTED"]
BUILDS = [["gcc", "-O2"], ["clang", "-O2", "-g"], ["gcc", "-O3", "-fcf-protection=none", *STRIPPED],
          ["gcc", "-Os", "-g"],
          ["gcc", "-O2", "-no-pie", "-fno-pie"], ["clang", "-O3", "-fno-omit-frame-pointer", *STRIPPED],
          ["gcc", "-O1", "-g", "-flto"],
          ["gcc", "-O2", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-Wl,-z,now"]]
N_BUILDS, N_RELEASES = tap.setting("builds", len(BUILDS)), tap.setting("releases", 3)
N_RUNS, N_ROUNDS = tap.setting("runs", 1), tap.setting("rounds", 1)
fleet = tap.setting("fleet", "")
N_PROBLEMS = 34
# Of the planted programs.
PLANTED = ("handle_", "work_", "add", "format", "sort")
LANGUAGES = ["C.UTF-8", "zh_CN.UTF-8"]
folder = pathlib.Path(tempfile.mkdtemp())


def build(number, release):
    """The programs of one build, at a place of their own."""
    place = folder / f"{number}-{release}"
    place.mkdir()
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "gio-2.0"], check=True, capture_output=True,
                           text=True).stdout
    subprocess.run([*BUILDS[number], f"-DRELEASE={release}", HERE / "planted.c", "-o", place / "planted",
                    *flags.split()], check=True)
    # Each function is elsewhere in another release.
    script = place / "planted.py"
    script.write_text((HERE / script.name).read_text().replace("\n\n", "\n" * (2 + release)) + f"# {number}\n")
    return [[place / "planted"], ["/usr/bin/python3", script]]


def leave_out_starved(store):
    """Where the machine kept the program from its CPU for most of a stall, and one sample stands for most of it, that
    sample is the function by chance."""
    for path in store.glob("*.json"):
        report = json.loads(path.read_text())
        half_ns = report["stall"]["duration_ns"] / 2
        weights_ns = [sample["weight_ns"] for sample in report.get("samples", [])]
        if report["stall"].get("preempted_ns", 0) > half_ns and max(weights_ns, default=0) > half_ns:
            path.unlink()


def run(words, release, number):
    """The bodies of some runs: OTLP, and envelopes. Each stall is a report of its own."""
    home = pathlib.Path(tempfile.mkdtemp(dir=folder))
    environment = {"PATH": os.environ["PATH"], "HOME": f"{home}", "XDG_RUNTIME_DIR": f"{home}",
                   "XDG_STATE_HOME": f"{home}",
                   "GIO_USE_VFS": "local", "LC_ALL": LANGUAGES[number % 2], "LANGUAGE": LANGUAGES[number % 2],
                   "JANKWATCH_CONFIG": f"threshold=12ms,first-sample=4ms,interval=2ms,"
                                       f"app-version={release},annealing=no,"
                                       "max-reports=9999,max-per-session=9999,send-per-day=9999"}
    for _ in range(N_RUNS):
        subprocess.run([jankwatch, "run", "--quiet", "--", *words, f"{N_ROUNDS}"], env=environment, check=True,
                       capture_output=True)
    leave_out_starved(home / "jankwatch")
    send = [jankwatch, "send", "--dry-run", "--kind=stall"]
    logs, envelopes = (subprocess.run([*send, *to], env=environment, check=True, capture_output=True, text=True).stdout
                       for to in ([], ["--to=https://key@example.org/1"]))
    shutil.rmtree(home)
    return [body for body in logs.splitlines() if body.startswith('{"resourceLogs"')], envelopes


def planted_in(functions):
    """Which problem a stack is of: the last digits of its handle_NN. None: of none, such as Python's end."""
    return next((name[:9] for name in functions if name.startswith("handle_")), None)


@functools.cache
def gather():
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        programs = list(pool.map(lambda key: (key[1], build(*key)),
                                 itertools.product(range(N_BUILDS), range(1, N_RELEASES + 1))))
        return list(pool.map(lambda key: run(key[1][0], key[1][1], key[0]), enumerate(
            (words, release) for release, words_of_all in programs for words in words_of_all)))


def records():
    """The attributes of each record."""
    for body in itertools.chain.from_iterable(bodies for bodies, _ in gather()):
        for resource in json.loads(body)["resourceLogs"]:
            for record in resource["scopeLogs"][0]["logRecords"]:
                yield {one["key"]: next(iter(one["value"].values())) for one in record["attributes"]}


def functions_of(attributes):
    """None if the culprit is the platform's, as of a script's stall whose engine never answered."""
    functions = [line.removeprefix("at ") for line in attributes.get("exception.stacktrace", "").splitlines()]
    return functions if attributes.get("code.function.name", "").startswith(PLANTED) else []


def check_groups(pairs):
    """pairs: group and functions of each report."""
    groups, problems, examples = collections.defaultdict(collections.Counter), collections.defaultdict(set), {}
    for group, functions in pairs:
        problem = planted_in(functions)
        if problem:
            groups[group][problem] += 1
            problems[problem].add(group)
            examples[group] = functions[:6]
    mixed = [dict(found) for found in groups.values() if len(found) > 1]
    split = {problem: [(groups[group][problem], examples[group]) for group in found]
             for problem, found in problems.items() if len(found) > 1}
    missing = {f"handle_{i:02}" for i in range(N_PROBLEMS)} - set(problems)
    said = f"{sum(sum(found.values()) for found in groups.values())} reports are {len(groups)} groups"
    tap.check((len(groups), missing, mixed, split) == (N_PROBLEMS, set(), [], {}), said, "missing:", missing, "mixed:",
              mixed, "split:", split)
    return said


def test_fingerprint():
    return check_groups((attributes["app.hang.fingerprint"], functions_of(attributes)) for attributes in records())


def test_sentry():
    """Which groups by what its clients send as "fingerprint"."""
    pairs, known = [], {attributes["app.hang.fingerprint"] for attributes in records() if functions_of(attributes)}
    for _, envelopes in gather():
        for line in envelopes.splitlines():
            event = json.loads(line)
            if "exception" in event:
                hang = event["exception"]["values"][0]
                names = [frame.get("function", "") for frame in reversed(hang.get("stacktrace", {}).get("frames", []))]
                if event["tags"]["fingerprint"] in known:
                    pairs.append((tuple(event["fingerprint"]), names))
    return check_groups(pairs)


def check_query(rows):
    """rows: fingerprint and stalls of each group."""
    planted = {attributes["app.hang.fingerprint"]: functions_of(attributes) for attributes in records()}
    found = check_groups((fingerprint, planted[fingerprint]) for fingerprint, _ in rows)
    equal(sum(int(stalls) for _, stalls in rows), sum(int(attributes["app.hang.count"]) for attributes in records()))
    return found.replace("reports", "rows")


def test_clickhouse():
    with servers.Clickhouse() as clickhouse:
        clickhouse.run(file=fleet + "/clickhouse.sql")
        clickhouse.insert([one["log.record.uid"], "2026-01-01 00:00:00", "app", "1", "machine", "os",
                           one["app.hang.fingerprint"], one.get("code.function.name", ""), "", one["app.hang.count"],
                           "1"] for one in records())
        return check_query(clickhouse.run("SELECT fingerprint, stalls FROM worst"))


tests = [test_fingerprint, test_sentry, *([test_clickhouse] if fleet else [])]
try:
    for test in tests:
        tap.add(test.__name__.removeprefix("test_"), test)
    tap.main("/send/grouping")
finally:
    shutil.rmtree(folder)
