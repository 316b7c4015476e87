// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// An extension of GNOME Shell with an animation that, once it is told to, blocks the shell for 40 ms at every tenth frame.

import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';
import St from 'gi://St';

const LOG = GLib.getenv('SLOW_EXTENSION_LOG');

function blockAFrame() {
    const until = GLib.get_monotonic_time() + 40000;
    while (GLib.get_monotonic_time() < until);
    return until;
}

export default class Frames {
    enable() {
        let frames = 0;
        this.log = [];
        this.actor = new St.Widget({ width: 20, height: 20, style: 'background-color: red' });
        global.stage.add_child(this.actor);
        this.timeline = new Clutter.Timeline({ actor: this.actor, duration: 1000, repeat_count: -1 });
        this.timeline.connect('new-frame', (_, ms) => {
            this.actor.x = ms / 10;
            if (++frames % 10 === 0 && GLib.file_test(LOG + '.begin', GLib.FileTest.EXISTS))
                this.log.push(blockAFrame());
        });
        this.timeline.start();
        this.id = GLib.timeout_add(GLib.PRIORITY_DEFAULT, 1000, () => {
            GLib.file_set_contents(LOG, JSON.stringify({ frames, blocks: this.log }));
            return GLib.SOURCE_CONTINUE;
        });
    }

    disable() {
        GLib.source_remove(this.id);
        this.timeline.stop();
        this.actor.destroy();
    }
}
