# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Nothing that comes into a program has the way to a server: check-linked.py COMMAND FILE…"""

import subprocess

import tap
from tap import equal

command, *files = tap.rest()


def needs_soup(path):
    lines = subprocess.run(["readelf", "--dynamic", path], capture_output=True, text=True, check=True).stdout
    return "NEEDED" in lines and "libsoup" in lines


def test_linked():
    equal((needs_soup(command), [path for path in files if needs_soup(path)]), (True, []))


tap.add_all(globals())
tap.main("/send/linked")
