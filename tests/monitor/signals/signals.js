#!/usr/bin/env gjs
// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// See ../test-signals.py.

const System = imports.system;
imports.gi.versions.Jankwatch = '1';
imports.gi.versions.Gtk = '4.0';
const { Gio, GLib, GObject, Jankwatch } = imports.gi;
let Gtk;

try {
    Gtk = imports.gi.Gtk;
} catch (error) {
    System.exit(77);
}

const file = Gio.File.new_for_path(ARGV[0]).replace(null, false, Gio.FileCreateFlags.NONE, null);
const loop = GLib.MainLoop.new(null, false);
const monitor = Jankwatch.Monitor.new();

function note(name) {
    print(name);
    printerr(name);
    file.write(`${name}\n`, null);
}

function compute(ms) {
    const until = GLib.get_monotonic_time() + ms * 1000;
    while (GLib.get_monotonic_time() < until)
        ;
}

Gtk.init();
monitor.set_threshold_ms(100);
function agrees(report) {
    const { culprit, tags } = report.to_variant().recursiveUnpack();
    return tags.some(({ name, value }) => name === 'program' && value === 'signals') &&
        culprit.function === report.get_culprit() && (culprit.module ?? null) === report.get_culprit_module() &&
        (culprit.file ?? null) === report.get_culprit_file() && (culprit.line ?? 0) === report.get_culprit_line() &&
        culprit.reason === report.get_culprit_reason();
}

monitor.connect('stall', (_monitor, report) => {
    if (!agrees(report))
        note('a variant that differs');
    note(report.to_json().includes('jankwatch: ') ? 'own stall' : 'stall');
    compute(150);
});
monitor.connect('report', () => note('report'));
monitor.connect('report::stall', () => note('report::stall'));
monitor.connect('notify::running', () => note('notify::running'));
monitor.connect('notify::threshold-ms', () => note('notify::threshold-ms'));
monitor.connect('notify::paused', () => note('notify::paused'));
if (GObject.signal_lookup('stall-ongoing', Jankwatch.Monitor) !== 0 || monitor.set_ongoing_func !== undefined)
    note('something that is for C only');
monitor.start();

const tag = monitor.push_tag('program', 'signals');
const window = new Gtk.Window();
window.add_tick_callback(widget => {
    widget.queue_draw();
    return GLib.SOURCE_CONTINUE;
});
window.present();
for (let i = 0; i < 3; i++) {
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 300 + 600 * i, () => {
        compute(250);
        return GLib.SOURCE_REMOVE;
    });
}
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 3500, () => {
    monitor.threshold_ms = 90;
    monitor.set_paused(true);
    monitor.set_paused(false);
    tag.pop();
    monitor.stop();
    loop.quit();
    return GLib.SOURCE_REMOVE;
});
loop.run();
note('end');
