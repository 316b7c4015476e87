/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store/jank-occurrences-private.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "base/jank-histogram-private.h"
#include "base/jank-order-private.h"
#include "report/jank-fingerprint-private.h"
#include "report/jank-report-json-private.h"

#define EVERY_NS    JANK_NS_PER_S /* a file is rewritten at most this often */
#define MAX_FLUSHED 32

/* What a fingerprint has counted. */
typedef struct
{
  char          *fingerprint; /* (owned) */
  char          *id;          /* (owned): of its file */
  guint          count, n_saved; /* n_saved: the count on disk */
  gint64         total_ns, longest_ns;
  gint64         first_real_us, last_real_us;
  gint64         saved_ns;    /* when a write was last tried; 0: never */
  JankHistogram *histogram;   /* (owned) (nullable): from the second on */
  JankReport    *longest;     /* (owned) (nullable): not on disk yet; shared, so it never changes */
} Entry;

/* A stall under way. */
typedef struct
{
  char    *id;       /* (owned) (nullable): none is */
  gint64   began_ns; /* which one */
  gboolean on_disk;
  gboolean counted;  /* as a file that this process began */
} Ongoing;

struct _JankOccurrences
{
  /* set at construction */
  JankStore  *store;
  gboolean    annealing;
  guint       max_per_session;

  GHashTable *entries;   /* (owned): fingerprint → Entry, at most max_per_session */
  Ongoing     ongoing[JANK_N_REPORT_KINDS];
  guint       n_files;   /* that this process began */
  char       *newest_id; /* (owned) (nullable): of the file begun last */
  guint64     n_writes;

  /* Stalls without a file */
  struct { guint count, n_saved; gint64 total_ns, saved_ns; } limited;
};

static void
jank_occurrences_entry_free (gpointer data)
{
  Entry *entry = data;

  g_free (entry->fingerprint);
  g_free (entry->id);
  g_free (entry->histogram);
  g_clear_pointer (&entry->longest, jank_report_unref);
  g_free (entry);
}

JankOccurrences *
jank_occurrences_new (JankStore *store, const JankSettings *settings)
{
  JankOccurrences *self = g_new0 (JankOccurrences, 1);

  jank_occurrences_set_settings (self, store, settings);
  self->entries = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, jank_occurrences_entry_free);
  return self;
}

void
jank_occurrences_set_settings (JankOccurrences *self, JankStore *store, const JankSettings *settings)
{
  self->store = store;
  self->annealing = settings->annealing;
  self->max_per_session = settings->max_per_session;
}

static void
jank_occurrences_ongoing_clear (Ongoing *ongoing)
{
  g_free (ongoing->id);
  *ongoing = (Ongoing) { .id = NULL };
}

void
jank_occurrences_free (JankOccurrences *self)
{
  for (guint i = 0; i < JANK_N_REPORT_KINDS; i++)
    jank_occurrences_ongoing_clear (&self->ongoing[i]);
  g_hash_table_unref (self->entries);
  g_free (self->newest_id);
  g_free (self);
}

guint64
jank_occurrences_get_n_writes (const JankOccurrences *self)
{
  return self->n_writes;
}

/* Whether a power of two was passed since n_saved, a second ago or more. */
static gboolean
jank_occurrences_is_due (guint count, guint n_saved, gint64 saved_ns, gint64 now_ns)
{
  return g_bit_storage (count) > g_bit_storage (n_saved) && (saved_ns == 0 || now_ns - saved_ns >= EVERY_NS);
}

static void
jank_occurrences_fill_limit (const JankOccurrences *self, JankReport *report)
{
  if (self->limited.count == 0)
    return;
  jank_set_text (&report->limit.reached, "session");
  report->limit.count = self->limited.count;
  report->limit.total_ns = self->limited.total_ns;
}

static void
jank_occurrences_fill_lengths (const JankHistogram *histogram, GArray *lengths)
{
  g_array_set_size (lengths, 0);
  for (guint i = 0; histogram != NULL && i < JANK_HISTOGRAM_N_BUCKETS; i++)
    {
      gint64 ns = CLAMP (jank_histogram_bucket_ns (i), histogram->min_ns, histogram->max_ns);
      JankReportLength length = { ns, histogram->counts[i] };

      if (length.count > 0)
        g_array_append_val (lengths, length);
    }
}

static void
jank_occurrences_fill_repeats (const Entry *entry, JankReport *report)
{
  jank_set_text (&report->id, entry->id);
  report->repeats.count = entry->count;
  report->repeats.total_ns = entry->total_ns;
  report->repeats.longest_ns = entry->longest_ns;
  report->repeats.p95_ns = entry->histogram != NULL ? jank_histogram_percentile (entry->histogram, 0.95)
                                                    : entry->longest_ns;
  jank_occurrences_fill_lengths (entry->histogram, report->repeats.lengths);
  report->repeats.first_real_us = entry->first_real_us;
  report->repeats.last_real_us = entry->last_real_us;
}

/* Only the first error is kept. */
static gboolean
jank_occurrences_write_report (JankOccurrences *self, JankReport *report, GError **error)
{
  self->n_writes++;
  jank_occurrences_fill_limit (self, report);
  if (!jank_store_write (self->store, report, error != NULL && *error == NULL ? error : NULL))
    return FALSE;
  if (g_strcmp0 (self->newest_id, report->id) == 0)
    self->limited.n_saved = self->limited.count;
  return TRUE;
}

/* report belongs into the file of entry. Even if that fails, the next attempt is as far away as after a write. */
static void
jank_occurrences_save_entry (JankOccurrences *self, Entry *entry, JankReport *report, gint64 now_ns, GError **error)
{
  entry->saved_ns = now_ns;
  jank_occurrences_fill_repeats (entry, report);
  if (!jank_occurrences_write_report (self, report, error))
    return;
  g_clear_pointer (&entry->longest, jank_report_unref);
  entry->n_saved = entry->count;
}

/* What belongs into the file of entry: a copy of the longest report, else what is there. Returns: (transfer full)
 * (nullable) */
static JankReport *
jank_occurrences_get_report (JankOccurrences *self, const Entry *entry)
{
  g_autofree char *text = NULL;

  if (entry->longest == NULL)
    return jank_store_load (self->store, entry->id, NULL);
  text = jank_report_to_json (entry->longest);
  return jank_report_from_json (text, strlen (text), NULL);
}

/* current (nullable): in case somebody has removed the file. */
static void
jank_occurrences_save_again (JankOccurrences *self, Entry *entry, JankReport *current, gint64 now_ns, GError **error)
{
  g_autoptr (JankReport) report = jank_occurrences_get_report (self, entry);

  if (report == NULL && current != NULL)
    report = jank_report_ref (current);
  if (report == NULL)
    return;
  jank_set_text (&report->fingerprint, entry->fingerprint);
  jank_occurrences_save_entry (self, entry, report, now_ns, error);
}

static void
jank_occurrences_begin_file (JankOccurrences *self, JankReport *report)
{
  self->n_files++;
  jank_set_text (&self->newest_id, report->id);
}

/* The newest report says how many stalls have none. */
static void
jank_occurrences_save_limited (JankOccurrences *self, gint64 now_ns, GError **error)
{
  g_autoptr (JankReport) report = NULL;

  if (self->limited.n_saved == self->limited.count || self->newest_id == NULL)
    return;
  self->limited.saved_ns = now_ns;
  report = jank_store_load (self->store, self->newest_id, NULL);
  if (report != NULL)
    jank_occurrences_write_report (self, report, error);
}

/* The state of the stall that report is of. */
static Ongoing *
jank_occurrences_get_ongoing (JankOccurrences *self, JankReport *report)
{
  Ongoing *ongoing = &self->ongoing[report->kind];

  if (ongoing->id == NULL || ongoing->began_ns != report->stall.began_monotonic_ns)
    {
      jank_occurrences_ongoing_clear (ongoing);
      ongoing->id = jank_store_make_id ();
      ongoing->began_ns = report->stall.began_monotonic_ns;
    }
  return ongoing;
}

/* Returns: (nullable): what counts the fingerprint of report, which is set, as is the id of the stall's own file */
static Entry *
jank_occurrences_identify (JankOccurrences *self, const Ongoing *ongoing, JankReport *report)
{
  g_free (report->fingerprint);
  report->fingerprint = jank_fingerprint_new (report);
  jank_set_text (&report->id, ongoing->id);
  return self->annealing ? g_hash_table_lookup (self->entries, report->fingerprint) : NULL;
}

void
jank_occurrences_ongoing (JankOccurrences *self, JankReport *report, GError **error)
{
  Ongoing *ongoing = jank_occurrences_get_ongoing (self, report);
  const Entry *entry = jank_occurrences_identify (self, ongoing, report);
  gint64 duration_ns = report->stall.duration_ns;

  if (entry != NULL && !ongoing->on_disk && duration_ns <= entry->longest_ns && duration_ns < JANK_NS_PER_S)
    {
      jank_set_text (&report->id, entry->id);
      return;
    }
  if (entry == NULL && !ongoing->counted)
    {
      if (self->n_files >= self->max_per_session)
        return;
      jank_occurrences_begin_file (self, report);
      ongoing->counted = TRUE;
    }
  if (jank_occurrences_write_report (self, report, error))
    ongoing->on_disk = TRUE;
}

/* The file of the stall under way goes; other_id (nullable): the newest file in its place. */
static void
jank_occurrences_remove_ongoing (JankOccurrences *self, const Ongoing *ongoing, const char *other_id)
{
  if (ongoing->on_disk)
    jank_store_remove (self->store, ongoing->id, NULL);
  if (ongoing->counted)
    self->n_files--;
  if (ongoing->id != NULL && g_strcmp0 (self->newest_id, ongoing->id) == 0)
    jank_set_text (&self->newest_id, other_id);
}

/* Returns: whether report is the longest so far */
static gboolean
jank_occurrences_count (Entry *entry, JankReport *report)
{
  gint64 duration_ns = report->stall.duration_ns;
  gboolean is_longest = duration_ns > entry->longest_ns;

  if (entry->histogram == NULL)
    {
      entry->histogram = g_new0 (JankHistogram, 1);
      jank_histogram_add (entry->histogram, entry->longest_ns);
    }
  jank_histogram_add (entry->histogram, duration_ns);
  entry->count += entry->count < G_MAXINT;
  entry->total_ns += MIN (duration_ns, G_MAXINT64 / 2 - entry->total_ns);
  entry->longest_ns = MAX (entry->longest_ns, duration_ns);
  entry->last_real_us = report->stall.began_real_us;
  return is_longest;
}

static JankOccurrence
jank_occurrences_end_again (JankOccurrences *self, Entry *entry, JankReport *report, gint64 now_ns, GError **error)
{
  gboolean is_longest = jank_occurrences_count (entry, report);

  jank_occurrences_fill_repeats (entry, report);
  jank_occurrences_fill_limit (self, report);
  if (is_longest)
    {
      g_clear_pointer (&entry->longest, jank_report_unref);
      if (now_ns - entry->saved_ns >= EVERY_NS)
        jank_occurrences_save_entry (self, entry, report, now_ns, error);
      if (entry->n_saved != entry->count)
        entry->longest = jank_report_ref (report);
    }
  else if (jank_occurrences_is_due (entry->count, entry->longest != NULL ? 0 : entry->n_saved, entry->saved_ns, now_ns))
    jank_occurrences_save_again (self, entry, report, now_ns, error);
  return JANK_OCCURRENCE_AGAIN;
}

/* The first of its fingerprint, or one of its own. */
static JankOccurrence
jank_occurrences_end_new (JankOccurrences *self, const Ongoing *ongoing, JankReport *report, gint64 now_ns,
                          GError **error)
{
  Entry *entry;

  if (!ongoing->counted)
    jank_occurrences_begin_file (self, report);
  if (!self->annealing)
    {
      jank_occurrences_write_report (self, report, error);
      return JANK_OCCURRENCE_NEW;
    }
  entry = g_new0 (Entry, 1);
  entry->fingerprint = g_strdup (report->fingerprint);
  entry->id = g_strdup (report->id);
  entry->count = 1;
  entry->total_ns = entry->longest_ns = report->stall.duration_ns;
  entry->first_real_us = entry->last_real_us = report->stall.began_real_us;
  g_hash_table_insert (self->entries, entry->fingerprint, entry);
  jank_occurrences_save_entry (self, entry, report, now_ns, error);
  return JANK_OCCURRENCE_NEW;
}

static JankOccurrence
jank_occurrences_end_limited (JankOccurrences *self, JankReport *report, gint64 now_ns, GError **error)
{
  self->limited.count += self->limited.count < G_MAXINT;
  self->limited.total_ns += MIN (report->stall.duration_ns, G_MAXINT64 / 2 - self->limited.total_ns);
  jank_occurrences_fill_limit (self, report);
  if (jank_occurrences_is_due (self->limited.count, self->limited.n_saved, self->limited.saved_ns, now_ns))
    jank_occurrences_save_limited (self, now_ns, error);
  return JANK_OCCURRENCE_LIMITED;
}

JankOccurrence
jank_occurrences_ended (JankOccurrences *self, JankReport *report, gint64 now_ns, GError **error)
{
  Ongoing *ongoing = jank_occurrences_get_ongoing (self, report);
  Entry *entry = jank_occurrences_identify (self, ongoing, report);
  JankOccurrence result;

  if (entry != NULL)
    {
      jank_occurrences_remove_ongoing (self, ongoing, entry->id);
      result = jank_occurrences_end_again (self, entry, report, now_ns, error);
    }
  else if (!ongoing->counted && self->n_files >= self->max_per_session)
    result = jank_occurrences_end_limited (self, report, now_ns, error);
  else
    result = jank_occurrences_end_new (self, ongoing, report, now_ns, error);
  jank_occurrences_ongoing_clear (ongoing);
  return result;
}

JANK_ORDER_FALLING (jank_occurrences_compare_total_cb, Entry *const, [0]->total_ns)

void
jank_occurrences_flush (JankOccurrences *self, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer entry;

  g_hash_table_iter_init (&iter, self->entries);
  while (g_hash_table_iter_next (&iter, NULL, &entry))
    if (((Entry *) entry)->n_saved != ((Entry *) entry)->count)
      g_ptr_array_add (entries, entry);
  g_ptr_array_sort (entries, jank_occurrences_compare_total_cb);
  for (guint i = 0; i < MIN (entries->len, MAX_FLUSHED); i++)
    jank_occurrences_save_again (self, g_ptr_array_index (entries, i), NULL, 0, error);
  jank_occurrences_save_limited (self, 0, error);
}
