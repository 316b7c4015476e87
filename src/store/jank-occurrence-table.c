/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "store/jank-occurrence-table-private.h"

struct _JankOccurrenceTable
{
  GQueue      entries; /* (owned) (element-type JankOccurrenceEntry), youngest first */
  GHashTable *links;   /* (owned): fingerprint → its GList in entries */
};

static void
entry_free (gpointer data)
{
  JankOccurrenceEntry *entry = data;

  g_free (entry->fingerprint);
  g_free (entry->id);
  g_free (entry->histogram);
  g_free (entry->pending);
  g_free (entry);
}

JankOccurrenceTable *
jank_occurrence_table_new (void)
{
  JankOccurrenceTable *self = g_new0 (JankOccurrenceTable, 1);

  g_queue_init (&self->entries);
  self->links = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

void
jank_occurrence_table_free (JankOccurrenceTable *self)
{
  g_hash_table_unref (self->links);
  g_queue_clear_full (&self->entries, entry_free);
  g_free (self);
}

guint
jank_occurrence_table_get_size (const JankOccurrenceTable *self)
{
  return self->entries.length;
}

JankOccurrenceEntry *
jank_occurrence_table_find (JankOccurrenceTable *self, const char *fingerprint)
{
  GList *link = g_hash_table_lookup (self->links, fingerprint);

  return link != NULL ? link->data : NULL;
}

JankOccurrenceEntry *
jank_occurrence_table_get_oldest (JankOccurrenceTable *self)
{
  return self->entries.length >= JANK_OCCURRENCE_TABLE_SIZE ? g_queue_peek_tail (&self->entries) : NULL;
}

void
jank_occurrence_table_remove (JankOccurrenceTable *self, JankOccurrenceEntry *entry)
{
  GList *link = g_hash_table_lookup (self->links, entry->fingerprint);

  g_hash_table_remove (self->links, entry->fingerprint);
  g_queue_delete_link (&self->entries, link);
  entry_free (entry);
}

JankOccurrenceEntry *
jank_occurrence_table_add (JankOccurrenceTable *self, const char *fingerprint, JankReport *report)
{
  JankOccurrenceEntry *entry = g_new0 (JankOccurrenceEntry, 1);

  g_assert (self->entries.length < JANK_OCCURRENCE_TABLE_SIZE);
  entry->fingerprint = g_strdup (fingerprint);
  entry->id = g_strdup (report->id);
  entry->count = 1;
  entry->total_ns = entry->longest_ns = report->stall.duration_ns;
  entry->first_real_us = entry->last_real_us = report->stall.began_real_us;
  g_queue_push_head (&self->entries, entry);
  g_hash_table_insert (self->links, entry->fingerprint, self->entries.head);
  return entry;
}

gboolean
jank_occurrence_table_count (JankOccurrenceTable *self, JankOccurrenceEntry *entry, JankReport *report)
{
  GList *link = g_hash_table_lookup (self->links, entry->fingerprint);
  gint64 duration_ns = report->stall.duration_ns;
  gboolean longest = duration_ns > entry->longest_ns;

  g_queue_unlink (&self->entries, link);
  g_queue_push_head_link (&self->entries, link);
  if (entry->histogram == NULL)
    {
      entry->histogram = g_new0 (JankHistogram, 1);
      jank_histogram_add (entry->histogram, entry->longest_ns);
    }
  jank_histogram_add (entry->histogram, duration_ns);
  if (entry->count < G_MAXINT)
    entry->count++;
  entry->total_ns += MIN (duration_ns, G_MAXINT64 / 2 - entry->total_ns);
  entry->longest_ns = MAX (entry->longest_ns, duration_ns);
  entry->last_real_us = report->stall.began_real_us;
  jank_annealing_note (&entry->annealing);
  entry->dirty = TRUE;
  return longest;
}

static gint
compare_total_cb (gconstpointer a, gconstpointer b)
{
  const JankOccurrenceEntry *x = *(JankOccurrenceEntry *const *) a, *y = *(JankOccurrenceEntry *const *) b;

  return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

GPtrArray *
jank_occurrence_table_list (JankOccurrenceTable *self)
{
  GPtrArray *entries = g_ptr_array_sized_new (self->entries.length);

  for (GList *link = self->entries.head; link != NULL; link = link->next)
    g_ptr_array_add (entries, link->data);
  g_ptr_array_sort (entries, compare_total_cb);
  return entries;
}

void
jank_occurrence_entry_fill (const JankOccurrenceEntry *entry, JankReport *report)
{
  report->repeats.count = entry->count;
  report->repeats.total_ns = entry->total_ns;
  report->repeats.longest_ns = entry->longest_ns;
  report->repeats.p95_ns = entry->histogram != NULL ? jank_histogram_percentile (entry->histogram, 0.95)
                                                    : entry->longest_ns;
  report->repeats.first_real_us = entry->first_real_us;
  report->repeats.last_real_us = entry->last_real_us;
}
