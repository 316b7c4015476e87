/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every stall of this process, counted by fingerprint, and the decision which of them reach the disk. Nothing is
 * dropped, and nothing is written twice: a new fingerprint gets a file; when it comes again, the same file gets
 * its count at 1, 2, 3, 5, 8, 13 … occurrences (see jank-annealing), and once more at the end. A file keeps the
 * samples of the longest stall it stands for. Past the limits of a session and of a day (see JankSettings) new
 * fingerprints are only counted, and past a rate of bytes a file waits; the newest report says how many.
 *
 * With the setting `annealing` off, every stall has a file of its own within those limits.
 *
 * A stall under way is written to a file of its own, so that one that ends in SIGKILL is not lost: when its
 * fingerprint is new, or when it has lasted longer than any of that fingerprint before. At its end that file becomes
 * the fingerprint's, or is removed when there is one.
 *
 * One thread at a time: the watcher's. Blocks on the disk. */

#pragma once

#include "base/jank-settings-private.h"
#include "store/jank-store-private.h"

typedef enum
{
  JANK_OCCURRENCE_NEW,     /* first of its fingerprint in this process: worth telling the user. Its file is there, but for
                            * a full disk or where the rate of bytes makes it wait. */
  JANK_OCCURRENCE_AGAIN,   /* counted; its file may have been written */
  JANK_OCCURRENCE_LIMITED, /* counted only: it has no file */
} JankOccurrence;

typedef struct _JankOccurrences JankOccurrences;

/* store is borrowed. */
JankOccurrences *jank_occurrences_new     (JankStore *store, const JankSettings *settings);
void             jank_occurrences_free    (JankOccurrences *self); /* writes nothing, see flush */

/* Other limits, and maybe another store, from now on; what was counted stays. store is borrowed. */
void             jank_occurrences_set_settings (JankOccurrences *self, JankStore *store, const JankSettings *settings);

/* report: complete, as jank_report_build() made it, and not shared yet. Each of these two sets its id (another one
 * than before, maybe: that of the file), its fingerprint, its repeats and its limit. now_ns: CLOCK_MONOTONIC. error is
 * set when a file could not be written; everything else was done all the same. */

/* While the stall lasts: may be called as often as one likes, writes at 1, 1, 2, 3, 5 … seconds, and at once when the
 * fingerprint has changed or the stall lasts half as long again as what is on disk. */
void             jank_occurrences_ongoing (JankOccurrences *self, JankReport *report, gint64 now_ns, GError **error);

/* In place of that: it was no stall after all. Its file goes. */
void             jank_occurrences_drop    (JankOccurrences *self, JankReportKind kind);

/* Once, at its end, whether the program recovered or exits. */
JankOccurrence   jank_occurrences_ended   (JankOccurrences *self, JankReport *report, gint64 now_ns, GError **error);

/* Writes the counts that are not on disk yet: before the program exits. At most 32 files, those with the most time. */
void             jank_occurrences_flush   (JankOccurrences *self, gint64 now_ns, GError **error);

/* How many fingerprints are known, and how many files were written. */
guint            jank_occurrences_get_size     (const JankOccurrences *self);
guint64          jank_occurrences_get_n_writes (const JankOccurrences *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankOccurrences, jank_occurrences_free)
