/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nothing is forced to the disk: that would hold up the writing of the programs that are watched. After a restart of the
 * machine a file is therefore checked whole before it is used. */

#include "config.h"

#include "index/jank-index-db-private.h"

#include <stdio.h>
#include <string.h>
#include <sqlite3.h>

#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "base/jank-text-clean-private.h"

#define PREFIX    "reports-"
#define BUILDING  "building-"
#define SUFFIX    ".sqlite"
#define BUSY_MS   2000
#define MAX_TEXT  (1 << 20)

/* Another text is another version, whose files are made again. */
#define VERSION   "1 of " JANK_VERSION
#define BAD_TABLE "CREATE TABLE bad (name TEXT PRIMARY KEY, inode, n_bytes, ctime_ns, reason) WITHOUT ROWID"
#define STATE_TABLE "CREATE TABLE state (version TEXT DEFAULT '" VERSION "', folder TEXT, boot TEXT)"

typedef enum { EACH, EACH_BAD, GET_STATE, REMOVE, REMOVE_BAD, PUT, PUT_BAD, SET_STATE, READ, N_STATEMENTS } Statement;

struct _JankIndexDb
{
  sqlite3      *db;     /* (owned) */
  char         *folder; /* (owned) (nullable): in memory */
  char         *path;   /* (owned) (nullable) */
  sqlite3_stmt *statements[N_STATEMENTS]; /* (owned) */
  gint64        version; /* of the data when they were last looked through */
  gboolean      failed;
};

/* Columns of the table `report` before those of a row: its order and its file. */
#define FIRST_COLUMN 6

/* Returns: (transfer full) */
static char *
join_columns (const char *separator)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < jank_row_table.n_fields; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? separator : "", jank_row_table.fields[i].name);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Returns: (transfer full) */
static char *
report_table (void)
{
  g_autofree char *columns = join_columns (", ");

  return g_strdup_printf ("CREATE TABLE report (at, process, number, inode, n_bytes, ctime_ns, %s, "
                          "PRIMARY KEY (at, process, number, id)) WITHOUT ROWID", columns);
}

/* Returns: (transfer full) */
static char *
get_sql (Statement statement)
{
  g_autofree char *columns = join_columns (", ");
  g_autoptr (GString) places = g_string_new (NULL);

  for (guint i = 0; i < FIRST_COLUMN + jank_row_table.n_fields; i++)
    g_string_append (places, i > 0 ? ",?" : "?");
  switch (statement)
    {
    case EACH:       return g_strdup ("SELECT id, inode, n_bytes, ctime_ns, NULL FROM report");
    case EACH_BAD:   return g_strdup ("SELECT name, inode, n_bytes, ctime_ns, reason FROM bad");
    case GET_STATE:  return g_strdup ("SELECT folder FROM state");
    case REMOVE:     return g_strdup ("DELETE FROM report WHERE (at, process, number, id) = (?, ?, ?, ?)");
    case REMOVE_BAD: return g_strdup ("DELETE FROM bad WHERE name = ?");
    case PUT:        return g_strdup_printf ("INSERT OR REPLACE INTO report VALUES (%s)", places->str);
    case PUT_BAD:    return g_strdup ("INSERT OR REPLACE INTO bad VALUES (?, ?, ?, ?, ?)");
    case SET_STATE:  return g_strdup ("UPDATE state SET folder = ?");
    case READ: default:
      return g_strdup_printf ("SELECT %s FROM report ORDER BY at DESC, process DESC, number DESC, id DESC", columns);
    }
}

static void
run (JankIndexDb *self, const char *sql)
{
  self->failed |= sqlite3_exec (self->db, sql, NULL, NULL, NULL) != SQLITE_OK;
}

/* The one value of a query's first row. Returns: (transfer full) (nullable) */
static char *
ask (JankIndexDb *self, const char *sql)
{
  sqlite3_stmt *statement = NULL;
  char *text = NULL;

  if (sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) != SQLITE_OK)
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

static JankIndexDb *
new_db (const char *folder, char *path, int flags)
{
  JankIndexDb *self = g_new0 (JankIndexDb, 1);

  self->folder = g_strdup (folder);
  self->path = path;
  self->failed = sqlite3_open_v2 (path != NULL ? path : ":memory:", &self->db,
                                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags, NULL) != SQLITE_OK;
  sqlite3_busy_timeout (self->db, BUSY_MS);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_limit (self->db, SQLITE_LIMIT_LENGTH, MAX_TEXT);
  run (self, "PRAGMA synchronous = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY");
  return self;
}

static void
prepare (JankIndexDb *self)
{
  for (guint i = 0; i < N_STATEMENTS && !self->failed; i++)
    {
      g_autofree char *sql = get_sql (i);

      self->failed = sqlite3_prepare_v3 (self->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &self->statements[i], NULL) != SQLITE_OK;
    }
}

/* The file has our tables and nothing else, and is whole if the machine was restarted since. */
static void
check (JankIndexDb *self)
{
  g_autofree char *table = report_table ();
  g_autofree char *expected = g_strconcat (BAD_TABLE "\n", table, "\n" STATE_TABLE, NULL);
  g_autofree char *found = ask (self, "SELECT group_concat (sql, char (10)) FROM (SELECT sql FROM sqlite_schema ORDER BY name)");
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

/* Returns: (transfer full) (nullable): the name that begins so and comes last */
static char *
find_last (const char *folder, const char *prefix)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *last = NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, prefix) && g_str_has_suffix (name, SUFFIX) && (last == NULL || strcmp (name, last) > 0))
      {
        g_free (last);
        last = g_strdup (name);
      }
  return g_steal_pointer (&last);
}

JankIndexDb *
jank_index_db_open (const char *folder)
{
  g_autofree char *name = find_last (folder, PREFIX);
  g_autoptr (JankIndexDb) self = NULL;

  if (name == NULL)
    return NULL;
  self = new_db (folder, g_build_filename (folder, name, NULL), SQLITE_OPEN_NOFOLLOW);
  if (!self->failed)
    check (self);
  prepare (self);
  return self->failed ? NULL : g_steal_pointer (&self);
}

JankIndexDb *
jank_index_db_create (const char *folder)
{
  g_autofree char *sql = NULL, *table = report_table (), *boot = get_boot ();
  g_autofree char *name = g_strdup_printf (BUILDING "%016" G_GINT64_MODIFIER "x-%08x" SUFFIX, g_get_real_time (), g_random_int ());
  g_autoptr (JankIndexDb) self = NULL;

  if (folder != NULL && g_mkdir (folder, 0700) != 0 && !g_file_test (folder, G_FILE_TEST_IS_DIR))
    return NULL;
  self = new_db (folder, folder != NULL ? g_build_filename (folder, name, NULL) : NULL,
                 SQLITE_OPEN_CREATE | (folder != NULL ? SQLITE_OPEN_NOFOLLOW : 0));
  sql = g_strconcat ("PRAGMA journal_mode = MEMORY;" BAD_TABLE ";", table, ";" STATE_TABLE ";"
                     "INSERT INTO state (boot) VALUES ('", boot, "')", NULL);
  if (folder != NULL && !self->failed)
    g_chmod (self->path, 0600);
  run (self, sql);
  prepare (self);
  if (!self->failed)
    return g_steal_pointer (&self);
  if (folder != NULL)
    g_unlink (self->path);
  return NULL;
}

void
jank_index_db_free (JankIndexDb *self)
{
  for (guint i = 0; i < N_STATEMENTS; i++)
    sqlite3_finalize (self->statements[i]);
  sqlite3_close (self->db);
  g_free (self->folder);
  g_free (self->path);
  g_free (self);
}

gboolean
jank_index_db_is_fine (const JankIndexDb *self)
{
  return !self->failed;
}

static void
remove_others (const char *folder, const char *keep)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if ((g_str_has_prefix (name, PREFIX) || g_str_has_prefix (name, BUILDING)) && strcmp (name, keep) != 0)
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        g_unlink (path);
      }
}

void
jank_index_db_publish (JankIndexDb *self)
{
  g_autofree char *building = self->path != NULL ? g_path_get_basename (self->path) : NULL;
  g_autofree char *name = NULL, *path = NULL;

  if (self->path == NULL)
    return;
  if (self->failed)
    {
      g_unlink (self->path);
      return;
    }
  name = g_strconcat (PREFIX, building + strlen (BUILDING), NULL);
  path = g_build_filename (self->folder, name, NULL);
  if (g_rename (self->path, path) == 0)
    remove_others (self->folder, name);
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

static void
each (JankIndexDb *self, Statement which, JankIndexDbFileFunc callback, gpointer data)
{
  sqlite3_stmt *statement = restart (self, which);

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

static gint64
get_version (JankIndexDb *self)
{
  g_autofree char *version = ask (self, "PRAGMA data_version");

  return version != NULL ? g_ascii_strtoll (version, NULL, 10) : 0;
}

void
jank_index_db_each (JankIndexDb *self, JankIndexDbFileFunc callback, gpointer data)
{
  self->version = get_version (self);
  each (self, EACH, callback, data);
  each (self, EACH_BAD, callback, data);
}

void
jank_index_db_each_bad (JankIndexDb *self, JankIndexDbFileFunc callback, gpointer data)
{
  each (self, EACH_BAD, callback, data);
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

/* The three numbers that order IDs, and the ID; 0 where it is none. */
static void
bind_key (sqlite3_stmt *statement, const char *id)
{
  gint64 day = 0, time = 0, process = 0, number = 0;

  if (sscanf (id, "%8" G_GINT64_MODIFIER "d-%6" G_GINT64_MODIFIER "d-%10" G_GINT64_MODIFIER "d-%10" G_GINT64_MODIFIER "d",
              &day, &time, &process, &number) == 4)
    {
      sqlite3_bind_int64 (statement, 1, day * 1000000 + time);
      sqlite3_bind_int64 (statement, 2, process);
      sqlite3_bind_int64 (statement, 3, number);
    }
}

void
jank_index_db_remove (JankIndexDb *self, const char *name)
{
  sqlite3_stmt *statement = restart (self, REMOVE);

  bind_key (statement, name);
  bind_text (statement, 4, name);
  step (self, statement);
  statement = restart (self, REMOVE_BAD);
  bind_text (statement, 1, name);
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

        if (values->len > 0)
          sqlite3_bind_blob (statement, column, values->data, (int) (values->len * field->table->size), SQLITE_STATIC);
        break;
      }
    default:
      sqlite3_bind_int64 (statement, column, field->size == sizeof (gint64) ? *(const gint64 *) place
                                                                            : *(const gint *) place);
      break;
    }
}

void
jank_index_db_put (JankIndexDb *self, const JankFolderEntry *entry, const JankRow *row, const char *reason)
{
  sqlite3_stmt *statement;
  int column = 0;

  jank_index_db_remove (self, entry->name);
  statement = restart (self, row != NULL ? PUT : PUT_BAD);
  if (row != NULL)
    {
      bind_key (statement, entry->name);
      column = 3;
    }
  else
    {
      bind_text (statement, 1, entry->name);
      bind_text (statement, 5, reason);
      column = 1;
    }
  sqlite3_bind_int64 (statement, column + 1, (gint64) entry->inode);
  sqlite3_bind_int64 (statement, column + 2, (gint64) entry->n_bytes);
  sqlite3_bind_int64 (statement, column + 3, entry->ctime_ns);
  for (guint i = 0; row != NULL && i < jank_row_table.n_fields; i++)
    bind_field (statement, FIRST_COLUMN + 1 + (int) i, &jank_row_table.fields[i], row);
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
read_field (sqlite3_stmt *statement, int column, const JankField *field, gpointer row)
{
  gpointer place = (char *) row + field->offset;
  const char *text;
  gint64 n;

  switch (field->type)
    {
    case JANK_STRING:
      text = *(const char **) place = get_text (statement, column);
      return text == NULL || jank_text_is_clean (text, (field->flags & JANK_LINES) != 0);
    case JANK_VALUES:
      {
        GArray *values = *(GArray **) place;
        guint n_values = (guint) sqlite3_column_bytes (statement, column) / (guint) field->table->size;

        g_array_set_size (values, 0);
        if (n_values > 0)
          g_array_append_vals (values, sqlite3_column_blob (statement, column), n_values);
        return TRUE;
      }
    default:
      n = sqlite3_column_int64 (statement, column);
      if (n < 0 || (field->max > 0 && n >= field->max) || (field->size == sizeof (gint) && n > G_MAXINT))
        return FALSE;
      jank_field_set_int (field, place, n);
      return TRUE;
    }
}

gboolean
jank_index_db_read (JankIndexDb *self, JankIndexDbRowFunc callback, gpointer data)
{
  sqlite3_stmt *statement = restart (self, READ);
  JankRow row = { .lengths = g_array_new (FALSE, FALSE, sizeof (JankReportLength)) };

  while (!self->failed && step (self, statement))
    {
      for (guint i = 0; i < jank_row_table.n_fields; i++)
        self->failed |= !read_field (statement, (int) i, &jank_row_table.fields[i], &row);
      self->failed |= row.id == NULL || row.fingerprint == NULL;
      if (!self->failed)
        callback (&row, data);
    }
  sqlite3_reset (statement);
  g_array_unref (row.lengths);
  return !self->failed;
}
