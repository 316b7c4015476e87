/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is counted of each fingerprint of this process, at most JANK_OCCURRENCE_TABLE_SIZE of them: the one that was
 * not seen for longest leaves first. Watcher thread only; no files. */

#pragma once

#include "frames/jank-histogram-private.h"
#include "store/jank-annealing-private.h"
#include "report/jank-report-private.h"

#define JANK_OCCURRENCE_TABLE_SIZE 512

typedef struct
{
  char          *fingerprint; /* (owned) */
  char          *id;          /* (owned): of its file */
  guint          count;
  gint64         total_ns, longest_ns;
  gint64         first_real_us, last_real_us;
  JankHistogram *histogram;   /* (owned) (nullable): from the second on */
  JankAnnealing  annealing;
  gboolean       on_disk;     /* it was written once */
  gboolean       dirty;       /* what is on disk is older */
  char          *pending;     /* (owned) (nullable): its longest report as JSON, not on disk yet */
} JankOccurrenceEntry;

typedef struct _JankOccurrenceTable JankOccurrenceTable;

JankOccurrenceTable *jank_occurrence_table_new    (void);
void                 jank_occurrence_table_free   (JankOccurrenceTable *self);
guint                jank_occurrence_table_get_size (const JankOccurrenceTable *self);

/* Returns: (transfer none) (nullable) */
JankOccurrenceEntry *jank_occurrence_table_find   (JankOccurrenceTable *self, const char *fingerprint);

/* The one that would leave next; NULL while there is room. */
JankOccurrenceEntry *jank_occurrence_table_get_oldest (JankOccurrenceTable *self);
void                 jank_occurrence_table_remove (JankOccurrenceTable *self, JankOccurrenceEntry *entry);

/* There is room, and no such fingerprint. Returns: (transfer none): counted once, with the report's id */
JankOccurrenceEntry *jank_occurrence_table_add    (JankOccurrenceTable *self, const char *fingerprint, JankReport *report);

/* Counts report, and makes entry the youngest. Returns: whether it is the longest so far */
gboolean             jank_occurrence_table_count  (JankOccurrenceTable *self, JankOccurrenceEntry *entry,
                                                   JankReport *report);

/* All entries, most total time first. Returns: (transfer container) */
GPtrArray           *jank_occurrence_table_list   (JankOccurrenceTable *self);

/* What entry counted, as report->repeats. */
void                 jank_occurrence_entry_fill   (const JankOccurrenceEntry *entry, JankReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankOccurrenceTable, jank_occurrence_table_free)
