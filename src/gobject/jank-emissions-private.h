/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GObject's list of signals being emitted, whose records lie on the stacks of the emitting functions, and its array
 * of signal descriptions. No header declares them: we find both once, by content, while an object of ours emits a
 * signal. After that we read them by safe copies and take none of GObject's locks. */

#pragma once

#include <glib.h>

typedef struct
{
  guint64 head;        /* address of the list's first pointer */
  guint64 signals;     /* address of the pointer to the array */
  guint8  instance;    /* word of a record; the signal's ID and detail follow it */
  guint8  name, type;  /* words of a signal's description */
  guint8  action_name; /* word of a GSimpleAction, 0: not found */
} JankEmissions;

typedef struct
{
  guint64 next;     /* address of the enclosing emission's record */
  guint64 instance;
  guint32 signal, detail;
} JankEmission;

/* Called by the program's thread, or by whichever creates a monitor. Emits a signal, once per process. */
void                 jank_emissions_learn       (void);

/* Any thread. Returns: (nullable): NULL before jank_emissions_learn(), or if it found nothing */
const JankEmissions *jank_emissions_get         (void);

/* words: of a record, JANK_EMISSION_WORDS */
#define JANK_EMISSION_WORDS 8
JankEmission         jank_emissions_read        (const JankEmissions *self, const guint64 *words);

/* ret_name: "clicked"; ret_type: GType that defines the signal, not yet checked. FALSE: there is no such signal. */
gboolean             jank_emissions_read_signal (const JankEmissions *self, guint32 signal, char *ret_name,
                                                 gsize n_bytes, guint64 *ret_type);
