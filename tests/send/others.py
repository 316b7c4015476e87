# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What others make of what `jankwatch send` sends: the protobuf definitions of OpenTelemetry, and Sentry's development
server, both from npm. others.py COMMAND MAKE_MANY"""

import json
import os
import shutil
import subprocess
import tempfile
import time

import command
import tap
from receiver import Receiver
from tap import equal

program, make_many = map(os.path.abspath, tap.arguments(2))
N = 30
# Later versions lack the definitions. Spotlight 4.11.8 fails with a newer hono.
PACKAGES = {"private": True,
            "dependencies": {"@opentelemetry/otlp-transformer": "0.57.2", "@spotlightjs/spotlight": "4.11.8"},
            "overrides": {"hono": "4.12.25"}}
DECODE = """
const root = require('@opentelemetry/otlp-transformer/build/src/generated/root.js').opentelemetry.proto.collector;
const type = process.argv[1] == 'logs'
  ? root.logs.v1.ExportLogsServiceRequest : root.metrics.v1.ExportMetricsServiceRequest;
const read = JSON.parse(require('fs').readFileSync(0));
console.log(JSON.stringify(type.toObject(type.fromObject(read), { longs: String })));
"""
folder = tempfile.mkdtemp()


def test_definitions(jankwatch):
    """They have a place for all that the JSON says."""
    subprocess.run([make_many, jankwatch.store, str(N)], check=True)
    with Receiver() as server:
        jankwatch.run("send", "--to", server.url, JANKWATCH_CONFIG="send-ask=no")
    for request in server.taken:
        kind = request.path.rpartition("/")[2]
        read = json.loads(subprocess.run(["node", "-e", DECODE, kind], input=request.body, cwd=folder,
                                         capture_output=True, check=True).stdout)
        ours = request.json
        for record in (record for resource in ours.get("resourceLogs", []) for scope in resource["scopeLogs"]
                       for record in scope["logRecords"]):
            equal(record.pop("eventName"), "app.hang") # newer than the definitions
        equal(read, ours)


def test_spotlight(jankwatch):
    """It has each report, by its ID."""
    subprocess.run([make_many, jankwatch.store, str(N)], check=True)
    log = os.path.join(jankwatch.home, "log")
    with open(log, "w") as out:
        server = subprocess.Popen(["node_modules/.bin/spotlight", "tail", "errors", "-f", "json", "-p", "18969"],
                                  cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        if "listening on" in line:
            break
    result = jankwatch.run("send", "--to", f"http://key@127.0.0.1:{line.split()[-1]}/1", JANKWATCH_CONFIG="send-ask=no")
    equal((result.returncode, result.stderr), (0, f"jankwatch: Sent {N} reports\n"))
    for _ in range(100):
        with open(log) as file:
            events = [json.loads(line) for line in file if line.endswith("}\n")]
        if len(events) == N:
            break
        time.sleep(0.1)
    server.kill()
    server.wait()
    equal(sorted(event["report"] for event in events),
          sorted(name.removesuffix(".json") for name in os.listdir(jankwatch.store) if name.endswith(".json")))
    equal({(event["type"], event["exception_type"]) for event in events}, {("error", "App Hanging")})


try:
    with open(os.path.join(folder, "package.json"), "w") as file:
        json.dump(PACKAGES, file)
    subprocess.run(["npm", "install", "--silent"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    command.add_all(globals(), program)
    tap.main("/send/others")
finally:
    shutil.rmtree(folder)
