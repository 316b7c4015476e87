// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// animation.js SECONDS: as animation.py, in JavaScript.

imports.gi.versions.Gio = '2.0';
imports.gi.versions.Gtk = '4.0';
imports.gi.versions.Jankwatch = '1';
const { Gio, GLib, Gtk, Jankwatch } = imports.gi;

const FLIPPED_MS = 500, WINDOW_MS = 1000, SETTLE_MS = 1500;
const TASKS = '/proc/self/task';

function read(file) {
    return new TextDecoder().decode(GLib.file_get_contents(file)[1]);
}

function readNs(task) {
    return parseInt(read(`${task}/schedstat`));
}

function nowNs() {
    return GLib.get_monotonic_time() * 1000;
}

function readWatcherNs() {
    const tasks = Gio.File.new_for_path(TASKS).enumerate_children('standard::name', Gio.FileQueryInfoFlags.NONE, null);
    for (let task = tasks.next_file(null); task !== null; task = tasks.next_file(null)) {
        const folder = `${TASKS}/${task.get_name()}`;
        if (read(`${folder}/comm`) === 'jankwatch\n')
            return readNs(folder);
    }
    return 0;
}

class Animation {
    constructor(application) {
        this.application = application;
        this.monitor = Jankwatch.Monitor.get_default();
        this.endsNs = nowNs() + ARGV[0] * 1e9;
        this.watched = true;
        this.windows = [];
        this.frames = null;
        const label = new Gtk.Label({ label: '000000' });
        label.add_tick_callback(this.tick.bind(this));
        const child = new Gtk.ScrolledWindow({ child: label });
        new Gtk.ApplicationWindow({ application, child, default_width: 640, default_height: 480 }).present();
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, SETTLE_MS, this.flip.bind(this));
    }

    tick(label, clock) {
        label.set_text(`${clock.get_frame_counter() % 1000000}`.padStart(6, '0'));
        if (this.frames !== null)
            this.frames.push(readNs('/proc/thread-self'));
        return GLib.SOURCE_CONTINUE;
    }

    flip() {
        if (this.frames !== null) {
            this.windows.push({
                watched: this.watched, wall_ns: nowNs() - this.beganNs,
                watcher_cpu_ns: readWatcherNs() - this.watcherNs,
                frames_ns: this.frames.slice(1).map((at, i) => at - this.frames[i]),
            });
            this.frames = null;
        }
        if (nowNs() >= this.endsNs) {
            print(JSON.stringify(this.windows));
            this.application.quit();
            return GLib.SOURCE_REMOVE;
        }
        this.watched = !this.watched;
        if (this.watched)
            this.monitor.start();
        else
            this.monitor.stop();
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, FLIPPED_MS, this.begin.bind(this));
        return GLib.SOURCE_REMOVE;
    }

    begin() {
        this.watcherNs = readWatcherNs();
        this.beganNs = nowNs();
        this.frames = [];
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, WINDOW_MS, this.flip.bind(this));
        return GLib.SOURCE_REMOVE;
    }
}

const application = new Gtk.Application();
application.connect('activate', () => new Animation(application));
application.run(null);
