/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counts every stall of this process by fingerprint, and decides which of them reach the disk. One file a fingerprint
 * keeps its count and the samples of its longest stall. The file is written when the fingerprint is new, on a new
 * longest stall, when the count passes a power of two, and at the end; but at most once a second, so 10,000 stalls cost
 * some thirty writes. Past `max-per-session` files new fingerprints are only counted; the newest report says how many.
 *
 * With the setting `annealing` off, every stall has a file of its own within that limit.
 *
 * A stall under way has a file of its own, so that one that ends in SIGKILL is not lost: where its fingerprint is new,
 * where it is the longest of its fingerprint, or where it has lasted a second. At its end that file becomes the
 * fingerprint's, or goes when there is one. How often such a file is rewritten is the watcher's decision.
 *
 * One thread at a time: the watcher's. Blocks on the disk. */

#pragma once

#include "settings/jank-settings-private.h"
#include "store/jank-store-private.h"

typedef enum
{
  JANK_OCCURRENCE_NEW,     /* first of its fingerprint in this process: worth telling the user */
  JANK_OCCURRENCE_AGAIN,   /* counted; its file may have been written */
  JANK_OCCURRENCE_LIMITED, /* counted only: it has no file */
} JankOccurrence;

typedef struct _JankOccurrences JankOccurrences;

/* store is borrowed. */
JankOccurrences *jank_occurrences_new     (JankStore *store, const JankSettings *settings);
void             jank_occurrences_free    (JankOccurrences *self); /* writes nothing, see flush */

/* Other limits, and maybe another store, from now on; what was counted stays. store is borrowed. */
void             jank_occurrences_set_settings (JankOccurrences *self, JankStore *store, const JankSettings *settings);

/* report: complete, as jank_report_build() made it, and not shared yet. Each of these two sets its id (that of the
 * file), its fingerprint, its repeats and its limit. now_ns: CLOCK_MONOTONIC. error is set when a file could not be
 * written; everything else was done all the same. */

/* While the stall lasts: writes each time. */
void             jank_occurrences_ongoing (JankOccurrences *self, JankReport *report, GError **error);

/* Once, at its end, whether the program recovered or exits. Keeps a reference where the file has to wait. */
JankOccurrence   jank_occurrences_ended   (JankOccurrences *self, JankReport *report, gint64 now_ns, GError **error);

/* Writes the counts that are not on disk yet: before the program exits. At most 32 files, those with the most time. */
void             jank_occurrences_flush   (JankOccurrences *self, GError **error);

/* How many files were written. */
guint64          jank_occurrences_get_n_writes (const JankOccurrences *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankOccurrences, jank_occurrences_free)
