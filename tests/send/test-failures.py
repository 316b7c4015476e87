# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch send` to servers that fail: what they did not take stays, what they took is not sent again."""

import contextlib
import itertools
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import time

import command
import receiver
import tap
from receiver import Receiver, ok, status
from tap import check, contains, equal

program, make_many = map(os.path.abspath, tap.arguments(2))
N = 20


def filled(jankwatch, n=N):
    subprocess.run([make_many, jankwatch.store, str(n), str(n)], check=True)


def send(jankwatch, url, *words, **environment):
    return jankwatch.run("send", "--to", url, *words, JANKWATCH_CONFIG="send-ask=no", **environment)


def kept(jankwatch):
    return sorted(name.removesuffix(".json") for name in os.listdir(jankwatch.store) if name.endswith(".json"))


def arrives(jankwatch, server, *words, at_most=1):
    """All, in spite of what the server does, oldest first; the next time nothing."""
    result = send(jankwatch, server.url, *words)
    equal((result.returncode, result.stderr), (0, f"jankwatch: Sent {N} reports\n"))
    ids = server.ids()
    equal(sorted(set(ids)), kept(jankwatch))
    assert all(ids.count(ID) <= at_most for ID in ids), ids
    n_asked = len(server.asked)
    equal(send(jankwatch, server.url, *words).returncode, 0)
    equal(len(server.asked), n_asked)


def fails(jankwatch, server, says, *words, n_tries=5):
    """Nothing; the next time, by a server that works, everything."""
    result = send(jankwatch, server.url, *words)
    equal(result.returncode, 1)
    contains(result.stderr, says)
    if n_tries:
        equal(server.n_connections if server.asked == [] else len(server.asked), n_tries)
    equal(server.taken, [])
    server.answer, server.before = (lambda request, number: ok()), None
    if not server.context:
        arrives(jankwatch, server)


def first(failure, n=1):
    """An answer that fails so the first n times."""
    return lambda request, number: failure(request, number) if number <= n else ok()


def test_works(jankwatch):
    filled(jankwatch)
    with Receiver() as server:
        arrives(jankwatch, server)
        paths = [request.path for request in server.asked]
        equal(paths, N * ["/v1/logs"] + (len(paths) - N) * ["/v1/metrics"])
        equal({request.headers["content-type"] for request in server.asked}, {"application/json"})
        equal(server.ids(), kept(jankwatch))


def raw(*pieces):
    """Bytes as they are, and the connection ends."""
    return lambda request, number: iter(pieces)


def dripping(piece, n, s):
    return (time.sleep(s) or piece for _ in range(n))


OK = b"HTTP/1.1 200 OK\r\n"
# What a server does, and with which words all arrives in spite of it.
ARRIVES = {
    "slow": (lambda request, number: time.sleep(1) or ok(),),
    # Each byte comes in time, the answer never does.
    "drips a status": (first(lambda request, number: dripping(b"H", 50, 0.4)), "--timeout=40"),
    "half a status": (first(raw(b"HTTP/1")),),
    # The status was whole: it has them.
    "half an answer": (raw(OK + b"Content-Length: 1000\r\n\r\n{"),),
    "huge answer": (lambda request, number: itertools.chain([OK + b"\r\n"], itertools.repeat(b"x" * 65536, 4096)),),
    "broken chunks": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"),),
    "unknown status": (first(lambda request, number: status(799)),),
    **{f"{code} once": (first(lambda request, number, code=code: status(code)),)
       for code in (500, 502, 503, 504, 408, 429)},
}
# What it does, what is said of it, how often it is tried, with which words: nothing arrives.
FAILS = {
    "silent": (lambda request, number: time.sleep(3), "Cannot send to ", None, "--timeout=1"),
    "not HTTP": (raw(b"220 mail.example ESMTP\r\n"), "Cannot send to ", 5),
    "busy for ever": (lambda request, number: status(429), "it answers “429 ", 5),
    # Repeating that is of no use.
    **{f"{code}": (lambda request, number, code=code: status(code), f"it answers “{code} ", 1)
       for code in (401, 403, 404, 405)},
}
# Answers without an end; the command has one.
ENDLESS = {
    "a byte now and then": lambda: itertools.chain([OK + b"\r\n"], dripping(b"x", 100, 0.2)),
    "100 Continue": lambda: itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "a long wait": lambda: status(429, "Retry-After: 3600"),
}


def check_arrives(jankwatch, answer, *words):
    filled(jankwatch)
    with Receiver(answer) as server:
        arrives(jankwatch, server, *words)


def check_fails(jankwatch, answer, says, n_tries, *words):
    filled(jankwatch)
    with Receiver(answer) as server:
        fails(jankwatch, server, says, *words, n_tries=n_tries)


def test_endless(jankwatch):
    filled(jankwatch)
    for answer in ENDLESS.values():
        with Receiver(lambda request, number: answer()) as server:
            result = send(jankwatch, server.url, "--timeout=2")
            equal(result.returncode, 1)
            contains(result.stderr, "Cannot send to ")
    with Receiver() as server:
        arrives(jankwatch, server)


def test_retry_after(jankwatch):
    """No sooner than asked, in seconds or by a date."""
    for code, after in (429, "2"), (503, None):
        filled(jankwatch)
        times = []

        def answer(request, number):
            times.append(time.monotonic())
            return status(code, f"Retry-After: {after or receiver.date_in(3)}") if number == 1 else ok()

        with Receiver(answer) as server:
            arrives(jankwatch, server)
        assert times[1] - times[0] > 1.9, times


def test_redirects(jankwatch):
    """Reports go nowhere else."""
    for code in (301, 302, 307, 308):
        filled(jankwatch)
        elsewhere = lambda request, number: status(code, f"Location: {other.url}/v1/logs")
        with Receiver() as other, Receiver(elsewhere) as server:
            fails(jankwatch, server, f"it answers “{code} ", n_tries=1)
            equal(other.n_connections, 0)


def test_reset(jankwatch):
    """At once, or within the request."""
    for n_bytes in 0, 100:
        filled(jankwatch)
        resets = lambda connection: (connection.recv(n_bytes) or True) and (receiver.reset(connection) or True)
        with Receiver(before=lambda connection, number: number <= 2 and resets(connection)) as server:
            arrives(jankwatch, server)


def test_nobody_there(jankwatch):
    filled(jankwatch)
    with Receiver() as server:
        pass
    result = send(jankwatch, server.url)
    equal(result.returncode, 1)
    contains(result.stderr, "Cannot send to ")


def test_refused(jankwatch):
    """Reports that a server does not take are not tried again, nor do they keep others."""
    for code in 400, 413, 422:
        shutil.rmtree(jankwatch.store, ignore_errors=True)
        filled(jankwatch)
        bad = kept(jankwatch)[7]
        answer = lambda request, number: status(code) if "logs" in request.path and bad in receiver.ids_of(
            request) else ok()
        with Receiver(answer) as server:
            equal(send(jankwatch, server.url).stderr,
                  f"jankwatch: Sent {N - 1} reports\njankwatch: The server refuses 1 report\n")
            equal(server.ids(), [ID for ID in kept(jankwatch) if ID != bad])
            n_asked = len(server.asked)
            equal(send(jankwatch, server.url).stderr, "")
            equal(len(server.asked), n_asked)


def test_totals_refused(jankwatch):
    """Those of one program are, and named; the next totals include what was refused."""
    is_bad = lambda request: "metrics" in request.path and {"program-2"} == {key[0] for key in
                                                                             receiver.points_of(request)}
    counts = lambda server: {key[3]: int(point["count"]) for request in server.taken if "metrics" in request.path
                             for key, point in receiver.points_of(request).items() if key[2] == "app.hang.duration"}
    filled(jankwatch)
    with Receiver(lambda request, number: status(400) if is_bad(request) else ok()) as server:
        contains(send(jankwatch, server.url).stderr, "The server refuses the totals of program-2 1.2; the next")
        n_taken = len(counts(server))
        tap.check(0 < n_taken < N, n_taken)
        server.answer = lambda request, number: ok()
        filled(jankwatch, N + 1)
        equal("refuses" in send(jankwatch, server.url).stderr, False)
        equal(len(counts(server)), N + 1)


def partial(request, n, words):
    """It has taken what it was sent, but for n of that."""
    name = "rejectedLogRecords" if "logs" in request.path else "rejectedDataPoints"
    return status(200, body=json.dumps({"partialSuccess": {name: str(n), "errorMessage": words}}).encode())


def test_refused_in_part(jankwatch):
    """A server that has taken a body may have refused what is in it, and must not be asked again."""
    say = lambda: send(jankwatch, server.url).stderr
    filled(jankwatch, 1)
    with Receiver(lambda request, number: partial(request, 3, "timestamp too\x1b[31m old")) as server:
        equal(say(), "jankwatch: The server refuses 1 report\n"
                     "jankwatch: The server refuses 3 figures of the totals\n"
                     "jankwatch: The server says: “timestamp too?[31m old”\n")
        equal([request.path for request in server.asked], ["/v1/logs", "/v1/metrics"])
        equal(say(), "")
        # A remark alone.
        filled(jankwatch, 2)
        server.answer = lambda request, number: partial(request, 0, "slow down")
        said = say()
        assert "refuses" not in said and said.endswith("report\njankwatch: The server says: “slow down”\n"), said


def test_answers_that_mean_nothing(jankwatch):
    """They are no reason to send again, nor to fail."""
    answers = [b"", b"{", b"[]", b"null", b'{"partialSuccess":7}', b'{"partialSuccess":{"rejectedLogRecords":-1}}',
               b'{"partialSuccess":{"rejectedLogRecords":{},"errorMessage":[]}}', b"[" * 5000, b"\x0a", b"\x0a\xff\x01",
               b"\x0a\x02\x08\xff", b"\x0a\x0b\x08" + b"\xff" * 9 + b"\x01", b"\x0b\x0c", b"\xff" * 64, bytes(64)]
    for answer in answers:
        shutil.rmtree(jankwatch.store, ignore_errors=True)
        filled(jankwatch, 2)
        with Receiver(lambda request, number: status(200, body=answer)) as server:
            result = send(jankwatch, server.url)
            equal((result.returncode, result.stderr), (0, "jankwatch: Sent 2 reports\n"))


def test_bad_certificate(jankwatch):
    filled(jankwatch)
    with Receiver(context=receiver.self_signed(jankwatch.home)) as server:
        fails(jankwatch, server, "certificate", n_tries=None)
        equal(server.asked, [])


def test_plain_behind_https(jankwatch):
    filled(jankwatch)
    with Receiver() as server:
        result = send(jankwatch, server.url.replace("http:", "https:"), "--timeout=1")
        equal((result.returncode, server.asked), (1, []))


def test_proxy(jankwatch):
    """It sees the whole URL."""
    filled(jankwatch)
    with Receiver() as proxy:
        result = send(jankwatch, "http://collector.example/base", http_proxy=proxy.url)
        equal((result.returncode, result.stderr), (0, f"jankwatch: Sent {N} reports\n"))
        equal(proxy.asked[0].path, "http://collector.example/base/v1/logs")


def test_two_at_once(jankwatch):
    filled(jankwatch)
    with Receiver(lambda request, number: time.sleep(2) or ok()) as server:
        words = [jankwatch.program, "send", "--to", server.url]
        environment = {**jankwatch.environment, "JANKWATCH_CONFIG": "send-ask=no"}
        first = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
        while not server.asked:
            time.sleep(0.01)
        contains(send(jankwatch, server.url).stderr, "Another jankwatch sends")
        equal((first.wait(), sorted(server.ids())), (0, kept(jankwatch)))


def test_damaged(jankwatch):
    """A damaged file begins anew, as does a symbolic link: what it leads to stays."""
    filled(jankwatch)
    folder = os.path.join(jankwatch.store, "sent")
    with Receiver() as server:
        arrives(jankwatch, server)
        path = next(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".sqlite"))
        equal(os.stat(path).st_mode & 0o777, 0o600)
        for content in b"no database" * 500, open(path, "rb").read(4096) + b"x" * 9000:
            pathlib.Path(path).write_bytes(content)
            del server.asked[:], server.taken[:]
            arrives(jankwatch, server)
        # A full disk: all that fits arrives another time.
        filled(jankwatch, 4 * N)
        limited = [jankwatch.program, "send", "--to", server.url]
        result = subprocess.run(["sh", "-c", 'trap "" XFSZ; exec prlimit --fsize=12288 "$@"', "sh", *limited],
                                capture_output=True, text=True,
                                env={**jankwatch.environment, "JANKWATCH_CONFIG": "send-ask=no"})
        equal(result.returncode, 1)
        contains(result.stderr, "Cannot write ")
        equal(send(jankwatch, server.url).returncode, 0)
        equal(sorted(set(server.ids())), kept(jankwatch))
        os.rename(path, path + ".other")
        os.symlink(path + ".other", path)
        before = pathlib.Path(path).read_bytes()
        equal(send(jankwatch, server.url).returncode, 0)
        check(not os.path.islink(path), "the link is still there")
        equal(pathlib.Path(path + ".other").read_bytes(), before)


def test_other_version(jankwatch):
    """Tables of another version begin anew, without another question; a home may be behind a symbolic link."""
    os.mkdir(os.path.join(jankwatch.home, "var"))
    os.symlink("var", os.path.join(jankwatch.home, "state"))
    filled(jankwatch)
    with Receiver() as server:
        arrives(jankwatch, server)
        folder = os.path.join(jankwatch.store, "sent")
        path = next(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".sqlite"))
        os.unlink(path)
        with contextlib.closing(sqlite3.connect(path)) as old, old:
            old.execute("CREATE TABLE server (start_us INTEGER, is_allowed INTEGER, has_news INTEGER, more INTEGER)")
            old.execute("INSERT INTO server VALUES (1, 1, 0, 0)")
        del server.asked[:], server.taken[:]
        result = jankwatch.run("send", "--to", server.url)
        equal((result.returncode, result.stderr), (0, f"jankwatch: Sent {N} reports\n"))


def test_secrets(jankwatch):
    """Passwords of URLs are in no message, and a full disk is an error."""
    filled(jankwatch)
    for url in "http://alice:secret@127.0.0.1:9", "httpx://alice:secret@host", "http://alice:secret@":
        result = send(jankwatch, url, "--timeout=1")
        check(result.returncode in (1, 2) and "secret" not in result.stderr, result)
        check("secret" not in jankwatch.run("send", "--to", url).stderr, url)
    with open("/dev/full", "w") as full:
        result = subprocess.run([jankwatch.program, "send", "--dry-run"], env=jankwatch.environment,
                                stdout=full, stderr=subprocess.PIPE, text=True)
    equal(result.returncode, 1)
    contains(result.stderr, "No space left on device")


for check_one, rows in (check_arrives, ARRIVES), (check_fails, FAILS):
    for name, row in rows.items():
        command.add(name.replace(" ", "-"), check_one, program, *row)
command.add_all(globals(), program)
tap.main("/send/failures", 8)
