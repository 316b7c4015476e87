// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As spin.py.

const { Gio, GLib } = imports.gi;

Gio.File.new_for_path('/'); // loads GIO's modules
const loop = new GLib.MainLoop(null, false);
const end = GLib.get_monotonic_time() + 2300000;

function pollQueue() {
    if (GLib.get_monotonic_time() < end)
        return GLib.SOURCE_CONTINUE;
    loop.quit();
    return GLib.SOURCE_REMOVE;
}

function waitForDownload() {
    const context = GLib.MainContext.default();

    while (GLib.get_monotonic_time() < end) {
        while (context.pending())
            context.iteration(false);
    }
    loop.quit();
    return GLib.SOURCE_REMOVE;
}

// Most of the time, in the loop that another callback turns.
function fillList() {
    const until = GLib.get_monotonic_time() + 4000;

    while (GLib.get_monotonic_time() < until)
        continue;
    return GLib.SOURCE_CONTINUE;
}

GLib.timeout_add(GLib.PRIORITY_DEFAULT, 100, () => GLib.SOURCE_CONTINUE);
if (ARGV[0] === 'kept')
    GLib.idle_add(GLib.PRIORITY_DEFAULT_IDLE, pollQueue);
else
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 100, waitForDownload);
if (ARGV[0] === 'turned-busy')
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 5, fillList);
loop.run();
