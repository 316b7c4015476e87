# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Envelopes of `jankwatch send --to DSN`."""

import json
import os
import pathlib
import subprocess
import uuid

import command
import tap
from receiver import Receiver, status
from sessions import make_session
from tap import equal

program, make_store = map(os.path.abspath, tap.arguments(2))
REPORT = "20261121-153012-4242-1"


def items_of(request):
    """Type and content of each item."""
    lines = request.body.decode().splitlines()
    equal(json.loads(lines[0]), {})
    found = []
    for header, content in zip(map(json.loads, lines[1::2]), lines[2::2]):
        equal(header["length"], len(content.encode()))
        found.append((header["type"], json.loads(content)))
    return found


def exchange(jankwatch, answer=None, change=lambda report: None):
    """The requests, and the report."""
    subprocess.run([make_store, jankwatch.store, "1"], check=True)
    path = os.path.join(jankwatch.store, REPORT + ".json")
    report = json.loads(pathlib.Path(path).read_text())
    change(report)
    pathlib.Path(path).write_text(json.dumps(report))
    with Receiver(answer) as server:
        dsn = server.url.replace("://", "://public:secret@") + "/sentry/42"
        result = jankwatch.run("send", "--to", dsn, JANKWATCH_CONFIG="send-ask=no")
        equal((result.returncode, [request.path for request in server.taken][:1]), (0, ["/sentry/api/42/envelope/"]))
        assert "public" not in result.stderr and "secret" not in result.stderr, result.stderr
        return server.taken, report


def event_of(requests, ID=REPORT):
    return next(content for request in requests for kind, content in items_of(request)
                if kind == "event" and content["tags"]["report"] == ID)


def test_request(jankwatch):
    """One event each, under an ID of its report and machine."""
    requests, _ = exchange(jankwatch)
    for request in requests:
        equal(request.headers["content-type"], "application/x-sentry-envelope")
        equal("sentry_key=public" in request.headers["x-sentry-auth"], True)
        equal("secret" in request.headers["x-sentry-auth"], False)
        equal([kind for kind, _ in items_of(request)], ["event"])
    subprocess.run(["rm", os.path.join(jankwatch.store, "sent", "salt")], check=True)
    again, _ = exchange(jankwatch)
    equal(event_of(requests)["event_id"] == event_of(again)["event_id"], False)


def test_event(jankwatch):
    requests, report = exchange(jankwatch)
    event = event_of(requests)
    hang = event["exception"]["values"][0]
    equal((hang["type"], hang["mechanism"]["type"], event["platform"]), ("App Hanging", "AppHang", "native"))
    release = f"{report['app']['name']}@{report['app']['version']}"
    equal((event["release"], event["fingerprint"]), (release, [report["fingerprint"]]))
    # Outermost first; the report has it the other way round.
    frames = hang["stacktrace"]["frames"]
    stack = report["stacks"][report["heaviest"]["stack"]]
    equal(len(frames), len(stack))
    base = {i: module["base"] for i, module in enumerate(report["modules"])}
    for frame, at in zip(reversed(frames), stack):
        call = report["frames"][at]
        address = hex(base.get(call.get("module"), 0) + call["offset"])
        equal(frame.get("instruction_addr"), None if "language" in call else address)
    equal([thread["id"] for thread in event["threads"]["values"]], [thread["tid"] for thread in report["threads"]])
    equal([thread["current"] for thread in event["threads"]["values"]].count(True), 1)


def test_images(jankwatch):
    """The server finds symbols by the build-id, whose first parts are a GUID's."""
    build_id = "00112233445566778899aabbccddeeff00112233"
    requests, report = exchange(jankwatch, change=lambda report: report["modules"][0].update(build_id=build_id))
    image = event_of(requests)["debug_meta"]["images"][0]
    equal((image["type"], image["code_id"], image["image_addr"]), ("elf", build_id, hex(report["modules"][0]["base"])))
    equal(image["debug_id"], str(uuid.UUID(bytes_le=bytes.fromhex(build_id)[:16])))


def test_platform(jankwatch):
    """Stalls on whose path the program has no function are one issue."""
    def change(report):
        for module in report["modules"]:
            module["path"] = "/usr/lib/x86_64-linux-gnu/libgtk-4.so.1"
    equal(event_of(exchange(jankwatch, change=change)[0])["fingerprint"], ["jankwatch-platform"])


def test_sessions(jankwatch):
    """A process that has ended counts for its release."""
    make_session(jankwatch, hangs={"count": 4, "total_ns": 10**9, "watched_ns": 60 * 10**9})
    requests, _ = exchange(jankwatch)
    session = next(content for request in requests for kind, content in items_of(request) if kind == "session")
    equal((session["errors"], session["status"], session["duration"]), (4, "exited", 60))
    equal(session["attrs"]["release"], "editor@7")


def test_busy(jankwatch):
    """As with other servers."""
    event_of(exchange(jankwatch, lambda request, number: status(429 if number == 1 else 200, "Retry-After: 1"))[0])


command.add_all(globals(), program)
tap.main("/send/sentry", 4)
