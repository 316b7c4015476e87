# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What is written holds to the schemas, and the schemas describe every name that is written."""

import json
import os
import shlex
import subprocess
import tempfile

import jsonschema

import tap


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


def check_rows(schema, rows, arrays, path=""):
    """The schema is the table of fields with words: the same names, types, bounds and values. An index is only where
    its array is."""
    for key in ("type", "minimum", "exclusiveMinimum", "format"):
        assert schema.get(key) == rows.get(key), f"{path}: {key} is {schema.get(key)}, the row says {rows.get(key)}"
    if "enum" in rows:
        assert sorted(schema["enum"]) == sorted(rows["enum"]), f"{path} has other values than its row"
    if "into" in rows:
        assert f"Index into `{rows['into']}`" in schema["description"], f"{path} does not say what it is an index into"
    here = schema.get("properties", {})
    there = {name: row for name, row in rows.get("properties", {}).items() if "into" not in row or row["into"] in arrays}
    assert here.keys() == there.keys(), f"{path}: names without row or without schema: {set(here) ^ set(there)}"
    for name in there:
        check_rows(here[name], there[name], arrays, path + "/" + name)
    if "items" in rows:
        check_rows(schema["items"], rows["items"], arrays, path + "[]")


def check_table(schema, rows):
    fields = {name: child for name, child in schema["properties"].items() if name != "schema"}
    check_rows({**schema, "properties": fields}, rows, fields)


def check_refuses(schema, value):
    validator = jsonschema.Draft202012Validator(schema)
    for name in ("schema", "stalls" if "stalls" in value else "stall"):
        broken = {key: child for key, child in value.items() if key != name}
        assert not validator.is_valid(broken), f"valid without {name}"
    assert validator.is_valid({**value, "novelty": 1})


program, *schema_paths = tap.arguments(3)
report_schema, session_schema = (json.load(open(path)) for path in schema_paths)
with tempfile.TemporaryDirectory() as folder:
    # In a cross build the program is another processor's.
    emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    output = subprocess.run([*emulator, program, folder], check=True, capture_output=True, text=True).stdout
full, bare, process, summary, report_rows, session_rows = (json.loads(line) for line in output.splitlines())
tap.add("report-described", check_schema, report_schema)
tap.add("session-described", check_schema, session_schema)
tap.add("report-valid", check_values, report_schema, [full, bare])
tap.add("session-valid", check_values, session_schema, [process, summary])
tap.add("report-complete", check_full, report_schema, full)
tap.add("report-rows", check_table, report_schema, report_rows)
tap.add("session-rows", check_table, session_schema, session_rows)
tap.add("report-refuses", check_refuses, report_schema, full)
tap.add("session-refuses", check_refuses, session_schema, summary)
tap.main("/report/schema")
