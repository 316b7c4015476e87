/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* New rows are appended all at once, so that a list of thousands is sorted once. GTK's thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

/* An hour with a stall every other second. */
#define MAX_SPANS 2048

struct _JankInspectorLog
{
  GObject                  parent_instance;

  GListStore              *stalls; /* (owned) */
  GHashTable              *by_id;  /* (owned): id to (unowned) stall */
  const JankInspectorHost *host;   /* (nullable) */
  guint64                  next;   /* number of the next report */
  GArray                  *spans;  /* (owned) JankInspectorSpan */
};

G_DEFINE_FINAL_TYPE (JankInspectorLog, jank_inspector_log, G_TYPE_OBJECT)

static void
jank_inspector_log_finalize (GObject *object)
{
  JankInspectorLog *self = JANK_INSPECTOR_LOG (object);

  g_hash_table_unref (self->by_id);
  g_object_unref (self->stalls);
  g_array_unref (self->spans);
  G_OBJECT_CLASS (jank_inspector_log_parent_class)->finalize (object);
}

static void
jank_inspector_log_class_init (JankInspectorLogClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = jank_inspector_log_finalize;
}

static void
jank_inspector_log_clear_span (gpointer span)
{
  g_free (((JankInspectorSpan *) span)->id);
}

static void
jank_inspector_log_init (JankInspectorLog *self)
{
  self->stalls = g_list_store_new (JANK_TYPE_INSPECTOR_STALL);
  self->by_id = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->spans = g_array_new (FALSE, FALSE, sizeof (JankInspectorSpan));
  g_array_set_clear_func (self->spans, jank_inspector_log_clear_span);
}

/* Returns: (transfer full) (nullable): a new row */
static JankInspectorStall *
jank_inspector_log_take_report (JankInspectorLog *self, JankReport *report, GPtrArray *new_stalls)
{
  const char *id = report->id != NULL ? report->id : "";
  JankInspectorStall *stall = jank_inspector_stall_new (jank_report_ref (report));
  gpointer former = g_hash_table_lookup (self->by_id, id);
  JankInspectorSpan span = { .id = g_strdup (id) };
  guint position;

  g_hash_table_insert (self->by_id, g_strdup (id), stall);
  jank_inspector_stall_get_range (stall, &span.began_ns, &span.ended_ns);
  if (self->spans->len >= MAX_SPANS)
    g_array_remove_range (self->spans, 0, MAX_SPANS / 4);
  g_array_append_val (self->spans, span);
  if (former == NULL || !g_list_store_find (self->stalls, former, &position))
    {
      if (former != NULL)
        g_ptr_array_remove (new_stalls, former);
      return stall;
    }
  g_list_store_splice (self->stalls, position, 1, (gpointer *) &stall, 1);
  g_object_unref (stall);
  return NULL;
}

static void
jank_inspector_log_forget_oldest (JankInspectorLog *self, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (JankInspectorStall) stall = g_list_model_get_item (G_LIST_MODEL (self->stalls), i);
      JankReport *report = stall->report;

      g_hash_table_remove (self->by_id, report->id != NULL ? report->id : "");
    }
  g_list_store_splice (self->stalls, 0, n, NULL, 0);
}

static void
jank_inspector_log_set_host (JankInspectorLog *self, const JankInspectorHost *host)
{
  if (self->host == host)
    return;
  self->host = host;
  self->next = 0;
  g_hash_table_remove_all (self->by_id);
  g_array_set_size (self->spans, 0);
  g_list_store_remove_all (self->stalls);
}

guint
jank_inspector_log_update (JankInspectorLog *self, const JankInspectorHost *host)
{
  g_autoptr (GPtrArray) reports = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref);
  g_autoptr (GPtrArray) new_stalls = g_ptr_array_new_with_free_func (g_object_unref);
  guint n;

  jank_inspector_log_set_host (self, host);
  if (host == NULL)
    return 0;
  self->next = host->get_reports (host->data, self->next, reports);
  for (guint i = 0; i < reports->len; i++)
    {
      JankInspectorStall *stall = jank_inspector_log_take_report (self, reports->pdata[i], new_stalls);

      if (stall != NULL)
        g_ptr_array_add (new_stalls, stall);
    }
  n = g_list_model_get_n_items (G_LIST_MODEL (self->stalls));
  if (new_stalls->len > 0)
    g_list_store_splice (self->stalls, n, 0, new_stalls->pdata, new_stalls->len);
  if (n + new_stalls->len > JANK_INSPECTOR_LOG_MAX)
    jank_inspector_log_forget_oldest (self, n + new_stalls->len - JANK_INSPECTOR_LOG_MAX);
  return reports->len;
}

GListModel *
jank_inspector_log_get_model (JankInspectorLog *self)
{
  return G_LIST_MODEL (self->stalls);
}

JankInspectorStall *
jank_inspector_log_get_newest (JankInspectorLog *self)
{
  const JankInspectorSpan *newest;

  if (self->spans->len == 0)
    return NULL;
  newest = &g_array_index (self->spans, JankInspectorSpan, self->spans->len - 1);
  return g_hash_table_lookup (self->by_id, newest->id);
}

const JankInspectorSpan *
jank_inspector_log_get_spans (JankInspectorLog *self, guint *ret_n_spans)
{
  *ret_n_spans = self->spans->len;
  return (const JankInspectorSpan *) (gpointer) self->spans->data;
}

JankInspectorStall *
jank_inspector_log_find (JankInspectorLog *self, gint64 began_ns, gint64 ended_ns)
{
  JankInspectorStall *found = NULL;
  gint64 longest_ns = 0;

  for (guint i = 0; i < self->spans->len; i++)
    {
      const JankInspectorSpan *span = &g_array_index (self->spans, JankInspectorSpan, i);
      JankInspectorStall *stall = g_hash_table_lookup (self->by_id, span->id);

      if (stall != NULL && span->began_ns < ended_ns && span->ended_ns > began_ns &&
          span->ended_ns - span->began_ns > longest_ns)
        {
          found = stall;
          longest_ns = span->ended_ns - span->began_ns;
        }
    }
  return found;
}
