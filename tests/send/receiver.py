# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A server that takes what `jankwatch send` sends, or fails as servers and networks do."""

import email.utils
import gzip
import json
import os
import socket
import ssl
import struct
import subprocess
import threading
import time


class Request:
    """connection: its number. Nothing is unpacked before the sender has its answer."""

    def __init__(self, path, headers, raw, connection):
        self.path, self.headers, self.raw, self.connection = path, headers, raw, connection

    @property
    def body(self):
        return gzip.decompress(self.raw) if self.headers.get("content-encoding") == "gzip" else self.raw

    @property
    def json(self):
        return json.loads(self.body)


def reset(connection):
    """Closes with RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class Receiver:
    """answer(request, number): bytes, pieces of bytes, or None after it has done with the connection itself. Keeps the
    requests that it answers with 2xx in taken, all in asked."""

    def __init__(self, answer=None, before=None, context=None):
        self.answer = answer or (lambda request, number: ok())
        self.before, self.context = before, context
        self.asked, self.taken, self.n_connections = [], [], 0
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.socket.getsockname()[1]}"
        self.lock = threading.Lock()
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _serve(self):
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            self.n_connections += 1
            threading.Thread(target=self._talk, args=[connection, self.n_connections], daemon=True).start()

    def _talk(self, connection, number):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self.before and self.before(connection, number):
                return
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as file:
                while self._one(connection, file, number):
                    pass
        except OSError:
            pass

    def _one(self, connection, file, connection_number):
        line = file.readline().split()
        # The random bytes of a TLS greeting may look like words.
        if len(line) != 3 or not line[2].startswith(b"HTTP/"):
            return False
        headers = {}
        while (header := file.readline().strip()) != b"":
            name, _, value = header.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = file.read(int(headers.get("content-length", 0)))
        if len(body) < int(headers.get("content-length", 0)):
            return False
        request = Request(line[1].decode(), headers, body, connection_number)
        with self.lock:
            self.asked.append(request)
            number = len(self.asked)
        answer = self.answer(request, number)
        if answer is None:
            return False
        pieces = [answer] if isinstance(answer, bytes) else answer
        for i, piece in enumerate(pieces):
            if i == 0 and piece.startswith(b"HTTP/1.1 2"):
                self.taken.append(request)
            connection.sendall(piece)
        return isinstance(answer, bytes) and b"Connection: close" not in answer

    def ids(self):
        """Of the reports in what was taken, in order."""
        return [ID for request in self.taken if "logs" in request.path for ID in ids_of(request)]


def ids_of(request):
    return [value["stringValue"] for record in records_of(request) for key, value in attributes_of(record)
            if key == "jankwatch.id"]


def records_of(request):
    return [record for resource in request.json["resourceLogs"] for scope in resource["scopeLogs"]
            for record in scope["logRecords"]]


def points_of(request):
    """Of metrics: {(program, version, metric, fingerprint): what it says}, of cumulative totals."""
    found = {}
    for resource in request.json["resourceMetrics"]:
        words = {one["key"]: one["value"]["stringValue"] for one in resource["resource"]["attributes"]}
        for metric in resource["scopeMetrics"][0]["metrics"]:
            kind = metric.get("sum") or metric["exponentialHistogram"]
            assert kind["aggregationTemporality"] == 2, kind
            for point in kind["dataPoints"]:
                fingerprint = point.get("attributes", [{"value": {"stringValue": ""}}])[0]["value"]["stringValue"]
                key = (words["service.name"], words["service.version"], metric["name"], fingerprint)
                assert key not in found, key
                found[key] = point
    return found


def attributes_of(record):
    return [(attribute["key"], attribute["value"]) for attribute in record["attributes"]]


def status(code, *headers, body=b""):
    lines = [f"HTTP/1.1 {code} Said So", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def ok():
    return status(200, body=b"{}")


def date_in(seconds):
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


def self_signed(folder):
    """A certificate that nobody has signed."""
    path = os.path.join(folder, "certificate.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-days", "1",
                    "-keyout", path, "-out", path + ".part"], check=True, capture_output=True)
    with open(path, "a") as file, open(path + ".part") as part:
        file.write(part.read())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
