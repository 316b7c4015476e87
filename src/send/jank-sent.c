/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file's first line has its version, the time it counts from, and whether a person has allowed the server. Then
 * lines of seven columns with tabs between them: key, stamp, 1 if sent, program, version, fingerprint, figures. The
 * last line of a key counts. What is gone shares a line a series, whose key is "-"; "=" says that the server has the
 * totals of all lines before. */

#include "config.h"

#include "send/jank-sent-private.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-whole-file-private.h"

#define SCHEMA     "jankwatch-sent-1"
#define GONE       "-"
#define TOTALS     "="
#define N_COLUMNS  7
#define N_DAY      8 /* letters of an ID that are its day */
#define DAYS_S     (2 * 24 * 3600)

typedef struct
{
  JankSeries *series;
  gint64      stamp_ns;
  gboolean    is_sent;
  guint       figures; /* where in text they begin */
  char        text[];  /* the key, and behind it the figures as the file has them */
} SentLine;

struct _JankSent
{
  char       *path;    /* (owned) */
  gboolean    keeps;   /* else it only reads */
  gint        lock;    /* descriptor, or -1 */
  gint64      start_us;
  gboolean    is_allowed;
  GHashTable *lines;   /* (owned): key to (owned) SentLine */
  GHashTable *series;  /* (owned): its columns to (owned) JankSeries */
  GHashTable *days;    /* (owned): day and fingerprint to how many were sent */
  GString    *pending; /* (owned): lines that the file lacks */
  gboolean    has_news; /* the server's totals are older than the lines */
};

void
jank_figures_add_time (JankFigures *self, gint64 length_ns, guint64 count)
{
  double seconds = MAX ((double) length_ns, 1.0) / JANK_NS_PER_S;
  gint bucket = (gint) ceil (log2 (seconds) * (1 << JANK_TIMES_SCALE)) - 1;

  self->times[CLAMP (bucket - JANK_TIMES_FIRST, 0, JANK_TIMES_N - 1)] += count;
  self->sums[JANK_SUM_TIMES_NS] += length_ns * (gint64) count;
}

static void
jank_sent_write_figures (GString *out, const JankFigures *figures)
{
  for (guint i = 0; i < JANK_N_SUMS; i++)
    g_string_append_printf (out, i > 0 ? " %" G_GINT64_FORMAT : "%" G_GINT64_FORMAT, figures->sums[i]);
  for (guint i = 0; i < JANK_TIMES_N; i++)
    if (figures->times[i] > 0)
      g_string_append_printf (out, " %u:%" G_GUINT64_FORMAT, i, figures->times[i]);
}

static void
jank_sent_add_figures (JankFigures *self, const char *text)
{
  char *end = (char *) text;

  for (guint i = 0; i < JANK_N_SUMS; i++)
    self->sums[i] += g_ascii_strtoll (end, &end, 10);
  while (*end == ' ')
    {
      guint64 bucket = g_ascii_strtoull (end, &end, 10);

      if (*end != ':' || bucket >= JANK_TIMES_N)
        return;
      self->times[bucket] += g_ascii_strtoull (end + 1, &end, 10);
    }
}

static void
jank_sent_series_free (gpointer data)
{
  JankSeries *self = data;

  g_free (self->app);
  g_free (self->version);
  g_free (self->fingerprint);
  g_free (self);
}

static JankSeries *
jank_sent_find_series (JankSent *self, const char *app, const char *version, const char *fingerprint)
{
  g_autofree char *key = g_strdup_printf ("%s\t%s\t%s", app, version, fingerprint);
  JankSeries *series = g_hash_table_lookup (self->series, key);

  if (series != NULL)
    return series;
  series = g_new0 (JankSeries, 1);
  *series = (JankSeries) { g_strdup (app), g_strdup (version), g_strdup (fingerprint) };
  g_hash_table_insert (self->series, g_steal_pointer (&key), series);
  return series;
}

static char *
jank_sent_make_day (const char *key, const char *fingerprint)
{
  return g_strdup_printf ("%.*s %s", N_DAY, key, fingerprint);
}

/* What is gone has its series in its key. */
static void
jank_sent_insert (JankSent *self, const char *key, gint64 stamp_ns, gboolean is_sent, JankSeries *series,
                  const char *figures)
{
  g_autofree char *own = g_str_equal (key, GONE) ? g_strdup_printf (GONE "%p", (gpointer) series) : g_strdup (key);
  SentLine *before = g_hash_table_lookup (self->lines, own);
  gsize n_key = strlen (own) + 1;
  SentLine *line = g_malloc (sizeof *line + n_key + strlen (figures) + 1);

  *line = (SentLine) { series, stamp_ns, is_sent || (before != NULL && before->is_sent), (guint) n_key };
  memcpy (line->text, own, n_key);
  strcpy (line->text + n_key, figures);
  if (line->is_sent && (before == NULL || !before->is_sent))
    {
      char *day = jank_sent_make_day (key, series->fingerprint);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->days, day));

      g_hash_table_insert (self->days, day, GUINT_TO_POINTER (n + 1));
    }
  g_hash_table_replace (self->lines, line->text, line);
  self->has_news = TRUE;
}

/* A line that was cut off has too few columns. */
static void
jank_sent_read_line (JankSent *self, const char *text)
{
  g_auto (GStrv) columns = g_strsplit (text, "\t", N_COLUMNS);

  if (g_str_equal (text, TOTALS))
    self->has_news = FALSE;
  else if (g_strv_length (columns) == N_COLUMNS && columns[0][0] != '\0')
    jank_sent_insert (self, columns[0], g_ascii_strtoll (columns[1], NULL, 10), columns[2][0] == '1',
                      jank_sent_find_series (self, columns[3], columns[4], columns[5]), columns[6]);
}

/* Returns: FALSE: there is no such file, or it is of another version */
static gboolean
jank_sent_read (JankSent *self)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (self->path, FALSE, NULL);
  const char *text = file != NULL ? g_mapped_file_get_contents (file) : NULL;
  const char *end = text != NULL ? text + g_mapped_file_get_length (file) : NULL;
  gboolean is_first = TRUE;

  while (text < end)
    {
      const char *stop = memchr (text, '\n', (gsize) (end - text));
      g_autofree char *line = g_strndup (text, (gsize) ((stop != NULL ? stop : end) - text));

      if (is_first && !g_str_has_prefix (line, SCHEMA "\t"))
        return FALSE;
      if (is_first)
        {
          char *rest;

          self->start_us = g_ascii_strtoll (line + strlen (SCHEMA "\t"), &rest, 10);
          self->is_allowed = g_str_equal (rest, "\t1");
        }
      else if (stop != NULL)
        jank_sent_read_line (self, line);
      else
        g_string_append_c (self->pending, '\n');
      is_first = FALSE;
      text = stop != NULL ? stop + 1 : end;
    }
  return !is_first;
}

static void
jank_sent_append_line (GString *out, const char *key, const SentLine *line)
{
  const JankSeries *series = line->series;

  g_string_append_printf (out, "%s\t%" G_GINT64_FORMAT "\t%d\t%s\t%s\t%s\t%s\n", key, line->stamp_ns, line->is_sent,
                          series->app, series->version, series->fingerprint, line->text + line->figures);
}

/* The whole file anew. */
static gboolean
jank_sent_save (JankSent *self, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);
  GHashTableIter iter;
  gpointer key, value;

  g_string_append_printf (out, SCHEMA "\t%" G_GINT64_FORMAT "\t%d\n", self->start_us, self->is_allowed);
  g_hash_table_iter_init (&iter, self->lines);
  while (g_hash_table_iter_next (&iter, &key, &value))
    jank_sent_append_line (out, g_str_has_prefix (key, GONE) ? GONE : key, value);
  if (!self->has_news)
    g_string_append (out, TOTALS "\n");
  g_string_truncate (self->pending, 0);
  return !self->keeps || jank_whole_file_write_own (self->path, out->str, error);
}

static gboolean
jank_sent_take_lock (JankSent *self, const char *folder, GError **error)
{
  g_autofree char *path = g_strconcat (self->path, ".lock", NULL);

  g_mkdir_with_parents (folder, 0700);
  self->lock = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (self->lock >= 0 && flock (self->lock, LOCK_EX | LOCK_NB) == 0)
    return TRUE;
  if (errno == EWOULDBLOCK)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Another jankwatch sends to that server at this moment"));
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot write ‘%s’: %s"), path, g_strerror (errno));
  return FALSE;
}

JankSent *
jank_sent_open (const char *store, const char *url, gboolean keeps, GError **error)
{
  g_autoptr (JankSent) self = g_new0 (JankSent, 1);
  g_autofree char *name = g_compute_checksum_for_string (G_CHECKSUM_SHA256, url, -1);
  g_autofree char *folder = g_build_filename (store, JANK_SENT_FOLDER, NULL);

  name[16] = '\0';
  self->path = g_build_filename (folder, name, NULL);
  self->keeps = keeps;
  self->lock = -1;
  self->start_us = g_get_real_time ();
  self->lines = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  self->series = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, jank_sent_series_free);
  self->days = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->pending = g_string_new (NULL);
  if (keeps && !jank_sent_take_lock (self, folder, error))
    return NULL;
  if (!jank_sent_read (self) && !jank_sent_save (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
jank_sent_close (JankSent *self)
{
  if (self->lock >= 0)
    close (self->lock);
  g_free (self->path);
  g_hash_table_unref (self->lines);
  g_hash_table_unref (self->series);
  g_hash_table_unref (self->days);
  g_string_free (self->pending, TRUE);
  g_free (self);
}

gint64
jank_sent_get_start_us (const JankSent *self)
{
  return self->start_us;
}

gboolean
jank_sent_is_allowed (const JankSent *self)
{
  return self->is_allowed;
}

gboolean
jank_sent_allow (JankSent *self, GError **error)
{
  self->is_allowed = TRUE;
  return jank_sent_save (self, error);
}

gboolean
jank_sent_has (JankSent *self, const char *key, gint64 stamp_ns, gboolean *ret_same)
{
  const SentLine *line = g_hash_table_lookup (self->lines, key);

  *ret_same = line != NULL && line->stamp_ns == stamp_ns;
  return line != NULL;
}

guint
jank_sent_count (JankSent *self, const char *key, const char *fingerprint)
{
  g_autofree char *day = jank_sent_make_day (key, fingerprint);

  return GPOINTER_TO_UINT (g_hash_table_lookup (self->days, day));
}

void
jank_sent_add (JankSent *self, const char *key, gint64 stamp_ns, gboolean is_sent, const JankSeries *series,
               const JankFigures *figures)
{
  g_autoptr (GString) text = g_string_new (NULL);
  JankSeries *own = jank_sent_find_series (self, series->app, series->version, series->fingerprint);

  jank_sent_write_figures (text, figures);
  jank_sent_insert (self, key, stamp_ns, is_sent, own, text->str);
  jank_sent_append_line (self->pending, key, g_hash_table_lookup (self->lines, key));
}

gboolean
jank_sent_keep (JankSent *self, GError **error)
{
  gsize n_written = 0;
  gint file;

  if (!self->keeps || self->pending->len == 0)
    return TRUE;
  file = open (self->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  while (file >= 0 && n_written < self->pending->len)
    {
      gssize n = write (file, self->pending->str + n_written, self->pending->len - n_written);

      if (n < 0 && errno != EINTR)
        break;
      n_written += (gsize) MAX (n, 0);
    }
  if (n_written < self->pending->len)
    g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot write ‘%s’: %s"), self->path, g_strerror (errno));
  if (file >= 0)
    close (file);
  g_string_erase (self->pending, 0, (gssize) n_written);
  return self->pending->len == 0;
}

/* Its figures go to the line of what is gone. */
static void
jank_sent_forget (JankSent *self, const char *key)
{
  const SentLine *line = g_hash_table_lookup (self->lines, key);
  JankSeries *series = line->series;
  g_autofree char *gone = g_strdup_printf (GONE "%p", (gpointer) series);
  const SentLine *before = g_hash_table_lookup (self->lines, gone);
  g_autoptr (GString) text = g_string_new (NULL);
  JankFigures figures = { { 0 }, { 0 } };

  jank_sent_add_figures (&figures, line->text + line->figures);
  if (before != NULL)
    jank_sent_add_figures (&figures, before->text + before->figures);
  jank_sent_write_figures (text, &figures);
  jank_sent_insert (self, GONE, 0, FALSE, series, text->str);
  g_hash_table_remove (self->lines, key);
}

gboolean
jank_sent_tidy (JankSent *self, GHashTable *keys, GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc (), then = g_date_time_add_seconds (now, -DAYS_S);
  g_autofree char *oldest = g_date_time_format (then, "%Y%m%d");
  g_autoptr (GPtrArray) gone = g_ptr_array_new ();
  gboolean has_news = self->has_news;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->lines);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (!g_str_has_prefix (key, GONE) && !g_hash_table_contains (keys, key) &&
        (g_str_has_prefix (key, JANK_SENT_PROCESS) || strncmp (key, oldest, N_DAY) < 0))
      g_ptr_array_add (gone, key);
  for (guint i = 0; i < gone->len; i++)
    jank_sent_forget (self, g_ptr_array_index (gone, i));
  self->has_news = has_news;
  return gone->len == 0 || jank_sent_save (self, error);
}

gboolean
jank_sent_has_news (const JankSent *self)
{
  return self->has_news;
}

gboolean
jank_sent_keep_totals (JankSent *self, GError **error)
{
  self->has_news = FALSE;
  g_string_append (self->pending, TOTALS "\n");
  return jank_sent_keep (self, error);
}

static gint
jank_sent_compare_series_cb (gconstpointer a, gconstpointer b)
{
  const JankSeries *x = (*(SentLine *const *) a)->series, *y = (*(SentLine *const *) b)->series;
  gint order = strcmp (x->app, y->app);

  if (order == 0)
    order = strcmp (x->version, y->version);
  return order != 0 ? order : strcmp (x->fingerprint, y->fingerprint);
}

void
jank_sent_each_series (JankSent *self, JankSeriesFunc visit, gpointer data)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();
  JankFigures figures = { { 0 }, { 0 } };
  GHashTableIter iter;
  gpointer line;

  g_hash_table_iter_init (&iter, self->lines);
  while (g_hash_table_iter_next (&iter, NULL, &line))
    g_ptr_array_add (lines, line);
  g_ptr_array_sort (lines, jank_sent_compare_series_cb);
  for (guint i = 0; i < lines->len; i++)
    {
      const SentLine *now = g_ptr_array_index (lines, i);

      jank_sent_add_figures (&figures, now->text + now->figures);
      if (i + 1 < lines->len && ((SentLine *) g_ptr_array_index (lines, i + 1))->series == now->series)
        continue;
      visit (now->series, &figures, data);
      figures = (JankFigures) { { 0 }, { 0 } };
    }
}
