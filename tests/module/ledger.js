// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// A program of gjs that stalls: ledger.js sleep|compute|recurse|throw|spawn|exit|collect

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

// Of this thread, in microseconds.
function readCpuTime() {
    const [, text] = GLib.file_get_contents('/proc/thread-self/schedstat');
    return parseInt(new TextDecoder().decode(text)) / 1000;
}

// On a busy machine for longer, so that it is seen.
function computeSlowly() {
    const until = GLib.get_monotonic_time() + 700000, used = readCpuTime() + 300000;
    while (GLib.get_monotonic_time() < until || readCpuTime() < used)
        addUp(20000);
}

// Deeper than a copy of the stack, and longer than an answer.
function recurse(depth) {
    return depth > 0 ? recurse(depth - 1) + 1 : computeSlowly() ?? 0;
}

function fail(n) {
    if (n === 0)
        throw new Error('planted');
    fail(n - 1);
}

function throwAndCatch() {
    const until = GLib.get_monotonic_time() + 700000;
    let thrown = 0, caught = 0;
    for (; GLib.get_monotonic_time() < until; thrown++) {
        try {
            [thrown % 5].forEach(fail);
        } catch (e) {
            caught += e.message === 'planted' && e.stack.includes('fail@');
        }
    }
    print(JSON.stringify({ thrown, caught }));
}

function spawn() {
    const until = GLib.get_monotonic_time() + 700000;
    let spawned = 0, right = 0;
    for (; GLib.get_monotonic_time() < until; spawned++) {
        const [, out] = GLib.spawn_sync(null, ['/bin/echo', 'right'], null, GLib.SpawnFlags.LEAVE_DESCRIPTORS_OPEN, null);
        right += new TextDecoder().decode(out) === 'right\n';
    }
    print(JSON.stringify({ spawned, right }));
}

function exit() {
    const until = GLib.get_monotonic_time() + 300000;
    while (GLib.get_monotonic_time() < until)
        addUp(20000);
    imports.system.exit(7);
}

function sweepUp() {
    for (let i = 0; i < 8; i++)
        imports.system.gc();
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
const acts = {
    sleep: loadSettingsSlowly, compute: computeSlowly, recurse: () => recurse(2000), throw: throwAndCatch, spawn, exit,
    collect: sweepUp,
};
// What the collector has to look at.
globalThis.cells = ARGV[0] === 'collect' ? Array.from({ length: 1000000 }, (_, i) => ({ i, l: [i], o: { i } })) : [];
// gjs refuses to call a source's function, and removes that, while a collection is under way, from which it may return.
imports.system.gc();
const window = new Window(new GLib.MainLoop(null, false), acts[ARGV[0]]);
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 200, () => window.onLoad());
window.loop.run();
