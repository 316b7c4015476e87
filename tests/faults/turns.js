// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// turns.js N: iterates the default context by itself, N times, and prints what was dispatched.

imports.gi.versions.Gio = '2.0';
const { Gio, GLib } = imports.gi;

const context = GLib.MainContext.default();
const seen = {};
let called;

function note(what) {
    seen[what] = (seen[what] ?? 0) + 1;
}

Gio.Vfs.get_default();
for (let i = 0; i < parseInt(ARGV[0]); i++) {
    called = [];
    for (let kind = 0; kind < i % 4; kind++) {
        GLib.idle_add(GLib.PRIORITY_HIGH + kind % 2, () => {
            called.push(kind);
            return GLib.SOURCE_REMOVE;
        });
    }
    if (i % 499 === 0)
        GLib.usleep(30000);
    note(`${context.iteration(false)} ${called}`);
}
while (context.iteration(false))
    note('left');
print(JSON.stringify(Object.fromEntries(Object.entries(seen).sort())));
