// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// interactions.js VERSION [rows]: as interactions.c, for gjs

imports.gi.versions.Gtk = ARGV[0];
const { Gio, GLib, Gtk } = imports.gi;

const SIGUSR1 = 10;
const SIGTERM = 15;

const N_ROWS = 6;
let rows = 0;

function onRow() {
    GLib.usleep(55000);
    rows++;
    return rows % N_ROWS !== 0;
}

function loadFolder() {
    if (ARGV.length > 1)
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, 0, onRow);
    else
        GLib.usleep(400000);
}

function readMail() {
    GLib.usleep(700000);
    return GLib.SOURCE_CONTINUE;
}

const application = new Gtk.Application({ application_id: 'org.example.Interactions', flags: Gio.ApplicationFlags.NON_UNIQUE });
application.connect('activate', () => {
    const button = new Gtk.Button({ label: 'Open', visible: true });
    button.connect('clicked', loadFolder);
    new Gtk.ApplicationWindow({ application, child: button, title: 'Interactions', default_width: 300, default_height: 200 })
        .present();
});
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, SIGUSR1, readMail);
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, SIGTERM, () => application.quit());
application.run([]);
