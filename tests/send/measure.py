# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What a first send of many reports costs: measure.py COMMAND MAKE_MANY [reports=100000] [problems=500]"""

import os
import subprocess

import command
import tap
from receiver import Receiver

program, make_many = map(os.path.abspath, tap.arguments(2))
N = tap.setting("reports", 100000)
N_PROBLEMS = tap.setting("problems", 500)


def test_first_send(jankwatch):
    subprocess.run([make_many, jankwatch.store, str(N), str(N_PROBLEMS)], check=True)
    environment = {**jankwatch.environment, "JANKWATCH_CONFIG": "send-ask=no,send-per-day=1000000"}
    with Receiver(keeps=False) as server:
        process = subprocess.Popen([program, "send", "--to", server.url], env=environment, stderr=subprocess.DEVNULL)
        status, usage = os.wait4(process.pid, 0)[1:]
    tap.check(status == 0, "it failed:", status)
    cpu_s = usage.ru_utime + usage.ru_stime
    tap.check(usage.ru_maxrss <= 60 << 10, usage.ru_maxrss, "KiB")
    return (f"{N} reports: {N / cpu_s:.0f} a second of CPU, {usage.ru_maxrss / 1024:.1f} MiB at most, "
            f"{server.n_bytes / N:.0f} bytes a report as sent")


command.add_all(globals(), program)
tap.main("/send/measure")
