# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What somebody sends: every text of the schemas is hostile, or says what is private, and every command is asked."""

import glob
import json
import os
import pathlib
import re
import sqlite3
import unicodedata

import command
import tap
from tap import check, contains, equal

program, report_schema, session_schema, optional = tap.arguments(4)

ID = "20261125-100000-1234-{}"
SESSION = "20261125-100000-1"
TEXTS = [*"collapsed speedscope firefox markdown brief junit github gitlab json".split()]
BINARY = optional.split()
# A wait's kind decides which of its texts are shown.
KINDS = ["file", "socket", "pipe", "device", "dbus", "child", "lock", "poll", "sleep", "thread", None]
# What is not free text to a reader.
GIVEN = {
    "kind": "stall", "outcome": "recovered", "severity": "hang", "state": "blocked", "method": "signal",
    "name_from": "exported",
    "began": "2026-11-25T10:00:00.000000+00:00", "first": "2026-11-25T10:00:00.000000+00:00",
    "last": "2026-11-25T10:00:00.000000+00:00", "duration_ns": 700000000, "weight_ns": 700000000, "busiest": "layout",
    "who": "program", "hitch_band": "good",
}
ESCAPES = ["\x1b]0;PWN\x07", "\x1b[31m", "\x1b]8;;http://evil\x1b\\", "\x9b31m", "\x7f", "\u202e", "\u2066", "\u2028",
           "\u2029"]
HOSTILE = "".join(ESCAPES) + "\n\n# heading\n\n<img src=x> @mention `` | a | b |\r\n- "
SECRETS = ["SECRET", "alicesecret", "4242"]
PRIVATE = [
    "“SECRET will.odt” at /home/alicesecret/SECRET/part, alicesecret",
    "run of /home/alicesecret/SECRET/tool for alicesecret:/run/user/4242/SECRET/bus",
    "/home/alicesecret", "/run/user/4242", "/media/alicesecret/", "/home/alicesecret/SECRET/../../alicesecret",
]


def fill(node, text, name=""):
    """What the schema describes, with text(name) in the place of each text that is free."""
    if "properties" in node:
        return {key: fill(value, text, key) for key, value in node["properties"].items()}
    if "type" not in node:
        return None
    if node["type"] == "array":
        return [fill(node["items"], text, name)]
    if name in GIVEN and not (name == "kind" and "enum" not in node):
        return GIVEN[name]
    if node["type"] == "string":
        return text(name)
    return {"integer": 3 if name not in ("frame", "stack", "module", "callback") else 0, "number": 0.5,
            "boolean": True}[node["type"]]


def make_report(text, number, kind):
    report = fill(json.loads(pathlib.Path(report_schema).read_text()), text)
    report.update(schema="jankwatch-report-1", id=ID.format(number), fingerprint=f"{number:016x}", stacks=[[0]],
                  stacks_complete=[True])
    for place in (report["samples"][0], report["threads"][0]):
        place["wait"]["kind"] = kind or text("kind")
        place["wait"]["lock"]["owner"] = 3
    report["samples"][0].update(at_ns=0, stack=0)
    report["threads"][0].update(tid=3, stack=0, observed=True)
    return report


def make_store(jankwatch, text, folder=None):
    """A report for each kind of wait, and the file of a session. Returns the texts of the reports."""
    store = pathlib.Path(folder or jankwatch.store)
    os.makedirs(store / "sessions", exist_ok=True)
    for number, kind in enumerate(KINDS, start=1):
        report = make_report(text, number, kind)
        (store / f"{report['id']}.json").write_text(json.dumps(report))
    session = fill(json.loads(pathlib.Path(session_schema).read_text()), text)
    session.update(schema="jankwatch-session-1", session=SESSION, pid=1234)
    (store / "sessions" / f"{SESSION}-1234").write_text(json.dumps(session))


def ask(jankwatch, *arguments):
    result = jankwatch.run(*arguments, COLUMNS="400")
    check(result.returncode in (0, 1), arguments, result.returncode, result.stderr)
    check(not any(is_control(c, False) for c in result.stderr), arguments, ascii(result.stderr))
    return result.stdout


def ask_all(jankwatch, *options):
    """What every command says of the store, by its arguments."""
    said = {}
    for number in range(1, len(KINDS) + 1):
        for form in ([], ["--json"]):
            said["show", number, *form] = ask(jankwatch, "show", ID.format(number), *form, *options)
    for arguments in (["list"], ["list", "--json"], ["summary"], ["summary", "--json"], ["summary", "--top-down"],
                      ["summary", "--bottom-up", "--json"]):
        said[tuple(arguments)] = ask(jankwatch, *arguments, *options)
    for name in TEXTS:
        said["export", name] = ask(jankwatch, "export", "-f", name, *options)
    for name in BINARY:
        path = pathlib.Path(jankwatch.home, name)
        ask(jankwatch, "export", "-f", name, "-o", str(path), *options)
        data = path.read_bytes()
        said["export", name] = data.decode(errors="surrogateescape")
    return said


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for key in value:
            yield from strings(key)
            yield from strings(value[key] if isinstance(value, dict) else None)


def is_control(c, binary):
    return c not in "\n\u200c\u200d" and not (binary and (c < " " or c == "\x7f" or "\udc80" <= c <= "\udcff")) and \
        unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def check_clean(what, text):
    binary = what[-1] in BINARY
    bad = [at for at, c in enumerate(text) if is_control(c, binary)]
    check(not bad, what, "says", ascii(text[max(bad[0] - 60, 0):bad[0] + 20]) if bad else "")
    for escape in ESCAPES[:3]:
        check(escape not in text, what, ascii(escape))
    if what[-1] == "--json" and not isinstance(text, bytes):
        for string in strings(json.loads(text)):
            check(not any(c == "\n" or is_control(c, False) for c in string), what, ascii(string))


def check_markdown(text):
    """What is said stands in code, and no line breaks out of it."""
    text = re.sub(r"^~~~~~~~~\n.*?^~~~~~~~~$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", text)
    for part in ("# heading", "<img", "@mention", "PWN", "`"):
        check(part not in text, part, text)
    tables = [line.count("|") for line in text.splitlines() if "|" in line]
    equal(sorted(set(tables)), [3, 5])


def test_escapes(jankwatch):
    make_store(jankwatch, lambda name: f"{name[0]}{HOSTILE}")
    said = ask_all(jankwatch)
    for what, text in said.items():
        check_clean(what, text)
        contains(text, "PWN")
    check_markdown(said["export", "markdown"])


def test_escapes_of_symbols_only(jankwatch):
    """Names of code are what redaction keeps."""
    make_store(jankwatch, lambda name: HOSTILE if name in ("symbol", "function", "path", "file", "name") else "abc")
    said = ask_all(jankwatch, "--redact")
    for what, text in said.items():
        check_clean(what, text)
    check_markdown(said["export", "markdown"])
    contains(said["export", "markdown"], "PWN")


def test_escapes_of_sessions(jankwatch):
    other = pathlib.Path(jankwatch.home, "other")
    make_store(jankwatch, lambda name: HOSTILE)
    make_store(jankwatch, lambda name: HOSTILE + "2", other)
    for form in ([], ["--json"]):
        text = ask(jankwatch, "diff", jankwatch.store, str(other), *form)
        check_clean(("diff", *form), text)
        contains(text, "PWN")


def test_hostile_id(jankwatch):
    path = pathlib.Path(jankwatch.home, "sent.json")
    report = make_report(lambda name: HOSTILE, 1, "file")
    for key in ("id", "fingerprint", "session"):
        path.write_text(json.dumps({**report, key: HOSTILE}))
        for arguments in (["show"], ["show", "--json"], ["show", "--redact"], ["export", "-f", "markdown"],
                          ["export", "-f", "firefox"]):
            check_clean((*arguments, key), ask(jankwatch, *arguments, str(path)))


def test_hostile_index(jankwatch):
    make_store(jankwatch, lambda name: "abc")
    before = ask(jankwatch, "list", "--json")
    for place in glob.glob(f"{jankwatch.store}/**/reports-*.sqlite", recursive=True) or [None]:
        check(place, "no index was made")
        with sqlite3.connect(place) as index:
            index.execute("UPDATE report SET culprit = ?, app = ?", (HOSTILE, HOSTILE))
        index.close()
    for arguments in (["list"], ["list", "--json"], ["summary", "--json"]):
        check_clean(tuple(arguments), ask(jankwatch, *arguments))
    equal(ask(jankwatch, "list", "--json"), before)


def test_redact(jankwatch):
    for private in PRIVATE:
        make_store(jankwatch, lambda name, private=private: private)
        said = ask_all(jankwatch, "--redact")
        for what, text in said.items():
            for secret in SECRETS:
                check(secret not in text, what, "tells", secret, "of", private,
                      ascii(text[max(text.find(secret) - 80, 0):][:160]))


def test_redact_leaves_code(jankwatch):
    """What a developer needs is there in spite of a user whose name is part of it."""
    texts = {"symbol": "gtk_alice_draw", "function": "gtk_alice_draw", "path": "/home/ali/lib/libgtk-4.so.1"}
    make_store(jankwatch, lambda name: texts.get(name, "abc"))
    for text in ask_all(jankwatch, "--redact").values():
        contains(text, "gtk_alice_draw")
    contains(ask(jankwatch, "show", ID.format(1), "--redact", "--json"), "libgtk-4.so.1")


command.add_all(globals(), program)
tap.main("/export/hostile")
