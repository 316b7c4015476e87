#!/usr/bin/env gjs
// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

imports.gi.versions.Jankwatch = '1';
const { GLib, Jankwatch } = imports.gi;

const loop = GLib.MainLoop.new(null, false);
const monitor = Jankwatch.Monitor.new();

monitor.connect('stall', (_monitor, report) => {
    print(`stalled for ${Math.floor(report.get_duration_ns() / 1000000)} ms in ${report.get_culprit()}`);
    loop.quit();
});
monitor.set_threshold_ms(50);
monitor.start();
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 500, () => {
    GLib.usleep(300000);
    return GLib.SOURCE_REMOVE;
});
loop.run();
