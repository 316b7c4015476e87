// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// A program of gjs that stalls: ledger.js sleep|compute

const { Gio, GLib } = imports.gi;

function loadSettingsSlowly() {
    GLib.usleep(700000);
}

function addUp(n) {
    let total = 0;
    for (let i = 0; i < n; i++)
        total += i % 7;
    return total;
}

function computeSlowly() {
    const until = GLib.get_monotonic_time() + 700000;
    while (GLib.get_monotonic_time() < until)
        addUp(20000);
}

class Window {
    constructor(loop, act) {
        this.loop = loop;
        this.act = act;
    }

    onLoad() {
        this.act();
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, 100, () => this.loop.quit());
        return GLib.SOURCE_REMOVE;
    }
}

// Loads GIO's modules.
Gio.File.new_for_path('/');
const acts = { sleep: loadSettingsSlowly, compute: computeSlowly };
const window = new Window(new GLib.MainLoop(null, false), acts[ARGV[0]]);
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 200, () => window.onLoad());
window.loop.run();
