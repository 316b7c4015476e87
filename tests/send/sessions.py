# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import json
import os


def make_session(jankwatch, number=1, version="7", **fields):
    """The file of a process that is gone."""
    folder = os.path.join(jankwatch.store, "sessions")
    os.makedirs(folder, exist_ok=True)
    process = {"schema": "jankwatch-session-1", "session": f"s{number}", "began": "2026-01-02T03:04:05Z",
               "app": {"name": "editor", "version": version, "pid": 4000000}, **fields}
    with open(os.path.join(folder, f"s{number}-4000000.json"), "w") as file:
        json.dump(process, file)
