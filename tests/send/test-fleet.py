# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""data/fleet, by the programs that it is for: test-fleet.py COMMAND FLEET [n=ROWS of the tables]"""

import json
import os
import re
import shutil
import subprocess

import command
import servers
import tap
from tap import equal

program, fleet = map(os.path.abspath, tap.arguments(2))
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
command.add("queries", test_queries, program)
tap.main("/send/fleet")
