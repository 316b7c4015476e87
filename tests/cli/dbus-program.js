// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Waits in its loop for a slow service: dbus-program.js call|property|proxy

const { Gio, GLib } = imports.gi;

const NAME = 'org.jankwatch.Slow', PATH = '/org/jankwatch/Slow', INTERFACE = 'org.jankwatch.Slow.Printers';
const loop = new GLib.MainLoop(null, false);
const bus = Gio.DBus.session;

function waitForBus() {
    try {
        if (ARGV[0] === 'call')
            bus.call_sync(NAME, PATH, INTERFACE, 'ListAll', null, null, Gio.DBusCallFlags.NONE, -1, null);
        else if (ARGV[0] === 'property')
            bus.call_sync(NAME, PATH, 'org.freedesktop.DBus.Properties', 'Get',
                new GLib.Variant('(ss)', [INTERFACE, 'Level']),
                null, Gio.DBusCallFlags.NONE, -1, null);
        else
            new (Gio.DBusProxy.makeProxyWrapper(`<node><interface name='${INTERFACE}'/></node>`))(bus, NAME, PATH);
    } catch (error) {
        if (!(error instanceof GLib.Error))
            throw error;
    }
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 50, () => loop.quit());
    return GLib.SOURCE_REMOVE;
}

GLib.timeout_add(GLib.PRIORITY_DEFAULT, 50, waitForBus);
loop.run();
