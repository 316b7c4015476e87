// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

function readBattery() {
    const child = Gio.Subprocess.new(['sh', '-c', 'sleep 0.7; exit 3'], Gio.SubprocessFlags.NONE);
    return child.wait_check(null);
}

const loop = new GLib.MainLoop(null, false);
GLib.timeout_add(GLib.PRIORITY_DEFAULT, 200, () => {
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 100, () => loop.quit());
    readBattery();
    return GLib.SOURCE_REMOVE;
});
loop.run();
