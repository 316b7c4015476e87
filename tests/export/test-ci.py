# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The formats for machines that run tests and for people in a hurry: brief, markdown, junit, github, gitlab."""

import copy
import json
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import command
import readers
import tap
from tap import check, contains, equal

program, make_store = map(os.path.abspath, tap.arguments(2))
ONE = "20261121-153012-4242-1"
SOURCE = "/build/elsewhere/src/demo/primes.c"
HOSTILE = ["]]></failure><x/>", "<b>&amp;\"'", "\ufffe\uffff", "a\x0bb\x1b[31m\x00", "::error::owned\n::set-env::",
           "100 %25, a:b", "日本語🙂" * 200,
           "x" * 2000, "0x" + "1f" * 400, "!?{}" * 400]


def fixture(jankwatch, *changes):
    """A report for each change, in files; and the project that holds the source, its 40 lines with their numbers."""
    subprocess.run([make_store, jankwatch.store, "1"], check=True)
    report = json.loads(pathlib.Path(jankwatch.store, f"{ONE}.json").read_text())
    call = next(call for call in report["frames"] if call.get("symbol") == "compute_primes")
    call.update(file=SOURCE, line=20)
    report["culprit"].update(file=SOURCE, line=20)
    notes = subprocess.run(["readelf", "-n", jankwatch.program], capture_output=True, text=True).stdout
    module = next(module for module in report["modules"] if module["path"] == report["culprit"]["module"])
    module.update(path=jankwatch.program, build_id=re.search("Build ID: ([0-9a-f]+)", notes).group(1))
    report["culprit"].update(module=jankwatch.program)
    report["app"].update(exe=jankwatch.program)
    project = pathlib.Path(jankwatch.home, "project")
    for folder in ("src/demo", "build"):
        (project / folder).mkdir(parents=True)
    (project / "src/demo/primes.c").write_text("".join(f"\tline_{n} ();\x1b[31m\n" for n in range(1, 41)))
    for words in ["init", "-q"], ["add", "src"]:
        subprocess.run(["git", *words], cwd=project, check=True)
    files = []
    for number, change in enumerate(changes or [lambda report: None]):
        made = copy.deepcopy(report)
        made["id"] = f"20261122-120000-77-{number}"
        change(made)
        files.append(str(project / f"{number}.json"))
        pathlib.Path(files[-1]).write_text(json.dumps(made))
    return project, files


def export(jankwatch, project, name, *arguments):
    result = subprocess.run([jankwatch.program, "export", "--format", name, *arguments], cwd=project / "build",
                            env=jankwatch.environment, capture_output=True, text=True, timeout=100)
    equal((arguments, result.returncode, result.stderr), (arguments, 0, ""))
    return result.stdout


def with_text(text):
    """In each place that a report has for one."""
    def change(report):
        for call in report["frames"]:
            if "symbol" in call:
                call["symbol"] = text
        report["culprit"]["function"] = report["heaviest"]["function"] = text
        report["app"].update(name=text, id=text, version=text)
        report["tags"] = [{"name": text, "value": text}] * 20
        report["source"]["name"] = text
    return change


def with_fingerprint(fingerprint, ms=1240):
    def change(report):
        report["fingerprint"] = fingerprint
        report["stall"]["duration_ns"] = ms * 10 ** 6
    return change


def count_tokens(text):
    """More than cl100k and o200k make of it."""
    return sum(1 / 6 if c == " " else 2 / 3 if c.isascii() and c.isalnum() else len(c.encode()) * 5 / 6 for c in text)


def test_brief(jankwatch):
    project, files = fixture(jankwatch)
    text = export(jankwatch, project, "brief", *files)
    lines = text.splitlines()
    contains(lines[0], "compute_primes() (primes.c:20) was computing for 97 %")
    contains(text, "\nsrc/demo/primes.c:\n    15   line_15 ();?[31m\n")
    contains(text, "\n>   20   line_20 ();?[31m\n")
    contains(text, "\n    24   line_24 ();?[31m\n\n")
    for line in ("Culprit: compute_primes() (primes.c:20)",
                 "Also: clock_nanosleep, called by on_button_clicked: 248 ms, 20 %",
                 "Repeated: 3 times, 2.48 s in total, p95 1.24 s"):
        check(line in lines, line, text)
    path = [line[14:].split()[0] for line in lines if re.match(r"^ +\d+ %", line)]
    equal(path[-2:], ["compute_primes", "on_button_clicked"])
    check(not re.search(r"g_main_|g_signal_|libglib|_start|line_14|line_25", text), text)
    contains(text, "jankwatch show 20261122-120000-77-0")


def test_brief_is_short(jankwatch):
    project, files = fixture(jankwatch, *map(with_text, HOSTILE), *(with_fingerprint(f"{n:016x}") for n in range(100)))
    for arguments in [*([file] for file in files[:len(HOSTILE)]), files]:
        text = export(jankwatch, project, "brief", *arguments)
        check(count_tokens(text) <= 1500, count_tokens(text), text)
        contains(text, "More: jankwatch show")
    text = export(jankwatch, project, "brief", *files[len(HOSTILE):])
    contains(text, "All 100 problems")
    check(count_tokens(text) <= 1500, count_tokens(text), text)


def test_only_sources(jankwatch):
    """A report from somebody else shows no file but the project's sources."""
    project, files = fixture(jankwatch)
    report = json.loads(pathlib.Path(files[0]).read_text())
    (project / ".env").write_text("SECRET\n" * 40)
    pathlib.Path(jankwatch.home, "outside.c").write_text("SECRET\n" * 40)
    pathlib.Path(jankwatch.home, "primes.c").write_text("SECRET\n" * 40)
    for file in (f"{project}/.env", "../.env", f"{jankwatch.home}/outside.c", "../../outside.c",
                 f"{project}/../outside.c", f"{project}",
                 "/", "", f"{project}/src/demo", "/proc/self/environ"):
        for call in report["frames"]:
            call.update(file=file, line=20)
        pathlib.Path(files[0]).write_text(json.dumps(report))
        check("SECRET" not in export(jankwatch, project, "brief", *files), file)
    for call in report["frames"]:
        call.update(file=SOURCE, line=20)
    pathlib.Path(files[0]).write_text(json.dumps(report))
    contains(export(jankwatch, project, "brief", *files), "line_20")
    check("line_20" not in export(jankwatch, project, "brief", "--redact", *files))
    # Nor one that git does not know, one behind a link, or one of a program that is not here.
    primes = project / "src/demo/primes.c"
    subprocess.run(["git", "rm", "-q", "--cached", str(primes)], cwd=project, check=True)
    check("line_20" not in export(jankwatch, project, "brief", *files))
    os.rename(primes, os.path.join(jankwatch.home, "primes.c"))
    primes.symlink_to(os.path.join(jankwatch.home, "primes.c"))
    subprocess.run(["git", "add", "src"], cwd=project, check=True)
    check("line_20" not in export(jankwatch, project, "brief", *files))
    os.replace(os.path.join(jankwatch.home, "primes.c"), primes)
    contains(export(jankwatch, project, "brief", *files), "line_20")
    module = next(module for module in report["modules"] if module["path"] == jankwatch.program)
    module.update(build_id="00" * 20)
    pathlib.Path(files[0]).write_text(json.dumps(report))
    check("line_20" not in export(jankwatch, project, "brief", *files))
    # Where the user keeps everything is no project.
    jankwatch.environment["HOME"] = str(project / "build")
    check("line_20" not in export(jankwatch, project, "brief", *files))


def test_markdown(jankwatch):
    project, files = fixture(jankwatch)
    text = export(jankwatch, project, "markdown", *files)
    contains(text, "| Culprit | `compute_primes() (primes.c:20)` |")
    check(text.splitlines()[-1].startswith("Found with jankwatch "), text)
    check(not re.search(r"g_main_|g_signal_|libglib|_start", text), text)


def test_junit(jankwatch):
    project, files = fixture(jankwatch, *map(with_text, HOSTILE), with_fingerprint("00000000000000aa", 100),
                             with_fingerprint("00000000000000aa", 90))
    text = export(jankwatch, project, "junit", *files)
    suite = ElementTree.fromstring(text).find("testsuite")
    # What no schema says: the same problem is one test, and the first is the longest.
    cases = suite.findall("testcase")
    equal((len(cases), suite.get("tests"), suite.get("failures"), suite.get("errors")), (2, "2", "2", "0"))
    equal([child.tag for child in suite], ["properties", "testcase", "testcase", "system-out", "system-err"])
    equal(sorted(suite.attrib),
          ["errors", "failures", "hostname", "id", "name", "package", "tests", "time", "timestamp"])
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp")), suite.get("timestamp"))
    equal(cases[1].get("name"), "stall: compute_primes, 00000000000000aa")
    for case in cases:
        equal(sorted(case.attrib), ["classname", "name", "time"])
        equal([(child.tag, sorted(child.attrib)) for child in case], [("failure", ["message", "type"])])
    for number, text in enumerate(HOSTILE):
        ElementTree.fromstring(export(jankwatch, project, "junit", files[number]))


def test_github(jankwatch):
    project, files = fixture(jankwatch, *map(with_text, HOSTILE))
    for file in files:
        line, = export(jankwatch, project, "github", file).splitlines()
        match = re.fullmatch(r"::(notice|warning|error) title=([^:,]*)(?:,file=([^:,]*),line=(\d+))?::(.+)", line)
        check(match and match[3] == "src/demo/primes.c" and match[4] == "20", line)
        check(not re.search(r"%(?!25|0A|0D)", match[5]), line)
    equal(export(jankwatch, project, "github", files[4]).count("::error"), 2)  # ours, and in the text of it


def test_gitlab(jankwatch):
    project, files = fixture(jankwatch, *map(with_text, HOSTILE))
    for file in files:
        entry, = readers.strict(export(jankwatch, project, "gitlab", file).encode())
        equal((entry["location"], entry["severity"]),
              ({"path": "src/demo/primes.c", "lines": {"begin": 20}}, "critical"))
        equal((entry["fingerprint"], entry["check_name"]), ("0123456789abcdef", "jankwatch-stall"))


command.add_all(globals(), program)
tap.main("/export/ci")
