// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// nested.js VERSION KIND: as nested.c, for gjs; VERSION "none": GLib alone

const GLib = imports.gi.GLib;
const [version, kind] = ARGV;
const loop = GLib.MainLoop.new(null, false);
let Gtk = null, window = null, hasAnswer = false;

function awaitAnswer() {
    const inner = GLib.MainLoop.new(null, false);
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 1800, () => inner.quit());
    inner.run();
}

function iterateHere() {
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 1800, () => {
        hasAnswer = true;
        return GLib.SOURCE_REMOVE;
    });
    while (!hasAnswer)
        GLib.MainContext.default().iteration(true);
}

function runDialog() {
    const dialog = new Gtk.Window({title: 'Dialog', modal: true, transient_for: window});
    dialog.show();
    awaitAnswer();
    dialog.destroy();
}

function begin() {
    ({loop: awaitAnswer, iterate: iterateHere, dialog: runDialog})[kind]();
    loop.quit();
    return GLib.SOURCE_REMOVE;
}

if (version !== 'none') {
    imports.gi.versions.Gtk = version;
    Gtk = imports.gi.Gtk;
    if (version === '3.0')
        Gtk.init(null);
    else
        Gtk.init();
    window = new Gtk.Window({title: 'Nested'});
    window.show();
}
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 500, begin);
loop.run();
