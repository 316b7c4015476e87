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
import otlp
import tap
from receiver import Receiver
from tap import equal

program, make_many = map(os.path.abspath, tap.arguments(2))
N = 30
# Later versions lack the definitions. Spotlight 4.11.8 fails with a newer hono.
PACKAGES = {"private": True,
            "dependencies": {"@opentelemetry/otlp-transformer": "0.57.2", "@spotlightjs/spotlight": "4.11.8",
                             "@sentry/browser": "10.23.0", "typescript": "5.9.3"},
            "overrides": {"hono": "4.12.25"}}
DECODE = """
const root = require('@opentelemetry/otlp-transformer/build/src/generated/root.js').opentelemetry.proto.collector;
const type = process.argv[1] == 'logs'
  ? root.logs.v1.ExportLogsServiceRequest : root.metrics.v1.ExportMetricsServiceRequest;
const message = type.decode(require('fs').readFileSync(0));
console.log(JSON.stringify(type.toObject(message, { longs: String })));
"""
VALIDATE = """
const { validateProfileChunk } = require('./node_modules/@sentry/browser/build/npm/cjs/profiling/utils.js');
console.log(JSON.stringify(validateProfileChunk(JSON.parse(require('fs').readFileSync(0)))));
"""
folder = tempfile.mkdtemp()


def test_definitions(jankwatch):
    """They read what the JSON says."""
    for temporality in "cumulative", "delta":
        check_definitions(jankwatch, temporality)


def check_definitions(jankwatch, temporality):
    subprocess.run([make_many, jankwatch.store, str(N)], check=True)
    with Receiver() as server:
        jankwatch.run("send", "--to", server.url, JANKWATCH_CONFIG="send-ask=no,send-temporality=" + temporality)
    equal(len(server.taken), 2)
    for request, fields in zip(server.taken, (otlp.LOGS, otlp.METRICS)):
        kind = request.path.rpartition("/")[2]
        read = json.loads(subprocess.run(["node", "-e", DECODE, kind], input=request.body, cwd=folder,
                                         capture_output=True,
                                         check=True).stdout)
        ours = otlp.decode(fields, request.body)
        for record in (record for resource in ours.get("resourceLogs", []) for scope in resource["scopeLogs"]
                       for record in scope["logRecords"]):
            equal(record.pop("eventName"), "app.hang") # newer than the definitions
        equal(read, ours)


def test_profile(jankwatch):
    """A profile chunk has the types that Sentry's own client has for it, but for images, which are never ELF there, and
    the event's link to it, for which it has none. It passes what that client asks of a chunk before it sends it."""
    subprocess.run([make_many, jankwatch.store, str(N)], check=True)
    with Receiver() as server:
        jankwatch.run("send", "--to", server.url.replace("://", "://key@") + "/1", JANKWATCH_CONFIG="send-ask=no")
    lines = server.taken[0].body.decode().splitlines()
    event, chunk = json.loads(lines[2]), json.loads(lines[4])
    equal([json.loads(line)["type"] for line in lines[1::2]], ["event", "profile_chunk"])
    images = chunk.pop("debug_meta")["images"]
    equal({image["type"] for image in images}, {"elf"} if images else set())
    with open(os.path.join(folder, "chunk.ts"), "w") as file:
        file.write(f"""import type {{ Event, ProfileChunk, ProfileChunkItem }} from '@sentry/core';
const chunk = {json.dumps(chunk)};
const contexts = {json.dumps(event["contexts"])};
export const item: ProfileChunkItem = [{{ type: 'profile_chunk' }}, chunk as ProfileChunk];
export const found: ProfileChunk = chunk;
export const linked: Event['contexts'] = {{ trace: contexts.trace }};
""")
    words = ["node_modules/.bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "chunk.ts"]
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    equal((result.returncode, result.stdout), (0, ""))
    said = subprocess.run(["node", "-e", VALIDATE], input=json.dumps(chunk), cwd=folder, capture_output=True, text=True,
                          check=True)
    equal(json.loads(said.stdout), {"valid": True})


def test_spotlight(jankwatch):
    """It has each report, by its ID, and takes the profiles beside them, of which it shows nothing."""
    subprocess.run([make_many, jankwatch.store, str(N)], check=True)
    log = os.path.join(jankwatch.home, "log")
    with open(log, "w") as out:
        server = subprocess.Popen(["node_modules/.bin/spotlight", "tail", "errors", "-f", "json", "-p", "18969"],
                                  cwd=folder,
                                  stdout=out, stderr=subprocess.PIPE, text=True)
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
