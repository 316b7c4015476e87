/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/jank-comparison-private.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"

#define MIN_SESSIONS_OF_CLAIM 3 /* on both sides together */
#define HOURS(ns) ((double) (ns) / (3600.0 * JANK_NS_PER_S))
#define MS(ns) ((double) (ns) / JANK_NS_PER_MS)

const char *const jank_metric_nicks[] = { "hang-rate", "stalls", "stalled", "longest", "fps", "late-share",
                                          "hitch-ratio",
                                          "input-p98" };
const char *const jank_metric_units[] = { "s/h", "1/h", "s/h", "ms", "1/s", "%", "ms/s", "ms" };
const char *const jank_change_nicks[] = { "cannot-tell", "new", "slower", "faster", "gone" };
const char *const jank_limit_nicks[] = { "kept", "exceeded", "cannot-tell" };

/* One side while it is being read. */
typedef struct
{
  GHashTable *sessions;  /* (element-type utf8 guint): place in the arrays of parts, plus 1 */
  GHashTable *processes; /* (owned utf8) (element-type utf8 guint): the same, by "session-pid" */
  GArray     *watched;   /* hours of each session, double */
} Side;

static void
add (JankComparison *self, JankMetric metric, guint side, guint session, double amount, double extent)
{
  JankPart *part = &g_array_index (self->parts[metric][side], JankPart, session);

  part->amount += amount;
  part->extent += extent;
}

/* Of the process where it is largest. */
static void
add_largest (JankComparison *self, JankMetric metric, guint side, guint session, gint64 length_ns)
{
  JankPart *part = &g_array_index (self->parts[metric][side], JankPart, session);

  part->amount = MAX (part->amount, MS (length_ns));
  part->extent = 1;
}

static void
add_frames (JankComparison *self, guint side, guint session, const JankFrameNumbers *numbers)
{
  double active_s = (double) numbers->counts.active_ns / JANK_NS_PER_S;
  double n_judged = numbers->fps > 0 ? numbers->fps * active_s : 0;

  if (n_judged <= 0)
    return;
  add (self, JANK_METRIC_FPS, side, session, n_judged, active_s);
  add (self, JANK_METRIC_LATE_SHARE, side, session, 100.0 * (double) numbers->counts.late_program, n_judged);
  add (self, JANK_METRIC_HITCH_RATIO, side, session, numbers->hitch_ms_per_s * active_s, active_s);
}

static void
add_file (JankComparison *self, guint at, Side *side, const JankSessionSummary *file)
{
  double hours = HOURS (file->hangs.watched_ns);
  const JankSessionStall *worst = jank_session_summary_worst (file);
  guint session = GPOINTER_TO_UINT (g_hash_table_lookup (side->sessions, file->session));

  if (session == 0)
    {
      session = ++self->n_sessions[at];
      g_hash_table_insert (side->sessions, file->session, GUINT_TO_POINTER (session));
      for (guint i = 0; i < JANK_N_METRICS; i++)
        g_array_set_size (self->parts[i][at], session);
      g_array_set_size (side->watched, session);
    }
  g_hash_table_insert (side->processes, jank_session_name_process (file->session, file->app.pid),
                       GUINT_TO_POINTER (session));
  session--;
  self->watched_ns[at] += file->hangs.watched_ns;
  g_array_index (side->watched, double, session) += hours;
  add (self, JANK_METRIC_HANG_RATE, at, session, (double) file->hangs.hung_ns / JANK_NS_PER_S, hours);
  add (self, JANK_METRIC_STALLS, at, session, (double) file->n_stalls, hours);
  add (self, JANK_METRIC_STALLED, at, session, (double) file->total_ns / JANK_NS_PER_S, hours);
  add_largest (self, JANK_METRIC_LONGEST, at, session, worst != NULL ? worst->duration_ns : 0);
  if (file->inputs.answered.n > 0)
    add_largest (self, JANK_METRIC_INPUT_P98, at, session, file->inputs.answered.p98_ns);
  if (file->frame_clock != NULL)
    add_frames (self, at, session, &file->frame_clock->numbers);
}

/* Returns: (transfer full): what tells a process of a session from all others */
static char *
identify (const JankSessionSummary *file)
{
  return g_strdup_printf ("%s-%d-%" G_GINT64_FORMAT, file->session, file->app.pid, file->began_real_us);
}

static int
compare_files_cb (gconstpointer a, gconstpointer b)
{
  const JankSessionSummary *x = *(JankSessionSummary *const *) a, *y = *(JankSessionSummary *const *) b;
  int order = strcmp (x->session, y->session);

  return order != 0 ? order : x->app.pid - y->app.pid;
}

/* In the order of their names: chance has the same seed each time. */
static void
add_files (JankComparison *self, guint at, Side *side, GPtrArray *all, GHashTable *others)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new ();

  for (guint i = 0; i < all->len; i++)
    if (((JankSessionSummary *) g_ptr_array_index (all, i))->session != NULL)
      g_ptr_array_add (files, g_ptr_array_index (all, i));
  g_ptr_array_sort (files, compare_files_cb);
  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *identity = identify (g_ptr_array_index (files, i));

      if (!g_hash_table_contains (others, identity))
        add_file (self, at, side, g_ptr_array_index (files, i));
      else if (at == 0)
        self->n_shared++;
    }
}

static GHashTable *
identify_all (GPtrArray *files)
{
  GHashTable *identities = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < files->len; i++)
    if (((JankSessionSummary *) g_ptr_array_index (files, i))->session != NULL)
      g_hash_table_add (identities, identify (g_ptr_array_index (files, i)));
  return identities;
}

/* The rows of one fingerprint, of both sides. */
typedef struct
{
  GPtrArray *rows[2];
} Rows;

static void
rows_free (gpointer data)
{
  Rows *self = data;

  g_ptr_array_unref (self->rows[0]);
  g_ptr_array_unref (self->rows[1]);
  g_free (self);
}

static JankChange
judge_difference (const JankDifference *difference, const guint n[2], guint n_claims)
{
  for (guint i = 0; i < 2; i++)
    if (difference->n_with[1 - i] == 0)
      return difference->n_with[i] > 0 && n[1 - i] > 0 &&
             jank_claim_chance (difference->n_with[i], n[i], n[1 - i]) <= JANK_CLAIM_MAX_CHANCE / n_claims + 1e-9
               ? (i == 1 ? JANK_CHANGE_NEW : JANK_CHANGE_GONE) : JANK_CHANGE_CANNOT_TELL;
  if (difference->time.too_few)
    return JANK_CHANGE_CANNOT_TELL;
  return difference->time.low > 0 ? JANK_CHANGE_SLOWER
         : difference->time.high < 0 ? JANK_CHANGE_FASTER : JANK_CHANGE_CANNOT_TELL;
}

static JankDifference *
difference_new (const JankComparison *self, const Rows *rows, const Side sides[2])
{
  JankDifference *difference = g_new0 (JankDifference, 1);
  GArray *parts[2];

  for (guint at = 0; at < 2; at++)
    {
      parts[at] = g_array_new (FALSE, TRUE, sizeof (JankPart));
      g_array_set_size (parts[at], self->n_sessions[at]);
      for (guint i = 0; i < parts[at]->len; i++)
        g_array_index (parts[at], JankPart, i).extent = g_array_index (sides[at].watched, double, i);
      JANK_EACH (const JankRow, row, rows->rows[at])
        {
          g_autofree char *name = row->session != NULL ? jank_session_name_process (row->session, row->pid) : NULL;
          guint session = name != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (sides[at].processes, name)) : 0;
          JankPart *part;

          if (difference->longest[at] == NULL || row->longest_ns > difference->longest[at]->longest_ns)
            difference->longest[at] = row;
          if (session == 0)
            {
              difference->n_loose += row->count;
              continue;
            }
          part = &g_array_index (parts[at], JankPart, session - 1);
          difference->n_with[at] += part->amount <= 0;
          part->amount += MAX (MS (row->total_ns), 1e-6);
        }
    }
  difference->time = jank_claim_new (parts[0], parts[1], 1);
  g_array_unref (parts[0]);
  g_array_unref (parts[1]);
  return difference;
}

/* With hundreds of problems, chance makes some look worse. What is in fewer sessions than can make a claim counts
 * for none. */
static void
judge_differences (JankComparison *self)
{
  guint n_claims = 0;

  JANK_EACH (const JankDifference, difference, self->differences)
    n_claims += difference->n_with[0] + difference->n_with[1] >= MIN_SESSIONS_OF_CLAIM;
  JANK_EACH (JankDifference, difference, self->differences)
    {
      jank_claim_widen (&difference->time, n_claims);
      difference->verdict = difference->n_with[0] + difference->n_with[1] >= MIN_SESSIONS_OF_CLAIM
                              ? judge_difference (difference, self->n_sessions, n_claims) : JANK_CHANGE_CANNOT_TELL;
    }
}

static double
get_weight (const JankDifference *difference)
{
  double a = difference->time.n_a > 0 ? difference->time.a : 0, b = difference->time.n_b > 0 ? difference->time.b : 0;

  return ABS (b - a);
}

static const char *
get_fingerprint (const JankDifference *difference)
{
  return difference->longest[difference->longest[1] != NULL]->fingerprint;
}

/* What is known comes first. */
static int
compare_difference_cb (gconstpointer a, gconstpointer b)
{
  const JankDifference *x = *(JankDifference *const *) a, *y = *(JankDifference *const *) b;
  guint u = x->verdict != JANK_CHANGE_CANNOT_TELL ? x->verdict : JANK_N_CHANGES;
  guint v = y->verdict != JANK_CHANGE_CANNOT_TELL ? y->verdict : JANK_N_CHANGES;
  double i = get_weight (x), j = get_weight (y);

  if (u != v)
    return u < v ? -1 : 1;
  return i > j ? -1 : i < j ? 1 : strcmp (get_fingerprint (x), get_fingerprint (y));
}

static void
compare_problems (JankComparison *self, GPtrArray *const rows[2], const Side sides[2])
{
  g_autoptr (GHashTable) problems = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, rows_free);
  GHashTableIter iter;
  gpointer value;

  for (guint at = 0; at < 2; at++)
    JANK_EACH (JankRow, row, rows[at])
      {
        Rows *problem = g_hash_table_lookup (problems, row->fingerprint);

        if (problem == NULL)
          {
            problem = g_new0 (Rows, 1);
            problem->rows[0] = g_ptr_array_new ();
            problem->rows[1] = g_ptr_array_new ();
            g_hash_table_insert (problems, row->fingerprint, problem);
          }
        g_ptr_array_add (problem->rows[at], row);
      }
  g_hash_table_iter_init (&iter, problems);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (self->differences, difference_new (self, value, sides));
  judge_differences (self);
  g_ptr_array_sort (self->differences, compare_difference_cb);
}

JankComparison *
jank_comparison_new (GPtrArray *const rows[2], GPtrArray *const files[2])
{
  JankComparison *self = g_new0 (JankComparison, 1);
  g_autoptr (GHashTable) a = identify_all (files[0]), b = identify_all (files[1]);
  Side sides[2];

  self->differences = g_ptr_array_new_with_free_func (g_free);
  for (guint at = 0; at < 2; at++)
    {
      sides[at].sessions = g_hash_table_new (g_str_hash, g_str_equal);
      sides[at].processes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      sides[at].watched = g_array_new (FALSE, TRUE, sizeof (double));
      for (guint i = 0; i < JANK_N_METRICS; i++)
        self->parts[i][at] = g_array_new (FALSE, TRUE, sizeof (JankPart));
      add_files (self, at, &sides[at], files[at], at == 0 ? b : a);
    }
  for (guint i = 0; i < JANK_N_METRICS; i++)
    self->metrics[i] = jank_claim_new (self->parts[i][0], self->parts[i][1], 1);
  compare_problems (self, rows, sides);
  for (guint at = 0; at < 2; at++)
    {
      g_hash_table_unref (sides[at].sessions);
      g_hash_table_unref (sides[at].processes);
      g_array_unref (sides[at].watched);
    }
  return self;
}

void
jank_comparison_free (JankComparison *self)
{
  for (guint i = 0; i < JANK_N_METRICS; i++)
    {
      g_array_unref (self->parts[i][0]);
      g_array_unref (self->parts[i][1]);
    }
  g_ptr_array_unref (self->differences);
  g_free (self);
}

gint
jank_comparison_judge (const JankComparison *self, JankMetric metric)
{
  const JankClaim *claim = &self->metrics[metric];
  gint worse = metric == JANK_METRIC_FPS ? -1 : 1;

  return claim->too_few ? 0 : claim->low > 0 ? worse : claim->high < 0 ? -worse : 0;
}

/* How many problems got a verdict, and how many might have. */
static JankLimitResult
check_problems (const JankComparison *self, JankChange verdict, double limit)
{
  guint n = 0, n_perhaps = 0;

  JANK_EACH (const JankDifference, difference, self->differences)
    {
      n += difference->verdict == verdict;
      n_perhaps += difference->verdict == JANK_CHANGE_CANNOT_TELL &&
                   (verdict == JANK_CHANGE_NEW ? difference->n_with[0] == 0
                                                : difference->n_with[0] > 0 && difference->n_with[1] > 0);
    }
  if (n > limit)
    return JANK_LIMIT_EXCEEDED;
  return self->n_sessions[0] == 0 || self->n_sessions[1] == 0 || n + n_perhaps > limit ? JANK_LIMIT_CANNOT_TELL
                                                                                         : JANK_LIMIT_KEPT;
}

gboolean
jank_comparison_check (const JankComparison *self, const char *text, JankLimitResult *ret_result, GError **error)
{
  gsize n = strcspn (text, "<>");
  g_autofree char *name = g_strndup (text, n);
  const char *number = text[n] != '\0' ? text + n + 1 : "";
  char *end = (char *) number;
  double limit = g_ascii_isdigit (*number) || (*number != '\0' && strchr ("+-.", *number) != NULL)
                   ? g_ascii_strtod (number, &end) : 0;
  gboolean relative = *end == '%' && end[1] == '\0', is_signed = *number == '+' || *number == '-',
      above = text[n] == '>';
  JankChange verdict = strcmp (name, "new") == 0 ? JANK_CHANGE_NEW
                        : strcmp (name, "slower") == 0 ? JANK_CHANGE_SLOWER : JANK_CHANGE_CANNOT_TELL;
  guint metric = 0;
  JankClaim claim;

  while (metric < JANK_N_METRICS && strcmp (name, jank_metric_nicks[metric]) != 0)
    metric++;
  if (end == number || (*end != '\0' && !relative) || !(ABS (limit) < 1e12) ||
      (relative && (!is_signed || limit <= -100)) ||
      (verdict != JANK_CHANGE_CANNOT_TELL ? is_signed || !above : metric == JANK_N_METRICS))
    {
      g_autofree char *metrics = g_strjoin (", ", "new", "slower", jank_metric_nicks[0], jank_metric_nicks[1],
                                            jank_metric_nicks[2], jank_metric_nicks[3], jank_metric_nicks[4],
                                            jank_metric_nicks[5], jank_metric_nicks[6], jank_metric_nicks[7], NULL);

      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
                   _("‘%s’ is not a limit; use, for example, “hang-rate>+10%%”, “fps<-5”, “longest>500” or “new>0”. "
                     "Metrics: %s"), text, metrics);
      return FALSE;
    }
  if (self == NULL)
    return TRUE;
  if (verdict != JANK_CHANGE_CANNOT_TELL)
    {
      *ret_result = check_problems (self, verdict, limit);
      return TRUE;
    }
  claim = jank_claim_new (self->parts[metric][0], self->parts[metric][1], relative ? 1 + limit / 100 : is_signed
                          ? 1 : 0);
  if (relative)
    limit = 0;
  /* B alone is what it is, however few its sessions are. */
  if (!relative && !is_signed && claim.n_b > 0 && claim.too_few)
    {
      *ret_result = (above ? claim.b > limit : claim.b < limit) ? JANK_LIMIT_EXCEEDED : JANK_LIMIT_KEPT;
      return TRUE;
    }
  *ret_result = claim.too_few ? JANK_LIMIT_CANNOT_TELL
                : (above ? claim.low > limit : claim.high < limit) ? JANK_LIMIT_EXCEEDED
                : (above ? claim.high <= limit : claim.low >= limit) ? JANK_LIMIT_KEPT
                                                                     : JANK_LIMIT_CANNOT_TELL;
  return TRUE;
}

char *
jank_comparison_number_text (double number, gboolean with_sign)
{
  if (!isfinite (number))
    return g_strdup ("–");
  return g_strdup_printf (with_sign ? "%+.*f" : "%.*f", ABS (number) < 10 ? 2 : ABS (number) < 1000 ? 1 : 0, number);
}

char *
jank_comparison_change_text (const JankClaim *claim, double divisor)
{
  g_autofree char *low = jank_comparison_number_text (claim->low / divisor, TRUE);
  g_autofree char *high = jank_comparison_number_text (claim->high / divisor, TRUE);

  return claim->too_few ? g_strdup (_("too few sessions")) : g_strdup_printf ("%s … %s", low, high);
}

const char *
jank_comparison_name_change (JankChange change)
{
  return (const char *[]) { _("cannot tell"), _("new"), _("slower"), _("faster"), _("gone") }[change];
}

GPtrArray *
jank_comparison_list_left_out (const JankComparison *self, const char *a, const char *b)
{
  GPtrArray *sentences = g_ptr_array_new_with_free_func (g_free);
  guint64 n_loose = 0;

  for (guint i = 0; i < self->differences->len; i++)
    n_loose += ((JankDifference *) g_ptr_array_index (self->differences, i))->n_loose;
  for (guint at = 0; at < 2; at++)
    if (self->n_sessions[at] == 0 && self->n_shared == 0)
      g_ptr_array_add (sentences, g_strdup_printf (_("‘%s’ contains no session of “jankwatch run”"), at == 0 ? a : b));
  if (self->n_shared > 0)
    g_ptr_array_add (sentences, g_strdup_printf (
      ngettext ("%u process is in both sets and counts in neither",
                "%u processes are in both sets and count in neither", self->n_shared), self->n_shared));
  if (n_loose > 0)
    g_ptr_array_add (sentences, g_strdup_printf (
      ngettext ("%u stall belongs to no compared session", "%u stalls belong to no compared session", (gulong) n_loose),
      (guint) MIN (n_loose, G_MAXUINT)));
  return sentences;
}
