# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Exports in other projects' own releases, from npm: speedscope's page in Chromium, Firefox Profiler's command-line
reader. Needs the network."""

import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import jsonschema

import browser
import command
import tap
from tap import check, contains, equal

program, make_store = tap.arguments(2)
ONE = "20261121-153012-4242-1"


def install(folder, *packages):
    if shutil.which("npm") is None:
        raise tap.Skip("no npm")
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, *packages], check=True)
    return pathlib.Path(folder, "node_modules")


def export(folder, name):
    jankwatch = command.Command(program, folder)
    subprocess.run([make_store, jankwatch.store, str(os.getpid())], check=True)
    path = pathlib.Path(folder, f"out.{name}")
    equal(jankwatch.run("export", "-f", name, "-o", str(path), ONE).returncode, 0)
    return path


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_speedscope():
    """Four formats, each with its names and shares in the table of functions."""
    if shutil.which("chromium") is None:
        raise tap.Skip("no chromium")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        release = install(folder, "speedscope") / "speedscope" / "dist" / "release"
        schema = json.loads((release / "file-format-schema.json").read_text())
        jsonschema.validate(json.loads(export(folder, "speedscope").read_text()), schema)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=release))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}/"
        page = browser.start("chromium", folder)
        try:
            page.show(1200, 900)
            for name in ("speedscope", "collapsed"):
                file = f"out-{name}{'.json' if name == 'speedscope' else ''}"
                shutil.copy(export(folder, name), release / file)
                page.open("about:blank")
                page.wait("location.href === 'about:blank'")
                page.open(f"{root}index.html#profileURL=/{file}")
                page.wait("document.body && document.body.innerText.includes('Sandwich')")
                page.evaluate("window.dispatchEvent(new KeyboardEvent('keypress', {key: '3', bubbles: true}))")
                text = page.wait("/Symbol Name/i.test(document.body.innerText) && "
                                 "document.body.innerText.includes('is_prime') && document.body.innerText")
                text = re.sub(r"\s+", " ", text)
                row = r"1,180,000,000 \(96%\)" if name == "collapsed" else r"1\.18s \(96%\)"
                check(re.search(row + r" \S+ \(<?0[.01]*%\) compute_primes", text), name, text)
            check(all(request.startswith((root, "about:", "blob:", "data:")) for request in page.requests),
                  page.requests)
        finally:
            page.close()
            server.shutdown()


def test_firefox():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        modules = install(folder, "@firefox-devtools/profiler-cli", "node@24")
        path = folder + "/profile.json"
        shutil.copy(export(folder, "firefox"), path)
        environment = os.environ | {"HOME": folder, "PATH": f"{modules}/.bin:{os.environ['PATH']}"}

        def run(*arguments):
            result = subprocess.run(["profiler-cli", *arguments], env=environment, capture_output=True, text=True)
            equal((result.returncode, result.stderr if result.returncode else ""), (0, ""))
            return result.stdout
        for attempt in range(5):  # its server gets only so long to start
            if subprocess.run(["profiler-cli", "load", path], env=environment,
                              stdout=subprocess.DEVNULL).returncode == 0:
                break
        try:
            text = run("thread", "samples")
            contains(text, "jankwatch-demo!divides - total: 1.180s (96.4%)")
            contains(text, "jankwatch-demo!divides - self: 1.100s (89.9%)")
            text = run("thread", "markers", "--list")
            for kind, length, what in (("stall", "3.240s", "Main loop stalled for 1.24 s"),
                                       ("late frame", "50ms", "compute_primes"),
                                       ("wait", "24ms", "sleeping, 40 ms at a time")):
                check(re.search(rf"{kind} .* {re.escape(length)} .*{re.escape(what)}", text), kind, text)
        finally:
            run("stop")


tap.add_all(globals())
tap.main("/export/viewers")
