// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// A program of gjs that blocks in a synchronous call, which then throws: blocked.js uncaught|nested|accessor|compiled|loop|
// optimized.

const { Gio, GLib } = imports.gi;

function readBattery(isNow) {
    if (!isNow)
        return 0;
    const child = Gio.Subprocess.new(['sh', '-c', 'sleep 0.7; exit 3'], Gio.SubprocessFlags.NONE);
    return child.wait_check(null);
}

class Indicator {
    constructor(isNow) {
        this.isNow = isNow;
    }

    get level() {
        return readBattery(this.isNow); // level
    }

    update() {
        return readBattery(this.isNow); // update
    }
}

const now = new Indicator(true), later = new Indicator(false);

function emit() {
    const action = new Gio.SimpleAction({ name: 'read' });
    action.connect('activate', () => now.update());
    action.activate(null);
    return [action].map(() => 1);
}

function repeat(n) {
    for (let i = 0; i < n; i++)
        later.update();
}

// Compiled while it runs.
function repeatAndUpdate() {
    for (let i = 0; i < 400; i++)
        later.update();
    now.update(); // after a loop
}

// Optimized code has both functions in one frame.
function sleepOften(n, us) {
    for (let i = 0; i < n; i++)
        sleepOnce(us);
}

function sleepOnce(us) {
    GLib.usleep(us);
}

const acts = {
    uncaught: () => now.update(),
    nested: () => [1].forEach(emit),
    accessor: () => now.level,
    compiled: () => { repeat(400); now.update(); },
    loop: () => repeatAndUpdate(),
    optimized() {
        for (let i = 0; i < 50; i++)
            sleepOften(100, 0);
        GLib.timeout_add(GLib.PRIORITY_HIGH, 0, () => sleepOften(1, 300000000));
    },
};

const loop = new GLib.MainLoop(null, false);
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 200, () => {
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 100, () => loop.quit());
    acts[ARGV[0]]();
    return GLib.SOURCE_REMOVE;
});
loop.run();
