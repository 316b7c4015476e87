/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interaction being handled, as GTK 4's and GTK 3's hooks see it. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"
#include "input/jank-input-board-private.h"

/* What comes next is not for the interaction before. */
void     jank_input_notes_close     (void);
/* An event of another kind, on the default display. */
void     jank_input_notes_pass      (gboolean is_motion, guint32 stamp_ms);
/* On the default display. Returns: FALSE: it cannot be timed */
gboolean jank_input_notes_take      (JankInteractionKind kind, guint32 stamp_ms);
/* Notes whom it is for; of several the innermost. Nothing where none was taken. */
void     jank_input_notes_name      (GtkWidget *widget);
/* For a key press: the type alone, which says nothing of the text. */
void     jank_input_notes_name_type (GtkWidget *widget);
