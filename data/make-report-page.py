#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Writes jankwatch-report(5) from the schema of reports.

Usage: make-report-page.py SCHEMA JANKWATCH-REPORT.5
"""

import json
import pathlib
import re
import sys

HEAD = '''.\\" SPDX-FileCopyrightText: the jankwatch authors
.\\" SPDX-License-Identifier: LGPL-2.1-or-later
.TH JANKWATCH\\-REPORT 5 "" jankwatch "File Formats"
.SH NAME
jankwatch\\-report \\- reports of jankwatch
'''

REPORT_END = r'''.SH "SEE ALSO"
.BR jankwatch (1),
.BR jankwatch.conf (5)
.PP
The schema itself is installed as
.IR jankwatch\-report\-1.schema.json .
'''


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fI\1\\fR", text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def type_of(schema):
    if "const" in schema:
        return f"“{schema['const']}”"
    if "enum" in schema:
        return "one of " + ", ".join(f"“{word}”" for word in schema["enum"] if word is not None)
    if schema.get("type") == "array":
        return "array of " + type_of(schema["items"]) if "items" in schema else "array"
    if "format" in schema:
        return schema["format"]
    return schema.get("type", "value") if isinstance(schema.get("type"),
                                                     str) else " or ".join(schema.get("type", ["value"]))


def fields(schema, lines):
    while schema.get("type") == "array" and "items" in schema:
        schema = schema["items"]
    for name, field in schema.get("properties", {}).items():
        always = "" if name in schema.get("required", ()) else ", may be missing"
        lines += [".TP", f".BR {roff(name)} \" ({roff(type_of(field))}{always})\"", roff(field.get("description", ""))]
        inner = []
        fields(field, inner)
        if inner:
            lines += [".RS", *inner, ".RE"]


def report_page(schema):
    lines = []
    fields(schema, lines)
    return HEAD + ".SH DESCRIPTION\n" + roff(
        "A report is a file with one JSON object, in UTF-8. " + schema["description"]) + "\n.SH FIELDS\n" + \
        "\n".join(lines) + "\n" + REPORT_END


schema, page = map(pathlib.Path, sys.argv[1:])
page.write_text(report_page(json.loads(schema.read_text(encoding="utf-8"))), encoding="utf-8")
