/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reports.h"

#include "live/jank-live-file-private.h"
#include "store/jank-store-private.h"
#include "text/jank-report-lines-private.h"

/* What the store's report of a problem knows. */
typedef struct
{
  JankReport *raw;   /* (owned): its gist */
  JankReport *named; /* (owned): the same, with the names and lines of its culprit and threads */
} Known;

struct _GistPlaces
{
  JankSourceLines *lines;  /* (owned) */
  GHashTable      *places; /* (owned) (owned) report and culprit → (owned) (nullable) Known */
};

static void
known_free (gpointer data)
{
  Known *self = data;

  if (self == NULL)
    return;
  jank_report_unref (self->raw);
  jank_report_unref (self->named);
  g_free (self);
}

GistPlaces *
gist_places_new (void)
{
  GistPlaces *self = g_new0 (GistPlaces, 1);

  self->lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  self->places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, known_free);
  return self;
}

void
gist_places_free (GistPlaces *self)
{
  jank_source_lines_free (self->lines);
  g_hash_table_unref (self->places);
  g_free (self);
}

/* Returns: (transfer full) (nullable): the file may be that of a longer stall, of another culprit */
static Known *
load_known (GistPlaces *self, const char *folder, const JankReport *gist)
{
  g_autoptr (JankStore) store = jank_store_new (folder, G_MAXUINT, G_MAXUINT64);
  g_autoptr (JankReport) report = jank_store_load (store, gist->id, NULL);
  Known *known;

  if (report == NULL || g_strcmp0 (report->culprit.function, gist->culprit.function) != 0)
    return NULL;
  known = g_new0 (Known, 1);
  known->raw = jank_live_gist_new (report);
  jank_report_fill_lines (report, self->lines);
  known->named = jank_live_gist_new (report);
  known->named->culprit.file = g_strdup (report->culprit.file);
  known->named->culprit.line = report->culprit.line;
  return known;
}

/* Another stall of the problem may have met a thread elsewhere. */
static void
copy_thread (const Known *known, JankReportThread *thread)
{
  const JankReportThread *raw = jank_report_find_thread (known->raw, thread->tid);
  const JankReportThread *named = jank_report_find_thread (known->named, thread->tid);

  if (raw == NULL || named == NULL || g_strcmp0 (raw->function, thread->function) != 0)
    return;
  jank_set_text (&thread->function, named->function);
  jank_set_text (&thread->file, named->file);
  thread->line = named->line;
}

/* Filled once, a gist has other names than its report. */
void
gist_places_fill (GistPlaces *self, const char *store, JankReport *gist)
{
  g_autofree char *key = g_strconcat (gist->id, "\n", gist->culprit.function, NULL);
  const Known *known;

  if (gist->culprit.file != NULL || store == NULL || !jank_store_is_id (gist->id))
    return;
  if (!g_hash_table_contains (self->places, key))
    g_hash_table_insert (self->places, g_strdup (key), load_known (self, store, gist));
  known = g_hash_table_lookup (self->places, key);
  if (known == NULL)
    return;
  jank_set_text (&gist->culprit.function, known->named->culprit.function);
  jank_set_text (&gist->culprit.file, known->named->culprit.file);
  gist->culprit.line = known->named->culprit.line;
  for (guint i = 0; i < gist->threads->len; i++)
    copy_thread (known, g_ptr_array_index (gist->threads, i));
}
