/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files are read one by one, and those that have not changed since are not opened: memory does not grow with the store
 * but for the names. */

#include "send/jank-sender-private.h"

#include "report/jank-report-inputs-private.h"
#include "store/jank-folder-private.h"
#include "store/jank-store-private.h"
#include "text/jank-report-lines-private.h"
#include "text/jank-text-private.h"

/* Bytes before compression, which leaves a third or less; a larger report is shortened to so many innermost calls. */
#define MAX_RECORD 12000
#define MAX_CALLS  24

typedef struct
{
  JankStore             *store;
  JankFilter            *filter;
  JankSent              *sent;
  const JankSendOptions *options;
  JankSendResult        *result;
  JankSourceLines       *lines;
} Sender;

void
jank_send_result_clear (JankSendResult *self)
{
  if (self->refused != NULL)
    g_string_free (g_steal_pointer (&self->refused), TRUE);
  g_clear_pointer (&self->words, g_free);
}

/* ret_refused: how many parts of the body the server refuses, G_MAXUINT64: all */
static gboolean
jank_sender_post (Sender *self, const char *path, GBytes *body, guint64 *ret_refused, GError **error)
{
  const JankSendOptions *options = self->options;
  const JankProtocol *protocol = options->target->protocol;
  g_autoptr (GBytes) answer = NULL;
  g_autofree char *words = NULL;
  JankDelivery delivery = options->deliver (path, protocol->type, body, options->data, &answer, error);

  *ret_refused = delivery == JANK_DELIVERY_REFUSED ? G_MAXUINT64 : 0;
  if (delivery == JANK_DELIVERY_TAKEN && answer != NULL && protocol->read_answer != NULL)
    {
      guint64 n_refused = protocol->read_answer (answer, &words);

      *ret_refused = MIN (n_refused, G_MAXUINT32);
    }
  if (self->result->words == NULL && words != NULL && *words != '\0')
    self->result->words = g_steal_pointer (&words);
  return delivery != JANK_DELIVERY_FAILED;
}

/* record (nullable): item only counts. A refused report is never sent again: it counts, too. */
static gboolean
jank_sender_add (Sender *self, const JankItem *item, GBytes *record, GError **error)
{
  guint64 n_refused = 0;

  if (record == NULL)
    {
      jank_sent_add (self->sent, item, 0);
      return TRUE;
    }
  if (!jank_sender_post (self, self->options->target->path, record, &n_refused, error))
    return FALSE;
  self->result->n_sent += n_refused == 0;
  self->result->n_refused += n_refused > 0;
  jank_sent_add (self->sent, item, n_refused == 0 ? g_bytes_get_size (record) : 0);
  return jank_sent_keep (self->sent, error);
}

/* Leaves the innermost calls of the thread that stalled, and the names of the files that they are in. */
static void
jank_sender_shorten (JankReport *report)
{
  const JankReportStack *stack = jank_report_get_stack (report, report->heaviest.stack);
  g_autoptr (GHashTable) shown = g_hash_table_new (NULL, NULL);

  if (stack != NULL)
    g_array_set_size (stack->calls, MIN (stack->calls->len, MAX_CALLS));
  for (guint i = 0; stack != NULL && i < stack->calls->len; i++)
    {
      const JankReportCall *call = jank_report_get_call (report, g_array_index (stack->calls, gint, i));

      g_hash_table_add (shown, (gpointer) jank_report_get_module (report, call));
    }
  for (guint i = 0; i < report->modules->len; i++)
    if (!g_hash_table_contains (shown, report->modules->pdata[i]))
      g_clear_pointer (&((JankReportModule *) report->modules->pdata[i])->build_id, g_free);
  g_ptr_array_set_size (report->threads, (gint) MIN (report->threads->len, 1));
}

static GBytes *
jank_sender_make_record (Sender *self, const JankItem *item, JankReport *report, const char *extension)
{
  const JankSendOptions *options = self->options;
  guint64 n_told = (guint64) (jank_figures_count_times (&item->figures) - item->n_counted + item->n_held);
  GBytes *record = options->target->protocol->log_report (options->identity, report, n_told, extension);

  if (g_bytes_get_size (record) <= MAX_RECORD)
    return record;
  g_bytes_unref (record);
  jank_sender_shorten (report);
  return options->target->protocol->log_report (options->identity, report, n_told, extension);
}

static void
jank_sender_count_report (JankFigures *self, const JankReport *report)
{
  const GArray *lengths = report->repeats.lengths;

  JANK_EACH_IN (const JankReportLength, length, lengths)
    jank_figures_add_time (self, length->ns, length->count);
  if (lengths->len > 0)
    self->n[JANK_SUM_TIMES_NS] = report->repeats.total_ns;
  else if (report->repeats.count > 1)
    jank_figures_add_time (self, report->repeats.total_ns / report->repeats.count, report->repeats.count);
  else
    jank_figures_add_time (self, report->stall.duration_ns, 1);
}

/* A report that is still ongoing has its turn when it has ended. is_same: it was held back and may be sent now. */
static gboolean
jank_sender_report (Sender *self, const JankFolderEntry *entry, gboolean is_known, gboolean is_same, GError **error)
{
  g_autoptr (JankReport) report = jank_store_load (self->store, entry->name, NULL);
  g_autoptr (JankRow) row = NULL;
  g_autoptr (GBytes) record = NULL;
  gboolean may_send = self->options->target->path != NULL && !is_known;
  JankItem item;

  if (report == NULL || report->kind == JANK_REPORT_DUMP || report->stall.outcome == JANK_OUTCOME_ONGOING)
    return TRUE;
  row = jank_row_from_report (report);
  if (!jank_filter_matches (self->filter, row))
    return TRUE;
  if (may_send)
    jank_report_fill_culprit_line (report, self->lines);
  if (self->options->redact)
    {
      jank_report_redact (report);
      jank_table_redact (&jank_row_table, row);
    }
  item = (JankItem) {
    .key = entry->name,
    .stamp_ns = entry->mtime_ns,
    .app = jank_text_or_empty (report->app.name),
    .version = jank_text_or_empty (report->app.version),
    .fingerprint = report->fingerprint != NULL ? report->fingerprint : report->id,
  };
  jank_sender_count_report (&item.figures, report);
  jank_sent_look_up (self->sent, &item);
  item.is_held = may_send && item.n_of_day >= self->options->per_day;
  if (is_same && item.is_held)
    return TRUE;
  if (may_send && !item.is_held)
    record = jank_sender_make_record (self, &item, report, row->extension);
  self->result->n_held += item.is_held;
  return jank_sender_add (self, &item, record, error);
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
jank_sender_process (Sender *self, const JankFolderEntry *entry, gboolean is_known, GError **error)
{
  g_autoptr (JankSessionSummary) process = jank_session_load_file (jank_store_get_folder (self->store), entry->name);
  g_autofree char *key = g_strconcat (JANK_SENT_PROCESS, entry->name, NULL);
  g_autoptr (GBytes) record = NULL;
  JankItem item;

  if (process == NULL || !jank_filter_matches_session (self->filter, process) ||
      jank_process_is_alive (process->app.pid, process->began_real_us))
    return TRUE;
  if (self->options->redact)
    jank_table_redact (&jank_session_summary_table, process);
  item = (JankItem) {
    .key = key,
    .stamp_ns = entry->mtime_ns,
    .app = jank_text_or_empty (process->app.name),
    .version = jank_text_or_empty (process->app.version),
    .fingerprint = "",
    .figures.n = {
      [JANK_SUM_HANG_NS] = process->hangs.hung_ns,
      [JANK_SUM_WATCHED_NS] = process->hangs.watched_ns,
    },
  };
  if (process->frame_clock != NULL)
    {
      item.figures.n[JANK_SUM_FRAMES] = (gint64) process->frame_clock->numbers.counts.frames;
      item.figures.n[JANK_SUM_LATE_PROGRAM] = (gint64) process->frame_clock->numbers.counts.late_program;
      item.figures.n[JANK_SUM_LATE_COMPOSITOR] = (gint64) process->frame_clock->numbers.counts.late_compositor;
    }
  jank_sender_count_inputs (&item.figures, &process->inputs.answered);
  jank_sent_look_up (self->sent, &item);
  if (self->options->target->path != NULL && !is_known)
    record = self->options->target->protocol->log_process (self->options->identity, process, entry->name);
  return jank_sender_add (self, &item, record, error);
}

/* below (nullable): a folder in the store. prefix: of the files' keys. */
static gboolean
jank_sender_run_folder (Sender *self, const char *below, JankFolderNameFunc is_ours, const char *prefix,
                        GError **error)
{
  g_autoptr (GPtrArray) entries = jank_folder_scan (jank_store_get_folder (self->store), below, is_ours, NULL, error);

  if (entries == NULL)
    return FALSE;
  g_ptr_array_sort (entries, jank_folder_compare_newest_first);
  for (guint i = entries->len; i > 0; i--)
    {
      const JankFolderEntry *entry = g_ptr_array_index (entries, i - 1);
      g_autofree char *key = g_strconcat (prefix, entry->name, NULL);
      gboolean is_same, is_held, is_known = jank_sent_has (self->sent, key, entry->mtime_ns, &is_same, &is_held);

      if ((!is_same || is_held) && (*prefix != '\0' ? !jank_sender_process (self, entry, is_known, error)
                                                    : !jank_sender_report (self, entry, is_known && !is_held, is_same,
                                                                           error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
jank_sender_run_totals (Sender *self, GError **error)
{
  const JankSendOptions *options = self->options;
  const JankTarget *target = options->target;
  g_autoptr (GPtrArray) totals = NULL;
  GString **refused = &self->result->refused;

  if (target->totals_path == NULL || !self->sent->has_news)
    return TRUE;
  totals = target->protocol->make_totals (options->identity, self->sent, g_get_real_time ());
  JANK_EACH (const JankTotals, of, totals)
    {
      guint64 n_refused;

      if (!jank_sender_post (self, target->totals_path, of->body, &n_refused, error))
        return FALSE;
      if (n_refused < G_MAXUINT64)
        {
          self->result->n_points_refused += n_refused;
          continue;
        }
      if (*refused == NULL)
        *refused = g_string_new (NULL);
      g_string_append_printf (*refused, "%s%s %s", (*refused)->len > 0 ? ", " : "", of->app, of->version);
    }
  self->sent->has_news = FALSE;
  return jank_sent_keep (self->sent, error);
}

gboolean
jank_sender_run (JankStore *store, JankFilter *filter, JankSent *sent, const JankSendOptions *options,
                 JankSendResult *ret_result, GError **error)
{
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  Sender self = { store, filter, sent, options, ret_result, lines };

  *ret_result = (JankSendResult) { 0 };
  return jank_sender_run_folder (&self, NULL, jank_store_is_id, "", error) &&
         jank_sender_run_folder (&self, JANK_SESSION_FOLDER, jank_session_is_file_name, JANK_SENT_PROCESS, error) &&
         jank_sent_tidy (sent, error) && jank_sender_run_totals (&self, error);
}
