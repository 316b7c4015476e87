/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decides for each stall whether a file is written. Reports that wait for the disk are kept as text: a report that was
 * handed out is never changed again. */

#include "config.h"

#include "store/jank-occurrences-private.h"

#include <string.h>

#include "store/jank-day-count-private.h"
#include "report/jank-fingerprint-private.h"
#include "store/jank-occurrence-table-private.h"
#include "report/jank-report-json-private.h"
#include "store/jank-token-bucket-private.h"

#define BYTES_PER_S  (512 * 1024)
#define BURST_BYTES  (256 * 1024)
#define MAX_PENDING  16
#define MAX_FLUSHED  32

/* A stall under way. */
typedef struct
{
  char         *id;          /* (owned) (nullable): none is */
  gint64        began_ns;    /* which one */
  gboolean      on_disk;
  gboolean      counted;     /* as a file that this process began */
  char         *fingerprint; /* (owned) (nullable): when it was written last */
  gint64        written_ns;  /* how long it had lasted then */
  JankAnnealing annealing;
} Ongoing;

struct _JankOccurrences
{
  /* set at construction */
  JankStore           *store;
  gboolean             annealing;
  guint                max_per_session, max_per_day;

  JankOccurrenceTable *table;       /* (owned) */
  Ongoing              ongoing[JANK_N_REPORT_KINDS];
  JankTokenBucket      bucket;
  gboolean             has_bucket;  /* its time began */
  guint                n_files;     /* that this process began */
  char                *newest_id;   /* (owned) (nullable): of the file begun last */

  /* Files of the program today: of all its processes when that was read last, and of this one since then. */
  struct
  {
    guint         day, n_read, n_since;
    JankAnnealing annealing;
  } day;

  guint64              n_writes;
  guint                n_pending;

  struct
  {
    const char   *reached;          /* (nullable): "session", "day" or "rate" */
    guint         count;
    gint64        total_ns;
    JankAnnealing annealing;
    gboolean      dirty;
  } limit;
};

JankOccurrences *
jank_occurrences_new (JankStore *store, const JankSettings *settings)
{
  JankOccurrences *self = g_new0 (JankOccurrences, 1);

  jank_occurrences_set_settings (self, store, settings);
  self->table = jank_occurrence_table_new ();
  return self;
}

void
jank_occurrences_set_settings (JankOccurrences *self, JankStore *store, const JankSettings *settings)
{
  self->store = store;
  self->annealing = settings->annealing;
  self->max_per_session = settings->max_per_session;
  self->max_per_day = settings->max_per_day;
}

static void
ongoing_clear (Ongoing *ongoing)
{
  g_free (ongoing->id);
  g_free (ongoing->fingerprint);
  *ongoing = (Ongoing) { .id = NULL };
}

void
jank_occurrences_free (JankOccurrences *self)
{
  for (guint i = 0; i < JANK_N_REPORT_KINDS; i++)
    ongoing_clear (&self->ongoing[i]);
  jank_occurrence_table_free (self->table);
  g_free (self->newest_id);
  g_free (self);
}

guint
jank_occurrences_get_size (const JankOccurrences *self)
{
  return jank_occurrence_table_get_size (self->table);
}

guint64
jank_occurrences_get_n_writes (const JankOccurrences *self)
{
  return self->n_writes;
}

static void
set_text (char **place, const char *text)
{
  g_free (*place);
  *place = g_strdup (text);
}

static gboolean
may_write (JankOccurrences *self, gint64 now_ns)
{
  if (!self->has_bucket)
    jank_token_bucket_init (&self->bucket, BYTES_PER_S, BURST_BYTES, now_ns);
  self->has_bucket = TRUE;
  return jank_token_bucket_has (&self->bucket, now_ns);
}

static void
fill_limit (JankOccurrences *self, JankReport *report)
{
  if (self->limit.reached == NULL)
    return;
  set_text (&report->limit.reached, self->limit.reached);
  report->limit.count = self->limit.count;
  report->limit.total_ns = self->limit.total_ns;
}

/* Only the first error is kept. */
static gboolean
write_report (JankOccurrences *self, JankReport *report, GError **error)
{
  gsize n_bytes = 0;
  gboolean written = jank_store_write (self->store, report, &n_bytes, error != NULL && *error == NULL ? error : NULL);

  jank_token_bucket_spend (&self->bucket, n_bytes);
  self->n_writes++;
  return written;
}

static void
drop_pending (JankOccurrences *self, JankOccurrenceEntry *entry)
{
  if (entry->pending != NULL)
    self->n_pending--;
  g_clear_pointer (&entry->pending, g_free);
}

/* The report that belongs in the file of entry: the one that waits, that on disk, or where somebody removed it, the
 * given one (nullable). Returns: (transfer full) (nullable) */
static JankReport *
get_report (JankOccurrences *self, JankOccurrenceEntry *entry, JankReport *current)
{
  JankReport *report = NULL;

  if (entry->pending != NULL)
    return jank_report_from_json (entry->pending, strlen (entry->pending), NULL);
  if (entry->on_disk)
    report = jank_store_load (self->store, entry->id, NULL);
  return report != NULL ? report : current != NULL ? jank_report_ref (current) : NULL;
}

/* Puts report into the file of entry. Whether or not that works: the next attempt is as far away as after a write. */
static void
save_entry (JankOccurrences *self, JankOccurrenceEntry *entry, JankReport *report, gint64 now_ns, GError **error)
{
  jank_annealing_wrote (&entry->annealing, now_ns);
  set_text (&report->id, entry->id);
  set_text (&report->fingerprint, entry->fingerprint);
  jank_occurrence_entry_fill (entry, report);
  fill_limit (self, report);
  if (!write_report (self, report, error))
    return;
  drop_pending (self, entry);
  entry->on_disk = TRUE;
  entry->dirty = FALSE;
  if (g_strcmp0 (self->newest_id, entry->id) == 0)
    self->limit.dirty = FALSE;
}

static void
write_entry (JankOccurrences *self, JankOccurrenceEntry *entry, JankReport *current, gint64 now_ns, GError **error)
{
  g_autoptr (JankReport) report = get_report (self, entry, current);

  if (report != NULL)
    save_entry (self, entry, report, now_ns, error);
}

static void
count_limited (JankOccurrences *self, const char *reached, guint count, gint64 total_ns)
{
  self->limit.reached = reached;
  self->limit.count += MIN (count, G_MAXINT - self->limit.count);
  self->limit.total_ns += MIN (total_ns, G_MAXINT64 / 2 - self->limit.total_ns);
  self->limit.dirty = TRUE;
  jank_annealing_note (&self->limit.annealing);
}

/* What never got a file is at least counted. */
static void
forget (JankOccurrences *self, JankOccurrenceEntry *entry)
{
  drop_pending (self, entry);
  if (!entry->on_disk)
    count_limited (self, "rate", entry->count, entry->total_ns);
  jank_occurrence_table_remove (self->table, entry);
}

/* Writes the waiting reports while the rate allows it, and forgets those that are too many. */
static void
settle_pending (JankOccurrences *self, gint64 now_ns, GError **error)
{
  g_autoptr (GPtrArray) entries = NULL;

  if (self->n_pending == 0)
    return;
  entries = jank_occurrence_table_list (self->table);
  for (guint i = 0; i < entries->len && may_write (self, now_ns); i++)
    {
      JankOccurrenceEntry *entry = g_ptr_array_index (entries, i);

      if (entry->pending != NULL && !entry->on_disk)
        write_entry (self, entry, NULL, now_ns, error);
    }
  for (guint i = entries->len; i > 0 && self->n_pending > MAX_PENDING; i--)
    {
      JankOccurrenceEntry *entry = g_ptr_array_index (entries, i - 1);

      if (entry->pending != NULL && entry->on_disk)
        drop_pending (self, entry);
      else if (entry->pending != NULL)
        forget (self, entry);
    }
}

static void
make_room (JankOccurrences *self, gint64 now_ns, GError **error)
{
  JankOccurrenceEntry *oldest = jank_occurrence_table_get_oldest (self->table);

  if (oldest == NULL)
    return;
  if ((oldest->dirty || oldest->pending != NULL) && may_write (self, now_ns))
    write_entry (self, oldest, NULL, now_ns, error);
  forget (self, oldest);
}

static const char *
get_program (JankReport *report)
{
  return report->app.exe != NULL ? report->app.exe : report->app.name != NULL ? report->app.name : "";
}

/* (nullable): the limit that another file would go beyond */
static const char *
find_limit (JankOccurrences *self, JankReport *report)
{
  guint day = jank_day_of (report->stall.began_real_us);

  if (self->day.day != day)
    {
      memset (&self->day, 0, sizeof self->day);
      self->day.day = day;
      self->day.n_read = jank_day_count_read (jank_store_get_folder (self->store), get_program (report), day);
    }
  if (self->n_files >= self->max_per_session)
    return "session";
  return self->day.n_read + self->day.n_since >= self->max_per_day ? "day" : NULL;
}

/* A count that cannot be kept limits nothing; one that is kept is written no more often than a report would be. */
static void
begin_file (JankOccurrences *self, JankReport *report, gint64 now_ns)
{
  guint n_today;

  self->n_files++;
  set_text (&self->newest_id, report->id);
  self->day.n_since++;
  jank_annealing_note (&self->day.annealing);
  if (!jank_annealing_is_due (&self->day.annealing, now_ns))
    return;
  jank_annealing_wrote (&self->day.annealing, now_ns);
  n_today = jank_day_count_add (jank_store_get_folder (self->store), get_program (report), self->day.day,
                                self->day.n_since, NULL);
  self->day.n_read = MAX (self->day.n_read + self->day.n_since, n_today);
  self->day.n_since = 0;
}

/* The state of the stall that report is of. */
static Ongoing *
get_ongoing (JankOccurrences *self, JankReport *report)
{
  Ongoing *ongoing = &self->ongoing[report->kind];

  if (ongoing->id == NULL || ongoing->began_ns != report->stall.began_monotonic_ns)
    {
      ongoing_clear (ongoing);
      ongoing->id = jank_store_make_id ();
      ongoing->began_ns = report->stall.began_monotonic_ns;
    }
  return ongoing;
}

static gboolean
is_ongoing_due (const Ongoing *ongoing, const JankOccurrenceEntry *entry, JankReport *report, gint64 now_ns)
{
  if (entry != NULL && report->stall.duration_ns <= entry->longest_ns)
    return FALSE;
  /* What is on disk is never much less than the truth, should it end in SIGKILL. */
  if (2 * report->stall.duration_ns >= 3 * ongoing->written_ns)
    return TRUE;
  return g_strcmp0 (ongoing->fingerprint, report->fingerprint) != 0 || jank_annealing_is_due (&ongoing->annealing, now_ns);
}

void
jank_occurrences_ongoing (JankOccurrences *self, JankReport *report, gint64 now_ns, GError **error)
{
  Ongoing *ongoing = get_ongoing (self, report);
  const JankOccurrenceEntry *entry;

  g_free (report->fingerprint);
  report->fingerprint = jank_fingerprint_new (report);
  entry = self->annealing ? jank_occurrence_table_find (self->table, report->fingerprint) : NULL;
  set_text (&report->id, entry != NULL && !ongoing->on_disk ? entry->id : ongoing->id);
  if (!is_ongoing_due (ongoing, entry, report, now_ns) || !may_write (self, now_ns))
    return;
  if (entry == NULL && !ongoing->counted && find_limit (self, report) != NULL)
    return;

  set_text (&report->id, ongoing->id);
  if (!ongoing->counted && entry == NULL)
    {
      begin_file (self, report, now_ns);
      ongoing->counted = TRUE;
    }
  if (g_strcmp0 (ongoing->fingerprint, report->fingerprint) != 0)
    ongoing->annealing = (JankAnnealing) { .n_written = 0 };
  set_text (&ongoing->fingerprint, report->fingerprint);
  jank_annealing_wrote (&ongoing->annealing, now_ns);
  fill_limit (self, report);
  ongoing->written_ns = report->stall.duration_ns;
  if (write_report (self, report, error))
    ongoing->on_disk = TRUE;
}

void
jank_occurrences_drop (JankOccurrences *self, JankReportKind kind)
{
  Ongoing *ongoing = &self->ongoing[kind];

  if (ongoing->on_disk)
    jank_store_remove (self->store, ongoing->id, NULL);
  if (ongoing->counted)
    self->n_files--;
  if (ongoing->id != NULL && g_strcmp0 (self->newest_id, ongoing->id) == 0)
    g_clear_pointer (&self->newest_id, g_free);
  ongoing_clear (ongoing);
}

/* Its fingerprint has a file already. */
static void
remove_ongoing (JankOccurrences *self, const Ongoing *ongoing, const JankOccurrenceEntry *entry)
{
  if (ongoing->on_disk)
    jank_store_remove (self->store, ongoing->id, NULL);
  if (!ongoing->counted)
    return;
  self->n_files--;
  if (g_strcmp0 (self->newest_id, ongoing->id) == 0)
    set_text (&self->newest_id, entry->id);
}

/* Keeps report as that of entry until it is written. */
static void
keep (JankOccurrences *self, JankOccurrenceEntry *entry, JankReport *report)
{
  drop_pending (self, entry);
  entry->pending = jank_report_to_json (report);
  self->n_pending++;
}

static JankOccurrence
end_again (JankOccurrences *self, JankOccurrenceEntry *entry, JankReport *report, gint64 now_ns, GError **error)
{
  gboolean longest = jank_occurrence_table_count (self->table, entry, report);
  gboolean due = jank_annealing_is_due (&entry->annealing, now_ns) && may_write (self, now_ns);

  set_text (&report->id, entry->id);
  jank_occurrence_entry_fill (entry, report);
  fill_limit (self, report);
  if (longest && due)
    save_entry (self, entry, report, now_ns, error);
  else if (longest)
    keep (self, entry, report);
  else if (due)
    write_entry (self, entry, report, now_ns, error);
  return JANK_OCCURRENCE_AGAIN;
}

static JankOccurrence
end_new (JankOccurrences *self, const Ongoing *ongoing, JankReport *report, gint64 now_ns, GError **error)
{
  JankOccurrenceEntry *entry;

  make_room (self, now_ns, error);
  if (!ongoing->counted)
    begin_file (self, report, now_ns);
  entry = jank_occurrence_table_add (self->table, report->fingerprint, report);
  jank_occurrence_entry_fill (entry, report);
  fill_limit (self, report);
  entry->on_disk = ongoing->on_disk;
  entry->dirty = TRUE;
  /* A file that still says "ongoing" is finished whatever that takes. */
  if (ongoing->on_disk || may_write (self, now_ns))
    save_entry (self, entry, report, now_ns, error);
  else
    keep (self, entry, report);
  return JANK_OCCURRENCE_NEW;
}

static JankOccurrence
end_limited (JankOccurrences *self, const char *reached, JankReport *report)
{
  count_limited (self, reached, 1, report->stall.duration_ns);
  fill_limit (self, report);
  return JANK_OCCURRENCE_LIMITED;
}

/* Without annealing every stall has a file, or none for good. */
static JankOccurrence
end_alone (JankOccurrences *self, const Ongoing *ongoing, JankReport *report, gint64 now_ns, GError **error)
{
  if (!ongoing->on_disk && !may_write (self, now_ns))
    return end_limited (self, "rate", report);
  if (!ongoing->counted)
    begin_file (self, report, now_ns);
  fill_limit (self, report);
  write_report (self, report, error);
  return JANK_OCCURRENCE_NEW;
}

/* The newest report says how many stalls have none. */
static void
write_limit (JankOccurrences *self, gboolean at_once, gint64 now_ns, GError **error)
{
  g_autoptr (JankReport) report = NULL;

  if (!self->limit.dirty || self->newest_id == NULL ||
      !(at_once || (jank_annealing_is_due (&self->limit.annealing, now_ns) && may_write (self, now_ns))))
    return;
  jank_annealing_wrote (&self->limit.annealing, now_ns);
  report = jank_store_load (self->store, self->newest_id, NULL);
  if (report == NULL)
    return;
  fill_limit (self, report);
  if (write_report (self, report, error))
    self->limit.dirty = FALSE;
}

JankOccurrence
jank_occurrences_ended (JankOccurrences *self, JankReport *report, gint64 now_ns, GError **error)
{
  g_autoptr (GError) first_error = NULL;
  Ongoing *ongoing = get_ongoing (self, report);
  JankOccurrenceEntry *entry;
  JankOccurrence result;
  const char *reached = NULL;

  set_text (&report->id, ongoing->id);
  g_free (report->fingerprint);
  report->fingerprint = jank_fingerprint_new (report);
  entry = self->annealing ? jank_occurrence_table_find (self->table, report->fingerprint) : NULL;
  if (entry == NULL && !ongoing->counted)
    reached = find_limit (self, report);

  if (entry != NULL)
    {
      remove_ongoing (self, ongoing, entry);
      result = end_again (self, entry, report, now_ns, &first_error);
    }
  else if (reached != NULL)
    result = end_limited (self, reached, report);
  else if (!self->annealing)
    result = end_alone (self, ongoing, report, now_ns, &first_error);
  else
    result = end_new (self, ongoing, report, now_ns, &first_error);

  ongoing_clear (ongoing);
  settle_pending (self, now_ns, &first_error);
  write_limit (self, FALSE, now_ns, &first_error);
  if (first_error != NULL)
    g_propagate_error (error, g_steal_pointer (&first_error));
  return result;
}

void
jank_occurrences_flush (JankOccurrences *self, gint64 now_ns, GError **error)
{
  g_autoptr (GPtrArray) entries = jank_occurrence_table_list (self->table);
  g_autoptr (GError) first_error = NULL;
  guint n = 0;

  for (guint i = 0; i < entries->len && n < MAX_FLUSHED; i++)
    {
      JankOccurrenceEntry *entry = g_ptr_array_index (entries, i);

      if (!entry->dirty && entry->pending == NULL)
        continue;
      write_entry (self, entry, NULL, now_ns, &first_error);
      n++;
    }
  write_limit (self, TRUE, now_ns, &first_error);
  if (first_error != NULL)
    g_propagate_error (error, g_steal_pointer (&first_error));
}
