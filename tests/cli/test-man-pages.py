# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Each page is shown without a complaint; jankwatch-report(5) has every field of the schema."""

import json
import re
import subprocess

import command
import tap
from tap import contains, equal

program, report, schema, *written = tap.arguments(5)


def shown(page):
    """As man shows it, in lines of any length; what groff finds wrong is an error."""
    result = subprocess.run(["groff", "-man", "-ww", "-Kutf8", "-Tutf8", "-P-cbou", "-rLL=2000n", page],
                            capture_output=True, text=True, encoding="utf-8", timeout=100)
    equal((page, result.returncode, result.stderr), (page, 0, ""))
    return result.stdout


def test_written(jankwatch):
    for page in written:
        contains(shown(page), "SEE ALSO")


def names_in(part, depth=0):
    """(depth, name) of each field, as the schema has them."""
    while part.get("type") == "array" and "items" in part:
        part = part["items"]
    for name, field in part.get("properties", {}).items():
        yield depth, name, field.get("description", "")
        yield from names_in(field, depth + 1)


def test_report(jankwatch):
    with open(schema, encoding="utf-8") as file:
        expected = list(names_in(json.load(file)))
    assert len(expected) > 150, len(expected)
    text = shown(report)
    section = text[text.index("\nFIELDS"):text.index("\nSEE ALSO")]
    found = [(len(indent), name) for indent, name in re.findall(r"^( +)([a-zA-Z0-9_]+) \(.*\)$", section, re.MULTILINE)]
    indents = sorted({indent for indent, _ in found})
    equal([(indents.index(indent), name) for indent, name in found], [(depth, name) for depth, name, _ in expected])
    plain = re.sub(r"[\s‐-]+", "", section)
    for _, name, description in expected:
        contains(plain, re.sub(r"[\s‐`-]+", "", description))


command.add_all(globals(), program)
tap.main("/cli/man-pages")
