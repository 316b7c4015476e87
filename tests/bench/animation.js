// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The animation of scenes.c in JavaScript.

imports.gi.versions.Gtk = '4.0';
const { Gtk } = imports.gi;

const application = new Gtk.Application();
application.connect('activate', () => {
    const label = new Gtk.Label({ label: '000000' });
    label.add_tick_callback((_label, clock) => {
        label.set_text(`${clock.get_frame_counter() % 1000000}`.padStart(6, '0'));
        return true;
    });
    const child = new Gtk.ScrolledWindow({ child: label });
    new Gtk.ApplicationWindow({ application, child, default_width: 640, default_height: 480 }).present();
});
application.run(null);
