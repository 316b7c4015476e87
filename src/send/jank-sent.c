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

#define DAYS_S (2 * 24 * 3600)

/* Of the tables: a file with another one is of no use. */
#define VERSION     1
#define SET_VERSION "PRAGMA user_version = " G_STRINGIFY (VERSION) ";"

/* item.n_bytes: of the record that was sent, 0: it only counts, -1: it was held back. figure.what is a JankSum, and
 * from JANK_N_SUMS on a bucket of times. What is gone shares an item "-" a series. series.held: how often it occurred
 * in reports that were not sent, since the last one that was. */
static const char schema[] =
  "BEGIN EXCLUSIVE;" SET_VERSION
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

#define SERIES "(SELECT id FROM series WHERE (fingerprint, app, version) = (?1, ?2, ?3))"

typedef enum
{
  SEE, HAS, IS_HELD, COUNT, GET_HELD, GET_TIMES, ADD_SERIES, HOLD, PUT, CLEAR, ADD_FIGURE, EACH,
  N_STATEMENTS
} Sql;

static const char *const sql[N_STATEMENTS] = {
  [SEE] = "INSERT OR IGNORE INTO seen VALUES (?1)",
  [HAS] = "SELECT stamp_ns FROM item WHERE key = ?1",
  [IS_HELD] = "SELECT n_bytes < 0 FROM item WHERE key = ?1",
  [COUNT] = "SELECT count (*) FROM series JOIN item ON series = id WHERE fingerprint = ?2 AND n_bytes > 0"
            " AND key BETWEEN substr (?1, 1, 8) AND substr (?1, 1, 8) || '~'",
  [GET_HELD] = "SELECT held FROM series WHERE id = " SERIES,
  [GET_TIMES] = "SELECT sum (n) FROM figure WHERE key = ?1 AND what >= ?2",
  [ADD_SERIES] = "INSERT OR IGNORE INTO series (fingerprint, app, version) VALUES (?1, ?2, ?3)",
  [HOLD] = "UPDATE series SET held = held + ?4 WHERE id = " SERIES,
  [PUT] = "INSERT INTO item VALUES (?4, ?5, ?6, " SERIES ") ON CONFLICT DO UPDATE SET stamp_ns = ?5,"
          " n_bytes = max (n_bytes, ?6), series = excluded.series",
  [CLEAR] = "DELETE FROM figure WHERE key = ?1",
  [ADD_FIGURE] = "INSERT INTO figure VALUES (?1, ?2, ?3)",
  [EACH] = "SELECT series, what, sum (n), fingerprint, app, version FROM item JOIN figure USING (key)"
           " JOIN series ON series = id GROUP BY app, version, fingerprint, what",
};

struct _JankSent
{
  char         *path;       /* (owned) */
  sqlite3      *db;         /* (owned) */
  sqlite3_stmt *statements[N_STATEMENTS]; /* (owned) */
  gint64        start_us;
  gboolean      is_allowed;
  gboolean      has_news;   /* the server's totals are older than the items */
  gboolean      failed;
};

JankItem *
jank_item_new (const char *key, gint64 stamp_ns, const char *app, const char *version, const char *fingerprint)
{
  JankItem *self = g_new0 (JankItem, 1);

  self->key = g_strdup (key);
  self->stamp_ns = stamp_ns;
  self->series.app = g_strdup (app != NULL ? app : "");
  self->series.version = g_strdup (version != NULL ? version : "");
  self->series.fingerprint = g_strdup (fingerprint != NULL ? fingerprint : "");
  return self;
}

void
jank_item_free (gpointer item)
{
  JankItem *self = item;

  g_free (self->key);
  g_free (self->series.app);
  g_free (self->series.version);
  g_free (self->series.fingerprint);
  g_clear_pointer (&self->record, g_bytes_unref);
  g_free (self);
}

void
jank_figures_add_time (JankFigures *self, gint64 length_ns, guint64 count)
{
  double seconds = MAX ((double) length_ns, 1.0) / JANK_NS_PER_S;
  gint bucket = (gint) ceil (log2 (seconds) * (1 << JANK_TIMES_SCALE)) - 1;

  self->times[CLAMP (bucket - JANK_TIMES_FIRST, 0, JANK_TIMES_N - 1)] += count;
  self->sums[JANK_SUM_TIMES_NS] += length_ns * (gint64) count;
}

static void
jank_sent_run (JankSent *self, const char *text)
{
  self->failed |= sqlite3_exec (self->db, text, NULL, NULL, NULL) != SQLITE_OK;
}

/* types: of the values: s, a text, or i, a gint64. Returns: the first column of the first row, or missing: there is
 * none */
static gint64
jank_sent_do (JankSent *self, Sql which, gint64 missing, const char *types, ...)
{
  sqlite3_stmt *statement = self->statements[which];
  gint64 found = missing;
  va_list values;

  va_start (values, types);
  for (int i = 1; types[i - 1] != '\0'; i++)
    if (types[i - 1] == 's')
      sqlite3_bind_text (statement, i, va_arg (values, const char *), -1, SQLITE_STATIC);
    else
      sqlite3_bind_int64 (statement, i, va_arg (values, gint64));
  va_end (values);
  if (sqlite3_step (statement) == SQLITE_ROW)
    found = sqlite3_column_int64 (statement, 0);
  self->failed |= sqlite3_reset (statement) != SQLITE_OK;
  return found;
}

#define TEXTS(series) (series)->fingerprint, (series)->app, (series)->version

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

/* Returns: the one number, -1: there is none */
static gint64
jank_sent_ask (JankSent *self, const char *query)
{
  sqlite3_stmt *statement = NULL;
  gint64 found = -1;

  if (sqlite3_prepare_v2 (self->db, query, -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step (statement) == SQLITE_ROW)
    found = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  return found;
}

/* Whether the file is none of ours, is damaged, or is of another version, which has other tables. */
static gboolean
jank_sent_is_useless (JankSent *self)
{
  gint64 version = jank_sent_ask (self, "PRAGMA user_version");
  int code = sqlite3_errcode (self->db);

  return code == SQLITE_NOTADB || code == SQLITE_CORRUPT ||
         (version >= 0 && version != VERSION && jank_sent_ask (self, "SELECT count (*) FROM sqlite_master") > 0);
}

/* file: (nullable): a copy in memory of what another run has kept */
static void
jank_sent_load (JankSent *self, const char *file, gsize n_bytes)
{
  unsigned char *copy = file != NULL && n_bytes > 100 ? sqlite3_malloc64 (n_bytes) : NULL;

  if (copy == NULL)
    return;
  memcpy (copy, file, n_bytes);
  copy[18] = copy[19] = 1; /* no WAL, which memory has not */
  if (sqlite3_deserialize (self->db, "main", copy, (sqlite3_int64) n_bytes, (sqlite3_int64) n_bytes,
                           SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK ||
      jank_sent_is_useless (self))
    {
      sqlite3_close (self->db);
      self->failed = sqlite3_open (self->path, &self->db) != SQLITE_OK;
    }
}

static void
jank_sent_open_db (JankSent *self)
{
  self->failed = sqlite3_open_v2 (self->path, &self->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                  SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK;
}

static void
jank_sent_connect (JankSent *self)
{
  sqlite3_stmt *server = NULL;

  jank_sent_run (self, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                       "PRAGMA temp_store = MEMORY");
  if (!self->failed)
    jank_sent_run (self, schema);
  for (guint i = 0; i < N_STATEMENTS && !self->failed; i++)
    self->failed = sqlite3_prepare_v3 (self->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &self->statements[i],
                                       NULL) != SQLITE_OK;
  if (!self->failed && sqlite3_prepare_v2 (self->db, "SELECT * FROM server", -1, &server, NULL) == SQLITE_OK &&
      sqlite3_step (server) == SQLITE_ROW)
    {
      self->start_us = sqlite3_column_int64 (server, 0);
      self->is_allowed = sqlite3_column_int (server, 1);
      self->has_news = sqlite3_column_int (server, 2);
    }
  sqlite3_finalize (server);
}

static void
jank_sent_disconnect (JankSent *self)
{
  for (guint i = 0; i < N_STATEMENTS; i++)
    g_clear_pointer (&self->statements[i], sqlite3_finalize);
  g_clear_pointer (&self->db, sqlite3_close);
}

JankSent *
jank_sent_open (const char *store, const char *url, gboolean keeps, GError **error)
{
  g_autoptr (JankSent) self = g_new0 (JankSent, 1);
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, url, -1);
  g_autofree char *folder = keeps ? jank_folder_get_databases (store, JANK_SENT_FOLDER, JANK_HOME_MAKE) : NULL;
  gint number = errno;
  g_autofree char *name = g_strdup_printf ("%.16s.sqlite", hash), *file = NULL;
  gsize n_bytes = 0;

  if (keeps && folder == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot write to the folder ‘%s’: %s"), store,
                   jank_home_explain (store, number));
      g_free (g_steal_pointer (&self));
      return NULL;
    }
  self->path = keeps ? g_build_filename (folder, name, NULL) : g_strdup (":memory:");
  self->start_us = g_get_real_time ();
  jank_sent_open_db (self);
  if (!keeps)
    {
      file = jank_folder_read_file (store, JANK_SENT_FOLDER, name, &n_bytes, NULL);
      jank_sent_load (self, file, n_bytes);
    }
  else if (!self->failed && jank_sent_is_useless (self))
    {
      self->is_allowed = jank_sent_ask (self, "SELECT is_allowed FROM server") > 0;
      jank_sent_disconnect (self);
      g_unlink (self->path);
      jank_sent_open_db (self);
    }
  if (keeps && !self->failed)
    g_chmod (self->path, 0600);
  jank_sent_connect (self);
  return jank_sent_check (self, error) && jank_sent_keep (self, error) ? g_steal_pointer (&self) : NULL;
}

void
jank_sent_close (JankSent *self)
{
  jank_sent_disconnect (self);
  g_free (self->path);
  g_free (self);
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
  return jank_sent_keep (self, error);
}

gboolean
jank_sent_has (JankSent *self, const char *key, gint64 stamp_ns, gboolean *ret_same, gboolean *ret_held)
{
  gint64 found_ns = jank_sent_do (self, HAS, -1, "s", key);

  jank_sent_do (self, SEE, 0, "s", key);
  *ret_same = found_ns == stamp_ns;
  *ret_held = found_ns >= 0 && jank_sent_do (self, IS_HELD, 0, "s", key) != 0;
  return found_ns >= 0;
}

guint
jank_sent_count (JankSent *self, const char *key, const char *fingerprint)
{
  return (guint) jank_sent_do (self, COUNT, 0, "ss", key, fingerprint);
}

guint64
jank_sent_get_counted (JankSent *self, const char *key)
{
  return (guint64) jank_sent_do (self, GET_TIMES, 0, "si", key, (gint64) JANK_N_SUMS);
}

guint64
jank_sent_get_held (JankSent *self, const JankSeries *series)
{
  return (guint64) jank_sent_do (self, GET_HELD, 0, "sss", TEXTS (series));
}

guint64
jank_figures_get_count (const JankFigures *self)
{
  guint64 n = 0;

  for (guint i = 0; i < JANK_TIMES_N; i++)
    n += self->times[i];
  return n;
}

void
jank_sent_add (JankSent *self, const JankItem *item, gboolean is_told)
{
  const JankSeries *series = &item->series;
  gint64 n_before = (gint64) jank_sent_get_counted (self, item->key);
  gint64 n_bytes = item->record != NULL ? (gint64) g_bytes_get_size (item->record) : 0;
  gint64 n_held = is_told ? -(gint64) item->n_held : (gint64) jank_figures_get_count (&item->figures) - n_before;

  jank_sent_do (self, ADD_SERIES, 0, "sss", TEXTS (series));
  jank_sent_do (self, HOLD, 0, "sssi", TEXTS (series), n_held);
  jank_sent_do (self, PUT, 0, "ssssii", TEXTS (series), item->key, item->stamp_ns,
                is_told ? n_bytes : -(gint64) item->is_held);
  jank_sent_do (self, CLEAR, 0, "s", item->key);
  for (guint i = 0; i < JANK_N_SUMS + JANK_TIMES_N; i++)
    {
      gint64 n = i < JANK_N_SUMS ? item->figures.sums[i] : (gint64) item->figures.times[i - JANK_N_SUMS];

      if (n != 0)
        jank_sent_do (self, ADD_FIGURE, 0, "sii", item->key, (gint64) i, n);
    }
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
  g_autoptr (GDateTime) now = g_date_time_new_now_utc (), then = g_date_time_add_seconds (now, -DAYS_S);
  g_autofree char *oldest = g_date_time_format (then, "%Y%m%d"), *text = g_strdup_printf (forget, oldest);

  jank_sent_run (self, text);
  return jank_sent_keep (self, error);
}

gboolean
jank_sent_has_news (const JankSent *self)
{
  return self->has_news;
}

gboolean
jank_sent_told (JankSent *self, GError **error)
{
  self->has_news = FALSE;
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
  sqlite3_stmt *row = self->statements[EACH];
  gboolean has_row = sqlite3_step (row) == SQLITE_ROW;

  while (has_row)
    {
      gint64 id = sqlite3_column_int64 (row, 0);
      g_autofree char *fingerprint = jank_sent_dup (row, 3), *app = jank_sent_dup (row, 4);
      g_autofree char *version = jank_sent_dup (row, 5);
      const JankSeries series = { app, version, fingerprint };
      JankFigures figures = { { 0 }, { 0 } };

      for (; has_row && sqlite3_column_int64 (row, 0) == id; has_row = sqlite3_step (row) == SQLITE_ROW)
        {
          gint what = CLAMP (sqlite3_column_int (row, 1), 0, JANK_N_SUMS + JANK_TIMES_N - 1);

          if (what < JANK_N_SUMS)
            figures.sums[what] = sqlite3_column_int64 (row, 2);
          else
            figures.times[what - JANK_N_SUMS] = (guint64) MAX (sqlite3_column_int64 (row, 2), 0);
        }
      visit (&series, &figures, self->start_us, data);
    }
  self->failed |= sqlite3_reset (row) != SQLITE_OK;
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
