// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// A loop of GLib alone that freezes for 300 ms: glib-only.js [COMMAND…]. COMMAND is run before the loop and inside it.

const {GLib} = imports.gi;

const loop = new GLib.MainLoop(null, false);

function runCommand() {
    if (ARGV.length === 0)
        return;
    const [, output] = GLib.spawn_sync(null, ARGV, null, GLib.SpawnFlags.SEARCH_PATH, null);
    print(imports.byteArray.toString(output).trimEnd());
}

function freeze_by_computing() {
    const end = GLib.get_monotonic_time() + 300000;
    while (GLib.get_monotonic_time() < end)
        continue;
}

runCommand();
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 50, () => {
    freeze_by_computing();
    runCommand();
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 50, () => loop.quit());
    return GLib.SOURCE_REMOVE;
});
loop.run();
imports.system.exit(7);
