// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// application.js VERSION: as application.c, for gjs

imports.gi.versions.Gtk = ARGV[0];
const { Gio, GLib, Gtk } = imports.gi;

function stallHere() {
    GLib.usleep(1000000);
}

const application = new Gtk.Application({ application_id: 'org.example.Startup', flags: Gio.ApplicationFlags.NON_UNIQUE });
application.connect('activate', () => {
    stallHere();
    new Gtk.ApplicationWindow({ application }).present();
    if (!GLib.getenv('STAY'))
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, 700, () => application.quit());
});
application.run([]);
