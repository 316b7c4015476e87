// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Stalls in the JavaScript engine's garbage collector. Argument: the act.

const {Gio, GLib} = imports.gi;
const System = imports.system;

const cells = [];

function fill(n) {
    for (let i = 0; i < n; i++)
        cells.push({i, l: [i], o: {i}});
}

function sweepUp() {
    for (let i = 0; i < 8; i++)
        System.gc();
}

const acts = {
    asked: [() => fill(1000000), sweepUp],
};

const [prepare, act] = acts[ARGV[0]];
const loop = new GLib.MainLoop(null, false);
prepare();
System.gc();
Gio.File.new_for_path('/'); // loads GIO's modules
GLib.timeout_add(0, 500, () => {
    act();
    GLib.timeout_add(0, 300, () => {
        loop.quit();
        return GLib.SOURCE_REMOVE;
    });
    return GLib.SOURCE_REMOVE;
});
loop.run();
