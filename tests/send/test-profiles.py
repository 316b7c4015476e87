# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch send --profiles URL`: pprof, as Pyroscope takes it. Go's own reader says what is in it."""

import json
import os
import re
import shutil
import subprocess
import urllib.parse

import command
import tap
from receiver import Receiver, ok, status
from tap import contains, equal

program, make_store, make_many = map(os.path.abspath, tap.arguments(3))
has_pprof, = tap.arguments(1)
REPORT = "20261121-153012-4242-1"


def send(jankwatch, server, *words, config="", **environment):
    return jankwatch.run("send", "--profiles", server.url, *words, JANKWATCH_CONFIG="send-ask=no," + config,
                         **environment)


def query_of(request):
    return dict(urllib.parse.parse_qsl(request.path.partition("?")[2]))


def read(request, folder, *words):
    """What Go's reader prints."""
    path = os.path.join(folder, "profile")
    with open(path, "wb") as file:
        file.write(request.raw)
    return subprocess.run(["go", "tool", "pprof", *words, path], text=True, capture_output=True, check=True,
                          env={**os.environ, "TZ": "UTC", "HOME": folder}).stdout


def test_bytes(jankwatch):
    """Each report with samples is one profile of its time, under its program's name; nothing else opens a
    connection."""
    if shutil.which("go") is None:
        raise tap.Skip("go is not installed")
    subprocess.run([make_store, jankwatch.store, "1"], check=True)
    with open(os.path.join(jankwatch.store, REPORT + ".json")) as file:
        report = json.load(file)
    with Receiver() as server:
        result = send(jankwatch, server)
        equal((result.returncode, result.stderr),
              (0, f"jankwatch: Sent {len(server.taken)} report{'s' * (len(server.taken) > 1)}\n"))
        request = server.taken[0]
        equal((request.path.split("?")[0], request.headers["content-type"], request.headers.get("content-encoding")),
              ("/ingest", "application/octet-stream", None))
        query = query_of(request)
        equal((query["name"], query["format"], query["spyName"]),
              (f"{report['app']['name']}{{service_version={report['app']['version']},"
               f"fingerprint={report['fingerprint']}}}",
               "pprof", "jankwatch"))
        assert 0 < int(query["until"]) - int(query["from"]) <= report["stall"]["duration_ns"] / 1e9 + 2, query
        raw = read(request, jankwatch.home, "-raw")
        contains(raw, f"report:[{REPORT}]")
        total = sum(sample["weight_ns"] for sample in report["samples"])
        found = re.findall(r"^ +(\d+) +(\d+):", raw, re.MULTILINE)
        equal(tuple(sum(map(int, column)) for column in zip(*found)), (len(report["samples"]), total))
        contains(read(request, jankwatch.home, "-top"), "compute_primes")


def test_once(jankwatch):
    """Each once, beside what another server gets; a server that is down, or has no room, loses none, and limits
    hold."""
    subprocess.run([make_many, jankwatch.store, "30", "10"], check=True)
    with Receiver(lambda request, number: status(503) if number <= 2 else ok()) as server, Receiver() as other:
        for _ in range(2):
            result = send(jankwatch, server, "--to", other.url, "--json")
            equal((result.returncode, len(server.taken), len(other.ids())), (0, 30, 30))
        equal(len({request.raw for request in server.taken}), 30)
        subprocess.run(["rm", "-r", os.path.join(jankwatch.store, "sent")], check=True)
        del server.taken[:]
        send(jankwatch, server, config="send-per-day=1")
        days = {(name[:8], query_of(request)["name"]) for name in os.listdir(jankwatch.store)
                for request in server.taken}
        assert 10 <= len(server.taken) <= len(days), len(server.taken)
    with Receiver() as server:
        server.url += "/ingest"
        equal((send(jankwatch, server).returncode, {request.path.split("?")[0] for request in server.taken}),
              (0, {"/ingest"}))


def test_dry_run(jankwatch):
    """It says where, and prints the bytes."""
    subprocess.run([make_many, jankwatch.store, "1", "1"], check=True)
    with Receiver() as server:
        path = os.path.join(jankwatch.home, "printed")
        with open(path, "wb") as file:
            said = subprocess.run([program, "send", "--dry-run", "--profiles", server.url], stdout=file,
                                  stderr=subprocess.PIPE,
                                  env=jankwatch.environment, text=True).stderr
        contains(said, f"POST {server.url}/ingest?name=program-0%7B")
        equal(server.n_connections, 0)
        send(jankwatch, server)
        with open(path, "rb") as file:
            equal(file.read(), server.taken[0].raw)


def test_headers(jankwatch):
    """The common ones go to the other server alone; a profile server has its own."""
    subprocess.run([make_many, jankwatch.store, "1", "1"], check=True)
    with Receiver() as server, Receiver() as other:
        send(jankwatch, server, "--to", other.url, OTEL_EXPORTER_OTLP_HEADERS="x-token=a")
        equal([("x-token" in request.headers) for request in other.taken + server.taken], [True, True, False])
    with Receiver() as server, Receiver() as other:
        send(jankwatch, server, "--to", other.url, OTEL_EXPORTER_OTLP_PROFILES_HEADERS="x-token=b")
        equal([request.headers.get("x-token") for request in other.taken + server.taken], [None, None, "b"])


def check_without(jankwatch):
    """It says so, and nothing is sent."""
    with Receiver() as server:
        result = send(jankwatch, server, "--to", server.url)
        contains(result.stderr, "built without protobuf-c")
        equal((result.returncode != 0, server.n_connections), (True, 0))
    raise tap.Skip("this jankwatch was built without protobuf-c: it has no profiles")


if has_pprof == "yes":
    command.add_all(globals(), program)
else:
    command.add("without", check_without, program)
tap.main("/send/profiles")
