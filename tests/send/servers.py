# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Database servers with nothing in them, in folders of their own. Without their packages the test is skipped."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

import tap


def cpu_s(pid):
    """What a process and its children that have ended have used."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class _Server:
    def __init__(self):
        self.folder = tempfile.mkdtemp(dir="/tmp")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder)


def _call(words, text, timeout_s=3600):
    result = subprocess.run(words, input=text, text=True, capture_output=True, timeout=timeout_s)
    tap.check(result.returncode == 0, result.stderr[-2000:])
    return [line.split("\t") for line in result.stdout.splitlines()]


class Clickhouse(_Server):
    CONFIG = """<yandex><logger><level>warning</level><log>{0}/log</log><errorlog>{0}/errors</errorlog></logger>
<tcp_port>{1}</tcp_port><http_port>{2}</http_port><listen_host>127.0.0.1</listen_host><path>{0}/data/</path>
<tmp_path>{0}/tmp/</tmp_path><mark_cache_size>100000000</mark_cache_size><users_config>{0}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database></yandex>"""
    USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password/>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>"""

    def __init__(self):
        if not shutil.which("clickhouse-server"):
            raise tap.Skip("clickhouse-server is not installed: Debian 13 does not have it")
        super().__init__()
        ports = []
        for _ in range(2):
            with socket.create_server(("127.0.0.1", 0)) as free:
                ports.append(free.getsockname()[1])
        for name, text in (("config.xml", self.CONFIG.format(self.folder, *ports)), ("users.xml", self.USERS)):
            with open(f"{self.folder}/{name}", "w") as file:
                file.write(text)
        self.process = subprocess.Popen(["clickhouse-server", f"--config-file={self.folder}/config.xml"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        self.client = ["clickhouse-client", "--host=127.0.0.1", f"--port={ports[0]}", "--multiquery"]
        for _ in range(300):
            if subprocess.run([*self.client, "-q", "SELECT 1"], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        raise AssertionError("clickhouse-server does not answer")

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def run(self, query="", file=None):
        if file:
            with open(file) as script:
                return _call(self.client, script.read())
        return _call([*self.client, "-q", query], "")

    def insert(self, rows):
        """rows: of the table hang, each column as text."""
        _call([*self.client, "-q", "INSERT INTO hang FORMAT TabSeparated"],
              "".join("\t".join(row) + "\n" for row in rows))
