# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A stripped program's culprit has a name once a debuginfod server is asked, and what a bad server costs."""

import contextlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

import command
import tap
from tap import contains, equal

program, stripped, debug_file = tap.arguments(3)

NAMELESS = "callback of source [timeout]"  # nothing else is known of what hidden_work() was called for


def stalled(jankwatch):
    equal(jankwatch.run("run", "--", stripped).returncode, 0)
    jankwatch.environment["XDG_CACHE_HOME"] = os.path.join(jankwatch.home, "cache")
    return jankwatch


def shown(jankwatch, urls, **limits):
    """The report as JSON, what was said beside it, and how long it took."""
    began = time.monotonic()
    result = jankwatch.run("show", "--json", "--debuginfod", DEBUGINFOD_URLS=urls, **limits)
    took_s = time.monotonic() - began
    equal(result.returncode, 0)
    return json.loads(result.stdout), result.stderr, took_s


def culprit_call(report):
    return next(call for call in report["frames"] if call.get("symbol") == "hidden_work")


def assert_nameless(report):
    contains(report["culprit"]["function"], NAMELESS)


def test_off(jankwatch):
    """Nobody is asked, and one line says that somebody could be."""
    result = stalled(jankwatch).run("show", DEBUGINFOD_URLS="http://127.0.0.1:1/")
    contains(result.stdout, NAMELESS)
    contains(command.unwrapped(result.stderr), "--debuginfod asks the servers")
    contains(jankwatch.run("list").stdout, NAMELESS)


@contextlib.contextmanager
def real_server():
    if shutil.which("debuginfod") is None:
        raise tap.Skip("there is no debuginfod")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(debug_file, folder)
        server = subprocess.Popen(["debuginfod", "-F", "-p", str(port), "-d", ":memory:", folder],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}/metrics", "scanned_files_total")
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait()


def wait_for(url, text):
    for _ in range(600):
        with contextlib.suppress(urllib.error.URLError), urllib.request.urlopen(url, timeout=10) as answer:
            if text in answer.read().decode():
                return
        time.sleep(0.1)
    raise AssertionError(f"no {text} at {url}")


def test_server(jankwatch):
    with real_server() as url:
        report, said, took_s = shown(stalled(jankwatch), url)
    equal(report["culprit"]["function"], "hidden_work")
    contains(report["culprit"]["file"], "names-program.c")
    equal(culprit_call(report)["name_from"], "debuginfod")
    # The server is gone: what it sent was kept.
    kept, _, warm_s = shown(jankwatch, url)
    equal(kept["culprit"], report["culprit"])
    return f"{took_s:.2f} s, then {warm_s:.2f} s"


def fail(request):
    request.send_error(500)


def send_garbage(request):
    request.send_response(200)
    request.send_header("Content-Length", "50000")
    request.end_headers()
    request.wfile.write(os.urandom(50000))


def trickle(request, piece=b"x"):
    request.send_response(200)
    request.end_headers()
    while not request.server.released.wait(0.05):
        request.wfile.write(piece)


def send_without_end(request):
    trickle(request, bytes(1 << 20))


def have_nothing(request):
    """One answer comes before the time is over, two do not."""
    request.server.released.wait(3)
    request.send_error(404)


@contextlib.contextmanager
def bad_server(answer):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            with contextlib.suppress(OSError):
                answer(self)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.released = threading.Event()
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.released.set()
            server.shutdown()
            thread.join()


def assert_harmless(jankwatch, answer, expected, **limits):
    # libdebuginfod remembers for ten minutes that a transfer found nothing.
    shutil.rmtree(jankwatch.environment["XDG_CACHE_HOME"], ignore_errors=True)
    with bad_server(answer) as url:
        report, said, took_s = shown(jankwatch, url, **limits)
    assert_nameless(report)
    equal(len(said.strip().splitlines()), 1)
    contains(said, expected)
    return f"{answer.__name__} {took_s:.2f} s"


def test_bad_servers(jankwatch):
    stalled(jankwatch)
    return ", ".join(assert_harmless(jankwatch, answer, expected, **limits) for answer, expected, limits in (
        (trickle, "did not answer in time", {}),
        (send_garbage, "sent something other", {}),
        (send_without_end, "Cannot ask the servers", {"DEBUGINFOD_MAXSIZE": "9000000"}),
        (have_nothing, "did not answer in time", {"DEBUGINFOD_TIMEOUT": "9", "DEBUGINFOD_MAXTIME": "4"}),
        (fail, "have no debug information", {}),
    ))


def test_no_server(jankwatch):
    report, said, _ = shown(stalled(jankwatch), "")
    assert_nameless(report)
    contains(said, "is not set")


command.add_all(globals(), program)
tap.main("/cli/names")
