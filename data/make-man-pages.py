#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Writes jankwatch.conf(5) from the settings in jankwatch(1), and jankwatch-report(5) from the schema of reports.

Usage: make-man-pages.py JANKWATCH.1 SCHEMA JANKWATCH.CONF.5 JANKWATCH-REPORT.5
"""

import json
import pathlib
import re
import sys

HEAD = '''.\\" SPDX-FileCopyrightText: the jankwatch authors
.\\" SPDX-License-Identifier: LGPL-2.1-or-later
.TH {title} 5 "" jankwatch "File Formats"
.SH NAME
{name} \\- {what}
'''

CONF = r'''.SH SYNOPSIS
.I $XDG_CONFIG_HOME/jankwatch/settings.conf
.br
.BI JANKWATCH_CONFIG= key = value , key = value .\|.\|.
.SH DESCRIPTION
What jankwatch watches, how closely, and what it keeps.
.PP
The file is a key file: groups in brackets, and lines
.IR key = value .
The group
.B [default]
holds for every program, a group of a program's name for that program.
The group's name is what
.BR "jankwatch list" \ shows
in the column
.IR Program .
The environment variable
.B JANKWATCH_CONFIG
has the same keys.
Later ones win: the defaults, the group
.BR [default] ,
the program's group, the variable.
In each of them the preset comes first, wherever it stands.
.PP
Nothing in either can stop a program: a key that does not exist, or a value that does not fit, changes nothing and brings
one warning, which names the key, what it takes, and the value that stays.
.SH OPTIONS
{settings}
.SH EXAMPLES
.EX
[default]
threshold=250ms

[gnome\-text\-editor]
preset=matrix
store=/home/user/stalls
.EE
.SH "SEE ALSO"
.BR jankwatch (1),
.BR jankwatch\-report (5)
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
    return schema.get("type", "value") if isinstance(schema.get("type"), str) else " or ".join(schema.get("type", ["value"]))


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


def conf_page(manual):
    settings = manual.split("\n.SH SETTINGS\n")[1].split("\n.SH ")[0]
    return HEAD.format(title="JANKWATCH.CONF", name="jankwatch.conf", what="settings of jankwatch") + \
        CONF.replace("{settings}", settings)


def report_page(schema):
    lines = []
    fields(schema, lines)
    head = HEAD.format(title="JANKWATCH\\-REPORT", name="jankwatch\\-report", what="reports of jankwatch")
    return head + ".SH DESCRIPTION\n" + roff(
        "A report is a file with one JSON object, in UTF-8. " + schema["description"]) + "\n.SH FIELDS\n" + \
        "\n".join(lines) + "\n" + REPORT_END


manual, schema, conf, report = map(pathlib.Path, sys.argv[1:])
conf.write_text(conf_page(manual.read_text(encoding="utf-8")), encoding="utf-8")
report.write_text(report_page(json.loads(schema.read_text(encoding="utf-8"))), encoding="utf-8")
