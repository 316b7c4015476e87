/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library's side of the GTK plug-in: opens it in a program that has loaded GTK 4 or 3, tells it what the
 * loop did, and hands its figures to the watcher thread. One plug-in in a process; the first host has it. */

#pragma once

#include "settings/jank-settings-private.h"
#include "gtk/jank-gtk-plugin-private.h"
#include "watch/jank-sink-private.h"
#include "observe/jank-beat-private.h"
#include "report/jank-report-frame-clock-private.h"

typedef struct _JankGtkHostState JankGtkHostState;

/* beat: outlives the host. sees_turns: it begins and ends with each; where it does not, frames have no busy time.
 * inspector: what a page in GTK's inspector asks; outlives the host. */
JankGtkHostState    *jank_gtk_host_new        (JankSettings *settings, JankBeat *beat, gboolean sees_turns,
                                               const JankInspectorHost *inspector);

/* On the main thread. */
void                 jank_gtk_host_free       (JankGtkHostState *self);

/* On the main thread, outside of any dispatch: starts the plug-in if GTK has opened a display. The watcher thread asks
 * for it by the beat once GTK is loaded. Returns: whether there is nothing more to look for */
gboolean             jank_gtk_host_look       (JankGtkHostState *self, GError **error);

/* On the main thread. key: the setting that differs from before */
void                 jank_gtk_host_set_settings (JankGtkHostState *self, JankSettings *settings, const char *key);

/* Any thread. (nullable) until started. */
const JankGtkPlugin *jank_gtk_host_get_plugin (JankGtkHostState *self);

/* Watcher thread: what the frame clocks saw so far, and the toolkit. self: (nullable). ret_toolkit_known: (nullable):
 * whether ret_toolkit is set. Returns: (transfer full) (nullable): no frames */
JankReportFrameClock *jank_gtk_host_read_frames (JankGtkHostState *self, JankGtkToolkit *ret_toolkit,
                                                 gboolean *ret_toolkit_known);

/* Watcher thread: which interaction waited the longest for the loop in [began_ns, ended_ns]. is_over: it has turned
 * again, and may be about to handle what waited behind. Then this waits for that, until the loop sleeps or stays in
 * one turn. FALSE: none */
gboolean             jank_gtk_host_find_interaction (JankGtkHostState *self, gint64 began_ns, gint64 ended_ns,
                                                     gboolean is_over,
                                                     JankInteraction *ret_interaction, gint64 *ret_waited_ns);

/* Any thread but GTK's: the newest interactions, oldest first; ret_kept has room for JANK_INPUT_N_KEPT. Returns: how
 * many */
unsigned             jank_gtk_host_read_interactions (JankGtkHostState *self, JankInteraction *ret_kept);
/* Any thread: what knows what the loop dispatched lately. (nullable): nobody has asked yet */
const JankSourceLedger *jank_gtk_host_get_works     (JankGtkHostState *self);
/* Any thread: until when it does, CLOCK_MONOTONIC; 0: nobody has asked yet. */
gint64               jank_gtk_host_get_works_until (JankGtkHostState *self);
/* Any thread: how many interactions were answered. */
guint64              jank_gtk_host_get_n_answered (JankGtkHostState *self);
/* Any thread but GTK's. FALSE: nothing is known */
gboolean             jank_gtk_host_sum_up_input (JankGtkHostState *self, JankInputFigures *ret_figures);

/* GTK's thread: whether the display holds back each frame that the program wants, or none is wanted. */
gboolean             jank_gtk_host_is_held (JankGtkHostState *self);

/* Any thread: the end of the program's first and newest frame, CLOCK_MONOTONIC; 0: none yet. */
gint64               jank_gtk_host_get_first_frame (JankGtkHostState *self);
gint64               jank_gtk_host_get_last_frame (JankGtkHostState *self);

/* Any thread: GTK is loaded, and its frames would be seen, but there is none. */
gboolean             jank_gtk_host_is_undrawn     (JankGtkHostState *self);

/* The overlay shows the last stall. */
extern const JankSinkFuncs jank_gtk_host_sink;
