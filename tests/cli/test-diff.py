# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch diff`: what it says of known sessions, and when it says nothing."""

import json
import os
import random
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import command
import desktop
import tap
from tap import contains, equal

program, make_store, manual, demo = tap.arguments(4)

MS = 1000000
HOUR = 3600 * 10**9


class Store(command.Store):
    """Sessions of an editor, an hour each."""

    def __init__(self, jankwatch, name="store"):
        super().__init__(make_store, os.path.join(jankwatch.home, name))

    def report(self, fingerprint, ms, session, version, pid=7):
        when = "2026-11-20T12:00:00.000000Z"
        report = self.new(
            fingerprint=fingerprint, session=session, app={"name": "editor", "pid": pid, "version": version},
            repeats={"count": 1, "total_ns": ms * MS, "longest_ns": ms * MS, "first": when, "last": when})
        report["id"] = f"20261120-120000-7-{self.n}"
        report["stall"] |= {"began": when, "duration_ns": ms * MS}
        self.save(report["id"], report)

    def session(self, name, version, stalls, fps=60.0, late=10):
        """stalls: milliseconds by fingerprint"""
        for fingerprint, ms in stalls.items():
            self.report(fingerprint, ms, name, version)
        hung = sum(ms for ms in stalls.values() if ms > 250)
        self.save(f"sessions/{name}-7", {
            "schema": "jankwatch-session-1", "session": name, "app": {"name": "editor", "pid": 7, "version": version},
            "pid": 7, "began": "2026-11-20T12:00:00.000000Z", "n_stalls": len(stalls),
            "total_ns": sum(stalls.values()) * MS,
            "stalls": [{"id": f"20261120-120000-7-{i + 1}", "kind": "stall", "severity": "hang", "outcome": "recovered",
                        "duration_ns": ms * MS} for i, ms in enumerate(stalls.values())],
            "interactions": {"count": 41, "p98_ns": 10 * late * MS, "longest_ns": 12 * late * MS},
            "hangs": {"hung_ns": hung * MS, "total_ns": hung * MS, "watched_ns": HOUR},
            "frame_clock": {"frames": int(fps * 100), "active_ns": 100 * 10**9, "fps": fps, "late_program": late,
                            "late": late, "hitch_ms_per_s": late / 10}})


def two_versions(jankwatch, n=6):
    """Of 1.1, all is known: what is new, gone, slower, faster and as before."""
    store = Store(jankwatch)
    for i in range(n):
        store.session(f"a-{i}", "1.0",
                      {"gone": 300 + i, "slow": 400 + 5 * i, "fast": 900 + 5 * i, "same": 500 + 10 * i})
        store.session(f"b-{i}", "1.1", {"new": 5000 + i, "slow": 700 + 5 * i, "fast": 450 + 5 * i, "same": 550 - 10 * i}
                      | ({"once": 100} if i == 0 else {}), fps=50.0 - i / 10, late=40 + i)
    return store


def diff(jankwatch, *arguments, status=0):
    result = jankwatch.run("diff", "--json", *arguments)
    equal((arguments, result.returncode, result.stderr if status == 0 else ""), (arguments, status, ""))
    found = json.loads(result.stdout)
    return {problem["fingerprint"]: problem for problem in found["problems"]}, \
        {metric["metric"]: metric for metric in found["metrics"]}, found


VERSIONS = ("app-version=1.0", "app=editor,app-version=1.1")


def test_verdicts(jankwatch):
    store = two_versions(jankwatch)
    problems, metrics, whole = diff(jankwatch, "--store", store.folder, *VERSIONS)
    equal({name: problem["verdict"] for name, problem in problems.items()},
          {"new": "new", "gone": "gone", "slow": "slower", "fast": "faster", "same": "cannot-tell",
           "once": "cannot-tell"})
    slow = problems["slow"]
    assert 0 < slow["low"] <= 300 <= slow["high"] and abs(slow["change"] - 300) < 1e-6, slow
    equal((problems["new"]["sessions_a"], problems["new"]["sessions_b"]), (0, 6))
    # Of six sessions without it, as many as 39 of 100 may have it.
    assert 0.38 < problems["new"]["share_a_high"] < 0.4, problems["new"]
    equal({name: metric["verdict"] for name, metric in metrics.items()},
          {"hang-rate": "worse", "stalls": "cannot-tell", "stalled": "worse", "longest": "worse", "fps": "worse",
           "late-share": "worse", "hitch-ratio": "worse", "input-p98": "worse"})
    assert abs(metrics["hang-rate"]["a"] - 2.1525) < 0.001 and abs(metrics["fps"]["b"] - 49.75) < 0.001, metrics
    equal((whole["a"]["sessions"], whole["b"]["sessions"], whole["a"]["watched_ns"]), (6, 6, 6 * HOUR))
    # Once more the same, in spite of chance; and the other way round.
    equal(diff(jankwatch, "--store", store.folder, *VERSIONS)[2], whole)
    problems = diff(jankwatch, "--store", store.folder, *reversed(VERSIONS))[0]
    equal([problems[name]["verdict"] for name in ("new", "gone", "slow", "fast")], ["gone", "new", "faster", "slower"])
    text = jankwatch.run("diff", "--store", store.folder, *VERSIONS).stdout
    for words in ("hang-rate +s/h +2.15 +6.70", "new +new +0.00 ", "once +cannot tell",
                  "slow +slower .* 6/6, 6/6 +compute_primes"):
        assert re.search(words, text), (words, text)


def test_too_few(jankwatch):
    """Two sessions each tell nothing, however different they are; five tell what is new among five."""
    store = two_versions(jankwatch, 2)
    problems, metrics, _ = diff(jankwatch, "--store", store.folder, *VERSIONS)
    equal({problem["verdict"] for problem in problems.values()}, {"cannot-tell"})
    equal({metric["verdict"] for metric in metrics.values()}, {"cannot-tell"})
    for limit in ("hang-rate>+10%", "new>0", "slower>0", "fps<-1"):
        diff(jankwatch, "--store", store.folder, "--fail-if", limit, *VERSIONS, status=4)
    contains(jankwatch.run("diff", "--store", store.folder, *VERSIONS).stdout, "too few sessions")
    for n, expected in ((3, ("cannot-tell", "cannot-tell")), (5, ("new", "slower"))):
        store = two_versions(jankwatch, n)
        problems = diff(jankwatch, "--store", store.folder, *VERSIONS)[0]
        equal((n, (problems["new"]["verdict"], problems["slow"]["verdict"])), (n, expected))
        # B alone is what it is; a new problem that few sessions do not prove is not passed over.
        for limit, status in (("longest>1", 3), ("longest>999999", 0), ("new>0", 4 if n == 3 else 3)):
            diff(jankwatch, "--store", store.folder, "--fail-if", limit, *VERSIONS, status=status)
    diff(jankwatch, "--store", store.folder, "--fail-if", "new>0", "--fail-if", "hang-rate>+10%", *VERSIONS, status=3)


def test_limits(jankwatch):
    store = two_versions(jankwatch)
    for limit, status in (("hang-rate>+10%", 3), ("hang-rate>+100%", 3), ("hang-rate>+500%", 0), ("hang-rate>+4", 3),
                          ("hang-rate>+6", 0), ("hang-rate>6", 3), ("hang-rate>8", 0), ("hang-rate<+0", 0),
                          ("fps<-5", 3),
                          ("fps<-5%", 3), ("fps<-50%", 0), ("fps<45", 0), ("longest>+200%", 3), ("late-share>1", 0),
                          ("late-share>0.5", 3), ("input-p98>+20%", 3), ("input-p98>+500%", 0), ("input-p98>200", 3),
                          ("stalls>+0", 4), ("new>0", 3), ("new>2", 0), ("new>1", 4), ("slower>0", 3),
                          ("slower>1", 4), ("slower>2", 0)):
        _, _, whole = diff(jankwatch, "--store", store.folder, "--fail-if", limit, *VERSIONS, status=status)
        equal(whole["limits"], [{"limit": limit, "result": {0: "kept", 3: "exceeded", 4: "cannot-tell"}[status]}])
    for limit in ("", "hang-rate", "hang-rate>", "hang-rate>10%", "hang-rate>+10%%", "hang-rate>x", "hang-rate>nan",
                  "speed>1", "new>+1", "new<1", "fps<-100%", "fps<-1e99", ">1"):
        result = jankwatch.run("diff", "--fail-if", limit, *VERSIONS)
        equal((limit, result.returncode, result.stdout), (limit, 2, ""))


def test_chance(jankwatch):
    """Of many problems that come and go by chance, none is called better or worse."""
    store, chance = Store(jankwatch), random.Random(18)
    for i in range(40):
        store.session(f"s-{i}", f"1.{i % 2}",
                      {f"f{chance.randrange(60)}": chance.randrange(100, 900) for _ in range(10)})
    problems = diff(jankwatch, "--store", store.folder, "app-version=1.0", "app-version=1.1")[0]
    assert len(problems) > 50, len(problems)
    equal({problem["verdict"] for problem in problems.values()}, {"cannot-tell"})


def test_sets(jankwatch):
    """Folders, files of sessions, and sets that are none."""
    store, other = two_versions(jankwatch), Store(jankwatch, "other")
    for i in range(6):
        other.session(f"c-{i}", "2.0", {})
    problems, metrics, _ = diff(jankwatch, store.folder, other.folder)
    equal(problems["slow"]["verdict"], "gone")
    equal((metrics["hang-rate"]["verdict"], metrics["hang-rate"]["b"]), ("better", 0))
    path = os.path.join(store.folder, "sessions", "a-1-7.json")
    _, metrics, whole = diff(jankwatch, path, other.folder)
    equal((whole["a"]["sessions"], metrics["hang-rate"]["too_few"]), (1, True))
    # What both have counts in neither.
    result = jankwatch.run("diff", "--json", "--store", store.folder, "app=editor", "app-version=1.1")
    contains(result.stderr, "6 processes are in both sets")
    assert "no session of" not in result.stderr, result.stderr
    equal((result.returncode, json.loads(result.stdout)["b"]["sessions"]), (0, 0))
    # Nobody knows for how long that was watched.
    other.report("loose", 9000, "elsewhere", "2.0")
    result = jankwatch.run("diff", "--json", "--fail-if", "new>0", store.folder, other.folder)
    contains(result.stderr, "1 stall belongs to no compared session")
    equal(result.returncode, 4)
    for sets, status in ((("app=editor",), 2), (("a", "b", "c"), 2), (("colour=red", "app=editor"), 1),
                         ((make_store, "app=editor"), 1), ((os.path.join(jankwatch.home, "nothing"), "app=editor"), 1)):
        result = jankwatch.run("diff", *sets)
        equal((sets, result.returncode, result.stdout), (sets, status, ""))
    for content in ("", "[]", "{}", '{"session": 5}', '{"session": "../x"}', '{"session": null}'):
        with open(path, "w") as file:
            file.write(content)
        equal((content, jankwatch.run("diff", path, other.folder).returncode), (content, 1))


def test_recipe(jankwatch):
    """The gate of the manual on GTK programs: the new one stalls for seconds. Sessions are as few as can tell."""
    with open(manual, encoding="utf-8") as file:
        recipe = file.read().rpartition("\n.EX\n")[2].partition("\n.EE\n")[0]
    recipe = recipe.replace("\\(aq", "'").replace("\\(dq", '"').replace("\\-", "-")
    contains(recipe, "for i in 1 2 3 4 5 6; do")
    recipe = recipe.replace("1 2 3 4 5 6", "1 2 3 4")
    # By PATH: the commands are words of a shell, and the build's path may have blanks.
    folders = [os.path.dirname(os.path.abspath(path)) for path in (program, demo)]
    name = os.path.basename(demo)
    # As xvfb-run, whose display may take another one's number.
    with desktop.display() as display:
        result = subprocess.run(
            ["sh", "-c", recipe], cwd=jankwatch.home, capture_output=True, text=True, timeout=500,
            env=jankwatch.environment | {"PATH": os.pathsep.join([*folders, os.environ["PATH"]]), "DISPLAY": display,
                                         "OLD": f"{name} --auto sleep --seconds 0.2",
                                         "NEW": f"{name} --auto sleep --seconds 2"})
    _, metrics, whole = diff(jankwatch, os.path.join(jankwatch.home, "before"), os.path.join(jankwatch.home, "after"))
    equal((whole["a"]["sessions"], whole["b"]["sessions"]), (4, 4))
    assert metrics["longest"]["b"] >= 1800, metrics
    # A machine that stops for seconds may leave nothing to tell, and one that always does makes the old one as bad.
    rate = metrics["hang-rate"]
    assert result.returncode in ((3, 4) if rate["b"] > 1.1 * rate["a"] else (0, 4)), (result, metrics)
    print("#", result.returncode, json.dumps(rate))


if demo == "none":
    del test_recipe
def test_files(jankwatch):
    """What is new or slower in B is told to the machine that runs tests; what is not, is not."""
    store = two_versions(jankwatch)
    junit = os.path.join(jankwatch.home, "junit.xml")
    for limits, status, failing in (([], 0, 2), (["--fail-if", "new>0", "--fail-if", "fps<-90"], 3, 1)):
        result = jankwatch.run("diff", "--store", store.folder, "--junit", junit, "--annotate", "github",
                               *limits, "app-version=1.0", "app-version=1.1")
        equal((limits, result.returncode), (limits, status))
        with open(junit) as file:
            suite = ElementTree.parse(file).getroot().find("testsuite")
        equal((suite.get("tests"), suite.get("failures")), (str(2 + len(limits) // 2), str(failing)))
        equal([line.split(" ")[0] for line in result.stderr.splitlines() if line.startswith("::")],
              ["::error"] * (2 + (status == 3)))


command.add_all(globals(), program)
tap.main("/cli/diff", n_at_once=2)
