// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Calls in its loop what may block, each three times and by a function of its own: strict-program.js [NAME]

const { Gio, GLib } = imports.gi;
const System = imports.system;

const BUS = 'org.freedesktop.DBus';
const loop = new GLib.MainLoop(null, false);
const bus = Gio.DBus.session;
const proxy = Gio.DBusProxy.new_sync(bus, Gio.DBusProxyFlags.NONE, null, BUS, '/', BUS, null);
const [file] = Gio.File.new_tmp('strict-XXXXXX');

function callProxy() {
    proxy.call_sync('ListNames', null, Gio.DBusCallFlags.NONE, -1, null);
}

function callBus() {
    bus.call_sync(BUS, '/', BUS, 'GetId', null, null, Gio.DBusCallFlags.NONE, -1, null);
}

function runCommand() {
    GLib.spawn_command_line_sync('true');
}

function saveFile() {
    file.replace_contents('text', null, false, Gio.FileCreateFlags.NONE, null);
}

const calls = [callProxy, callBus, runCommand, saveFile].filter(call => ARGV.length === 0 || call.name === ARGV[0]);
const left = calls.flatMap(call => [call, call, call]);

GLib.timeout_add(GLib.PRIORITY_DEFAULT, 20, () => {
    if (left.length === 0) {
        loop.quit();
        return GLib.SOURCE_REMOVE;
    }
    left.shift()();
    return GLib.SOURCE_CONTINUE;
});
loop.run();
file.delete(null);
System.exit(7);
