// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As stalls.c.

imports.gi.versions.Gio = '2.0';
const System = imports.system;
const { Gio, GLib } = imports.gi;

const LENGTH_US = parseFloat(ARGV[0]) * 1e6;

class Window {
    constructor() {
        this.loop = new GLib.MainLoop(null, false);
        this.turns = [this.stall_compute, this.stall_sleep, this.stall_library, this.stall_loop, () => this.loop.quit()];
    }

    stall_compute() {
        const until = GLib.get_monotonic_time() + LENGTH_US;
        let total = 0;
        while (GLib.get_monotonic_time() < until) {
            for (let i = 0; i < 10000; i++)
                total += i % 7;
        }
        return total;
    }

    // The engine tells its calls when JavaScript goes on.
    stall_sleep() {
        for (let i = 0; i < 4; i++)
            GLib.usleep(LENGTH_US / 4);
    }

    stall_library() {
        const until = GLib.get_monotonic_time() + LENGTH_US;
        while (GLib.get_monotonic_time() < until)
            JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ [i]: [i] })), null, 1);
    }

    // GIO's own loop: in one that runs JavaScript, the engine would answer inside.
    stall_loop() {
        for (let i = 0; i < 4; i++) {
            const child = Gio.Subprocess.new(['sleep', `${LENGTH_US / 4e6}`], Gio.SubprocessFlags.STDOUT_PIPE);
            child.communicate_utf8(null, null);
        }
    }

    turn() {
        this.turns.shift().call(this);
        // gjs 1.74 drops a callback that comes while a collection is under way.
        System.gc();
        return GLib.SOURCE_CONTINUE;
    }
}

// Loads GIO's modules.
Gio.File.new_for_path('/');
const program = new Window();
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 100, () => program.turn());
program.loop.run();
