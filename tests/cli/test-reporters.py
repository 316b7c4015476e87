# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What Apport's hook and ABRT's event add to a problem. Apport itself runs the hook where it is (PYTHONPATH may name
its source); ABRT is played by a shell, as its conf files are: in the problem's folder, a file an element."""

import json
import os
import pathlib
import re
import subprocess
import time
import xml.etree.ElementTree

import command
import tap
from tap import equal

program, make_store, folder = map(os.path.abspath, tap.arguments(3))
REPORT = "20261121-153012-4242-1"
SECRET = "zzsecretzz"
RUNS_APPORT = """
import sys
import apport.report
apport.report.GENERAL_HOOK_DIR = sys.argv[1]
report = apport.report.Report(sys.argv[2])
report["ExecutablePath"] = "/usr/bin/jankwatch-demo"
report.add_hooks_info()
report.write(sys.stdout.buffer)
"""


def prepare(jankwatch):
    """A report of today, and an environment in which `jankwatch` is found."""
    subprocess.run([make_store, jankwatch.store, "1"], check=True)
    path = os.path.join(jankwatch.store, REPORT + ".json")
    report = json.loads(pathlib.Path(path).read_text())
    now = time.strftime("%FT%TZ", time.gmtime())
    report["stall"]["began"] = report["repeats"]["first"] = report["repeats"]["last"] = now
    report["app"]["exe"] = f"/home/{SECRET}/jankwatch-demo"
    pathlib.Path(path).write_text(json.dumps(report))
    links = os.path.join(jankwatch.home, "bin")
    os.makedirs(links)
    os.symlink(jankwatch.program, os.path.join(links, "jankwatch"))
    return {**jankwatch.environment, "PATH": f"{links}:{os.environ['PATH']}"}, report["fingerprint"]


def run_hook(environment, kind):
    code = ("import json, runpy, sys; report = {'ProblemType': sys.argv[2], 'ExecutablePath': "
            "'/usr/bin/jankwatch-demo'};runpy.run_path(sys.argv[1])['add_info'](report); print(json.dumps(report))")
    return json.loads(subprocess.run(["python3", "-c", code, os.path.join(folder, "apport.py"), kind], env=environment,
                                     capture_output=True, text=True, check=True).stdout)


def test_apport(jankwatch):
    environment, fingerprint = prepare(jankwatch)
    report = run_hook(environment, "Hang")
    equal(report["JankwatchReport"].startswith("### 1.24 s (stall)\n"), True)
    equal((report["DuplicateSignature"], SECRET in report["JankwatchReport"]),
          (f"/usr/bin/jankwatch-demo:Hang:{fingerprint}", False))
    equal(sorted(run_hook(environment, "Crash")), ["ExecutablePath", "ProblemType"])
    subprocess.run(["rm", "-r", jankwatch.store], check=True)
    equal(sorted(run_hook(environment, "Hang")), ["ExecutablePath", "ProblemType"])


def test_apport_itself(jankwatch):
    """Its file has the report as an entry of several lines."""
    environment, fingerprint = prepare(jankwatch)
    if subprocess.run(["/usr/bin/python3", "-c", "import apport.report"], capture_output=True).returncode != 0:
        return "not run: Apport is not here"
    hooks = os.path.join(jankwatch.home, "hooks")
    os.makedirs(hooks)
    os.symlink(os.path.join(folder, "apport.py"), os.path.join(hooks, "jankwatch.py"))
    text = subprocess.run(["/usr/bin/python3", "-c", RUNS_APPORT, hooks, "Hang"], env=environment, capture_output=True,
                          text=True, check=True).stdout
    equal(("ProblemType: Hang\n" in text, f":Hang:{fingerprint}\n" in text), (True, True))
    equal("\nJankwatchReport:\n ### 1.24 s (stall)\n" in text, True)
    return "run by Apport"


def test_abrt(jankwatch):
    environment, _ = prepare(jankwatch)
    events = pathlib.Path(folder, "abrt_event.conf").read_text()
    rules = re.findall(r"^EVENT=(.*)\n((?:[ \t].*\n)+)", events, re.MULTILINE)
    equal([condition for condition, _ in rules], ["collect_jankwatch executable~=."])
    problem = os.path.join(jankwatch.home, "problem")
    os.makedirs(problem)
    pathlib.Path(problem, "executable").write_text("/usr/bin/jankwatch-demo")
    for _ in range(2):
        subprocess.run(["sh", "-c", rules[0][1]], cwd=problem, env=environment, capture_output=True, check=True)
    text = pathlib.Path(problem, "jankwatch_report").read_text()
    equal((text.startswith("### 1.24 s (stall)\n"), SECRET in text), (True, False))
    equal(xml.etree.ElementTree.parse(os.path.join(folder, "collect_jankwatch.xml")).getroot().tag, "event")


command.add_all(globals(), program)
tap.main("/cli/reporters", 3)
