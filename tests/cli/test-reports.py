# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch`, `jankwatch list` and `jankwatch show` on stores of handmade reports."""

import json
import os
import pathlib
import re
import subprocess

import jsonschema

import command
import tap
from tap import contains, equal

program, make_store, report_schema = tap.arguments(3)

ONE = "20261121-153012-4242-1"
TWO = "20261121-153500-4300-1"
THREE = "20261121-160000-4400-2"


def filled(jankwatch, pid=None):
    subprocess.run([make_store, jankwatch.store, str(pid or os.getpid())], check=True)
    return jankwatch


def test_help(jankwatch):
    for arguments in (["--help"], ["-h"], ["help"]):
        result = jankwatch.run(*arguments)
        equal(result.returncode, 0)
        equal(result.stderr, "")
        for name in ("run", "list", "show", "demo"):
            contains(result.stdout, f"\n  {name} ")
    for name in ("run", "list", "show", "demo"):
        result = jankwatch.run(name, "--help")
        equal(result.returncode, 0)
        contains(result.stdout, f"jankwatch {name}")


def test_help_of_a_command(jankwatch):
    for name in ("run", "show", "diff"):
        equal(jankwatch.run("help", name).stdout, jankwatch.run(name, "--help").stdout)
        equal(jankwatch.run("help", name).returncode, 0)


# What is misspelt, and what is asked for in its place.
MISSPELT = (
    (["lsit"], "list"),
    (["help", "lsit"], "list"),
    (["list", "--knd", "stall"], "--kind"),
    (["list", "--kind", "stal"], "stall"),
    (["list", "--severity", "frozn"], "frozen"),
    (["list", "--sort", "legnth"], "length"),
    (["top", "--sort", "hnags"], "hangs"),
    (["summary", "--by", "apps"], "app"),
    (["export", "--format", "spedscope"], "speedscope"),
    (["run", "--annotate", "githup", "--", "true"], "github"),
    (["run", "--set", "treshold=50ms", "--", "true"], "threshold"),
    (["run", "--set", "preset=matrx", "--", "true"], "matrix"),
)


def test_misspelt(jankwatch):
    for arguments, meant in MISSPELT:
        result = jankwatch.run(*arguments)
        equal((arguments, result.returncode, result.stdout), (arguments, 2, ""))
        assert re.search(f"[Dd]id you mean “{meant}”\\?", result.stderr), (arguments, result.stderr)
        equal(len(result.stderr.splitlines()), 2)
    assert re.search("Did you mean “app”", jankwatch.run("diff", "ap=x", "app=y").stderr)
    contains(jankwatch.run("run", "--threshold=50ms", "true").stderr, "That is a setting: --set threshold=")
    contains(jankwatch.run("python3").stderr, "to watch the program: jankwatch run python3")
    assert "Did you mean" not in jankwatch.run("export", "--format", "quite-another").stderr


def test_version(jankwatch):
    result = jankwatch.run("--version")
    equal(result.returncode, 0)
    assert result.stdout.startswith("jankwatch 0."), result.stdout


def test_usage(jankwatch):
    for arguments in (
        [],
        ["fly"],
        ["--fly"],
        ["list", "--fly"],
        ["list", "more"],
        ["show", "--fly"],
        ["show", ONE, "more"],
        ["run"],
        ["run", "--"],
        ["run", "--fly", "true"],
        ["run", "--store", "a,b", "true"],
        ["demo", "--store", "a,b"],
    ):
        result = jankwatch.run(*arguments)
        equal((arguments, result.returncode), (arguments, 2))
        equal(result.stdout, "")
        assert result.stderr, arguments
    assert not os.path.exists(jankwatch.store)


def test_empty(jankwatch):
    result = jankwatch.run("list")
    equal((result.returncode, result.stdout), (0, ""))
    contains(result.stderr, jankwatch.store)
    equal(json.loads(jankwatch.run("list", "--json").stdout), [])
    result = jankwatch.run("show")
    equal((result.returncode, result.stdout), (1, ""))
    contains(result.stderr, "There is no report")


def test_list(jankwatch):
    result = filled(jankwatch).run("list")
    lines = result.stdout.splitlines()
    equal((result.returncode, result.stderr, len(lines)), (0, "", 4))
    equal([line.split()[-1] for line in lines[1:]], [THREE, TWO, ONE])
    contains(lines[1], "1.24 s  3×  hang, ongoing  jankwatch-demo")
    contains(lines[2], "(start-up)")
    contains(jankwatch.run("summary").stdout, "(start-up)")
    contains(lines[3], "compute_primes")
    assert "\033" not in result.stdout


def test_list_json(jankwatch):
    rows = json.loads(filled(jankwatch).run("list", "--json").stdout)
    equal([row["id"] for row in rows], [THREE, TWO, ONE])
    equal([row["kind"] for row in rows], ["stall", "startup", "stall"])
    equal([row["outcome"] for row in rows], ["ongoing", "recovered", "recovered"])
    equal(rows[2]["app"], "jankwatch-demo")
    equal(rows[2]["duration_ns"], 1240000000)
    equal(rows[2]["severity"], "hang")
    equal(rows[2]["culprit"], "compute_primes")
    contains(rows[2]["began"], ".123456")
    assert "culprit" not in rows[1]


def test_list_filters(jankwatch):
    filled(jankwatch)
    for arguments, ids in (
        (["--app", "jankwatch-demo"], [THREE, ONE]),
        (["--app", "jankwatch-d*", "--kind", "stall"], [THREE, ONE]),
        (["--kind", "startup", "--kind", "stall"], [THREE, TWO, ONE]),
        (["--severity", "frozen"], []),
        (["--severity", "microhang", "--culprit", "compute_*"], [THREE, ONE]),
        (["--reason", "computing"], [THREE, ONE]),
        (["--reason", "lock"], []),
        (["--tag", "primes"], [THREE, ONE]),
        (["--tag", "primes=up to 100000"], [THREE, ONE]),
        (["--tag", "primes=up"], []),
        (["--until", "2026-11-20"], []),
    ):
        result = jankwatch.run("list", "--json", *arguments)
        equal((arguments, result.returncode), (arguments, 0))
        equal((arguments, [row["id"] for row in json.loads(result.stdout)]), (arguments, ids))
    for arguments in (["--kind", "bump"], ["--severity", "bad"], ["--since", "someday"], ["--sort", "colour"]):
        result = jankwatch.run("list", *arguments)
        equal((arguments, result.returncode, result.stdout), (arguments, 2, ""))
        contains(result.stderr, arguments[1])


def test_list_sort(jankwatch):
    filled(jankwatch)
    for order, ids in (("time", [THREE, TWO, ONE]), ("length", [THREE, TWO, ONE]), ("program", [TWO, THREE, ONE])):
        for arguments, expected in (([], ids), (["--reverse"], ids[::-1])):
            rows = json.loads(jankwatch.run("list", "--json", "--sort", order, *arguments).stdout)
            equal((order, [row["id"] for row in rows]), (order, expected))


def test_list_long(jankwatch):
    """The newest 20, and how many more there are."""
    filled(jankwatch)
    report = json.loads(pathlib.Path(os.path.join(jankwatch.store, f"{ONE}.json")).read_text())
    for i in range(30):
        report["id"] = f"20261122-120000-77-{i + 1}"
        pathlib.Path(jankwatch.store, report["id"] + ".json").write_text(json.dumps(report))
    result = jankwatch.run("list")
    equal((len(result.stdout.splitlines()), result.stderr), (21, "jankwatch: 13 more reports; --all shows them\n"))
    result = jankwatch.run("list", "--all")
    equal((len(result.stdout.splitlines()), result.stderr), (34, ""))
    equal(len(json.loads(jankwatch.run("list", "--json").stdout)), 33)


def test_show_filters(jankwatch):
    """The newest of those that list names."""
    filled(jankwatch)
    for arguments, name in (([], THREE), (["--kind", "startup"], TWO), (["--until", "2026-11-21 15:31"], None)):
        rows = json.loads(jankwatch.run("list", "--json", *arguments).stdout)
        shown = json.loads(jankwatch.run("show", "--json", *arguments).stdout)
        equal((arguments, shown["id"]), (arguments, name or rows[0]["id"]))
    for arguments, status in ((["--app", "nobody"], 1), (["--kind", "bump"], 2), (["--kind", "spin", "latest"], 2)):
        result = jankwatch.run("show", *arguments)
        equal((arguments, result.returncode, result.stdout), (arguments, status, ""))
        assert result.stderr, arguments


def test_list_killed(jankwatch):
    gone = subprocess.Popen(["true"])
    gone.wait()
    filled(jankwatch, gone.pid)
    rows = json.loads(jankwatch.run("list", "--json").stdout)
    equal(rows[0]["outcome"], "killed")
    contains(jankwatch.run("list").stdout, "hang, killed")
    contains(jankwatch.run("show", COLUMNS="200").stdout, "until the program was killed or crashed: ")


def test_list_bad_files(jankwatch):
    filled(jankwatch)
    for name in ("20261121-170000-1-1.json", "strange.json"):
        pathlib.Path(os.path.join(jankwatch.store, name)).write_text('{"a":' * 100000)
    result = jankwatch.run("list")
    equal((result.returncode, len(result.stdout.splitlines())), (0, 4))
    lines = sorted(result.stderr.splitlines())
    equal(len(lines), 2)
    for line, name, reason in zip(lines, ("20261121-170000-1-1", "strange.json"),
                                  ("nested deeper", "name is not that")):
        contains(line, name)
        contains(line, reason)
    result = jankwatch.run("show", "20261121-170000-1-1")
    equal((result.returncode, result.stdout), (1, ""))
    contains(result.stderr, "nested deeper")
    contains(jankwatch.run("show").stdout, THREE)


def test_store_option(jankwatch):
    filled(jankwatch)
    other = os.path.join(jankwatch.home, "other")
    os.rename(jankwatch.store, other)
    equal(json.loads(jankwatch.run("list", "--json").stdout), [])
    equal(len(json.loads(jankwatch.run("list", "--json", "--store", other).stdout)), 3)
    equal(jankwatch.run("show", "--store", other, ONE).returncode, 0)
    result = jankwatch.run("list", "--store", program)
    equal((result.returncode, result.stdout), (1, ""))


def test_show(jankwatch):
    filled(jankwatch)
    result = jankwatch.run("show", ONE)
    equal((result.returncode, result.stderr), (0, ""))
    contains(result.stdout, "Main loop stalled for 1.24 s (hang): compute_primes() (demo.c:123) was")
    contains(result.stdout, "Heaviest stack")
    contains(result.stdout, "Timeline")
    equal(jankwatch.run("show", "20261121-1530").stdout, result.stdout)
    equal(jankwatch.run("show").stdout, jankwatch.run("show", "latest").stdout)
    contains(jankwatch.run("show").stdout, THREE)


def test_show_file(jankwatch):
    """A report that lies elsewhere, or comes through a pipe."""
    filled(jankwatch)
    stored = jankwatch.run("show", ONE).stdout
    path = os.path.join(jankwatch.home, "sent.json")
    os.rename(os.path.join(jankwatch.store, ONE + ".json"), path)
    text = pathlib.Path(path).read_text()
    equal(jankwatch.run("show", path).stdout, stored)
    equal(jankwatch.run("show", "-", input=text).stdout, stored)
    equal(json.loads(jankwatch.run("show", "--json", "-", input=text).stdout)["id"], ONE)
    # A pipe that nobody writes to, and one that somebody does.
    pipe = os.path.join(jankwatch.home, "pipe.json")
    os.mkfifo(pipe)
    equal(jankwatch.run("show", "/dev/stdin", input=text).stdout, stored)
    for name, content, reason in (("/nowhere.json", "", "No such file"), (pipe, "", "not a JSON object"),
                                  ("-", '{"a": "', "‘-’: 1:"), ("-", "", "‘-’"), ("-", "{]", "‘-’"),
                                  ("/dev/zero", "", "larger than"), (jankwatch.home + "/", "", "directory")):
        result = jankwatch.run("show", name, input=content)
        equal((name, result.returncode, result.stdout), (name, 1, ""))
        contains(result.stderr, reason)


def test_show_unknown(jankwatch):
    filled(jankwatch)
    for name, reason in (("20270101", "There is no report"), ("2026", "matches 3 reports"), ("", "no report")):
        result = jankwatch.run("show", name)
        equal((result.returncode, result.stdout), (1, ""))
        contains(result.stderr, reason)


def test_show_json(jankwatch):
    filled(jankwatch)
    validator = jsonschema.Draft202012Validator(json.loads(pathlib.Path(report_schema).read_text()))
    for name in (ONE, TWO, THREE):
        report = json.loads(jankwatch.run("show", "--json", name).stdout)
        equal(report["id"], name)
        validator.validate(report)


def test_hostile_errors(jankwatch):
    """What is wrong with a file is told in the file's words, but never in its control characters."""
    filled(jankwatch)
    path = os.path.join(jankwatch.store, f"{TWO}.json")
    report = json.loads(pathlib.Path(path).read_text())
    for change in ({"kind": "\033[31mkind"}, {"schema": "\033]0;title\007"}, {"\033[2Jname": 1, "stall": []}):
        pathlib.Path(path).write_text(json.dumps(report | change))
        result = jankwatch.run("show", TWO)
        equal(result.returncode, 1)
        assert "\033" not in result.stderr and "\007" not in result.stderr, result.stderr
    result = jankwatch.run("show", "\033[31m")
    assert "\033" not in result.stderr, result.stderr


def test_terminal_color(jankwatch):
    filled(jankwatch)
    for arguments in (["list"], ["show"]):
        contains(jankwatch.on_terminal(*arguments), "\033[1m")
        assert "\033" not in jankwatch.on_terminal(*arguments, NO_COLOR="1")
        assert "\033" not in jankwatch.on_terminal(*arguments, TERM="dumb")
        contains(jankwatch.on_terminal(*arguments, NO_COLOR=""), "\033[1m")


def test_terminal_width(jankwatch):
    filled(jankwatch)
    for columns in (40, 60, 80, 100, 120, 200):
        for name in ("list", "summary"):
            lines = jankwatch.on_terminal(name, columns=columns, NO_COLOR="1").splitlines()
            assert all(len(line) <= columns for line in lines), (columns, lines)
            titles = lines[0].split()
            equal(titles[-1], "Report" if name == "list" else "Problem")
            assert "Culprit" in titles and (columns < 80
                                            or {"Program", "When" if name == "list" else "Last"} < set(titles)), lines
            # The end is a name that works.
            if name == "list":
                shown = jankwatch.run("show", lines[1].split()[-1])
                contains(shown.stdout, THREE)
    for columns in (80, 100, 120, 200):
        for line in jankwatch.on_terminal("show", columns=columns, NO_COLOR="1").splitlines():
            assert len(line) <= columns, (columns, line)


def test_full_output(jankwatch):
    with open("/dev/full", "w") as full:
        filled(jankwatch)
        result = subprocess.run([program, "show"], env=jankwatch.environment, stdout=full, stderr=subprocess.PIPE)
        equal(result.returncode, 1)
        contains(result.stderr.decode(), "No space left")


def test_few_descriptors(jankwatch):
    """No command is ended by a library that may open no more files."""
    filled(jankwatch)
    for words in (["show"], ["list"], ["summary"], ["top"], ["why", str(os.getpid())], ["dump", str(os.getpid())],
                  ["run", "true"], ["view"], ["export", "-f", "firefox"], ["diff", "a", "b"], ["presets"]):
        for limit in (6, 12, 40):
            result = subprocess.run(["prlimit", f"--nofile={limit}", program, *words], env=jankwatch.environment,
                                    capture_output=True, text=True)
            equal((words, limit, result.returncode, result.stdout), (words, limit, 1, ""))
            contains(result.stderr, "64 file descriptors are needed")


command.add_all(globals(), program)
tap.main("/cli/reports")
