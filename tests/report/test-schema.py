# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What is written holds to the schemas, and the schemas describe every name that is written."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import textwrap

import jsonschema

import tap

SIGNS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "maxItems": " at most ", "format": " ",
         "pattern": " "}


def nodes(schema):
    """Every subschema that describes a value, with its path."""
    stack = [("", schema)]
    while stack:
        path, node = stack.pop()
        yield path, node
        for name, child in node.get("properties", {}).items():
            stack.append((path + "/" + name, child))
        if "items" in node:
            stack.append((path + "[]", node["items"]))


def closed(schema):
    """The same schema, refusing names that it does not describe."""
    node = dict(schema)
    if "properties" in node:
        node["properties"] = {name: closed(child) for name, child in node["properties"].items()}
        node["additionalProperties"] = False
    if "items" in node:
        node["items"] = closed(node["items"])
    return node


def names(schema):
    return {path for path, node in nodes(schema)}


def used(value, path=""):
    """Paths of all members of a JSON value, as in nodes()."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield path + "/" + name
            yield from used(child, path + "/" + name)
    elif isinstance(value, list):
        for child in value:
            yield path + "[]"
            yield from used(child, path + "[]")


def check_schema(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    for path, node in nodes(schema):
        assert node.get("description"), f"{path} has no description"
        name = path.rsplit("/", 1)[-1]
        if name.endswith("_ns") and node["type"] != "object":
            assert "Nanoseconds" in node["description"], f"{path} does not say its unit"
        if name.endswith("_bytes"):
            assert "Bytes" in node["description"], f"{path} does not say its unit"


def check_values(schema, values):
    strict = jsonschema.Draft202012Validator(closed(schema), format_checker=jsonschema.FormatChecker())
    for value in values:
        strict.validate(value)


def check_full(schema, value):
    """The fullest value has every name of the schema; of what is waited for, one of the waits has it."""
    found = set(used(value))
    found_in_waits = {path.split("/wait/")[1] for path in found if "/wait/" in path}
    missing = {path for path in names(schema) - found - {""} if path.split("/wait/")[-1] not in found_in_waits}
    assert not missing, f"never written: {sorted(missing)}"


def describe(node):
    """Type, bounds and values in a few characters: integer>=0, string(a|b), integer>=0[]."""
    text = node.get("const") or node["type"]
    if "items" in node:
        text = (describe(node["items"]) if node["items"]["type"] != "object" else "") + "[]"
    bounds = "".join(f"{sign}{node[key]}" for key, sign in SIGNS.items() if key in node)
    return text + bounds + ("(" + "|".join(sorted(node["enum"])) + ")" if "enum" in node else "")


def list_fields(schema):
    """{path of an object: "name type, required! type …"}."""
    result = {}
    for path, node in nodes(schema):
        if "properties" in node:
            required = node.get("required", [])
            result[path or "/"] = ", ".join(f"{name}{'!' * (name in required)} {describe(child)}"
                                            for name, child in sorted(node["properties"].items()))
    return result


def read_fields(text):
    """{heading: {path: fields}}: a line "# heading", then of each object its path and fields."""
    result = {}
    for part in text.split("# ")[1:]:
        heading, *objects = re.split(r"\n(?=/)", part)
        result[heading.strip()] = {path: " ".join(fields) for path, *fields in map(str.split, objects)}
    return result


def check_fields(schema, expected):
    """A field that is new, gone, of another type or no longer required breaks readers: none changes unnoticed."""
    found = list_fields(schema)
    different = sorted(path for path in {*found, *expected} if found.get(path) != expected.get(path))
    lines = [textwrap.fill(path + " " + found.get(path, "gone"), 118, subsequent_indent="  ", break_on_hyphens=False)
             for path in different]
    assert not different, "changed; if you mean it, schema-fields.txt gets:\n" + "\n".join(lines)


def check_refuses(schema, value):
    validator = jsonschema.Draft202012Validator(schema)
    for name in ("schema", "stalls" if "stalls" in value else "stall"):
        broken = {key: child for key, child in value.items() if key != name}
        assert not validator.is_valid(broken), f"valid without {name}"
    assert validator.is_valid({**value, "novelty": 1})


program, fields_path, *schema_paths = tap.arguments(4)
report_schema, session_schema = (json.load(open(path)) for path in schema_paths)
with tempfile.TemporaryDirectory() as folder:
    # In a cross build the program is another processor's.
    emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    output = subprocess.run([*emulator, program, folder], check=True, capture_output=True, text=True).stdout
full, bare, process, summary = (json.loads(line) for line in output.splitlines())
expected = read_fields(pathlib.Path(fields_path).read_text(encoding="utf-8"))
tap.add("report-described", check_schema, report_schema)
tap.add("session-described", check_schema, session_schema)
tap.add("report-valid", check_values, report_schema, [full, bare])
tap.add("session-valid", check_values, session_schema, [process, summary])
tap.add("report-complete", check_full, report_schema, full)
tap.add("report-fields", check_fields, report_schema, expected["report"])
tap.add("session-fields", check_fields, session_schema, expected["session"])
tap.add("report-refuses", check_refuses, report_schema, full)
tap.add("session-refuses", check_refuses, session_schema, summary)
tap.main("/report/schema")
