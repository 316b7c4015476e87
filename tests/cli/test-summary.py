# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch summary`: figures of known stalls."""

import datetime
import json
import os
import pathlib
import re

import command
import tap
from tap import check, contains, equal

program, make_store, loop_program = tap.arguments(3)

MS = 1000000
HOUR = 3600 * 10**9


class Store(command.Store):
    def __init__(self, jankwatch):
        super().__init__(make_store, jankwatch.store)

    def add(self, fingerprint, lengths_ms, day, session=None, version=None, app="editor", **changes):
        """Stalls of these lengths, all on one day of November 2026. Returns: the report's ID"""
        report = self.new(fingerprint=fingerprint)
        report["id"] = f"202611{day:02}-120000-4242-{self.n}"
        report["app"] = {"name": app, "pid": 4242} | ({"version": version} if version else {})
        when = f"2026-11-{day:02}T12:00:00.000000Z"
        report["stall"] |= {"began": when, "duration_ns": max(lengths_ms) * MS}
        report["repeats"] = {"count": len(lengths_ms), "total_ns": sum(lengths_ms) * MS,
                             "longest_ns": max(lengths_ms) * MS, "first": when, "last": when}
        if len(lengths_ms) > 1:
            report["repeats"]["lengths"] = [{"ns": ms * MS, "count": lengths_ms.count(ms)}
                                            for ms in sorted(set(lengths_ms))]
        report["session"] = session or "elsewhere"
        self.save(report["id"], report | changes)
        return report["id"]

    def watch(self, session, watched_ns, app="editor", day=20):
        """A process of a session that was watched for so long."""
        self.save(f"sessions/{session}-4242", {
            "schema": "jankwatch-session-1", "session": session, "app": {"name": app, "pid": 4242}, "pid": 4242,
            "began": f"2026-11-{day:02}T12:00:00.000000Z", "hangs": {"watched_ns": watched_ns}})


def problems(jankwatch, *arguments):
    result = jankwatch.run("summary", "--json", *arguments, TZ="UTC")
    equal(result.returncode, 0)
    return {problem["fingerprint"]: problem for problem in json.loads(result.stdout)}


def grouped(jankwatch, group):
    """Count and total in ms of each group."""
    groups = json.loads(jankwatch.run("summary", "--by", group, "--json").stdout)
    return {row.get("fingerprint" if group == "problem" else group): (row["count"], row["total_ns"] // MS)
            for row in groups}


def test_by(jankwatch):
    """The same stalls by all that reports may have in common."""
    store = Store(jankwatch)
    script = "/home/ann/.local/share/gnome-shell/extensions/weather@example.org/extension.js"
    culprit = store.pattern["culprit"] | {"function": "_parse", "module": script}
    tags = [{"name": "window", "value": "a.txt"}, {"name": "document", "value": "a"}]
    store.add("1" * 16, [100, 200], 20, app="gnome-shell", culprit=culprit, tags=tags)
    store.add("2" * 16, [400], 20, source=store.pattern["source"] | {"name": "[gtk] idle"},
              tags=[{"name": "window", "value": "b.txt"}])
    store.add("3" * 16, [800], 20, culprit=None, heaviest=None, tags=[])
    every = grouped(jankwatch, "problem")
    equal(every, {"1" * 16: (2, 300), "2" * 16: (1, 400), "3" * 16: (1, 800)})
    equal(grouped(jankwatch, "app"), {"gnome-shell": (2, 300), "editor": (2, 1200)})
    equal(grouped(jankwatch, "extension"), {"weather@example.org": (2, 300), None: (2, 1200)})
    equal(grouped(jankwatch, "window"), {"a.txt": (2, 300), "b.txt": (1, 400), None: (1, 800)})
    equal(grouped(jankwatch, "tag"),
          {"window=a.txt": (2, 300), "document=a": (2, 300), "window=b.txt": (1, 400), None: (1, 800)})
    contains(f"{grouped(jankwatch, 'source')}", "'[gtk] idle': (1, 400)")
    for name in ("list", "summary"):
        lines = jankwatch.run(name).stdout
        contains(lines, "  _parse (weather@example.org)  ")
        contains(lines, "  unknown  ")
    contains(jankwatch.run("summary", "--by", "extension").stdout, "(none)")
    equal(jankwatch.run("summary", "--by", "colour").returncode, 2)


def test_figures(jankwatch):
    store = Store(jankwatch)
    a = [100] * 15 + [200, 300, 400, 500, 600]
    longest = store.add("aa", a, 20, session="s-1", version="1.2")
    b = list(range(120, 140))
    store.add("aa", b, 18, session="s-2", version="1.1")
    store.add("bb", [5000], 20, session="s-1", app="viewer")
    store.add("cc", [200, 250], 19, session="s-1")
    store.watch("s-1", HOUR)
    store.watch("s-2", HOUR)
    store.watch("s-3", 2 * HOUR)
    found = problems(jankwatch)
    equal(list(found), ["aa", "bb", "cc"])
    both = sorted(a + b)
    one = found["aa"]
    equal((one["count"], one["reports"], one["total_ns"], one["longest_ns"]), (40, 2, sum(both) * MS, 600 * MS))
    equal((one["p50_ns"], one["p95_ns"]), (both[19] * MS, both[37] * MS))
    equal(one["estimated"], False)
    # 1.8 s were in stalls of more than 250 ms, in four hours, although one session had none.
    equal(one["hang_s_per_hour"], 1.8 / 4)
    equal(one["longest"], longest)
    equal((one["apps"], one["versions"]), (["editor"], ["1.2", "1.1"]))
    equal((one["first"][:10], one["last"][:10]), ("2026-11-18", "2026-11-20"))
    equal(one["days"], [0] * 11 + [20, 0, 20])
    # Watched as another program: nobody knows for how long.
    assert "hang_s_per_hour" not in found["bb"], found["bb"]
    equal((found["bb"]["p50_ns"], found["bb"]["p95_ns"]), (5000 * MS, 5000 * MS))
    equal(found["cc"]["hang_s_per_hour"], 0)


def test_rate_without_run(jankwatch):
    """Whoever watches a whole desktop learns rates, too: each program keeps its hours."""
    equal(jankwatch.watched(loop_program, "sleep").returncode, 7)
    found = problems(jankwatch, "--culprit=freeze_by_sleeping")
    equal(len(found), 1)
    one = next(iter(found.values()))
    check(one["hang_s_per_hour"] > 0, one)
    # Of so few seconds the table says no rate per hour.
    check("s/h" not in jankwatch.run("summary").stdout)
    contains(jankwatch.run("list", "--json").stdout, '"own-')


def test_old_reports(jankwatch):
    """They do not say how long each stall was: the mean stands for it, and a mark says so."""
    store = Store(jankwatch)
    store.add("aa", [100, 100, 400], 20)
    path = store.path(store.add("aa", [100, 100, 400], 20))
    report = json.loads(pathlib.Path(path).read_text())
    del report["repeats"]["lengths"]
    pathlib.Path(path).write_text(json.dumps(report))
    one = problems(jankwatch)["aa"]
    equal((one["count"], one["total_ns"], one["longest_ns"], one["estimated"]), (6, 1200 * MS, 400 * MS, True))
    equal((one["p50_ns"], one["p95_ns"]), (100 * MS, 400 * MS))
    contains(jankwatch.run("summary").stdout, "~100 ms")


def test_filters(jankwatch):
    store = Store(jankwatch)
    store.add("aa", [100], 18, session="s-1", version="1")
    store.add("aa", [200], 20, session="s-2", version="2")
    store.add("bb", [300], 20, app="viewer")
    for arguments, expected in (([], {"aa": 2, "bb": 1}), (["--app", "editor"], {"aa": 2}),
                                (["--since", "2026-11-19"], {"aa": 1, "bb": 1}), (["--until", "2026-11-18"], {"aa": 1}),
                                (["--app-version", "2"], {"aa": 1}), (["--session", "s-*"], {"aa": 2}),
                                (["--fingerprint", "bb"], {"bb": 1}), (["--app", "nobody"], {})):
        found = problems(jankwatch, *arguments)
        equal((arguments, {name: problem["count"] for name, problem in found.items()}), (arguments, expected))


def test_text(jankwatch):
    """Every column where there is no terminal, and the trend as a row of bars."""
    store = Store(jankwatch)
    store.add("aa", [100], 7, version="1.0")
    store.add("aa", [100] * 8, 20, version="1.1\x1b[31m")
    lines = jankwatch.run("summary", TZ="UTC").stdout.splitlines()
    equal(len(lines), 2)
    for word in ("aa", "9", "900 ms", "▁············█", "2026-11-07 12:00:00", "2026-11-20 12:00:00", "1.0",
                 "compute_primes"):
        contains(lines[1], word)
    assert "\x1b" not in lines[1]
    contains(jankwatch.run("summary", TZ="UTC", LC_ALL="C").stdout, "1............8")


def test_trees(jankwatch):
    """The samples of all stalls, added up: 1180 ms of each in compute_primes() and divides(), inlined there, 80 of them
    in is_prime(); of 20 ms no stack was read."""
    store = Store(jankwatch)
    for n in range(3):
        store.add(f"a{n}", [1240], 20)

    def walk(node):
        yield node
        for child in node["children"]:
            yield from walk(child)

    root = json.loads(jankwatch.run("summary", "--top-down", "--json").stdout)
    nodes = {node["function"]: node for node in walk(root)}
    equal(root["total_ns"], 3 * 1224 * MS)
    equal([child["function"] for child in nodes["compute_primes"]["children"]], ["divides"])
    equal(nodes["on_button_clicked"]["total_ns"], 3 * 1204 * MS)
    equal({nodes[name]["total_ns"] for name in ("compute_primes", "divides")}, {3 * 1180 * MS})
    equal((nodes["compute_primes"]["self_ns"], nodes["divides"]["self_ns"]), (0, 3 * 1100 * MS))
    equal([child["function"] for child in nodes["divides"]["children"]], ["is_prime"])
    up = {node["function"]: node
          for node in json.loads(jankwatch.run("summary", "--bottom-up", "--json").stdout)["children"]}
    equal({name: node["total_ns"] // MS for name, node in up.items()},
          {"divides": 3300, "is_prime": 240, "clock_nanosleep": 72, "(stack not read)": 60})
    contains(jankwatch.run("summary", "--top-down").stdout, "compute_primes")
    equal(jankwatch.run("summary", "--top-down", "--bottom-up").returncode, 2)


def test_real(jankwatch):
    """Two versions of a program that froze, each often enough for a machine that stops for a second now and then."""
    for version in ("1.0", "1.1"):
        equal(jankwatch.run("run", "--", loop_program, *["sleep"] * 10,
                            JANKWATCH_CONFIG=f"app-version={version}").returncode, 7)
    found = [problem for problem in problems(jankwatch).values() if problem.get("culprit") == "freeze_by_sleeping"]
    equal({version for problem in found for version in problem["versions"]}, {"1.0", "1.1"})
    for problem in found:
        assert problem["p50_ns"] >= 290 * MS and problem["total_ns"] >= problem["count"] * 290 * MS, problem
        assert problem["hang_s_per_hour"] > 0, problem


def screen(jankwatch):
    """What a terminal of 80 x 24 gets."""
    text = jankwatch.on_terminal("summary", "--since", "last-look", TZ="UTC", TERM="dumb")
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def store_week(jankwatch, n_programs=20):
    """A week of programs with names as long as they are, the first one the worst; each was watched for an hour a
    day."""
    store = Store(jankwatch)
    for i in range(n_programs):
        app = ["org.gnome.TextEditor", "nautilus", "gnome-shell", "io.github.example.PodcastPlayer"][i % 4] + str(i)
        for day in range(14, 21):
            store.watch(f"week-{day}-{i}", 3600 * 10 ** 9, app=app, day=day)
            for problem in range(3):
                culprit = store.pattern["culprit"] | {"function": f"application_window_load_document_{problem}"}
                store.add(f"{i:08}{problem:08}", [300 + 10 * (n_programs - i)] * (problem + 1), day,
                          session=f"week-{day}-{i}", app=app, culprit=culprit)
    return store


def test_week(jankwatch):
    """On a screen of 80 x 24: 20 programs whole, the worst first, with rate, last time and culprit."""
    store_week(jankwatch)
    lines = screen(jankwatch)
    check(len(lines) <= 23 and max(map(len, lines)) <= 80, lines)
    equal(lines[0], "Stalls so far:")
    equal(lines[1].split(), ["Count", "Total", "Hang", "rate", "Last", "Program", "Culprit"])
    equal(len(lines[2:]), 20)
    check(re.fullmatch(r" +42 +21\.0 s +3\.0 s/h +11-20 12:00  …TextEditor0     application_window_load…", lines[2]),
          lines[2])
    contains(lines[3], "nautilus1")


def test_more_than_a_screen(jankwatch):
    store_week(jankwatch, 30)
    lines = screen(jankwatch)
    equal(len(lines), 23)
    equal(lines[-1], "And 10 more: “jankwatch summary --by app” has them.")
    equal(len(jankwatch.run("summary", "--since", "last-look", "--by", "app", "--app", "*").stdout.splitlines()), 1)


def test_last_look(jankwatch):
    """Each look begins where the last one ended; one at a part of it moves nothing."""
    store = Store(jankwatch)
    store.add("aa", [100], 1)
    look = ("summary", "--since", "last-look")
    contains(jankwatch.run(*look, "--app", "editor").stdout, "Stalls so far:")
    contains(jankwatch.run(*look, "--top-down").stdout, "100 %")
    contains(jankwatch.run("list", "--since", "last-look").stdout, "editor")
    contains(jankwatch.run(*look).stdout, "Stalls so far:")
    check(re.fullmatch(r"There were no stalls since 20\d\d-.*\.\n", jankwatch.run(*look).stdout), "there is something")
    equal(jankwatch.run("list", "--since", "last-look").stdout, "")

    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=1)
    later = later.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    store.add("bb", [200], 2, app="player",
              repeats={"count": 1, "total_ns": 200 * MS, "longest_ns": 200 * MS, "first": later, "last": later})
    equal(json.loads(jankwatch.run(*look, "--app", "editor", "--json").stdout), [])
    equal([row["app"] for row in json.loads(jankwatch.run(*look, "--json").stdout)], ["player"])
    equal(jankwatch.run("summary", "--since", "last-looks").returncode, 2)

    for text in ("x", "-5", "99999999999999999999999"):
        pathlib.Path(store.folder, "last-look").write_text(text)
        equal(jankwatch.run("list", "--since", "last-look").returncode, 0)
    os.remove(os.path.join(store.folder, "last-look"))
    os.mkfifo(os.path.join(store.folder, "last-look"))
    contains(jankwatch.run("list", "--since", "last-look").stdout, "editor")


def test_same_name(jankwatch):
    """Two problems with one culprit are told apart by who called it, else by the source."""
    store = Store(jankwatch)
    others = json.loads(json.dumps(store.new()["frames"]).replace("on_button_clicked", "export_invoices"))
    for changes, name in (({"frames": others}, "export_invoices"), ({"source": {"name": "invoices"}}, "invoices")):
        store.add(f"{name}-1", [500], 20, app=name)
        store.add(f"{name}-2", [400], 20, app=name, **changes)
        for words in "list", "summary":
            contains(jankwatch.run(words, "--app", name).stdout, f"compute_primes ← {name}")


command.add_all(globals(), program)
tap.main("/cli/summary", n_at_once=2)
