# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Symbolic links and FIFOs at every name below a store: no command changes a file elsewhere, and none waits."""

import hashlib
import os
import pathlib
import subprocess

import command
import tap
from tap import check, equal

program, make_store, loop_program = tap.arguments(3)
REPORT = "20261121-153012-4242-1"
URL = "http://127.0.0.1:9"
SENT = hashlib.sha256(URL.encode()).hexdigest()[:16] + ".sqlite"
FILES = {
    "": ["last-look", "resolved", "last-look.000000", "last-notification", REPORT + ".json", REPORT + ".json.000000"],
    "sent": ["salt", "salt.000000", *(SENT + end for end in ("", "-journal", "-wal", "-shm"))],
    "index": ["reports-0006000000000000-00000000.sqlite" + end for end in ("", "-journal", "-wal", "-shm")],
    "live": ["1-1.live"],
    "sessions": ["20261121-153012-1-1.json", "20261121-153012-1-1.json.000000"],
    "chains": [REPORT + ".json", "20261121-153012-4242-7.json"],
}
COMMANDS = (
    ["list"], ["show", "latest"], ["show", REPORT], ["summary"], ["summary", "--since", "last-look"],
    ["export", "-f", "brief", "latest"], ["export", "-f", "json"], ["report-bug", REPORT], ["diff", "STORE", "STORE"],
    ["session", "status"], ["top", "--json", "--once"], ["send", "--dry-run", "--to", URL], ["dump", "1"], ["why", "1"],
    ["send", "--to", URL, "--timeout", "1"], ["notify", "STORE/" + REPORT + ".json"],
    ["run", "--quiet", "--", loop_program],
)


def snapshot(folder):
    """Each file and folder, with what is in it and when it was changed."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            info = os.lstat(path)
            with open(path if name in files else os.devnull, "rb") as file:
                found[path] = (info.st_mode, info.st_uid, info.st_mtime_ns, file.read())
    return found


def fill(outside):
    """What could be overwritten, cut off or removed, by the names that the store has."""
    for folder, names in FILES.items():
        os.makedirs(os.path.join(outside, folder), exist_ok=True)
        for name in names:
            path = os.path.join(outside, folder, name)
            pathlib.Path(path).write_text("precious")
            os.chmod(path, 0o600)
            os.utime(path, (1, 1))


def link_files(store, outside):
    for folder, names in FILES.items():
        os.makedirs(os.path.join(store, folder), exist_ok=True)
        for name in names:
            yield os.path.join(store, folder, name), os.path.join(outside, folder, name)


def link_nowhere(store, outside):
    for path, _target in link_files(store, outside):
        yield path, os.path.join(outside, "new-" + os.path.basename(path))


def link_folders(store, outside):
    os.makedirs(store)
    for folder in filter(None, FILES):
        yield os.path.join(store, folder), os.path.join(outside, folder)


def link_store(store, outside):
    yield store, outside


def make_pipes(store, _outside):
    for path, _target in link_files(store, store):
        yield path, None


def pipe_folders(store, _outside):
    for path, _target in link_folders(store, store):
        yield path, None


def check_planted(jankwatch, plan, owner):
    store, outside = os.path.join(jankwatch.home, "planted"), os.path.join(jankwatch.home, "outside")
    config = os.path.join(jankwatch.home, "config", "jankwatch")
    os.makedirs(config)
    pathlib.Path(os.path.join(config, "settings.conf")).write_text("[default]\nsend-ask=no\n")
    fill(outside)
    before = snapshot(outside)
    for words in COMMANDS:
        subprocess.run(["rm", "-rf", store], check=True)
        for path, target in plan(store, outside):
            os.mkfifo(path) if target is None else os.symlink(target, path)
            if os.geteuid() == 0:
                os.lchown(path, owner, owner)
        own = [] if words[0] in ("diff", "notify", "session") else ["--store", store]
        words = [words[0], *own, *(word.replace("STORE", store) for word in words[1:])]
        result = jankwatch.run(*words)
        check(result.returncode >= 0, (words, result.returncode, result.stderr))
        check(result.returncode != 2, (words, result.stderr))
        equal((words, snapshot(outside)), (words, before))


for plan in link_files, link_nowhere, link_folders, link_store, make_pipes, pipe_folders:
    command.add(plan.__name__.replace("_", "-"), check_planted, program, plan, 12345)


def test_dry_run_writes_nothing(jankwatch):
    subprocess.run([make_store, jankwatch.store, "1"], check=True)
    stray = os.path.join(jankwatch.store, REPORT + ".json.000000")
    open(stray, "w").close()
    os.utime(stray, (1, 1))
    before = snapshot(jankwatch.home)
    equal(jankwatch.run("send", "--dry-run", "--to", URL).returncode, 0)
    equal(snapshot(jankwatch.home), before)


command.add("dry-run-writes-nothing", test_dry_run_writes_nothing, program)
tap.main("/cli/planted")
