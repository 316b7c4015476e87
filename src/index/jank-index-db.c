/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nothing is forced to the disk: that would hold up the writing of the programs that are watched. After a restart of
 * the machine a file is therefore checked whole before it is used. */

#include "index/jank-index-db-private.h"

#include <stdio.h>
#include <string.h>
#include <sqlite3.h>

#include <glib/gstdio.h>

#include "base/jank-text-clean-private.h"

#define PREFIX    "reports-"
#define SUFFIX    ".sqlite"
#define BUSY_MS   2000
#define MAX_TEXT  (1 << 20)

/* Another text is another version, whose files are made again. */
#define VERSION   "5 of " JANK_VERSION

typedef enum { EACH, EACH_BAD, GET_STATE, REMOVE, PUT, SET_STATE, READ, N_STATEMENTS } Statement;

struct _JankIndexDb
{
  sqlite3      *db;     /* (owned) */
  char         *folder; /* (owned) (nullable): in memory */
  char         *path;   /* (owned) (nullable) */
  sqlite3_stmt *statements[N_STATEMENTS]; /* (owned) */
  gint64        version; /* of the data when they were last looked through */
  gboolean      failed;
};

/* Columns of the table `report` before those of a row: its order, its file, and why that is bad (NULL: it is not). */
#define COLUMNS      "at, process, number, inode, n_bytes, ctime_ns, bad"
#define FIRST_COLUMN 7
#define KEY          "at, process, number, id"

static const char *const sql[N_STATEMENTS] = {
  [EACH] = "SELECT id, inode, n_bytes, ctime_ns, bad FROM report",
  [EACH_BAD] = "SELECT id, inode, n_bytes, ctime_ns, bad FROM report WHERE bad IS NOT NULL ORDER BY id",
  [GET_STATE] = "SELECT folder FROM state",
  [REMOVE] = "DELETE FROM report WHERE (" KEY ") = (?, ?, ?, ?)",
  [PUT] = "INSERT OR REPLACE INTO report VALUES (?", /* and so on */
  [SET_STATE] = "UPDATE state SET folder = ?",
  [READ] = "SELECT bad", /* and those of a row */
};

#define NEWEST_FIRST " FROM report WHERE bad IS NULL ORDER BY at DESC, process DESC, number DESC, id DESC"

static void
append_columns (GString *text)
{
  for (guint i = 0; i < jank_row_table.n_fields; i++)
    g_string_append_printf (text, ", %s", jank_row_table.fields[i].name);
}

/* All statements that make the tables, in the order of their names. Returns: (transfer full) */
static char *
get_schema (void)
{
  g_autoptr (GString) text = g_string_new ("CREATE TABLE report (" COLUMNS);

  append_columns (text);
  g_string_append (text, ", PRIMARY KEY (" KEY ")) WITHOUT ROWID;"
                         "CREATE INDEX report_bad ON report (id) WHERE bad IS NOT NULL;"
                         "CREATE TABLE state (version TEXT DEFAULT '" VERSION "', folder TEXT, boot TEXT)");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
run (JankIndexDb *self, const char *text)
{
  self->failed |= sqlite3_exec (self->db, text, NULL, NULL, NULL) != SQLITE_OK;
}

/* The one value of a query's first row. Returns: (transfer full) (nullable) */
static char *
ask (JankIndexDb *self, const char *query)
{
  sqlite3_stmt *statement = NULL;
  char *text = NULL;

  if (sqlite3_prepare_v2 (self->db, query, -1, &statement, NULL) != SQLITE_OK)
    self->failed = TRUE;
  else if (sqlite3_step (statement) == SQLITE_ROW)
    text = g_strdup ((const char *) sqlite3_column_text (statement, 0));
  sqlite3_finalize (statement);
  return text;
}

static char *
get_boot (void)
{
  char *text = NULL;

  if (!g_file_get_contents ("/proc/sys/kernel/random/boot_id", &text, NULL, NULL))
    return g_strdup ("");
  return g_strstrip (text);
}

/* name (nullable): in memory */
static JankIndexDb *
new_db (const char *folder, const char *name, int flags)
{
  JankIndexDb *self = g_new0 (JankIndexDb, 1);

  self->folder = g_strdup (folder);
  self->path = name != NULL ? g_build_filename (folder, name, NULL) : NULL;
  self->failed = sqlite3_open_v2 (name != NULL ? self->path : ":memory:", &self->db,
                                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags, NULL) != SQLITE_OK;
  sqlite3_busy_timeout (self->db, BUSY_MS);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_limit (self->db, SQLITE_LIMIT_LENGTH, MAX_TEXT);
  run (self, "PRAGMA synchronous = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY");
  return self;
}

/* Takes self. Returns: (transfer full) (nullable): it failed */
static JankIndexDb *
prepare (JankIndexDb *self)
{
  for (guint i = 0; i < N_STATEMENTS && !self->failed; i++)
    {
      g_autoptr (GString) text = g_string_new (sql[i]);

      for (guint k = 1; i == PUT && k < FIRST_COLUMN + jank_row_table.n_fields; k++)
        g_string_append (text, ",?");
      if (i == READ)
        append_columns (text);
      g_string_append (text, i == PUT ? ")" : i == READ ? NEWEST_FIRST : "");
      self->failed = sqlite3_prepare_v3 (self->db, text->str, -1, SQLITE_PREPARE_PERSISTENT, &self->statements[i],
                                         NULL) != SQLITE_OK;
    }
  if (!self->failed)
    return self;
  jank_index_db_free (self);
  return NULL;
}

/* The file has our tables and nothing else, and is whole if the machine was restarted since. */
static void
check (JankIndexDb *self)
{
  g_autofree char *expected = get_schema ();
  g_autofree char *found = ask (self, "SELECT group_concat (sql, ';') FROM "
                                      "(SELECT sql FROM sqlite_schema ORDER BY name)");
  g_autofree char *boot = get_boot (), *then = NULL;

  self->failed |= g_strcmp0 (found, expected) != 0;
  if (self->failed)
    return;
  then = ask (self, "SELECT boot FROM state");
  if (g_strcmp0 (then, boot) != 0)
    {
      g_autofree char *result = ask (self, "PRAGMA quick_check (1)");
      g_autofree char *update = g_strdup_printf ("UPDATE state SET boot = '%s'", boot);

      self->failed |= g_strcmp0 (result, "ok") != 0;
      if (!self->failed)
        sqlite3_exec (self->db, update, NULL, NULL, NULL);
    }
}

JankIndexDb *
jank_index_db_open (const char *folder)
{
  g_autoptr (GDir) dir = folder != NULL ? g_dir_open (folder, 0, NULL) : NULL;
  g_autofree char *last = NULL;
  const char *name;
  JankIndexDb *self;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, PREFIX) && g_str_has_suffix (name, SUFFIX) && g_strcmp0 (name, last) > 0)
      {
        g_free (last);
        last = g_strdup (name);
      }
  if (last == NULL)
    return NULL;
  self = new_db (folder, last, SQLITE_OPEN_NOFOLLOW);
  if (!self->failed)
    check (self);
  return prepare (self);
}

JankIndexDb *
jank_index_db_create (const char *folder)
{
  g_autofree char *schema = get_schema (), *boot = get_boot (), *text = NULL;
  g_autofree char *name = g_strdup_printf (PREFIX "%016" G_GINT64_MODIFIER "x-%08x" SUFFIX, g_get_real_time (),
                                           g_random_int ());
  JankIndexDb *self;

  self = new_db (folder, folder != NULL ? name : NULL,
                 SQLITE_OPEN_CREATE | (folder != NULL ? SQLITE_OPEN_NOFOLLOW : 0));
  if (folder != NULL && !self->failed)
    g_chmod (self->path, 0600);
  text = g_strconcat ("BEGIN;", schema, ";INSERT INTO state (boot) VALUES ('", boot, "');COMMIT", NULL);
  run (self, text);
  return prepare (self);
}

void
jank_index_db_free (JankIndexDb *self)
{
  for (guint i = 0; i < N_STATEMENTS; i++)
    sqlite3_finalize (self->statements[i]);
  sqlite3_close (self->db);
  if (self->failed && self->path != NULL)
    g_unlink (self->path);
  g_free (self->folder);
  g_free (self->path);
  g_free (self);
}

gboolean
jank_index_db_is_fine (const JankIndexDb *self)
{
  return !self->failed;
}

void
jank_index_db_supersede (JankIndexDb *self)
{
  g_autoptr (GDir) dir = self->folder != NULL ? g_dir_open (self->folder, 0, NULL) : NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      if (g_str_has_prefix (name, PREFIX) && strcmp (path, self->path) != 0)
        g_unlink (path);
    }
}

static sqlite3_stmt *
restart (JankIndexDb *self, Statement statement)
{
  sqlite3_reset (self->statements[statement]);
  sqlite3_clear_bindings (self->statements[statement]);
  return self->statements[statement];
}

static gboolean
step (JankIndexDb *self, sqlite3_stmt *statement)
{
  int result = sqlite3_step (statement);

  if (result != SQLITE_ROW)
    sqlite3_reset (statement);
  self->failed |= result != SQLITE_ROW && result != SQLITE_DONE;
  return result == SQLITE_ROW;
}

static void
bind_text (sqlite3_stmt *statement, int column, const char *text)
{
  if (text != NULL)
    sqlite3_bind_text (statement, column, text, -1, SQLITE_STATIC);
}

static const char *
get_text (sqlite3_stmt *statement, int column)
{
  return (const char *) sqlite3_column_text (statement, column);
}

static gint64
get_version (JankIndexDb *self)
{
  g_autofree char *version = ask (self, "PRAGMA data_version");

  return version != NULL ? g_ascii_strtoll (version, NULL, 10) : 0;
}

void
jank_index_db_each (JankIndexDb *self, gboolean only_bad, JankIndexDbFileFunc callback, gpointer data)
{
  sqlite3_stmt *statement = restart (self, only_bad ? EACH_BAD : EACH);

  if (!only_bad)
    self->version = get_version (self);
  while (step (self, statement))
    {
      JankFolderEntry entry = {
        .name = (char *) get_text (statement, 0),
        .inode = (guint64) sqlite3_column_int64 (statement, 1),
        .n_bytes = (guint64) sqlite3_column_int64 (statement, 2),
        .ctime_ns = sqlite3_column_int64 (statement, 3),
      };

      if (entry.name != NULL)
        callback (&entry, get_text (statement, 4), data);
    }
}

char *
jank_index_db_get_state (JankIndexDb *self)
{
  sqlite3_stmt *statement = restart (self, GET_STATE);
  char *state = step (self, statement) ? g_strdup (get_text (statement, 0)) : NULL;

  sqlite3_reset (statement);
  return state;
}

void
jank_index_db_begin (JankIndexDb *self)
{
  run (self, "BEGIN IMMEDIATE");
}

/* The three numbers that order IDs; 0 where it is none. */
static void
bind_order (sqlite3_stmt *statement, const char *name)
{
  gint64 day = 0, time = 0, process = 0, number = 0;

  sscanf (name, "%8" G_GINT64_MODIFIER "d-%6" G_GINT64_MODIFIER "d-%10" G_GINT64_MODIFIER "d-%10" G_GINT64_MODIFIER "d",
          &day, &time, &process, &number);
  sqlite3_bind_int64 (statement, 1, day * 1000000 + time);
  sqlite3_bind_int64 (statement, 2, process);
  sqlite3_bind_int64 (statement, 3, number);
}

void
jank_index_db_remove (JankIndexDb *self, const char *name)
{
  sqlite3_stmt *statement = restart (self, REMOVE);

  bind_order (statement, name);
  bind_text (statement, 4, name);
  step (self, statement);
}

static void
bind_field (sqlite3_stmt *statement, int column, const JankField *field, gconstpointer row)
{
  gconstpointer place = (const char *) row + field->offset;

  switch (field->type)
    {
    case JANK_STRING:
      bind_text (statement, column, *(const char *const *) place);
      break;
    case JANK_VALUES:
      {
        const GArray *values = *(GArray *const *) place;

        if (values != NULL && values->len > 0)
          sqlite3_bind_blob (statement, column, values->data, (int) (values->len * field->table->size), SQLITE_STATIC);
        break;
      }
    default:
      sqlite3_bind_int64 (statement, column, jank_field_get_int (field, place));
      break;
    }
}

void
jank_index_db_put (JankIndexDb *self, const JankFolderEntry *entry, const JankRow *row, const char *reason)
{
  const JankRow bad = { .id = entry->name };
  sqlite3_stmt *statement = restart (self, PUT);

  bind_order (statement, entry->name);
  sqlite3_bind_int64 (statement, 4, (gint64) entry->inode);
  sqlite3_bind_int64 (statement, 5, (gint64) entry->n_bytes);
  sqlite3_bind_int64 (statement, 6, entry->ctime_ns);
  bind_text (statement, 7, reason);
  for (guint i = 0; i < jank_row_table.n_fields; i++)
    bind_field (statement, FIRST_COLUMN + 1 + (int) i, &jank_row_table.fields[i], row != NULL ? row : &bad);
  step (self, statement);
}

void
jank_index_db_commit (JankIndexDb *self, const char *state)
{
  sqlite3_stmt *statement = restart (self, SET_STATE);

  if (get_version (self) == self->version)
    bind_text (statement, 1, state);
  step (self, statement);
  run (self, "COMMIT");
}

/* Returns: FALSE when no row of ours has such a value */
static gboolean
read_field (sqlite3_stmt *statement, int column, const JankField *field, JankRow *row)
{
  gpointer place = (char *) row + field->offset;
  char *text;
  gint64 n;

  switch (field->type)
    {
    case JANK_STRING:
      text = *(char **) place = g_strdup (get_text (statement, column));
      return text == NULL || jank_text_is_clean (text, (field->flags & JANK_LINES) != 0);
    case JANK_VALUES:
      n = sqlite3_column_bytes (statement, column);
      if (n == 0)
        return TRUE;
      row->lengths = g_array_new (FALSE, FALSE, (guint) field->table->size);
      g_array_append_vals (row->lengths, sqlite3_column_blob (statement, column),
                           (guint) n / (guint) field->table->size);
      return TRUE;
    default:
      n = sqlite3_column_int64 (statement, column);
      if (n < 0 || (field->max > 0 && n >= field->max) || (field->size == sizeof (gint) && n > G_MAXINT))
        return FALSE;
      jank_field_set_int (field, place, n);
      return TRUE;
    }
}

JankRow *
jank_index_db_read (JankIndexDb *self)
{
  sqlite3_stmt *statement = self->statements[READ];
  JankRow *row;

  if (self->failed || !step (self, statement))
    return NULL;
  row = g_new0 (JankRow, 1);
  for (guint i = 0; i < jank_row_table.n_fields; i++)
    self->failed |= !read_field (statement, 1 + (int) i, &jank_row_table.fields[i], row);
  self->failed |= row->id == NULL || row->fingerprint == NULL;
  if (self->failed)
    g_clear_pointer (&row, jank_row_free);
  return row;
}
