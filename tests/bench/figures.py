# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the benchmarks run in, an environment and the programs of the build; and how figures are written."""

import json
import os


def environment(display, state, build, watched):
    env = dict(os.environ, DISPLAY=display, XDG_STATE_HOME=state, GTK_A11Y="none", GSETTINGS_BACKEND="memory",
               GIO_USE_VFS="local", DBUS_SESSION_BUS_ADDRESS="disabled:")
    for name in ("GTK_MODULES", "GIO_EXTRA_MODULES", "JANKWATCH", "WAYLAND_DISPLAY"):
        env.pop(name, None)
    if watched:
        env.update(GTK_MODULES="jankwatch", JANKWATCH="1", GIO_EXTRA_MODULES=str(build / "src" / "module"))
    return env


def short(number):
    """To four digits."""
    return float(f"{number:.4g}")


def to_json(value, indent=0):
    """As json.dumps() writes it, in lines that are full."""
    text = json.dumps(value, ensure_ascii=False)
    if indent + len(text) <= 96 or not isinstance(value, (dict, list)):
        return text
    pad, lines = " " * (indent + 1), []
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        part = to_json(part, indent + 1)
        if isinstance(value, dict):
            part = f"{json.dumps(key, ensure_ascii=False)}: {part}"
        if lines and "\n" not in lines[-1] + part and len(lines[-1] + part) < 98:
            lines[-1] += ", " + part
        else:
            lines.append(pad + part)
    return text[0] + ",\n".join(lines).lstrip() + text[-1]


def signed(value):
    """To hundredths; nothing is +0.00, from whichever side."""
    return f"{round(value, 2) + 0.0:+.2f}"


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.0f} ns"
