/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a callback serves, read from its caller's record: a GTask, a D-Bus method or signal, a tick, a source. A
 * record counts only if every field fits and it holds the callback. Watcher thread only. */

#pragma once

#include "gobject/jank-type-nodes-private.h"

/* Words of the stack that may lead to a record. */
typedef struct
{
  const guint64 *words;
  guint          n_words;
} JankClues;

/* Returns: (transfer full) (nullable): a description of function */
char    *jank_callback_describe_task   (const JankTypes *types, const JankClues *clues, guint64 function);
char    *jank_callback_describe_method (const JankTypes *types, const JankClues *clues);
char    *jank_callback_describe_signal (const JankTypes *types, const JankClues *clues);

/* dispatch: from the source's GSourceFuncs. Returns: (nullable): "timeout" and the like, for GLib's own kinds of
 * source */
const char *jank_callback_get_source   (guint64 dispatch);

/* The closure of a C function. marshal: the marshaller to expect, 0: any. FALSE: no closure was found */
gboolean jank_callback_find_closure    (const JankClues *clues, guint64 function, guint64 marshal, guint64 *ret_data);

/* Whether GTK has the function among the widget's tick callbacks. */
gboolean jank_callback_is_tick         (guint64 widget, guint64 function);
