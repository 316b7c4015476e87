# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Apport asks this of each report: one of a program that hangs gets the newest report of jankwatch, without what is
private."""

import json
import os
import subprocess


def ask(*words):
    return subprocess.run(["jankwatch", *words], capture_output=True, text=True, timeout=60).stdout


def add_info(report, ui=None):
    path = report.get("ExecutablePath", "")
    if report.get("ProblemType") != "Hang" or not path:
        return
    found = json.loads(ask("list", "--json", f"--app={os.path.basename(path)}", "--since=1d", "--severity=hang")
                       or "[]")
    if found:
        report["JankwatchReport"] = ask("export", "--format=markdown", found[0]["id"])
        report["DuplicateSignature"] = f"{path}:Hang:{found[0]['fingerprint']}"
