# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Checks that a library is not linked with libunwind: check-needed.py READELF LIBRARY"""

import subprocess
import sys

readelf, library = sys.argv[1:]
lines = subprocess.run([readelf, "--dynamic", library], capture_output=True, text=True, check=True).stdout.splitlines()
needed = [line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line]
print("\n".join(needed))
assert any(name.startswith("libglib-2.0") for name in needed)
assert not any("unwind" in name for name in needed)
