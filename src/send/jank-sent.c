/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A database a server. A transaction is always open; its lock keeps others out until the database is closed, and who is
 * killed leaves what the last jank_sent_keep() left. Nothing but the index is lost if a file is damaged: it begins
 * anew, and reports arrive once more. */

#include "send/jank-sent-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-home-private.h"
#include "store/jank-folder-private.h"

/* Of the machine: a hash of its ID with a random salt. */
#define SALT_FILE  "salt"
#define MACHINE_ID "/etc/machine-id"
#define N_SALT     32 /* hexadecimal digits, 16 bytes */
#define N_IDENTITY 32

/* Of the tables: a file with another one is of no use. */
#define VERSION 1

/* item.n_bytes: of the record that was sent, 0: it only counts, -1: it was held back. figure.what is a JankSum, and
 * from JANK_N_SUMS on a bucket of times. What is gone shares an item "-" a series. series.held: how often it occurred
 * in reports that were not sent, since the last one that was. */
static const char schema[] =
  "BEGIN EXCLUSIVE; PRAGMA user_version = " G_STRINGIFY (VERSION) ";"
  "CREATE TABLE IF NOT EXISTS server (start_us INTEGER, is_allowed INTEGER, has_news INTEGER);"
  "CREATE TABLE IF NOT EXISTS series (id INTEGER PRIMARY KEY, fingerprint TEXT, app TEXT, version TEXT,"
  " held INTEGER DEFAULT 0, UNIQUE (fingerprint, app, version));"
  "CREATE TABLE IF NOT EXISTS item (key TEXT PRIMARY KEY, stamp_ns INTEGER, n_bytes INTEGER, series INTEGER)"
  " WITHOUT ROWID;"
  "CREATE INDEX IF NOT EXISTS item_sent ON item (series, key) WHERE n_bytes > 0;"
  "CREATE TABLE IF NOT EXISTS figure (key TEXT, what INTEGER, n INTEGER, PRIMARY KEY (key, what)) WITHOUT ROWID;"
  "CREATE TEMP TABLE seen (key TEXT PRIMARY KEY) WITHOUT ROWID;";

/* %s: the day before which nothing is counted any more, unless a report of the same problem is still held back. */
static const char forget[] =
  "CREATE TEMP TABLE gone AS SELECT key, '-' || series AS heir, series FROM item WHERE key NOT IN seen AND"
  " (key GLOB '" JANK_SENT_PROCESS "*' OR key BETWEEN '0' AND '%s') AND"
  " NOT (n_bytes > 0 AND series IN (SELECT series FROM item WHERE n_bytes < 0));"
  "INSERT OR IGNORE INTO item SELECT DISTINCT heir, 0, 0, series FROM gone;"
  "INSERT INTO figure SELECT heir, what, sum (n) FROM gone JOIN figure USING (key) WHERE true GROUP BY heir, what"
  " ON CONFLICT DO UPDATE SET n = n + excluded.n;"
  "DELETE FROM figure WHERE key IN (SELECT key FROM gone);"
  "DELETE FROM item WHERE key IN (SELECT key FROM gone);"
  "DROP TABLE gone; DELETE FROM seen;";

/* Of all series. */
static const char each_figure[] =
  "SELECT series, what, sum (n), fingerprint, app, version FROM item JOIN figure USING (key)"
  " JOIN series ON series = id GROUP BY app, version, fingerprint, what";

#define SERIES "(SELECT id FROM series WHERE (fingerprint, app, version) = (?1, ?2, ?3))"

void
jank_figures_add_time (JankFigures *self, gint64 length_ns, guint64 count)
{
  double seconds = MAX ((double) length_ns, 1.0) / JANK_NS_PER_S;
  gint bucket = (gint) ceil (log2 (seconds) * (1 << JANK_TIMES_SCALE)) - 1;

  self->n[JANK_N_SUMS + CLAMP (bucket - JANK_TIMES_FIRST, 0, JANK_TIMES_N - 1)] += (gint64) count;
  self->n[JANK_SUM_TIMES_NS] += length_ns * (gint64) count;
}

gint64
jank_figures_count_times (const JankFigures *self)
{
  gint64 n = 0;

  for (guint i = JANK_N_SUMS; i < JANK_N_FIGURES; i++)
    n += self->n[i];
  return n;
}

static void
jank_sent_run (JankSent *self, const char *text)
{
  self->failed |= sqlite3_exec (self->db, text, NULL, NULL, NULL) != SQLITE_OK;
}

/* types: of the values of a statement: s, a text, or i, a gint64. Returns: the first column of its first row, or
 * missing: there is none */
static gint64
jank_sent_do (JankSent *self, const char *sql, gint64 missing, const char *types, ...)
{
  sqlite3_stmt *statement = NULL;
  gint64 found = missing;
  va_list values;

  self->failed |= sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) != SQLITE_OK;
  va_start (values, types);
  for (int i = 1; statement != NULL && types[i - 1] != '\0'; i++)
    if (types[i - 1] == 's')
      sqlite3_bind_text (statement, i, va_arg (values, const char *), -1, SQLITE_STATIC);
    else
      sqlite3_bind_int64 (statement, i, va_arg (values, gint64));
  va_end (values);
  if (statement != NULL && sqlite3_step (statement) == SQLITE_ROW)
    found = sqlite3_column_int64 (statement, 0);
  self->failed |= sqlite3_finalize (statement) != SQLITE_OK;
  return found;
}

#define TEXTS(item) (item)->fingerprint, (item)->app, (item)->version

static gboolean
jank_sent_check (JankSent *self, GError **error)
{
  if (self->failed && sqlite3_errcode (self->db) == SQLITE_BUSY)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Another jankwatch sends to that server at this moment"));
  else if (self->failed)
    g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot write ‘%s’: %s"), self->path,
                 sqlite3_errmsg (self->db));
  return !self->failed;
}

/* Whether the file is none of ours, is damaged, or is of another version, which has other tables. */
static gboolean
jank_sent_is_useless (JankSent *self)
{
  gint64 version = jank_sent_do (self, "PRAGMA user_version", -1, "");
  int code = sqlite3_errcode (self->db);

  return code == SQLITE_NOTADB || code == SQLITE_CORRUPT ||
         (version >= 0 && version != VERSION && jank_sent_do (self, "SELECT count (*) FROM sqlite_master", 0, "") > 0);
}

/* Gets a copy in memory of what another run has kept. */
static void
jank_sent_load (JankSent *self, const char *store, const char *name)
{
  gsize n_bytes;
  g_autofree char *file = jank_folder_read_file (store, JANK_SENT_FOLDER, name, &n_bytes, NULL);
  unsigned char *copy = file != NULL && n_bytes > 100 ? sqlite3_malloc64 (n_bytes) : NULL;

  if (copy == NULL)
    return;
  memcpy (copy, file, n_bytes);
  copy[18] = copy[19] = 1; /* no WAL, which memory has not */
  self->failed = sqlite3_deserialize (self->db, "main", copy, (sqlite3_int64) n_bytes, (sqlite3_int64) n_bytes,
                                      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK;
}

static void
jank_sent_open_db (JankSent *self)
{
  self->failed = sqlite3_open_v2 (self->path, &self->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                  SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK;
}

JankSent *
jank_sent_open (const char *store, const char *url, gboolean keeps, GError **error)
{
  g_autoptr (JankSent) self = g_new0 (JankSent, 1);
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, url, -1);
  g_autofree char *folder = keeps ? jank_folder_get_databases (store, JANK_SENT_FOLDER, JANK_HOME_MAKE) : NULL;
  gint number = errno;
  g_autofree char *name = g_strdup_printf ("%.16s.sqlite", hash);

  if (keeps && folder == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot write to the folder ‘%s’: %s"), store,
                   jank_home_explain (store, number));
      return NULL;
    }
  self->path = keeps ? g_build_filename (folder, name, NULL) : g_strdup (":memory:");
  jank_sent_open_db (self);
  if (!keeps)
    jank_sent_load (self, store, name);
  if (!self->failed && jank_sent_is_useless (self))
    {
      self->is_allowed = jank_sent_do (self, "SELECT is_allowed FROM server", 0, "") > 0;
      g_clear_pointer (&self->db, sqlite3_close);
      if (keeps)
        g_unlink (self->path);
      jank_sent_open_db (self);
    }
  if (keeps && !self->failed)
    g_chmod (self->path, 0600);
  jank_sent_run (self, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                       "PRAGMA temp_store = MEMORY");
  if (!self->failed)
    jank_sent_run (self, schema);
  if (!self->failed)
    {
      self->start_us = jank_sent_do (self, "SELECT start_us FROM server", g_get_real_time (), "");
      self->is_allowed = jank_sent_do (self, "SELECT is_allowed FROM server", self->is_allowed, "") != 0;
      self->has_news = jank_sent_do (self, "SELECT has_news FROM server", FALSE, "") != 0;
    }
  return jank_sent_check (self, error) && jank_sent_keep (self, error) ? g_steal_pointer (&self) : NULL;
}

void
jank_sent_close (JankSent *self)
{
  sqlite3_close (self->db);
  g_free (self->path);
  g_free (self);
}

gboolean
jank_sent_has (JankSent *self, const char *key, gint64 stamp_ns, gboolean *ret_same, gboolean *ret_held)
{
  gint64 found_ns = jank_sent_do (self, "SELECT stamp_ns FROM item WHERE key = ?", -1, "s", key);

  jank_sent_do (self, "INSERT OR IGNORE INTO seen VALUES (?)", 0, "s", key);
  *ret_same = found_ns == stamp_ns;
  *ret_held = found_ns >= 0 && jank_sent_do (self, "SELECT n_bytes < 0 FROM item WHERE key = ?", 0, "s", key) != 0;
  return found_ns >= 0;
}

void
jank_sent_look_up (JankSent *self, JankItem *item)
{
  item->n_counted = jank_sent_do (self, "SELECT sum (n) FROM figure WHERE key = ? AND what >= ?", 0, "si", item->key,
                                  (gint64) JANK_N_SUMS);
  item->n_held = jank_sent_do (self, "SELECT held FROM series WHERE id = " SERIES, 0, "sss", TEXTS (item));
  item->n_of_day = jank_sent_do (self, "SELECT count (*) FROM series JOIN item ON series = id WHERE fingerprint = ?2"
                                       " AND n_bytes > 0 AND key BETWEEN substr (?1, 1, 8)"
                                       " AND substr (?1, 1, 8) || '~'",
                                 0, "ss", item->key, item->fingerprint);
}

void
jank_sent_add (JankSent *self, const JankItem *item, gsize n_bytes)
{
  gint64 n_held = n_bytes > 0 ? -item->n_held : jank_figures_count_times (&item->figures) - item->n_counted;

  jank_sent_do (self, "INSERT OR IGNORE INTO series (fingerprint, app, version) VALUES (?1, ?2, ?3)", 0, "sss",
                TEXTS (item));
  jank_sent_do (self, "UPDATE series SET held = held + ?4 WHERE id = " SERIES, 0, "sssi", TEXTS (item), n_held);
  jank_sent_do (self, "INSERT INTO item VALUES (?4, ?5, ?6, " SERIES ") ON CONFLICT DO UPDATE SET stamp_ns = ?5,"
                      " n_bytes = max (n_bytes, ?6), series = excluded.series",
                0, "ssssii", TEXTS (item), item->key, item->stamp_ns,
                n_bytes > 0 ? (gint64) n_bytes : -(gint64) item->is_held);
  jank_sent_do (self, "DELETE FROM figure WHERE key = ?", 0, "s", item->key);
  for (guint i = 0; i < JANK_N_FIGURES; i++)
    if (item->figures.n[i] != 0)
      jank_sent_do (self, "INSERT INTO figure VALUES (?, ?, ?)", 0, "sii", item->key, (gint64) i, item->figures.n[i]);
  self->has_news = TRUE;
}

gboolean
jank_sent_keep (JankSent *self, GError **error)
{
  g_autofree char *text = g_strdup_printf (
    "DELETE FROM server; INSERT INTO server VALUES (%" G_GINT64_FORMAT ", %d, %d); COMMIT; BEGIN IMMEDIATE",
    self->start_us, self->is_allowed, self->has_news);

  if (!self->failed)
    jank_sent_run (self, text);
  if (jank_sent_check (self, error))
    return TRUE;
  jank_sent_run (self, "ROLLBACK");
  jank_sent_run (self, "BEGIN IMMEDIATE");
  self->failed = FALSE;
  return FALSE;
}

gboolean
jank_sent_tidy (JankSent *self, GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc (), then = g_date_time_add_days (now, -2);
  g_autofree char *oldest = g_date_time_format (then, "%Y%m%d"), *text = g_strdup_printf (forget, oldest);

  jank_sent_run (self, text);
  return jank_sent_keep (self, error);
}

/* Returns: (transfer full) */
static char *
jank_sent_dup (sqlite3_stmt *row, int column)
{
  return g_strdup ((const char *) sqlite3_column_text (row, column));
}

void
jank_sent_each_series (JankSent *self, JankSeriesFunc visit, gpointer data)
{
  sqlite3_stmt *row = NULL;
  gboolean has_row = sqlite3_prepare_v2 (self->db, each_figure, -1, &row, NULL) == SQLITE_OK &&
                     sqlite3_step (row) == SQLITE_ROW;

  while (has_row)
    {
      gint64 id = sqlite3_column_int64 (row, 0);
      g_autofree char *fingerprint = jank_sent_dup (row, 3), *app = jank_sent_dup (row, 4);
      g_autofree char *version = jank_sent_dup (row, 5);
      JankItem series = { .app = app, .version = version, .fingerprint = fingerprint };

      for (; has_row && sqlite3_column_int64 (row, 0) == id; has_row = sqlite3_step (row) == SQLITE_ROW)
        series.figures.n[CLAMP (sqlite3_column_int (row, 1), 0, JANK_N_FIGURES - 1)] =
          MAX (sqlite3_column_int64 (row, 2), 0);
      visit (&series, data);
    }
  self->failed |= sqlite3_finalize (row) != SQLITE_OK;
}

char *
jank_sent_get_identity (const char *store, gboolean keeps, GError **error)
{
  gsize n_bytes;
  g_autofree char *machine = NULL, *hash = NULL;
  g_autofree char *salt = jank_folder_read_file (store, JANK_SENT_FOLDER, SALT_FILE, &n_bytes, NULL);

  if (salt == NULL || strlen (salt) < N_SALT)
    {
      g_free (salt);
      salt = g_uuid_string_random ();
      if (keeps && !jank_folder_write_file (store, JANK_SENT_FOLDER, SALT_FILE, salt, strlen (salt), error))
        return NULL;
    }
  g_file_get_contents (MACHINE_ID, &machine, NULL, NULL);
  hash = g_compute_hmac_for_string (G_CHECKSUM_SHA256, (const guchar *) salt, strlen (salt),
                                    machine != NULL ? machine : "", -1);
  return g_strndup (hash, N_IDENTITY);
}
