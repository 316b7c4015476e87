// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// An extension of GNOME Shell that switches workspaces, and, once it is told to, blocks the shell for 600 ms every two
// seconds, and writes down when.

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

const stalls = [];

function tell(until) {
    const pid = new Gio.Credentials().get_unix_pid();
    stalls.push({ began_monotonic_ns: (until - 600000) * 1000, ended_monotonic_ns: until * 1000 });
    GLib.file_set_contents(GLib.getenv('SLOW_EXTENSION_LOG'), JSON.stringify({ pid, stalls }));
}

function blockTheShell() {
    if (!GLib.file_test(GLib.getenv('SLOW_EXTENSION_LOG') + '.begin', GLib.FileTest.EXISTS))
        return GLib.SOURCE_CONTINUE;
    const until = GLib.get_monotonic_time() + 600000;
    while (GLib.get_monotonic_time() < until);
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 500, () => tell(until));
    return GLib.SOURCE_CONTINUE;
}

function switchWorkspace() {
    const manager = global.workspace_manager;
    const next = (manager.get_active_workspace_index() + 1) % manager.get_n_workspaces();
    manager.get_workspace_by_index(next).activate(global.get_current_time());
    return GLib.SOURCE_CONTINUE;
}

export default class Slow {
    enable() {
        this.ids = [GLib.timeout_add(GLib.PRIORITY_DEFAULT, 2000, blockTheShell),
            GLib.timeout_add(GLib.PRIORITY_DEFAULT, 3000, switchWorkspace)];
    }

    disable() {
        this.ids.forEach(id => GLib.source_remove(id));
    }
}
