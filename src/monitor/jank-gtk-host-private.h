/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library's side of the GTK plug-in: opens it in a program that has loaded GTK 4, tells it what the
 * loop did, and hands its figures to the watcher thread. One plug-in in a process; the first host has it. */

#pragma once

#include "base/jank-settings-private.h"
#include "gtk/jank-gtk-plugin-private.h"
#include "observe/jank-beat-private.h"
#include "report/jank-report.h"

typedef struct _JankGtkHostState JankGtkHostState;

JankGtkHostState    *jank_gtk_host_new        (const JankSettings *settings, JankBeat *beat);

/* On the main thread. */
void                 jank_gtk_host_free       (JankGtkHostState *self);

/* On the main thread, from a source, once GTK may be up. FALSE without error: there is no GTK 4, or it has
 * not been initialised yet, or the settings say no. */
gboolean             jank_gtk_host_start      (JankGtkHostState *self, GError **error);

/* Any thread. (nullable) until started. */
const JankGtkPlugin *jank_gtk_host_get_plugin (JankGtkHostState *self);

/* Any thread: the stall to show. */
void                 jank_gtk_host_set_stall  (JankGtkHostState *self, JankReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankGtkHostState, jank_gtk_host_free)
