# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What `jankwatch send` sends: in both encodings, how much of it, and nothing that is private."""

import collections
import json
import os
import pathlib
import random
import re
import shlex
import subprocess

import command
import tap
from receiver import Receiver, attributes_of, points_of, records_of
from sessions import make_session
from tap import contains, equal

program, make_store, make_many, print_full, fields_path = map(os.path.abspath, tap.arguments(5))


def filled(jankwatch, n=30, n_problems=30):
    subprocess.run([make_many, jankwatch.store, str(n), str(n_problems)], check=True)


def run(jankwatch, *words, config=""):
    return jankwatch.run("send", *words, JANKWATCH_CONFIG="send-ask=no," + config)


def reports(jankwatch):
    for name in sorted(os.listdir(jankwatch.store)):
        if name.endswith(".json"):
            yield os.path.join(jankwatch.store, name)


def change(path, edit):
    report = json.loads(pathlib.Path(path).read_text())
    edit(report)
    pathlib.Path(path + ".new").write_text(json.dumps(report))
    os.rename(path + ".new", path)


FRAMES = {"frames": 5000, "active_ns": 80_000_000_000, "refresh_ns": 16_666_666, "late_program": 9,
          "late_compositor": 3}
INPUTS = {"count": 100, "p50_ns": 20_000_000, "p75_ns": 40_000_000, "p98_ns": 300_000_000, "longest_ns": 700_000_000}


def full(jankwatch):
    filled(jankwatch)
    make_session(jankwatch, frame_clock=FRAMES, interactions=INPUTS,
                 hangs={"count": 4, "total_ns": 2_000_000_000, "watched_ns": 60_000_000_000})


def exchange(jankwatch, *words, config="", as_dsn=False):
    """The requests."""
    with Receiver() as server:
        url = server.url.replace("://", "://key@") + "/1" if as_dsn else server.url
        result = run(jankwatch, "--to", url, *words, config=config)
        equal((result.returncode, len(server.taken)), (0, len(server.asked)))
        return server.taken


def records(requests):
    """Of all bodies, one each."""
    return [record for request in requests if "logs" in request.path for record, in [records_of(request)]]


def metrics(requests):
    """Each point by its metric and fingerprint, of the last totals of each program."""
    return {key[2:]: point for request in requests if "metrics" in request.path
            for key, point in points_of(request).items()}


def timeless(node):
    """Without the moment of sending."""
    if isinstance(node, dict):
        return {key: timeless(value) for key, value in node.items() if key not in ("startTimeUnixNano", "timeUnixNano")}
    return [timeless(value) for value in node] if isinstance(node, list) else node


def n_of(point):
    equal(sum(map(int, point["positive"]["bucketCounts"])), int(point["count"]))
    return int(point["count"])


def test_encoding(jankwatch):
    """One report a body."""
    full(jankwatch)
    requests = exchange(jankwatch)
    equal(collections.Counter(request.path for request in requests), {"/v1/logs": 31, "/v1/metrics": 6})
    equal({request.headers["content-type"] for request in requests}, {"application/json"})


def make_identity(jankwatch):
    """The first try to send does so."""
    result = jankwatch.run("send", "--to", "http://127.0.0.1:9", "--timeout", "1", JANKWATCH_CONFIG="send-ask=no")
    equal(result.returncode, 1)


def test_dry_run(jankwatch):
    """The very bytes, a line each body; nothing is remembered."""
    full(jankwatch)
    make_identity(jankwatch)
    printed = [run(jankwatch, "--dry-run").stdout.splitlines() for _ in range(2)]
    equal(*[[timeless(json.loads(line)) for line in lines] for lines in printed])
    requests = exchange(jankwatch)
    equal(len(requests), len(printed[0]))
    for request, line in zip(requests, printed[0]):
        if "logs" in request.path:
            equal(request.body.decode(), line)
        equal(timeless(request.json), timeless(json.loads(line)))


def test_record(jankwatch):
    subprocess.run([make_store, jankwatch.store, "1"], check=True)
    record = next(record for record in records(exchange(jankwatch))
                  if dict(attributes_of(record))["jankwatch.id"]["stringValue"] == "20261121-153012-4242-1")
    report = json.loads(pathlib.Path(os.path.join(jankwatch.store, "20261121-153012-4242-1.json")).read_text())
    found = dict(attributes_of(record))
    equal((record["eventName"], record["severityText"]), ("app.hang", report["stall"]["severity"]))
    equal(found["app.hang.fingerprint"]["stringValue"], report["fingerprint"])
    equal(found["app.hang.duration"]["doubleValue"], report["stall"]["duration_ns"] / 1e9)
    equal(found["code.function.name"]["stringValue"], report["culprit"]["function"])
    equal(found["process.pid"]["intValue"], str(report["app"]["pid"]))
    equal(found["jankwatch.stall.cpu_ns"]["intValue"], str(report["stall"]["cpu_ns"]))
    contains(found["exception.stacktrace"]["stringValue"], "at ")
    keys = [key for key, _ in attributes_of(record)]
    equal(len(keys), len(set(keys)))
    assert found["log.record.uid"]["stringValue"].endswith("-20261121-153012-4242-1")


def test_extension(jankwatch):
    """Its name goes to both kinds of servers, its path and what is no UUID stay."""
    folder = f"/home/{SECRET}/.local/share/gnome-shell/extensions/"
    filled(jankwatch, 2)
    for path, name in zip(list(reports(jankwatch)), ("clock@example.org", f"clock of {SECRET}")):
        change(path, lambda report: report["culprit"].update(module=folder + name + "/extension.js"))
    body = exchange(jankwatch)[0]
    found = dict(attributes_of(records_of(body)[0]))
    equal((found["jankwatch.extension"]["stringValue"], SECRET.encode() in body.body), ("clock@example.org", False))
    envelope = exchange(jankwatch, as_dsn=True)[0].body
    equal((b'"extension":"clock@example.org"' in envelope, SECRET.encode() in envelope), (True, False))


def test_instances(jankwatch):
    """Two versions of a program on one machine are two instances, as Prometheus wants it."""
    filled(jankwatch, 2, 1)
    change(next(reports(jankwatch)), lambda report: report["app"].update(version="another"))
    resources = [request.json["resourceLogs"][0] for request in exchange(jankwatch)[:2]]
    names = [{one["key"]: one["value"]["stringValue"] for one in resource["resource"]["attributes"]}
             for resource in resources]
    equal([len({name[key] for name in names})
           for key in ("service.name", "service.version", "service.instance.id", "device.id")],
          [1, 2, 2, 1])


def test_kinds(jankwatch):
    """A frame that was late is jank; a dump is no trouble."""
    filled(jankwatch, 3)
    frame, dump, stall = reports(jankwatch)
    change(frame, lambda report: report.update(kind="frame"))
    change(dump, lambda report: report.update(kind="dump"))
    equal([record["eventName"] for record in records(exchange(jankwatch))], ["app.jank", "app.hang"])


def test_late_frames(jankwatch):
    full(jankwatch)
    record = records(exchange(jankwatch))[-1]
    found = {key: value for key, value in attributes_of(record) if key.startswith("app.jank")}
    equal((record["eventName"], found), ("app.jank", {
        "app.jank.frame_count": {"intValue": "9"}, "app.jank.threshold": {"doubleValue": 0.024999999},
        "app.jank.period": {"doubleValue": 80.0}}))


def test_metrics(jankwatch):
    full(jankwatch)
    found = metrics(exchange(jankwatch))
    equal({name: found[name, ""]["asDouble"] for name in ("app.hang.time", "app.watched.time", "app.frame.count",
                                                          "app.frame.late.program", "app.frame.late.compositor")},
          {"app.hang.time": 2, "app.watched.time": 60, "app.frame.count": 5000, "app.frame.late.program": 9,
           "app.frame.late.compositor": 3})
    equal(n_of(found["app.interaction.duration", ""]), 100)
    equal(sum(n_of(point) for (name, _), point in found.items() if name == "app.hang.duration"), 30)
    for (name, fingerprint), point in found.items():
        if name == "app.hang.duration": # one stall each, which lies in its bucket
            low = 2 ** ((point["positive"]["offset"]) / 2 ** point["scale"])
            assert low < point["sum"] <= low * 2 ** (1 / 2 ** point["scale"]) * 1.0001, point


def test_one_signal(jankwatch):
    """A URL of metrics gets metrics alone, one of logs logs, and --dry-run says so; without --to OpenTelemetry's
    variable names the server."""
    filled(jankwatch, 1)
    with Receiver() as server, Receiver() as other:
        for words, endpoint, paths in (
                (["--to", server.url + "/opentelemetry/v1/metrics"], "", ["/opentelemetry/v1/metrics"]),
                (["--to", server.url + "/x/v1/logs"], "", ["/x/v1/logs"]),
                ([], server.url + "/e", ["/e/v1/logs", "/e/v1/metrics"]),
                (["--to", server.url + "/f"], other.url, ["/f/v1/logs", "/f/v1/metrics"])):
            environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
            del server.asked[:]
            said = jankwatch.run("send", "--dry-run", *words, **environment).stderr
            equal(server.asked, [])
            equal(["/" + line.split("/", 3)[3].split(",")[0] for line in said.splitlines() if "POST" in line], paths)
            equal(" only: it receives" in said, len(paths) == 1)
            for _ in range(2):
                result = jankwatch.run("send", *words, JANKWATCH_CONFIG="send-ask=no", **environment)
                equal((result.returncode, [request.path for request in server.asked], other.asked), (0, paths, []))


def test_filters(jankwatch):
    filled(jankwatch)
    equal(len(records(exchange(jankwatch, "--app=program-3"))), 6)
    equal(len(records(exchange(jankwatch))), 30)


def test_per_day(jankwatch):
    """Few reports of a problem a day, and exact counts of all, also over several runs and when files are gone."""
    filled(jankwatch, 12, 1)
    for i, path in enumerate(list(reports(jankwatch))):
        ID = f"20260105-10{i:02}00-77-{i + 1}"
        change(path, lambda report: report.update(id=ID))
        os.rename(path, os.path.join(jankwatch.store, ID + ".json"))
    late = os.path.join(jankwatch.home, "late.json")
    os.rename(list(reports(jankwatch))[-1], late)
    with Receiver() as server:
        words = "--to", server.url
        contains(run(jankwatch, *words, config="send-per-day=3").stderr, "8 reports were held back")
        equal(len(server.ids()), 3)
        os.rename(late, os.path.join(jankwatch.store, ID + ".json"))
        for path in list(reports(jankwatch))[:2]:
            os.unlink(path)
        change(list(reports(jankwatch))[0], lambda report: report["repeats"].update(count=5, total_ns=10**9))
        run(jankwatch, *words, config="send-per-day=3")
        equal(len(server.ids()), 3)
        points = [point for (name, _), point in metrics(server.taken[-1:]).items() if name == "app.hang.duration"]
        equal([n_of(point) for point in points], [12 + 4])
        n = len(server.taken)
        run(jankwatch, *words, config="send-per-day=3")
        equal(len(server.taken), n)
        # What is still here and was held back. A dry run knows what that server has got.
        here = {os.path.basename(path).removesuffix(".json") for path in reports(jankwatch)}
        n_held = len(here - set(server.ids()))
        dry = lambda: jankwatch.run("send", "--dry-run", *words, JANKWATCH_CONFIG="send-per-day=99").stdout
        equal(dry().count('"jankwatch.id"'), n_held)
        said = run(jankwatch, *words, config="send-per-day=99").stderr
        contains(said, f"Sent {n_held} report")
        equal((len(server.ids()), len(set(server.ids()))), (3 + n_held, 3 + n_held))
        equal(dry(), "")


def date_all(jankwatch, day):
    """All reports become those of a day."""
    for i, path in enumerate(list(reports(jankwatch))):
        ID = f"202601{day:02}-10{i // 60:02}{i % 60:02}-77-{i + 1}"
        change(path, lambda report: report.update(id=ID))
        os.rename(path, os.path.join(jankwatch.home, ID + ".json"))


def count_of(server):
    """How many hangs the records tell of."""
    return sum(int(dict(attributes_of(record))["app.hang.count"]["intValue"]) for record in records(server.taken))


def test_held_back(jankwatch):
    """What is not sent is counted in the next report of the problem that is: on another day, in the same body or a
    later one, also what a report that was sent has counted since."""
    for day in 5, 6, 7:
        filled(jankwatch, 40, 4)
        date_all(jankwatch, day)
    n_hangs = 0
    with Receiver() as server:
        for days, n_sent in ((5, 6), 16), ((7,), 24), ((), 24):
            for name in sorted(os.listdir(jankwatch.home)):
                if name.startswith(tuple(f"202601{day:02}" for day in days)):
                    os.rename(os.path.join(jankwatch.home, name), os.path.join(jankwatch.store, name))
                    n_hangs += 1
            run(jankwatch, "--to", server.url, config="send-per-day=2")
            equal(len(server.ids()), n_sent)
            # All but those behind the last one of each problem.
            equal((days, count_of(server)), (days, n_hangs - 4 * 8))
            change(list(reports(jankwatch))[0], lambda report: report["repeats"].update(count=5, total_ns=10**9))
            n_hangs += 4 if days == (5, 6) else 0


def random_words(chance, n):
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz_") for _ in range(n))


def enlarge(report):
    """Stacks, threads and files without end, all different."""
    chance = random.Random(1)
    report["modules"] = [{"path": f"/usr/lib/lib{random_words(chance, 9)}.so", "base": i << 20,
                          "build_id": f"{chance.getrandbits(160):040x}"} for i in range(300)]
    report["frames"] = [{"module": i % 300, "offset": chance.getrandbits(20), "symbol": random_words(chance, 40),
                         "symbol_offset": 1} for i in range(5000)]
    report["stacks"] = [list(range(250 * i, 250 * i + 250)) for i in range(20)]
    report["heaviest"]["stack"] = 0
    report["samples"] = [{**sample, "stack": 0} for sample in report["samples"]]
    report["threads"] = [{**report["threads"][0], "tid": 100 + i, "observed": i == 0, "stack": i % 20}
                         for i in range(60)]


def test_size(jankwatch):
    """A record has 4 kB at most."""
    sizes = {}
    for kind, as_dsn in ("OTLP", False), ("Sentry", True):
        subprocess.run([make_store, jankwatch.store, "1"], check=True)
        change(os.path.join(jankwatch.store, "20261121-153012-4242-1.json"), enlarge)
        sizes[kind] = max(len(request.raw) for request in exchange(jankwatch, as_dsn=as_dsn)
                          if "metrics" not in request.path)
        subprocess.run(["rm", "-r", jankwatch.store], check=True)
    tap.check(max(sizes.values()) <= 4096, sizes)
    return f"largest record by kind: {sizes} bytes"


def test_identity(jankwatch):
    """A machine has a name that says nothing of it, another in each store."""
    filled(jankwatch, 1)
    said = re.compile(r'service.instance.id","value":{"stringValue":"(\w+)"')
    get = lambda: said.search(run(jankwatch, "--dry-run").stdout).group(1)
    machine = pathlib.Path("/etc/machine-id").read_text().strip()
    make_identity(jankwatch)
    first = get()
    assert machine != first == get(), first
    subprocess.run(["rm", "-r", os.path.join(jankwatch.store, "sent")], check=True)
    make_identity(jankwatch)
    assert get() != first


SECRET = "zzsecretzz"
# Words of ours, times and numbers: a report with other ones is none.
PLAIN = {"schema", "id", "session", "kind", "severity", "outcome", "fingerprint", "state", "began", "first",
         "last", "name_from", "build_id", "rule", "hitch_band", "busiest", "who", "reached"}
# Paths, of which the base name stays, and names of programs and functions: what a function is said to do goes.
PATHS = {"exe", "file", "module", "mount", "path", "peer", "target", "advised_file"}
PROGRAMS = {"/app/name", "/chain/links[]/name", "/processes[]/app/name"}
FUNCTIONS = {"function", "symbol", "inlined_into", "callee", "advised", "culprit", "call"}
FORMS = ("/home/{0}/{0} plan of {0}/{1}", "[{0} and {0}]", "{1} /media/{0}/{0}", "{1} “{0}”", "{0}’s plan: {0}")


def plant(node, form, planted, path="", key=None):
    """Into every text, but what says what the file is. planted gets the paths."""
    if isinstance(node, dict):
        return {name: plant(value, form, planted, f"{path}/{name}", name) for name, value in node.items()}
    if isinstance(node, list):
        return [plant(value, form, planted, path + "[]", key) for value in node]
    if not isinstance(node, str) or (key in PLAIN and path != "/app/id") or path == "/samples[]/method":
        return node
    planted.add(path)
    if key in FUNCTIONS:
        return f"{node} on “{SECRET}”"
    return (FORMS[0] if key in PATHS or path in PROGRAMS else form).format(SECRET, node.replace("/", ""))


def text_fields(heading):
    """Those of schema-fields.txt that may hold any text."""
    part = next(part for part in pathlib.Path(fields_path).read_text().split("# ") if part.startswith(heading))
    for path, *fields in map(str.split, re.split(r"\n(?=/)", part)[1:]):
        for name, items in re.findall(r"(\w+)!? string(\[\])?(?=,|$)", " ".join(fields)):
            yield path.rstrip("/") + "/" + name + items


def test_private(jankwatch):
    """Whatever a text says of the user stays here, in every field and encoding, unless it is asked for."""
    printed = subprocess.run([print_full, jankwatch.home], capture_output=True, text=True, check=True).stdout
    full, _, process, summary = map(json.loads, printed.splitlines())
    process["app"]["pid"] = 4000000
    sessions = os.path.join(jankwatch.store, "sessions")
    os.makedirs(sessions)
    planted = set()
    for form in FORMS:
        pathlib.Path(jankwatch.store, full["id"] + ".json").write_text(json.dumps(plant(full, form, planted)))
        for name, session in ("s1-4000000", process), ("s1", summary):
            pathlib.Path(sessions, name + ".json").write_text(json.dumps(plant(session, form, set())))
        bodies = {"printed": run(jankwatch, "--dry-run").stdout.encode(),
                  "OTLP": b"".join(request.body for request in exchange(jankwatch)),
                  "Sentry": b"".join(request.body for request in exchange(jankwatch, as_dsn=True)),
                  "issue": jankwatch.run("report-bug", full["id"], DISPLAY="").stdout.encode()}
        subprocess.run(["rm", "-r", os.path.join(jankwatch.store, "sent")], check=True)
        equal({name: len(body) > 900 for name, body in bodies.items()}, dict.fromkeys(bodies, True))
        equal((form, [name for name, body in bodies.items() if SECRET.encode() in body]), (form, []))
        contains(run(jankwatch, "--dry-run", "--no-redact").stdout, SECRET)
    # Of waits one has what the other has not.
    names_of_waits = {path.split("/wait/")[1] for path in planted if "/wait/" in path}
    unplanted = {path.split("[]")[-1] for path in text_fields("report")
                 if path not in planted and path.split("/wait/")[-1] not in names_of_waits}
    equal(unplanted, {"/session", "/limit/reached", "/wait/kind", "/wait/lock/kind"})


def test_no_socket(jankwatch):
    """Without a URL none is ever opened."""
    filled(jankwatch, 3)
    log = os.path.join(jankwatch.home, "calls")
    for words, status in (["send"], 2), (["send", "--dry-run"], 0), (["list"], 0), (["report-bug", "latest"], 0):
        strace = ["strace", "-f", "-qq", "-e", "signal=none", "-o", log, "-e", "trace=socket,connect,sendto,sendmsg"]
        # A leak sanitizer cannot work under a tracer.
        environment = {**jankwatch.environment, "ASAN_OPTIONS": "detect_leaks=0"}
        result = subprocess.run([*strace, program, *words], env=environment, capture_output=True)
        equal((words, result.returncode), (words, status))
        equal(pathlib.Path(log).read_text(), "")


def test_asks(jankwatch):
    """Once, on a terminal; elsewhere it does nothing before somebody has answered."""
    filled(jankwatch, 3)
    with Receiver() as server:
        words = ["send", "--to", server.url]
        result = jankwatch.run(*words)
        equal((result.returncode, server.n_connections), (1, 0))
        contains(result.stderr, "send-ask=no")
        for answer, n in ("n", 0), ("y", 3):
            line = shlex.join([program, *words])
            subprocess.run(["script", "-qec", line, "/dev/null"], input=answer + "\n", env=jankwatch.environment,
                           text=True, capture_output=True, timeout=60)
            equal((answer, len(server.asked) > 0), (answer, n > 0))
        filled(jankwatch, 5)
        equal(jankwatch.run(*words).returncode, 0)


def test_setting(jankwatch):
    """The setting is enough for fleets."""
    filled(jankwatch, 3)
    with Receiver() as server:
        equal(jankwatch.run("send", JANKWATCH_CONFIG=f"send-to={server.url},send-ask=no").returncode, 0)
        equal(len(server.ids()), 3)


TOKEN = "zztokenzz"
AUTHORIZED = f"authorization=Bearer%20{TOKEN}, x-scope=a%2Cb,"


def test_headers(jankwatch):
    """The environment's go to the server that they are for, and nowhere else: no message and no output has their
    values."""
    filled(jankwatch, 3)
    with Receiver() as server:
        environment = {"JANKWATCH_CONFIG": "send-ask=no", "OTEL_EXPORTER_OTLP_HEADERS": AUTHORIZED}
        printed = jankwatch.run("send", "--dry-run", **environment)
        contains(printed.stderr, "authorization: …")
        equal(TOKEN in printed.stdout + printed.stderr, False)
        # The port is another one.
        there = jankwatch.run("send", "--to", server.url, **environment,
                              OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
        equal((there.returncode, TOKEN.encode() in b"".join(str(request.headers).encode() for request in server.taken)),
              (0, False))
        filled(jankwatch, 6)
        jankwatch.run("send", "--to", server.url, **environment, OTEL_EXPORTER_OTLP_ENDPOINT=server.url + "/v1")
        said = server.taken[-1].headers
        equal((said["authorization"], said["x-scope"], said["content-encoding"]), (f"Bearer {TOKEN}", "a,b", "gzip"))
        jankwatch.run("send", "--to", server.url.replace("://", "://key@") + "/1", **environment)
        equal([(request.path, "authorization" in request.headers) for request in server.taken[-1:]],
              [("/api/1/envelope/", False)])
        filled(jankwatch, 9)
        n = len(server.asked)
        for wrong in f"authorization={TOKEN}%0d%0ax:y", f"a b={TOKEN}", TOKEN, f"a={TOKEN}%z", f"={TOKEN}":
            result = jankwatch.run("send", "--to", server.url, JANKWATCH_CONFIG="send-ask=no",
                                   OTEL_EXPORTER_OTLP_HEADERS=f"x=1,{wrong}")
            equal((result.returncode, len(server.asked), TOKEN in result.stderr), (2, n, False))
            contains(result.stderr, "Part 2")


def test_wrong_words(jankwatch):
    for words in (["--to", "ftp://host"], ["--to", "http://"], ["--to", "nonsense"], ["--timeout", "0"], ["x"], []):
        equal((words, run(jankwatch, *words).returncode), (words, 2))


command.add_all(globals(), program)
tap.main("/send/bodies", 4)
