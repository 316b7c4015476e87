# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Envelopes of `jankwatch send --to DSN`."""

import collections
import json
import os
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


def exchange(jankwatch, answer=None, change=lambda report: None, config=""):
    """The requests, and the report."""
    subprocess.run([make_store, jankwatch.store, "1"], check=True)
    path = os.path.join(jankwatch.store, REPORT + ".json")
    with open(path) as file:
        report = json.load(file)
    change(report)
    with open(path, "w") as file:
        json.dump(report, file)
    with Receiver(answer) as server:
        dsn = server.url.replace("://", "://public:secret@") + "/sentry/42"
        result = jankwatch.run("send", "--to", dsn, JANKWATCH_CONFIG="send-ask=no," + config)
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
        # A report without samples has no profile.
        equal([kind for kind, _ in items_of(request)][:1], ["event"])
        assert [kind for kind, _ in items_of(request)][1:] in ([], ["profile_chunk"])
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


def chunk_of(requests, ID=REPORT):
    """Of the report's envelope, or None."""
    for request in requests:
        items = items_of(request)
        if items[0][0] == "event" and items[0][1]["tags"]["report"] == ID:
            return dict(items).get("profile_chunk")
    return None


def enlarge(report):
    """More different stacks than 4 kB hold, with calls that the heaviest one has not."""
    report["frames"] += [{"module": 0, "offset": hash((i, "x")) % (1 << 40),
                          "symbol": f"f_{hash(i * 7.1) % (1 << 60):x}",
                          "symbol_offset": 1} for i in range(360)]
    first = len(report["stacks"])
    n = len(report["frames"])
    report["stacks"] += [list(range(n - 6 * i - 6, n - 6 * i)) for i in range(60)]
    report["samples"] = [{**report["samples"][0], "at_ns": 10**7 * i, "weight_ns": 10**7, "stack": first + i}
                         for i in range(60)]


def test_profile(jankwatch):
    """The samples, a chunk of a profile that the event names: each stack has its time in it."""
    requests, report = exchange(jankwatch)
    event, chunk = event_of(requests), chunk_of(requests)
    equal((chunk["version"], chunk["platform"], chunk["release"]), ("2", "native", event["release"]))
    equal(chunk["profiler_id"], event["contexts"]["profile"]["profiler_id"])
    tid = event["contexts"]["trace"]["data"]["thread.id"]
    equal((tid, chunk["profile"]["thread_metadata"]), (str(report["threads"][0]["tid"]), {tid: {}}))
    equal(len({chunk["chunk_id"], chunk["profiler_id"], event["event_id"], event["contexts"]["trace"]["trace_id"]}), 4)
    frames, stacks, samples = (chunk["profile"][name] for name in ("frames", "stacks", "samples"))
    times = collections.Counter()
    for sample, after in zip(samples, samples[1:]):
        equal(sample["thread_id"], tid)
        times[tuple(frames[at].get("instruction_addr") for at in stacks[sample["stack_id"]])] += round(
            1000 * (after["timestamp"] - sample["timestamp"]))
    base = {i: module["base"] for i, module in enumerate(report["modules"])}
    truth = collections.Counter()
    for sample in report["samples"]:
        calls = [report["frames"][at] for at in report["stacks"][sample["stack"]]] if "stack" in sample else []
        truth[tuple(None if "language" in call else hex(base.get(call.get("module"), 0) + call["offset"])
                    for call in calls)] += (
            round(sample["weight_ns"] / 1e6))
    equal(set(times), set(truth))
    # Nothing is also where the program was stopped.
    assert all(abs(times[stack] - truth[stack]) <= 2 for stack in truth if stack), (times, truth)


def test_profile_limits(jankwatch):
    """It is left out where the report would be too large, unless a setting wants it; and what a chunk has no room
    for."""
    equal(chunk_of(exchange(jankwatch, config="send-flame-graph=never")[0]), None)
    for config, is_there in ("", False), ("send-flame-graph=always", True):
        subprocess.run(["rm", "-r", os.path.join(jankwatch.store, "sent")], check=True)
        requests = exchange(jankwatch, change=enlarge, config=config)[0]
        equal((config, chunk_of(requests) is not None, "contexts" in event_of(requests)), (config, is_there, is_there))
        equal(len(next(request for request in requests if REPORT.encode() in request.body).raw) > 4096, is_there)
    equal(len(chunk_of(requests)["profile"]["stacks"]), 60)

    def stretch(report):
        report["stall"]["duration_ns"] = 100 * 10**9
        report["samples"] = [{**report["samples"][0], "at_ns": 10**9 * i, "weight_ns": 10**9, "stack": i % 2}
                             for i in range(100)]
    subprocess.run(["rm", "-r", os.path.join(jankwatch.store, "sent")], check=True)
    samples = chunk_of(exchange(jankwatch, change=stretch)[0])["profile"]["samples"]
    assert 55 < samples[-1]["timestamp"] - samples[0]["timestamp"] <= 60, samples


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
