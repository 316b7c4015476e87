// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// late-toolkit.js VERSION: as late-toolkit.c, for gjs; GTK is imported after the first turns

imports.gi.versions.Gtk = ARGV[0];
const { GLib } = imports.gi;
const loop = GLib.MainLoop.new(null, false);

function stallHere() {
    GLib.usleep(300000);
    return GLib.SOURCE_REMOVE;
}

function after(ms, callback) {
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, ms, callback);
}

after(700, () => loop.quit());
loop.run();
const { Gtk } = imports.gi;
if (ARGV[0] === '3.0')
    Gtk.init(null);
else
    Gtk.init();
const window = new Gtk.Window();
window.show();
after(16, () => {
    window.queue_draw();
    return GLib.SOURCE_CONTINUE;
});
after(1000, stallHere);
after(2500, () => loop.quit());
loop.run();
