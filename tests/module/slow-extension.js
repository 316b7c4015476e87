// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// An extension of GNOME Shell 43 that blocks it for 600 ms every two seconds, and writes down when.

const { Gio, GLib } = imports.gi;

const stalls = [];

function tell(until) {
    const pid = new Gio.Credentials().get_unix_pid();
    stalls.push({ began_monotonic_ns: (until - 600000) * 1000, ended_monotonic_ns: until * 1000 });
    GLib.file_set_contents(GLib.getenv('SLOW_EXTENSION_LOG'), JSON.stringify({ pid, stalls }));
}

function blockTheShell() {
    const until = GLib.get_monotonic_time() + 600000;
    while (GLib.get_monotonic_time() < until);
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 500, () => tell(until));
    return GLib.SOURCE_CONTINUE;
}

class Slow {
    enable() {
        this.id = GLib.timeout_add(GLib.PRIORITY_DEFAULT, 2000, blockTheShell);
    }

    disable() {
        GLib.source_remove(this.id);
    }
}

function init() {
    return new Slow();
}
