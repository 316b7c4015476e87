/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where GObject keeps which signals are being emitted: a list of records, each on the stack of the function that emits, and
 * an array of what it knows of each signal. No header shows them; they are found once, by content, while a signal of an
 * object of ours is emitted. From then on they are read by safe copies, and no lock of GObject's is taken. */

#pragma once

#include <glib.h>

typedef struct
{
  guint64 head;        /* address of the list's first pointer */
  guint64 signals;     /* address of the pointer to the array */
  guint8  instance;    /* word of a record; its signal's number and detail stand behind it */
  guint8  name, type;  /* words of what is known of a signal */
  guint8  action_name; /* word of a GSimpleAction, 0: not found */
} JankEmissions;

typedef struct
{
  guint64 next;     /* address of the record that surrounds it */
  guint64 instance;
  guint32 signal, detail;
} JankEmission;

/* The program's thread, or one that makes a monitor: emits a signal, once in a process. */
void                 jank_emissions_learn       (void);

/* Any thread. Returns: (nullable): not learned, or not found */
const JankEmissions *jank_emissions_get         (void);

/* words: of a record, JANK_EMISSION_WORDS */
#define JANK_EMISSION_WORDS 8
JankEmission         jank_emissions_read        (const JankEmissions *self, const guint64 *words);

/* ret_name: "clicked"; ret_type: GType that has the signal, not yet trusted. FALSE: there is no such signal. */
gboolean             jank_emissions_read_signal (const JankEmissions *self, guint32 signal, char *ret_name, gsize n_bytes,
                                                 guint64 *ret_type);
