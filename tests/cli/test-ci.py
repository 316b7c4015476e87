# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What `run` and `diff` leave for the machine that runs tests: JUnit's XML and annotations."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import command
import tap
from tap import check, contains, equal

program, recipes, source, *builds = map(os.path.abspath, tap.rest())


def project(jankwatch):
    """A repository with the source, as it lies on the machine that runs the tests."""
    folder = pathlib.Path(jankwatch.home, "project")
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    path = folder / pathlib.Path(source).relative_to(pathlib.Path(source).parents[1])
    path.parent.mkdir(exist_ok=True)
    shutil.copy(source, path)
    return folder, str(path.relative_to(folder))


def run(jankwatch, folder, *arguments, status):
    """In the folder. Returns what was written: the tests, the results and the lines of standard error."""
    junit, quality = folder / "junit.xml", folder / "gl-code-quality-report.json"
    junit.unlink(missing_ok=True)
    where = [] if "--annotate" in arguments else ["--annotate", "gitlab"]
    result = subprocess.run([jankwatch.program, arguments[0], "--junit", str(junit), *where, *arguments[1:]],
                            cwd=folder, env=jankwatch.environment, capture_output=True, text=True, timeout=100)
    equal((arguments, result.returncode), (arguments, status))
    results = json.loads(quality.read_text()) if where else None
    return ElementTree.parse(junit).getroot(), results, result.stderr.splitlines()


def tests_of(root):
    """By name: what a test is, and its message."""
    suite = root.find("testsuite")
    found = {}
    for case in suite.iter("testcase"):
        element = next(iter(case), None)
        found[case.get("name").split(",")[0]] = ("passed", None) if element is None else (element.tag,
                                                                                          element.get("message"))
    for counter, path in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error")):
        equal((counter, int(suite.get(counter))), (counter, len(suite.findall(path))))
    return found


PROBLEMS = ["stall: sum_numbers", "stall: load_document"]


def find_problem(found):
    """A name less than half of the time has its caller as the culprit."""
    return next(found[name] for name in PROBLEMS if name in found)


def test_files(jankwatch):
    """Limits are tests, and a problem fails where there is none."""
    folder, path = project(jankwatch)
    root, results, lines = run(jankwatch, folder, "run", "--annotate", "github", "--fail-if", "longest>100ms",
                               "--fail-if", "late>1%", "--fail-if", "stalls>100", "--", builds[0], status=3)
    found = tests_of(root)
    equal([found[name][0] for name in ("exit-status", "longest>100ms", "late>1%", "stalls>100")],
          ["passed", "failure", "error", "passed"])
    equal(find_problem(found)[0], "passed")
    contains(found["longest>100ms"][1], "Limit exceeded: longest>100ms (")
    annotations = [line for line in lines if line.startswith("::")]
    equal(annotations[1], "::error title=jankwatch::Cannot measure whether the limit is exceeded: late>1%25 (no frame "
                          "was drawn)")
    check(any(f"title=jankwatch%3A stall,file={path},line=" in line for line in annotations[2:]), annotations)

    root, results, lines = run(jankwatch, folder, "run", "--", builds[0], status=0)
    equal(find_problem(tests_of(root))[0], "failure")
    contains(root.find(".//failure").text, "load_document")
    check(not any(line.startswith("::") for line in lines), lines)


GTK = "import gi; gi.require_version('Gtk', '4.0'); from gi.repository import GLib, Gtk; "
LOOP = "loop = GLib.MainLoop(); GLib.timeout_add(50, loop.quit); loop.run()"
NOTHING = {
    "no loop": (["/usr/bin/python3", "-c", "from gi.repository import Gio; Gio.File.new_for_path('/').query_exists()"],
                "No main loop ran"),
    "no display": (["/usr/bin/python3", "-c", f"{GTK} print(Gtk.init_check()); {LOOP}"],
                   "No frame was drawn, although the program uses GTK: jankwatch was started without DISPLAY"),
    "no command": (["/nowhere/command"], "Cannot run ‘/nowhere/command’: No such file or directory"),
    "fails early": (["/usr/bin/python3", "-c", f"{GTK} exit(5)"], "No frame was drawn"),
    "a helper's loop": (["sh", "-c", '"$0" & "$@"; wait', builds[0], "/usr/bin/python3", "-c", GTK + LOOP],
                        "No frame was drawn"),
}


def test_nothing_ran(jankwatch):
    """No limit holds of what nobody saw run. One that is exceeded all the same is."""
    folder, _ = project(jankwatch)
    for way, (words, why) in NOTHING.items():
        root, _, lines = run(jankwatch, folder, "run", "--fail-if", "longest>60s", "--", *words, status=4)
        found = tests_of(root)
        equal((way, found["watched"][0], found["longest>60s"][0]), (way, "error", "error"))
        contains(found["watched"][1], why)
        contains(found["longest>60s"][1], why)
        check(any(line.startswith(f"jankwatch: {why}") for line in lines), lines)
    run(jankwatch, folder, "run", "--fail-if", "longest>100ms", "--", *NOTHING["a helper's loop"][0], status=3)
    jankwatch.environment["DISPLAY"] = ":none"
    root, *_ = run(jankwatch, folder, "run", "--fail-if", "longest>60s", "--", *NOTHING["fails early"][0], status=4)
    contains(tests_of(root)["watched"][1], "program uses GTK: the command ended with status 5")


def test_failures(jankwatch):
    """A command that fails, or that nobody could watch, is no success."""
    folder, _ = project(jankwatch)
    root, results, _ = run(jankwatch, folder, "run", "--", "sh", "-c", "exit 5", status=5)
    found = tests_of(root)
    equal((found["exit-status"], found["watched"][0]), (("failure", "The command ended with status 5"), "error"))
    contains(found["watched"][1], "Nothing was watched: ")
    equal(results, [])
    result = jankwatch.run("run", "--annotate", "bitbucket", "--", "touch", os.path.join(jankwatch.home, "ran"))
    equal((result.returncode, os.path.exists(os.path.join(jankwatch.home, "ran"))), (2, False))
    contains(result.stderr, "bitbucket")
    result = jankwatch.run("run", "--junit", "/nowhere/x", "--", "true")
    equal(result.returncode, 1)
    contains(result.stderr, "/nowhere/x")


def test_repeat(jankwatch):
    """Of all runs one file, in which each problem is once."""
    folder, _ = project(jankwatch)
    root, results, _ = run(jankwatch, folder, "run", "--repeat", "2", "--fail-if", "longest>60s", "--", builds[0],
                           status=0)
    equal([kind for kind, _ in tests_of(root).values()].count("failure"), 0)
    check(re.search("load_document|sum_numbers", f"{results}"), results)
    equal(len({result["fingerprint"] for result in results}), len(results))


def test_builds(jankwatch):
    """A problem keeps its fingerprint when lines move, functions are added and the compiler does more; its line moves
    with it."""
    folder, path = project(jankwatch)
    found, lines = set(), set()
    for build in builds:
        shutil.copy(build, folder / "app")
        _, results, _ = run(jankwatch, folder, "run", "--", str(folder / "app"), status=0)
        for result in results:
            if "sum_numbers" in result["description"]:
                equal(result["location"]["path"], path)
                found.add(result["fingerprint"])
                lines.add((build, result["location"]["lines"]["begin"]))
    equal(len(found), 1)
    check(len({build for build, _ in lines}) >= 2, lines)


def test_scripts(jankwatch):
    """A script's source is found, too."""
    folder, _ = project(jankwatch)
    shutil.copy(pathlib.Path(source).with_name("glib-only.py"), folder)
    _, results, _ = run(jankwatch, folder, "run", "--", "/usr/bin/python3", "glib-only.py", status=7)
    found = [result["location"]["path"] for result in results if "freeze_by_computing" in result["description"]]
    check("glib-only.py" in found, found, [result["description"] for result in results])


def test_recipes(jankwatch):
    """What data/ci tells to run runs, and leaves the files that it collects."""
    for name, status, files in (("github.yml", [3], ["junit.xml"]),
                                ("gitlab.yml", [3], ["junit.xml", "gl-code-quality-report.json"]),
                                ("autopkgtest/stalls", [0, 3], ["junit.xml"])):
        folder, _ = project(jankwatch)
        text = pathlib.Path(recipes, name).read_text()
        words = shlex.split(re.search(r"jankwatch (run .*?) -- \$PROGRAM", re.sub(r"\s*\\?\n\s*", " ", text)).group(1))
        words = [word.replace("$AUTOPKGTEST_ARTIFACTS", str(folder)).replace("$reports", "reports") for word in words]
        result = subprocess.run([jankwatch.program, *words, "--", builds[0]], cwd=folder, env=jankwatch.environment,
                                capture_output=True, text=True, timeout=100)
        check(result.returncode in status, name, result.returncode, result.stderr)
        for file in files:
            check((folder / file).stat().st_size > 0, name, file)
            contains(text, file)
        check(list((folder / "reports").glob("*.json")), name)
        shutil.rmtree(folder)


command.add_all(globals(), program)
tap.main("/cli/ci", n_at_once=2)
