// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Stalls in the JavaScript engine's garbage collector, and beside it. Argument: the act.

const {Gio, GLib, GObject} = imports.gi;
const System = imports.system;

const cells = [], rows = [];
let slow = [];

function fill(n) {
    for (let i = 0; i < n; i++)
        cells.push({i, l: [i], o: {i}});
}

// Each buffer counts as much memory, and the engine collects soon.
function appendRows() {
    for (let i = 0; i < 40; i++)
        rows[i % 2] = new ArrayBuffer(16 << 20);
}

function sweepUp() {
    for (let i = 0; i < 8; i++)
        System.gc();
}

function addUp() {
    let sum = 0;
    for (const end = GLib.get_monotonic_time() + 700000; GLib.get_monotonic_time() < end;) {
        for (let i = 0; i < 10000; i++)
            sum = (sum + i * 3) % 1000003;
    }
    return sum;
}

// Objects of a library of the program's, which the collector frees.
function makeSlow() {
    const type = GObject.type_from_name('SlowThing');
    for (let i = 0; i < 7; i++)
        slow.push(GObject.Object.new(type));
}

function dropSlow() {
    slow = [];
    appendRows();
}

// Between two parts of a collection gjs refuses all callbacks.
function dropSlowOnce() {
    dropSlow();
    System.gc();
}

const acts = {
    begun: [() => fill(2000000), appendRows],
    asked: [() => fill(1000000), sweepUp],
    finalizer: [makeSlow, dropSlowOnce],
    none: [() => {}, addUp],
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
