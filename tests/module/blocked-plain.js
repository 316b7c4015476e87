// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Blocks in native code before any JavaScript with a loop in it has run.

const {GLib} = imports.gi;

function readSensor() {
    GLib.usleep(700000);
    return true;
}

const loop = new GLib.MainLoop(null, false);
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 200, () => {
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 1200, () => loop.quit());
    return !readSensor();
});
loop.run();
