// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// starved.js VERSION [KIND]: as starved.c with an idle source, or with rows, for gjs

imports.gi.versions.Gtk = ARGV[0];
const { GLib, Gtk } = imports.gi;
const loop = GLib.MainLoop.new(null, false);
let until;

function workHere() {
    const end = GLib.get_monotonic_time() + 4000;
    while (GLib.get_monotonic_time() < end)
        ;
    return GLib.get_monotonic_time() < until;
}

function burst() {
    let rows = 10;

    GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
        workHere();
        return --rows > 0;
    });
    return GLib.get_monotonic_time() < until;
}

if (ARGV[0] === '3.0')
    Gtk.init(null);
else
    Gtk.init();
const window = new Gtk.Window();
window.add_tick_callback(() => {
    window.queue_draw();
    return GLib.SOURCE_CONTINUE;
});
window.show();
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 1500, () => {
    if (ARGV.length > 1) {
        until = GLib.get_monotonic_time() + 2000000;
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, 200, burst);
        return GLib.SOURCE_REMOVE;
    }
    until = GLib.get_monotonic_time() + 1500000;
    GLib.idle_add(GLib.PRIORITY_DEFAULT, workHere);
    return GLib.SOURCE_REMOVE;
});
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 4000, () => loop.quit());
loop.run();
