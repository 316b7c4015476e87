/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files are read one by one, and those that have not changed since are not opened: memory does not grow with the store
 * but for the names. */

#include "send/jank-sender-private.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "export/jank-gzip-private.h"
#include "report/jank-report-inputs-private.h"
#include "store/jank-folder-private.h"
#include "store/jank-process-private.h"
#include "text/jank-text-private.h"

#define N_DAY       8 /* letters of an ID that are its day */
#define DAY_BYTES   16000 /* of records a day; with totals each four hours and what is around them, 20 kB */
#define DAY_SHARE   800 /* bytes: DAY_BYTES by the default of per_day, so that a larger one raises both */
#define TOTALS_US   (4 * 3600 * (gint64) G_USEC_PER_SEC) /* between those of a process that goes on */
#define MAX_RECORD  4000 /* bytes; a larger report is sent in brief */

typedef struct _Sender Sender;

/* Bodies of reports and processes go one way, those of totals another. */
typedef struct
{
  const char    *path;
  JankSendStyle  style;
  guint          max_records; /* of a body; fewer once one was too large */
  char        *(*dup_query) (const JankItem *item); /* (nullable) */
  GBytes      *(*make_body) (const JankSendStyle *style, const GPtrArray *items);
  void         (*settle)    (Sender *self, const JankItem *item, gboolean is_taken);
} Way;

struct _Sender
{
  JankStore             *store;
  JankFilter            *filter;
  JankSent              *sent;
  const JankSendOptions *options;
  JankSendResult        *result;
  GPtrArray             *items;   /* (element-type JankItem), of the next body */
  gsize                  n_bytes;
  Way                    reports, totals;
  char                   day[N_DAY + 1]; /* of the last report */
  gsize                  day_bytes;      /* of its day's that were sent or wait */
};

void
jank_send_result_clear (JankSendResult *self)
{
  if (self->refused != NULL)
    g_string_free (g_steal_pointer (&self->refused), TRUE);
  g_clear_pointer (&self->words, g_free);
}

static void
jank_sender_settle_report (Sender *self, const JankItem *item, gboolean is_taken)
{
  self->result->n_sent += is_taken;
  self->result->n_refused += !is_taken;
  jank_sent_add (self->sent, item, is_taken);
}

static void
jank_sender_settle_total (Sender *self, const JankItem *item, gboolean is_taken)
{
  const JankSeries *series = &item->series;
  GString **refused = &self->result->refused;

  jank_sent_drop_total (self->sent, is_taken);
  if (is_taken)
    return;
  if (*refused == NULL)
    *refused = g_string_new (NULL);
  g_string_append_printf (*refused, "%s%s %s%s%s", (*refused)->len > 0 ? ", " : "", series->app, series->version,
                          *series->fingerprint != '\0' ? " " : "", series->fingerprint);
}

/* Of a body that the server has taken, of which it may have refused a part. Returns: how many reports */
static guint
jank_sender_read_answer (Sender *self, const Way *way, GBytes *answer, guint n_items)
{
  JankSendResult *result = self->result;
  g_autofree char *words = NULL;
  guint64 n = answer != NULL && self->options->protocol->read_answer != NULL
                ? self->options->protocol->read_answer (&way->style, answer, &words) : 0;

  if (result->words == NULL && words != NULL && *words != '\0')
    result->words = g_steal_pointer (&words);
  if (way == &self->reports)
    return (guint) MIN (n, n_items);
  result->n_points_refused += MIN (n, G_MAXUINT32);
  return 0;
}

/* items: of the body */
static JankDelivery
jank_sender_post (Sender *self, const Way *way, const GPtrArray *items, GBytes **ret_answer, GError **error)
{
  const JankSendOptions *options = self->options;
  g_autoptr (GBytes) body = way->make_body (&way->style, items);
  g_autofree char *query = way->dup_query != NULL ? way->dup_query (g_ptr_array_index (items, 0)) : NULL;
  g_autofree char *path = g_strconcat (way->path, query, NULL);

  return options->deliver (path, options->protocol->get_type (&way->style), body, options->data, ret_answer, error);
}

/* A body that the server does not take is halved, until it is one item that is to blame. Of one that it has taken but
 * for some, it does not say which, and must not be asked again: unless that is all of them, they count alone. */
static gboolean
jank_sender_deliver (Sender *self, Way *way, const GPtrArray *items, guint from, guint n, GError **error)
{
  g_autoptr (GPtrArray) part = g_ptr_array_new ();
  g_autoptr (GBytes) answer = NULL;
  JankDelivery delivery;
  guint n_refused;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (part, g_ptr_array_index (items, from + i));
  delivery = jank_sender_post (self, way, part, &answer, error);
  if (delivery == JANK_DELIVERY_FAILED)
    return FALSE;
  if (delivery != JANK_DELIVERY_TAKEN && n > 1)
    {
      if (delivery == JANK_DELIVERY_TOO_LARGE)
        way->max_records = n / 2;
      return jank_sender_deliver (self, way, items, from, n / 2, error) &&
             jank_sender_deliver (self, way, items, from + n / 2, n - n / 2, error);
    }
  n_refused = delivery == JANK_DELIVERY_TAKEN ? jank_sender_read_answer (self, way, answer, n) : n;
  for (guint i = 0; i < n; i++)
    way->settle (self, g_ptr_array_index (part, i), n_refused < n);
  if (n_refused < n)
    {
      self->result->n_sent -= n_refused;
      self->result->n_refused += n_refused;
    }
  return jank_sent_keep (self->sent, error);
}

static gboolean
jank_sender_flush (Sender *self, GError **error)
{
  gboolean is_done = self->items->len == 0 ||
                     jank_sender_deliver (self, &self->reports, self->items, 0, self->items->len, error);

  g_ptr_array_set_size (self->items, 0);
  self->n_bytes = 0;
  return is_done;
}

/* Takes item. What is not sent counts at once. */
static gboolean
jank_sender_add (Sender *self, JankItem *item, GError **error)
{
  if (item->record == NULL)
    {
      jank_sent_add (self->sent, item, FALSE);
      jank_item_free (item);
      self->result->n_counted++;
      return TRUE;
    }
  g_ptr_array_add (self->items, item);
  self->n_bytes += g_bytes_get_size (item->record);
  return (self->items->len < self->reports.max_records && self->n_bytes < self->options->max_bytes) ||
         jank_sender_flush (self, error);
}

/* Whether one more of that problem and day may be sent. Sets of how many occurrences it tells beside its own: those
 * that nothing has told that was sent or waits for the same body. */
static gboolean
jank_sender_may_send (Sender *self, JankItem *item)
{
  guint n_same_day = jank_sent_count (self->sent, item->key, item->series.fingerprint);

  item->n_held = jank_sent_get_held (self->sent, &item->series);
  for (guint i = 0; i < self->items->len; i++)
    {
      const JankItem *other = g_ptr_array_index (self->items, i);

      if (!g_str_equal (other->series.fingerprint, item->series.fingerprint))
        continue;
      n_same_day += strncmp (other->key, item->key, N_DAY) == 0;
      if (g_str_equal (other->series.app, item->series.app) &&
          g_str_equal (other->series.version, item->series.version))
        item->n_held -= other->n_held;
    }
  return n_same_day < self->options->per_day;
}

static void
jank_sender_count_report (JankFigures *self, const JankReport *report)
{
  const GArray *lengths = report->repeats.lengths;

  for (guint i = 0; i < lengths->len; i++)
    {
      const JankReportLength *length = &g_array_index (lengths, JankReportLength, i);

      jank_figures_add_time (self, length->ns, length->count);
    }
  if (lengths->len > 0)
    self->sums[JANK_SUM_TIMES_NS] = report->repeats.total_ns;
  else if (report->repeats.count > 1)
    jank_figures_add_time (self, report->repeats.total_ns / report->repeats.count, report->repeats.count);
  else
    jank_figures_add_time (self, report->stall.duration_ns, 1);
}

/* Returns: how large record is on its way, about */
static gsize
jank_sender_measure (Sender *self, GBytes *record)
{
  gsize n_bytes;
  gconstpointer bytes = g_bytes_get_data (record, &n_bytes);
  g_autoptr (GBytes) packed = NULL;

  if (jank_gzip_is_packed (record))
    return n_bytes;
  /* It takes a fifth of the time. Where the limit is raised, text that halves is small enough in any case. */
  if (n_bytes <= 2 * MAX_RECORD && self->options->per_day * (gsize) DAY_SHARE > DAY_BYTES)
    return n_bytes / 2;
  packed = jank_gzip (bytes, n_bytes, 1);
  return g_bytes_get_size (packed);
}

static void
jank_sender_write_record (Sender *self, JankItem *item, JankReport *report, const char *extension, JankDetail detail)
{
  JankSendStyle style = self->options->style;
  guint64 n_told = jank_figures_get_count (&item->figures) + item->n_held;

  style.detail = detail;
  g_clear_pointer (&item->record, g_bytes_unref);
  item->record = self->options->protocol->log_report (&style, report, n_told, extension);
  item->n_bytes = item->record != NULL ? jank_sender_measure (self, item->record) : 0;
}

/* None if the day has no room for it: what is compressed alone is larger than in a body of several. */
static void
jank_sender_make_record (Sender *self, JankItem *item, JankReport *report, const char *extension)
{
  gsize max_bytes = MAX (DAY_BYTES, self->options->per_day * (gsize) DAY_SHARE), max_record;
  JankDetail detail = self->options->style.detail;

  if (strncmp (self->day, item->key, N_DAY) != 0)
    {
      g_strlcpy (self->day, item->key, sizeof self->day);
      self->day_bytes = jank_sent_get_bytes (self->sent, item->key);
    }
  if (self->day_bytes >= max_bytes)
    return;
  jank_sender_write_record (self, item, report, extension, detail);
  max_record = self->options->any_size ? max_bytes - self->day_bytes : MAX_RECORD;
  while (item->n_bytes > max_record && detail < JANK_DETAIL_BRIEF)
    jank_sender_write_record (self, item, report, extension, ++detail);
  if (self->day_bytes + item->n_bytes <= max_bytes)
    {
      self->day_bytes += item->n_bytes;
      return;
    }
  g_clear_pointer (&item->record, g_bytes_unref);
  item->n_bytes = 0;
}

/* A report that is still ongoing has its turn when it has ended. */
static gboolean
jank_sender_report (Sender *self, const JankFolderEntry *entry, gboolean is_known, GError **error)
{
  g_autoptr (JankReport) report = jank_store_load (self->store, entry->name, NULL);
  g_autoptr (JankRow) row = NULL;
  JankItem *item;

  if (report == NULL || report->kind == JANK_REPORT_DUMP || report->stall.outcome == JANK_OUTCOME_ONGOING)
    return TRUE;
  row = jank_row_from_report (report);
  if (!jank_filter_matches (self->filter, row))
    return TRUE;
  if (self->options->redact)
    {
      jank_report_redact (report);
      jank_table_redact (&jank_row_table, row);
    }
  item = jank_item_new (entry->name, entry->mtime_ns, report->app.name, report->app.version,
                        report->fingerprint != NULL ? report->fingerprint : report->id);
  item->from_us = report->stall.began_real_us;
  item->to_us = item->from_us + report->stall.duration_ns / JANK_NS_PER_US;
  jank_sender_count_report (&item->figures, report);
  if (self->options->path != NULL && !is_known && jank_sender_may_send (self, item))
    jank_sender_make_record (self, item, report, row->extension);
  return jank_sender_add (self, item, error);
}

/* Only percentiles are known: each time is as long as the longest of its part. */
static void
jank_sender_count_inputs (JankFigures *self, const JankTimeFigures *times)
{
  guint64 n = times->n;

  jank_figures_add_time (self, times->p50_ns, n / 2);
  jank_figures_add_time (self, times->p75_ns, n * 3 / 4 - n / 2);
  jank_figures_add_time (self, times->p98_ns, n * 98 / 100 - n * 3 / 4);
  jank_figures_add_time (self, times->longest_ns, n - n * 98 / 100);
}

static gboolean
jank_sender_process (Sender *self, const char *folder, const JankFolderEntry *entry, gboolean is_known, GError **error)
{
  g_autoptr (JankSessionSummary) process = jank_session_load_file (folder, entry->name);
  g_autofree char *key = g_strconcat (JANK_SENT_PROCESS, entry->name, NULL);
  JankItem *item;

  if (process == NULL || !jank_filter_matches_session (self->filter, process) ||
      jank_process_is_alive (process->app.pid, process->began_real_us))
    return TRUE;
  if (self->options->redact)
    jank_table_redact (&jank_session_summary_table, process);
  item = jank_item_new (key, entry->mtime_ns, process->app.name, process->app.version, "");
  item->figures.sums[JANK_SUM_HANG_NS] = process->hangs.hung_ns;
  item->figures.sums[JANK_SUM_WATCHED_NS] = process->hangs.watched_ns;
  if (process->frame_clock != NULL)
    {
      item->figures.sums[JANK_SUM_FRAMES] = (gint64) process->frame_clock->numbers.frames;
      item->figures.sums[JANK_SUM_LATE_PROGRAM] = (gint64) process->frame_clock->numbers.late_program;
      item->figures.sums[JANK_SUM_LATE_COMPOSITOR] = (gint64) process->frame_clock->numbers.late_compositor;
    }
  jank_sender_count_inputs (&item->figures, &process->inputs.answered);
  if (self->options->path != NULL && self->options->protocol->log_process != NULL && !is_known)
    item->record = self->options->protocol->log_process (&self->options->style, process, entry->name);
  item->n_bytes = item->record != NULL ? g_bytes_get_size (item->record) : 0;
  return jank_sender_add (self, item, error);
}

static gint
jank_sender_compare_oldest_first_cb (gconstpointer a, gconstpointer b)
{
  return strverscmp ((*(JankFolderEntry *const *) a)->name, (*(JankFolderEntry *const *) b)->name);
}

/* prefix: of the files' keys. */
static gboolean
jank_sender_run_folder (Sender *self, const char *folder, JankFolderNameFunc is_ours, const char *prefix,
                        GError **error)
{
  g_autoptr (GPtrArray) entries = jank_folder_scan (folder, is_ours, NULL, error);

  if (entries == NULL)
    return FALSE;
  g_ptr_array_sort (entries, jank_sender_compare_oldest_first_cb);
  for (guint i = 0; i < entries->len; i++)
    {
      const JankFolderEntry *entry = g_ptr_array_index (entries, i);
      g_autofree char *key = g_strconcat (prefix, entry->name, NULL);
      gboolean is_same, is_known = jank_sent_has (self->sent, key, entry->mtime_ns, &is_same);

      if (is_same)
        continue;
      if (*prefix != '\0' ? !jank_sender_process (self, folder, entry, is_known, error)
                          : !jank_sender_report (self, entry, is_known, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
jank_sender_run_all (Sender *self, GError **error)
{
  const char *folder = jank_store_get_folder (self->store);
  g_autofree char *sessions = g_build_filename (folder, JANK_SESSION_FOLDER, NULL);

  return jank_sender_run_folder (self, folder, jank_store_is_id, "", error) &&
         jank_sender_run_folder (self, sessions, jank_session_is_file_name, JANK_SENT_PROCESS, error) &&
         jank_sender_flush (self, error) && jank_sent_tidy (self->sent, error);
}

static gboolean
jank_sender_post_totals (Sender *self, GError **error)
{
  for (;;)
    {
      g_autoptr (GPtrArray) items = jank_sent_get_totals (self->sent, self->totals.max_records,
                                                          self->options->max_bytes, &self->totals.style.json);

      if (items->len == 0)
        return TRUE;
      if (!jank_sender_deliver (self, &self->totals, items, 0, items->len, error))
        return FALSE;
    }
}

/* First those that an earlier run has left. */
static gboolean
jank_sender_run_totals (Sender *self, GError **error)
{
  const JankSendOptions *options = self->options;
  gint64 now_us;

  if (options->totals_path == NULL)
    return TRUE;
  if (!jank_sender_post_totals (self, error))
    return FALSE;
  if (!jank_sent_has_news (self->sent, TOTALS_US))
    return TRUE;
  /* Clocks are set back, too. */
  now_us = MAX (g_get_real_time (), jank_sent_get_last_us (self->sent) + 1);
  options->protocol->put_totals (&options->style, self->sent, now_us);
  return jank_sent_tell (self->sent, now_us, error) && jank_sender_post_totals (self, error);
}

gboolean
jank_sender_run (JankStore *store, JankFilter *filter, JankSent *sent, const JankSendOptions *options,
                 JankSendResult *ret_result, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (jank_item_free);
  const JankProtocol *protocol = options->protocol;
  Sender self = {
    store, filter, sent, options, ret_result, items,
    .reports = { options->path, options->style, protocol->max_records, protocol->dup_query, protocol->make_body,
                 jank_sender_settle_report },
    .totals = { options->totals_path, options->style, G_MAXUINT, NULL, protocol->make_totals,
                jank_sender_settle_total },
  };

  *ret_result = (JankSendResult) { 0 };
  return jank_sender_run_all (&self, error) && jank_sender_run_totals (&self, error);
}
