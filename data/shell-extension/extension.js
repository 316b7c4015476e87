// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// GNOME Shell's dialog “… is not responding” says what the program waits for, as `jankwatch why` has it, and opens the
// report. A program that is watched and has hung for 5 s without that dialog gets a notification. The shell itself only
// starts `jankwatch` and reads what it prints; without it nothing changes.

// Shell 45 and later read this as a module, where “<!--” compares with a negated decrement, older ones as a script,
// where it begins a comment.
var modules, n = 0;
n <!--n; import * as closeDialog from 'resource:///org/gnome/shell/ui/closeDialog.js';
n <!--n; modules = { closeDialog };
n <!--n; export { Extension as default };

const { Gio, GLib } = imports.gi;
const Gettext = imports.gettext;

const HUNG_US = 5000000;
const MAX_LETTERS = 300;

function jankwatch(words, cancellable, done) {
    try {
        // Without INHERIT_FDS GLib forks, which copies the shell's page tables: 24 ms with 300 MB, 0.2 ms with it.
        const { STDOUT_PIPE, STDERR_SILENCE, INHERIT_FDS } = Gio.SubprocessFlags;
        const process = Gio.Subprocess.new(['jankwatch', ...words], STDOUT_PIPE | STDERR_SILENCE | INHERIT_FDS);
        process.communicate_utf8_async(null, cancellable, (_, result) => {
            try {
                done(process.communicate_utf8_finish(result)[1]);
            } catch (error) {
                // It printed no JSON, or nobody wants to know any more.
            }
        });
    } catch (error) {
        // It is not installed.
    }
}

// Names of programs and files are in it.
function clean(text) {
    return Array.from(text.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')).slice(0, MAX_LETTERS).join('');
}

var Extension = class {
    constructor(metadata) {
        this._translations = metadata.dir.resolve_relative_path('../../../locale').get_path();
    }

    enable() {
        const extension = this, prototype = (modules || imports.ui).closeDialog.CloseDialog.prototype;
        const initDialog = prototype._initDialog;

        Gettext.bindtextdomain('jankwatch', this._translations);
        this._cancellable = new Gio.Cancellable();
        this._shown = new Map();
        this._told = new Set();
        this._restore = () => (prototype._initDialog = initDialog);
        prototype._initDialog = function () {
            const isThere = this._dialog;
            initDialog.call(this);
            if (!isThere)
                extension._explain(this._dialog, this._window.get_pid());
        };
        this._watch();
    }

    disable() {
        this._restore();
        this._cancellable.cancel();
        this._monitor?.cancel();
        if (this._timer)
            GLib.source_remove(this._timer);
        this._timer = 0;
    }

    _explain(dialog, pid) {
        this._shown.set(dialog, pid);
        dialog.connect('destroy', () => this._shown.delete(dialog));
        jankwatch(['why', '--json', `${pid}`], this._cancellable, json => {
            const [{ sentence, report }] = JSON.parse(json);
            if (!this._shown.has(dialog))
                return;
            dialog.contentLayout.get_first_child().description = clean(sentence);
            if (report) {
                dialog.addButton({
                    label: Gettext.dgettext('jankwatch', 'Show Report'),
                    action: () => jankwatch(['view', report], null, () => {}),
                });
            }
        });
    }

    // Watched programs write into this folder when a stall begins.
    _watch() {
        const folder = Gio.File.new_for_path(GLib.get_user_runtime_dir()).get_child('jankwatch');
        GLib.mkdir_with_parents(folder.get_path(), 0o700);
        try {
            this._monitor = folder.monitor_directory(Gio.FileMonitorFlags.NONE, null);
            this._monitor.connect('changed', () => this._lookIn(HUNG_US));
        } catch (error) {
            // The system has no more watches: there are no notifications.
            this._monitor = null;
        }
    }

    _lookIn(us) {
        this._timer ||= GLib.timeout_add(GLib.PRIORITY_LOW, Math.ceil(us / 1000), () => {
            this._timer = 0;
            jankwatch(['top', '--once', '--json'], this._cancellable,
                lines => this._judge(lines.trim().split('\n').map(JSON.parse)));
            return GLib.SOURCE_REMOVE;
        });
    }

    _judge(programs) {
        const now = GLib.get_monotonic_time(), told = this._told;
        const hanging = programs.filter(({ state }) => state === 'stall' || state === 'startup');
        const left = hanging.map(({ since_monotonic_ns: since }) => HUNG_US - (now - since / 1000));
        const next = Math.min(...left.filter(us => us > 0));

        this._told = new Set();
        hanging.filter((_, i) => left[i] <= 0).forEach(program => {
            const { since_monotonic_ns: since, pid_here: pid, store, report } = program;
            const stall = `${pid} ${since}`;
            if (report && !told.has(stall) && ![...this._shown.values()].includes(pid))
                jankwatch(['notify', `${store}/${report}.json`], null, () => {});
            this._told.add(stall);
        });
        if (next < Infinity)
            this._lookIn(next);
    }
};

function init({ dir }) {
    return new Extension({ dir });
}
