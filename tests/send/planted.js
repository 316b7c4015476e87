#!/usr/bin/gjs
// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As planted.c, 6 times a round, of which one is another way to one function.

imports.gi.versions.Gio = '2.0';
const System = imports.system;
const { Gio, GLib } = imports.gi;

function add() {
    let total = 0;
    for (let i = 0; i < 2000000; i++)
        total += i % 7;
    return total;
}

// Each about 2 ms.
const objects = Array.from({ length: 6000 }, (_, i) => ({ [i]: [i] }));
const words = Array.from({ length: 20000 }, (_, i) => `${i * 7919 % 20000}`);
const text = 'x'.repeat(1 << 17);
const format = () => JSON.stringify(objects);
const sort = () => words.slice().sort();

function work_34() {
    for (let i = 0; i < 30; i++)
        add();
}

function work_35() {
    for (let i = 0; i < 30; i++)
        format();
}

function work_36() {
    for (let i = 0; i < 30; i++)
        sort();
}

const work_37 = () => {
    for (let i = 0; i < 30; i++)
        GLib.usleep(1000);
};

class Planted {
    constructor() {
        this.loop = new GLib.MainLoop(null, false);
        const handles = [this.handle_34, this.handle_35, this.handle_36, this.handle_37, this.handle_38, this.handle_39];
        this.turns = Array.from({ length: handles.length * ARGV[0] }, (_, i) => handles[i % handles.length]);
    }

    handle_34() {
        work_34();
    }

    handle_35() {
        work_35();
    }

    handle_36() {
        work_36();
    }

    handle_37() {
        work_37();
    }

    handle_38() {
        work_36();
    }

    // Of GLib's own.
    handle_39() {
        for (let i = 0; i < 80; i++)
            GLib.compute_checksum_for_string(GLib.ChecksumType.SHA256, text, -1);
    }

    turn() {
        const handle = this.turns.shift();
        if (!handle) {
            this.loop.quit();
            return GLib.SOURCE_REMOVE;
        }
        GLib.idle_add(GLib.PRIORITY_DEFAULT_IDLE, () => {
            handle.call(this);
            // gjs 1.74 drops a callback that comes while a collection is under way.
            System.gc();
            return GLib.SOURCE_REMOVE;
        });
        System.gc();
        return GLib.SOURCE_CONTINUE;
    }
}

// Loads GIO's modules.
Gio.File.new_for_path('/');
const program = new Planted();
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 50, () => program.turn());
program.loop.run();
