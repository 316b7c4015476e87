/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sees every input event before its handlers do. Takes its time, and notes for whom it is; keeps no event, widget or
 * surface, and allocates nothing while it handles one. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-plugin-private.h"
#include "gtk/jank-gtk-names-private.h"

/* host: stays valid until jank_input_hook_stop(). */
void            jank_input_hook_start     (const JankGtkHost *host);
void            jank_input_hook_stop      (void);

/* Valid from the first start on; others may read it on any thread. */
JankInputBoard *jank_input_hook_get_board (void);

/* The interaction being handled, as GTK 4's and GTK 3's hooks see it. */

/* host (nullable): its functions tell how long the answers take; stays valid. NULL: nothing is open any more. */
void     jank_input_notes_set_host  (const JankGtkHost *host);
/* Alike in GTK 4 and GTK 3. */
JankInteractionKind jank_input_notes_find_kind (GdkEventType type);
/* What comes next is not for the interaction before. */
void     jank_input_notes_close     (void);
/* An event of another kind, on the default display. */
void     jank_input_notes_pass      (gboolean is_motion, guint32 stamp_ms);
/* On the default display. gdk (nullable): of the window; widget (nullable): of a key press the focused one, whose
 * type alone is kept; else whom it is for, where that is known already. */
void     jank_input_notes_take      (JankInteractionKind kind, guint32 stamp_ms, GdkFrameClock *gdk, GtkWidget *widget);
/* A key press that an input method did not want comes again; it is the last one, or two may be meant. FALSE: it is
 * none that was taken. */
gboolean jank_input_notes_take_back (guint32 stamp_ms, GdkFrameClock *gdk, GtkWidget *widget);
/* Once; the last one counts. */
void     jank_input_notes_call_at_end (void (*func) (void));
/* An input method may have the key press that was taken, and answer at any time: unless a text comes of it at once,
 * nothing is its answer. */
void     jank_input_notes_ask_method (void);
/* Notes whom it is for; of several the innermost. Nothing where none was taken. */
void     jank_input_notes_name      (GtkWidget *widget);
/* A frame ended. */
void     jank_input_notes_painted   (GdkFrameClock *gdk, const JankFrameEvent *event);
