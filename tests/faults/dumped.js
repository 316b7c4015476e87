// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As dumped.c, in JavaScript.

const {Gio, GLib} = imports.gi;

const seen = new Set();
const stop = GLib.build_filenamev([GLib.getenv('HOME'), 'stop']);
const loop = new GLib.MainLoop(null, false);

function compute() {
    let sum = 0;
    for (let i = 0; i < 2000000; i++)
        sum = (sum * 31 + i) % 1000003;
    return sum;
}

function step() {
    seen.add(`sum ${compute()}`);
    GLib.usleep(20000);
    const [, output, , status] = GLib.spawn_command_line_sync("sh -c 'echo so; exit 3'");
    seen.add(`child ${new TextDecoder().decode(output)} ${status}`);
    if (GLib.file_test(stop, GLib.FileTest.EXISTS))
        loop.quit();
    return GLib.SOURCE_CONTINUE;
}

Gio.File.new_for_path('/');
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 400, step);
loop.run();
print([...seen].sort().join('\n'));
imports.system.exit(7);
