# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Database servers with nothing in them, in folders of their own. Without their packages the test is skipped."""

import glob
import os
import pwd
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


class Postgresql(_Server):
    """Refuses to be root's: runs as the package's user."""

    def __init__(self):
        tools = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not tools or os.getuid() != 0:
            raise tap.Skip("postgresql is not installed" if not tools else "only root can be its user")
        super().__init__()
        shutil.chown(self.folder, "postgres", "postgres")
        user = pwd.getpwnam("postgres")
        self.words = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self.control = [*self.words, tools[-1] + "/pg_ctl", "-D", self.folder + "/data", "-l", self.folder + "/log",
                        "-w"]
        _call([*self.words, tools[-1] + "/initdb", "-D", self.folder + "/data", "-A", "trust", "-N",
               "--locale=C.UTF-8"], "")
        # Its log is a file, but a child has our pipes.
        subprocess.run([*self.control, "-o", f"-k {self.folder} -c listen_addresses= -c fsync=off", "start"],
                       check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.folder + "/data/postmaster.pid") as file:
            self.pid = int(file.readline())
        self.psql = [*self.words, "psql", "-qAtX", "-F\t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "postgres"]

    def stop(self):
        subprocess.run([*self.control, "-m", "immediate", "stop"], check=True, stdout=subprocess.DEVNULL)

    def run(self, query="", text="", file=None):
        """The rows. text: what COPY FROM STDIN reads."""
        if file:
            with open(file) as script:
                return _call([*self.psql, "-f", "-"], query + script.read())
        return _call([*self.psql, "-c", query], text)


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

    def copy_from(self, postgresql):
        """All of the table hang."""
        rows = subprocess.Popen([*postgresql.psql, "-c", "COPY (SELECT uid, to_char(at AT TIME ZONE 'UTC', "
                                 "'YYYY-MM-DD HH24:MI:SS'), app, version, machine, os, fingerprint, culprit, "
                                 "extension, count, seconds FROM hang) TO STDOUT"], stdout=subprocess.PIPE)
        subprocess.run([*self.client, "-q", "INSERT INTO hang FORMAT TabSeparated"], stdin=rows.stdout, check=True)
        tap.check(rows.wait() == 0, "COPY failed")
