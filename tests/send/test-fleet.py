# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""data/fleet, by the programs that it is for: test-fleet.py COMMAND MAKE_MANY FLEET [n=ROWS of the tables]"""

import collections
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request

import command
import servers
import tap
from sessions import make_session
from tap import equal

program, make_many, fleet = map(os.path.abspath, tap.arguments(3))
N = tap.setting("n", 10_000_000)
HERE = os.path.dirname(os.path.abspath(__file__))
RULES = os.path.join(fleet, "prometheus-rules.yml")


def need(*names):
    for name in names:
        if not shutil.which(name):
            raise tap.Skip(f"{name} is not installed")


def test_rules(jankwatch):
    """promtool finds them right, on series of which the outcome is known."""
    need("promtool")
    shutil.copy(RULES, os.path.join(jankwatch.home, "rules.yml"))
    shutil.copy(os.path.join(HERE, "fleet-rules.yml"), jankwatch.home)
    for words in ["check", "rules", "rules.yml"], ["test", "rules", "fleet-rules.yml"]:
        result = subprocess.run(["promtool", *words], cwd=jankwatch.home, capture_output=True, text=True)
        tap.check(result.returncode == 0, result.stdout, result.stderr)


def test_files():
    """Each rule that the dashboard shows is there; the Collector's file is YAML whose pipelines name what it has."""
    with open(os.path.join(fleet, "grafana-dashboard.json")) as file:
        queries = [target["expr"] for panel in json.load(file)["panels"] for target in panel["targets"]]
    with open(RULES) as file:
        rules = set(re.findall(r"record: (\S+)", file.read()))
    shown = {name for query in queries for name in re.findall(r"jankwatch:[\w:]+", query)}
    equal((shown - rules, len(shown) > 3), (set(), True))
    try:
        import yaml
    except ImportError:
        raise tap.Skip("python3-yaml is not installed") from None
    with open(os.path.join(fleet, "collector.yml")) as file:
        collector = yaml.safe_load(file)
    for pipeline in collector["service"]["pipelines"].values():
        for kind in "receivers", "processors", "exporters":
            equal(set(pipeline.get(kind, [])) - set(collector[kind]), set())
    equal(set(collector["service"]["extensions"]) - set(collector["extensions"]), set())


class Process:
    """A server on a port of its own."""

    def __init__(self, *words, ready):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address = "127.0.0.1:%d" % free.getsockname()[1]
        self.process = subprocess.Popen([word.replace("ADDRESS", self.address) for word in words],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for(lambda: self.get(ready))

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.address}{path}") as answer:
            return answer.read().decode()

    def wait_for(self, found):
        for _ in range(600):
            try:
                if value := found():
                    return value
            except OSError:
                pass
            time.sleep(0.1)
        raise AssertionError("nothing came for a minute")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def write_configuration(home, target):
    with open(RULES) as file, open(os.path.join(home, "rules.yml"), "w") as rules:
        rules.write(file.read().replace("interval: 5m", "interval: 1s"))
    with open(os.path.join(home, "prometheus.yml"), "w") as file:
        json.dump({"rule_files": ["rules.yml"], "scrape_configs": [
            {"job_name": "fleet", "scrape_interval": "1s", "metrics_path": "/federate", "honor_labels": True,
             "params": {"match[]": ["{__name__!=\"\"}"]}, "static_configs": [{"targets": [target]}]}]}, file)


def victoria_metrics(folder):
    need("victoria-metrics")
    text = subprocess.run(["victoria-metrics", "--help"], capture_output=True, text=True)
    if "opentelemetry" not in text.stdout + text.stderr:
        raise tap.Skip("this victoria-metrics knows no OTLP: Debian 13's does")
    return Process("victoria-metrics", f"-storageDataPath={folder}", "-httpListenAddr=ADDRESS",
                   "-search.latencyOffset=0s", "-opentelemetry.usePrometheusNaming", ready="/health")


def ask(server, query):
    """Labels and value of each series that PromQL finds, those of this second, too."""
    words = urllib.parse.urlencode({"query": query, "nocache": 1, "time": int(time.time()) + 2})
    answer = json.loads(server.get("/api/v1/query?" + words))
    return [(one["metric"], float(one["value"][1])) for one in answer["data"]["result"]]


def say(jankwatch, server):
    result = jankwatch.run("send", "--to", f"http://{server.address}/opentelemetry/v1/metrics",
                           JANKWATCH_CONFIG="send-ask=no")
    equal((result.returncode, result.stderr), (0, ""))


def test_prometheus(jankwatch):
    """VictoriaMetrics receives the metrics, Prometheus has them from there: Debian's Prometheus is built without
    OTLP."""
    need("prometheus")
    subprocess.run([make_many, jankwatch.store, "30", "10"], check=True)
    for number, (version, watched_s) in enumerate((("7", 7200), ("8", 3600))):
        make_session(jankwatch, number, version,
                     hangs={"count": 4, "total_ns": 36 * 10**9, "watched_ns": watched_s * 10**9})
    truth = collections.Counter()
    for name in os.listdir(jankwatch.store):
        if name.endswith(".json"):
            with open(os.path.join(jankwatch.store, name)) as file:
                report = json.load(file)
            truth[report["fingerprint"]] += report["repeats"]["total_ns"] / 3.6e12
    with victoria_metrics(jankwatch.home + "/metrics") as store:
        say(jankwatch, store)
        store.get("/internal/force_flush")
        write_configuration(jankwatch.home, store.address)
        with Process("prometheus", f"--config.file={jankwatch.home}/prometheus.yml",
                     f"--storage.tsdb.path={jankwatch.home}/tsdb",
                     "--web.listen-address=ADDRESS", ready="/-/ready") as prometheus:
            rates = prometheus.wait_for(lambda: ask(prometheus, "jankwatch:hang_rate"))
            equal(sorted((labels["service_version"], value) for labels, value in rates
                         if labels["service_name"] == "editor"), [("7", 18.0), ("8", 36.0)])
            found = {labels["app_hang_fingerprint"]: value
                     for labels, value in prometheus.wait_for(
                         lambda: ask(prometheus, "jankwatch:problem_hours"))}
            equal({key: round(value, 9) for key, value in found.items()},
                  {key: round(value, 9) for key, value in truth.items()})
            equal(ask(prometheus, "jankwatch:machines")[0][1], 1.0)


def timed(server, view):
    """The first rows, and seconds of CPU."""
    used_s = servers.cpu_s(server.pid)
    return server.run(f"SELECT * FROM {view} LIMIT 10"), servers.cpu_s(server.pid) - used_s


def test_queries(jankwatch):
    """Of rows whose story is known: extension-0 is the worst, problem 49 is new in 1.8."""
    figures = []
    with servers.Clickhouse() as clickhouse:
        clickhouse.run(file=fleet + "/clickhouse.sql")
        with open(os.path.join(HERE, "fleet-rows.sql")) as file:
            clickhouse.run(file.read().replace(":n)", f"{N})"))
        for view in "worst", "regression", "extension":
            rows, used_s = timed(clickhouse, view)
            figures.append(f"{view}: {used_s:.1f} s")
            if view == "regression":
                equal(({row[3] for row in rows}, rows[0][1], rows[0][7]), ({"function_49"}, "1.8", "1"))
            elif view == "extension":
                equal(rows[0][0], "extension-0@example.org")
    return f"CPU for {N} rows: " + "; ".join(figures)


command.add("rules", test_rules, program)
tap.add("files", test_files)
command.add("prometheus", test_prometheus, program)
command.add("queries", test_queries, program)
tap.main("/send/fleet")
