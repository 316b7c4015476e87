// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As starter.c; “main” is a script's module level, before GTK is imported.

const {Gio, GLib} = imports.gi;
const [verb, ms] = [ARGV[0], Number(ARGV[1])];

function loadThings() {
    GLib.usleep(ms * 1000);
}

function slowAt(place) {
    if (verb === place)
        loadThings();
}

slowAt('main');
imports.gi.versions.Gtk = '4.0';
const Gtk = imports.gi.Gtk;
Gtk.init();

function callService() {
    try {
        Gio.bus_get_sync(Gio.BusType.SESSION, null).call_sync('org.example.Mute', '/org/example/Mute',
            'org.example.Mute', 'ListAll', null, null, Gio.DBusCallFlags.NONE, ms, null);
    } catch (error) {
    }
}

slowAt('initialized');
const flags = verb === 'second' ? Gio.ApplicationFlags.HANDLES_COMMAND_LINE : Gio.ApplicationFlags.NON_UNIQUE;
const application = new Gtk.Application({application_id: 'org.example.Starter', flags});
application.connect('startup', () => slowAt('startup'));
application.connect('command-line', () => {
    application.activate();
    return 0;
});
application.connect('activate', () => {
    slowAt('activate');
    if (verb === 'dbus')
        callService();
    new Gtk.ApplicationWindow({application}).present();
    slowAt('presented');
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 700, () => application.quit());
});
application.run([]);
