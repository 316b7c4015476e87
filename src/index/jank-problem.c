/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "index/jank-problem-private.h"

#include <string.h>

#include "base/jank-order-private.h"
#include "frames/jank-hang-rate-private.h"
#include "json/jank-json-private.h"

static void
problem_free (gpointer data)
{
  JankProblem *self = data;

  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->apps);
  g_ptr_array_unref (self->versions);
  g_free (self->key);
  g_free (self);
}

/* text: (nullable) */
static void
add_text (GPtrArray *texts, const char *text)
{
  if (text != NULL && !g_ptr_array_find_with_equal_func (texts, text, g_str_equal, NULL))
    g_ptr_array_add (texts, (gpointer) text);
}

/* Days since the Unix epoch, in local time */
static gint64
get_day (gint64 real_us)
{
  GTimeZone *zone = jank_json_time_zone ();
  gint64 s = real_us / G_USEC_PER_SEC;
  gint interval = g_time_zone_find_interval (zone, G_TIME_TYPE_UNIVERSAL, s);

  return (s + (interval >= 0 ? g_time_zone_get_offset (zone, interval) : 0)) / 86400;
}

/* A report that does not say how long each stall was has one of the longest length, and all others of the mean. */
static void
add_lengths (JankProblem *self, GArray *lengths, const JankRow *row)
{
  JankReportLength one = { row->longest_ns, 1 };
  JankReportLength others = { 0, row->count - 1 };

  if (row->lengths != NULL && row->lengths->len > 0)
    {
      g_array_append_vals (lengths, row->lengths->data, row->lengths->len);
      return;
    }
  g_array_append_val (lengths, one);
  if (others.count == 0)
    return;
  others.ns = MAX (row->total_ns - row->longest_ns, 0) / others.count;
  g_array_append_val (lengths, others);
  self->estimated = TRUE;
}

JANK_ORDER_RISING (compare_length_cb, JankReportLength, ->ns)

/* The shortest that a share of all does not exceed. lengths: shortest first */
static gint64
percentile (const GArray *lengths, double share)
{
  guint64 n = 0, n_below = 0;

  for (guint i = 0; i < lengths->len; i++)
    n += g_array_index (lengths, JankReportLength, i).count;
  for (guint i = 0; i < lengths->len; i++)
    {
      n_below += g_array_index (lengths, JankReportLength, i).count;
      if ((double) n_below >= share * (double) n)
        return g_array_index (lengths, JankReportLength, i).ns;
    }
  return 0;
}

static gint64
get_hung_ns (const JankRow *row)
{
  gint64 hung_ns = 0;

  if (row->kind != JANK_REPORT_STALL && row->kind != JANK_REPORT_STARTUP)
    return 0;
  if (row->lengths == NULL || row->lengths->len == 0)
    return row->count == 1 ? (row->longest_ns > JANK_HANG_MIN_NS ? row->longest_ns : 0)
           : row->total_ns / row->count > JANK_HANG_MIN_NS ? row->total_ns
           : row->longest_ns > JANK_HANG_MIN_NS ? row->longest_ns : 0;
  if (g_array_index (row->lengths, JankReportLength, 0).ns > JANK_HANG_MIN_NS)
    return row->total_ns;
  JANK_EACH_IN (const JankReportLength, length, row->lengths)
    if (length->ns > JANK_HANG_MIN_NS)
      hung_ns += length->ns * length->count;
  return hung_ns;
}

/* Processes of sessions by "session-pid", and how long each program was watched. */
typedef struct
{
  GHashTable *processes;
  GHashTable *watched_ns; /* by program; gint64, (owned) */
} Watched;

static void
count_watched (Watched *watched, GPtrArray *files)
{
  watched->processes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  watched->watched_ns = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  JANK_EACH (const JankSessionSummary, file, files)
    {
      const char *name = file->app.name != NULL ? file->app.name : "";
      gint64 *watched_ns = g_hash_table_lookup (watched->watched_ns, name);

      g_hash_table_add (watched->processes, jank_session_name_process (file->session, file->app.pid));
      if (watched_ns == NULL)
        g_hash_table_insert (watched->watched_ns, (gpointer) name, watched_ns = g_new0 (gint64, 1));
      jank_json_sum (watched_ns, file->hangs.watched_ns);
    }
}

static void
add_hang_rate (JankProblem *self, const Watched *watched)
{
  JankHangRate rate = { 0 };
  gint64 running_ns = 0;

  JANK_EACH (const JankRow, row, self->rows)
    {
      g_autofree char *process = row->session != NULL ? jank_session_name_process (row->session, row->pid) : NULL;

      if (process != NULL && g_hash_table_contains (watched->processes, process))
        rate.hung_ns += get_hung_ns (row);
    }
  for (guint i = 0; i < self->apps->len; i++)
    {
      const gint64 *watched_ns = g_hash_table_lookup (watched->watched_ns, g_ptr_array_index (self->apps, i));

      if (watched_ns != NULL)
        jank_json_sum (&running_ns, *watched_ns);
    }
  self->watched_ns = running_ns;
  self->hang_s_per_hour = running_ns > 0 ? jank_hang_rate_get (&rate, running_ns) : -1.0;
}

static void
add_row (JankProblem *self, const JankRow *row, gint64 newest_day)
{
  gint64 age = newest_day - get_day (row->last_us);

  g_ptr_array_add (self->rows, (gpointer) row);
  add_text (self->apps, row->app);
  add_text (self->versions, row->version != NULL ? row->version : row->build);
  self->count += row->count;
  jank_json_sum (&self->total_ns, MIN (row->total_ns, JANK_JSON_MAX_COUNT));
  if (self->longest == NULL || row->longest_ns > self->longest->longest_ns)
    self->longest = row;
  self->longest_ns = self->longest->longest_ns;
  self->first_us = self->first_us == 0 ? row->first_us : MIN (self->first_us, row->first_us);
  self->last_us = MAX (self->last_us, row->last_us);
  if (age >= 0 && age < JANK_PROBLEM_N_DAYS)
    self->days[JANK_PROBLEM_N_DAYS - 1 - age] += row->count;
}

static void
complete (JankProblem *self, const Watched *watched)
{
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (JankReportLength));

  for (guint i = 0; i < self->rows->len; i++)
    add_lengths (self, lengths, g_ptr_array_index (self->rows, i));
  g_array_sort (lengths, compare_length_cb);
  self->p50_ns = percentile (lengths, 0.5);
  self->p95_ns = percentile (lengths, 0.95);
  add_hang_rate (self, watched);
}

static int
compare_total_cb (gconstpointer a, gconstpointer b)
{
  const JankProblem *x = *(JankProblem *const *) a, *y = *(JankProblem *const *) b;

  return x->total_ns > y->total_ns ? -1 : x->total_ns < y->total_ns ? 1 : strcmp (x->key, y->key);
}

/* Returns: (transfer full) (element-type utf8): at least one, "" for none */
static GPtrArray *
find_keys (const JankRow *row, JankBy by)
{
  const char *const texts[] = {
    [JANK_BY_FINGERPRINT] = row->fingerprint, [JANK_BY_APP] = row->app, [JANK_BY_EXTENSION] = row->extension,
    [JANK_BY_SOURCE] = row->source,
  };
  const char *const prefix = by == JANK_BY_WINDOW ? "window=" : "";
  gboolean is_tag = by == JANK_BY_WINDOW || by == JANK_BY_TAG;
  g_auto (GStrv) tags = g_strsplit (is_tag && row->tags != NULL ? row->tags : "", "\n", -1);
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; tags[i] != NULL; i++)
    if (g_str_has_prefix (tags[i], prefix))
      g_ptr_array_add (keys, g_strdup (tags[i] + strlen (prefix)));
  if (keys->len == 0)
    g_ptr_array_add (keys, g_strdup (!is_tag && texts[by] != NULL ? texts[by] : ""));
  return keys;
}

/* problems: known holds them by their keys */
static JankProblem *
get_problem (GPtrArray *problems, GHashTable *known, const char *key)
{
  JankProblem *problem = g_hash_table_lookup (known, key);

  if (problem != NULL)
    return problem;
  problem = g_new0 (JankProblem, 1);
  problem->key = g_strdup (key);
  problem->rows = g_ptr_array_new ();
  problem->apps = g_ptr_array_new ();
  problem->versions = g_ptr_array_new ();
  g_hash_table_insert (known, problem->key, problem);
  g_ptr_array_add (problems, problem);
  return problem;
}

GPtrArray *
jank_problems_new (GPtrArray *rows, GPtrArray *files, JankBy by)
{
  GPtrArray *problems = g_ptr_array_new_with_free_func (problem_free);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  Watched watched;
  gint64 newest_us = 0, newest_day;

  for (guint i = 0; i < rows->len; i++)
    newest_us = MAX (newest_us, ((JankRow *) g_ptr_array_index (rows, i))->last_us);
  newest_day = get_day (newest_us);
  JANK_EACH (const JankRow, row, rows)
    {
      g_autoptr (GPtrArray) keys = find_keys (row, by);

      for (guint k = 0; k < keys->len; k++)
        add_row (get_problem (problems, known, g_ptr_array_index (keys, k)), row, newest_day);
    }
  count_watched (&watched, files);
  for (guint i = 0; i < problems->len; i++)
    complete (g_ptr_array_index (problems, i), &watched);
  g_hash_table_unref (watched.processes);
  g_hash_table_unref (watched.watched_ns);
  g_ptr_array_sort (problems, compare_total_cb);
  return problems;
}
