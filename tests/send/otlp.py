# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Reads protobuf of OTLP into what its JSON says, by the numbers of opentelemetry-proto."""

import struct

ANY = {1: ("stringValue", "text"), 2: ("boolValue", "bool"), 3: ("intValue", "int64"), 4: ("doubleValue", "double")}
ATTRIBUTE = {1: ("key", "text"), 2: ("value", ANY)}
RESOURCE = {1: ("attributes", [ATTRIBUTE])}
SCOPE = {1: ("name", "text"), 2: ("version", "text")}
RECORD = {1: ("timeUnixNano", "fixed64"), 2: ("severityNumber", "enum"), 3: ("severityText", "text"), 5: ("body", ANY),
          6: ("attributes", [ATTRIBUTE]), 11: ("observedTimeUnixNano", "fixed64"), 12: ("eventName", "text")}
LOGS = {1: ("resourceLogs", [{1: ("resource", RESOURCE), 2: ("scopeLogs", [{1: ("scope", SCOPE),
                                                                          2: ("logRecords", [RECORD])}])}])}
NUMBER = {2: ("startTimeUnixNano", "fixed64"), 3: ("timeUnixNano", "fixed64"), 4: ("asDouble", "double"),
          7: ("attributes", [ATTRIBUTE])}
SUM = {1: ("dataPoints", [NUMBER]), 2: ("aggregationTemporality", "enum"), 3: ("isMonotonic", "bool")}
BUCKETS = {1: ("offset", "sint32"), 2: ("bucketCounts", "counts")}
POINT = {1: ("attributes", [ATTRIBUTE]), 2: ("startTimeUnixNano", "fixed64"), 3: ("timeUnixNano", "fixed64"),
         4: ("count", "fixed64"), 5: ("sum", "double"), 6: ("scale", "sint32"), 8: ("positive", BUCKETS)}
HISTOGRAM = {1: ("dataPoints", [POINT]), 2: ("aggregationTemporality", "enum")}
METRIC = {1: ("name", "text"), 3: ("unit", "text"), 7: ("sum", SUM), 10: ("exponentialHistogram", HISTOGRAM)}
METRICS = {1: ("resourceMetrics", [{1: ("resource", RESOURCE), 2: ("scopeMetrics", [{1: ("scope", SCOPE),
                                                                                    2: ("metrics", [METRIC])}])}])}
WIRES = {"text": 2, "counts": 2, "fixed64": 1, "double": 1}


def varint(data, at):
    n = shift = 0
    while True:
        n |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return n, at


def counts(data):
    at, found = 0, []
    while at < len(data):
        n, at = varint(data, at)
        found.append(str(n))
    return found


def scalar(kind, raw):
    if kind == "text":
        return raw.decode()
    if kind == "counts":
        return counts(raw)
    if kind == "fixed64":
        return str(struct.unpack("<q", raw)[0])
    if kind == "double":
        return struct.unpack("<d", raw)[0]
    if kind == "int64":
        return str(raw - (1 << 64) if raw >> 63 else raw)
    if kind == "sint32":
        return raw >> 1 ^ -(raw & 1)
    return bool(raw) if kind == "bool" else raw


def decode(fields, data):
    """Unknown numbers and wrong wire types are errors."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind = fields[tag >> 3]
        expected = WIRES.get(kind, 0) if isinstance(kind, str) else 2
        assert tag & 7 == expected, (name, tag & 7)
        if expected == 0:
            raw, at = varint(data, at)
        else:
            n, at = varint(data, at) if expected == 2 else (8, at)
            raw, at = data[at:at + n], at + n
            assert len(raw) == n, (name, "is cut off")
        if isinstance(kind, list):
            found.setdefault(name, []).append(decode(kind[0], raw))
        else:
            found[name] = decode(kind, raw) if isinstance(kind, dict) else scalar(kind, raw)
    return found
