/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A small folder is compared file by file. For a large one it is enough that the folder itself has not changed: whoever
 * keeps reports there renames them into place. Nothing is written while files are read, so no process waits for another
 * one's reading; two that read the same files write the same rows. */

#include "index/jank-index-private.h"

#include <string.h>
#include <sys/stat.h>

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "index/jank-index-db-private.h"
#include "symbols/jank-function-name-private.h"

#define INDEX_FOLDER "index"
#define N_THREADS    2
/* So many files are. */
#define LARGE        2000
/* Rows that are written at once. */
#define N_AT_ONCE    1000
/* A file system may count time in steps of two seconds. */
#define SETTLED_NS   (2 * JANK_NS_PER_S)

struct _JankIndex
{
  JankStore       *store;  /* borrowed */
  char            *folder; /* (owned) (nullable): of the index; NULL: it cannot be there */
  JankIndexDb     *db;     /* (owned) */

  JankIndexReadFunc read;  /* (nullable): while it is made */
  gpointer        data;    /* of read */
};

/* A changed file, and what was in it; neither row nor reason: it has gone. */
typedef struct
{
  const JankFolderEntry *entry;
  JankRow               *row;    /* (owned) (nullable) */
  char                  *reason; /* (owned) (nullable) */
} Item;

/* Shared by the threads that read. */
typedef struct
{
  JankStore   *store;
  GAsyncQueue *read;  /* Item */
} Reading;

/* What any change of the folder changes. Returns: (transfer full) (nullable): it has just changed, and may again
 * unseen */
static char *
look_at_folder (const char *folder)
{
  struct stat info;
  gint64 changed_ns, age_ns;

  if (stat (folder, &info) != 0)
    return NULL;
  changed_ns = jank_clock_to_ns (&info.st_mtim);
  age_ns = jank_clock_read_ns (CLOCK_REALTIME) - changed_ns;
  if (ABS (age_ns) < SETTLED_NS)
    return NULL;
  return g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ":%" G_GINT64_FORMAT,
                          (guint64) info.st_dev, (guint64) info.st_ino, changed_ns);
}

static void
keep_known_cb (const JankFolderEntry *entry, const char *reason, gpointer data)
{
  JankFolderEntry *known = g_new (JankFolderEntry, 1);

  *known = *entry;
  known->name = g_strdup (entry->name);
  g_hash_table_replace (data, known->name, known);
}

static void
free_known (gpointer data)
{
  g_free (((JankFolderEntry *) data)->name);
  g_free (data);
}

static void
item_free (Item *item)
{
  g_clear_pointer (&item->row, jank_row_free);
  g_free (item->reason);
  g_free (item);
}

static Item *
read_item (JankStore *store, const JankFolderEntry *entry)
{
  Item *item = g_new0 (Item, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (JankReport) report = NULL;

  item->entry = entry;
  if (!jank_store_is_id (entry->name))
    {
      item->reason = g_strdup_printf (_("Cannot read the report ‘%s’ in ‘%s’: its name is not that of a report, or it "
                                        "is no file"),
                                      entry->name, jank_store_get_folder (store));
      return item;
    }
  report = jank_store_load_brief (store, entry->name, &error);
  if (report != NULL && jank_row_needs_calls (report))
    {
      jank_report_unref (report);
      report = jank_store_load (store, entry->name, &error);
    }
  if (report != NULL)
    item->row = jank_row_from_report (report);
  else if (!g_error_matches (error, JANK_ERROR, JANK_ERROR_NOT_FOUND))
    item->reason = g_strdup (error->message);
  return item;
}

static void
read_cb (gpointer entry, gpointer data)
{
  Reading *reading = data;

  g_async_queue_push (reading->read, read_item (reading->store, entry));
}

static void
write_items (JankIndexDb *db, GPtrArray *items, const char *state)
{
  jank_index_db_begin (db);
  JANK_EACH (const Item, item, items)
    {
      if (item->row != NULL || item->reason != NULL)
        jank_index_db_put (db, item->entry, item->row, item->reason);
      else
        jank_index_db_remove (db, item->entry->name);
    }
  jank_index_db_commit (db, state);
}

/* changed: (element-type JankFolderEntry). What has been written stays right, whatever becomes of the rest.
 * items: what else to write first, empty afterwards. */
static void
write_changed (JankIndex *self, GPtrArray *changed, GPtrArray *items, const char *state)
{
  Reading reading = { self->store, g_async_queue_new () };
  GThreadPool *readers = g_thread_pool_new (read_cb, &reading, N_THREADS, FALSE, NULL);

  for (guint i = 0; i < changed->len; i++)
    g_thread_pool_push (readers, g_ptr_array_index (changed, i), NULL);
  for (guint i = 0; i < changed->len; i++)
    {
      g_ptr_array_add (items, g_async_queue_pop (reading.read));
      if (self->read != NULL)
        self->read (i + 1, changed->len, self->data);
      if (items->len < N_AT_ONCE)
        continue;
      write_items (self->db, items, NULL);
      g_ptr_array_set_size (items, 0);
    }
  write_items (self->db, items, state);
  g_thread_pool_free (readers, FALSE, TRUE);
  g_async_queue_unref (reading.read);
}

/* Takes from known what entries still have. Returns: (transfer container): the entries that are new or different */
static GPtrArray *
find_changed (GPtrArray *entries, GHashTable *known)
{
  GPtrArray *changed = g_ptr_array_new ();

  JANK_EACH (JankFolderEntry, entry, entries)
    {
      const JankFolderEntry *then = g_hash_table_lookup (known, entry->name);

      if (then == NULL || then->inode != entry->inode || then->n_bytes != entry->n_bytes ||
          then->ctime_ns != entry->ctime_ns)
        g_ptr_array_add (changed, entry);
      g_hash_table_remove (known, entry->name);
    }
  return changed;
}

/* Returns: (transfer full) (nullable): all that is there, files with other names, too */
static GPtrArray *
scan (JankIndex *self, GError **error)
{
  g_autoptr (GPtrArray) foreign = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *entries = jank_folder_scan (jank_store_get_folder (self->store), NULL, jank_store_is_id, foreign,
                                         error);

  for (guint i = 0; entries != NULL && i < foreign->len; i++)
    {
      JankFolderEntry *entry = g_new0 (JankFolderEntry, 1);

      entry->name = g_strdup (g_ptr_array_index (foreign, i));
      g_ptr_array_add (entries, entry);
    }
  return entries;
}

/* Returns: FALSE when the folder cannot be read; the database may be damaged afterwards */
static gboolean
update (JankIndex *self, GError **error)
{
  const char *folder = jank_store_get_folder (self->store);
  g_autofree char *state = look_at_folder (folder), *then = jank_index_db_get_state (self->db);
  g_autoptr (GHashTable) known = NULL;
  g_autoptr (GPtrArray) entries = NULL, changed = NULL, items = NULL;
  GHashTableIter iter;
  gpointer gone;

  if (state != NULL && g_strcmp0 (state, then) == 0)
    return TRUE;
  entries = scan (self, error);
  if (entries == NULL)
    return FALSE;
  known = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_known);
  jank_index_db_each (self->db, FALSE, keep_known_cb, known);
  changed = find_changed (entries, known);
  items = g_ptr_array_new_with_free_func ((GDestroyNotify) item_free);
  g_hash_table_iter_init (&iter, known);
  while (g_hash_table_iter_next (&iter, NULL, &gone))
    {
      Item *item = g_new0 (Item, 1);

      item->entry = gone;
      g_ptr_array_add (items, item);
    }
  if (entries->len < LARGE)
    g_clear_pointer (&state, g_free);
  if (changed->len > 0 || items->len > 0 || state != NULL)
    write_changed (self, changed, items, state);
  return TRUE;
}

/* A file of the folder's, unless known to be of no use, else a new one, else none: memory never fails.
 * Returns: FALSE when the folder with the reports cannot be read */
static gboolean
bring_up_to_date (JankIndex *self, gboolean anew, GError **error)
{
  for (guint i = anew; i < 3; i++)
    {
      g_clear_pointer (&self->db, jank_index_db_free);
      self->db = i == 0 ? jank_index_db_open (self->folder) : jank_index_db_create (i == 1 ? self->folder : NULL);
      if (self->db != NULL && !update (self, error))
        return FALSE;
      if (self->db == NULL || !jank_index_db_is_fine (self->db))
        continue;
      if (i > 0)
        jank_index_db_supersede (self->db);
      break;
    }
  return TRUE;
}

typedef struct
{
  JankIndexBadFunc callback;
  gpointer         data;
} Bad;

static void
tell_bad_cb (const JankFolderEntry *entry, const char *reason, gpointer data)
{
  const Bad *bad = data;

  bad->callback (reason != NULL ? reason : entry->name, bad->data);
}

JankIndex *
jank_index_new (JankStore *store, JankIndexBadFunc callback, JankIndexReadFunc read, gpointer data, GError **error)
{
  g_autoptr (JankIndex) self = g_new0 (JankIndex, 1);
  Bad bad = { callback, data };

  self->store = store;
  self->read = read;
  self->data = data;
  self->folder = jank_folder_get_databases (jank_store_get_folder (store), INDEX_FOLDER, JANK_HOME_MAKE_BELOW);
  if (!bring_up_to_date (self, FALSE, error))
    return NULL;
  self->read = NULL;
  jank_index_db_each (self->db, TRUE, tell_bad_cb, &bad);
  return g_steal_pointer (&self);
}

void
jank_index_free (JankIndex *self)
{
  g_clear_pointer (&self->db, jank_index_db_free);
  g_free (self->folder);
  g_free (self);
}

static GPtrArray *
find (JankIndex *self, const JankFilter *filter)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (jank_row_free);
  JankRow *row;

  while ((row = jank_index_db_read (self->db)) != NULL)
    {
      if (row->outcome == JANK_OUTCOME_ONGOING && !jank_process_is_alive (row->pid, row->began_us))
        row->outcome = JANK_OUTCOME_KILLED;
      if (filter == NULL || jank_filter_matches (filter, row))
        g_ptr_array_add (rows, row);
      else
        jank_row_free (row);
    }
  return rows;
}

GPtrArray *
jank_index_find (JankIndex *self, JankFilter *filter)
{
  g_autoptr (GPtrArray) rows = NULL;

  if (filter != NULL)
    jank_filter_load_last_look (filter, jank_store_get_folder (self->store));
  rows = find (self, filter);

  if (jank_index_db_is_fine (self->db) || !bring_up_to_date (self, TRUE, NULL))
    return g_steal_pointer (&rows);
  return find (self, filter);
}

GPtrArray *
jank_index_find_sessions (JankIndex *self, const JankFilter *filter)
{
  GPtrArray *files = jank_session_load_files (jank_store_get_folder (self->store));

  for (guint i = files->len; i > 0; i--)
    if (!jank_filter_matches_session (filter, g_ptr_array_index (files, i - 1)))
      g_ptr_array_remove_index_fast (files, i - 1);
  return files;
}

/* Returns: (transfer full): the culprit; then, to tell it from another with that name, what of the program called it,
 * innermost first, and the source that led there */
static char **
list_names (JankReport *report)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  g_ptr_array_add (names, g_strdup (report->culprit.function != NULL ? report->culprit.function : ""));
  for (gint i = jank_report_find_culprit_step (report) - 1; i >= 0; i--)
    {
      const JankReportCall *call = jank_report_get_step_call (report, i);

      if (call->symbol != NULL && jank_report_is_own (report, call, NULL))
        g_ptr_array_add (names, jank_function_name (call->symbol));
    }
  g_ptr_array_add (names, g_strdup (report->source.name));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_steal (names, NULL);
}

/* By the innermost caller that the other has not. */
static void
tell_apart (JankRow *row, const JankRow *other, char **names, char **others)
{
  gboolean is_alike = names != NULL && others != NULL && strcmp (names[0], others[0]) == 0 &&
                      row->kind == other->kind && strcmp (row->fingerprint, other->fingerprint) != 0;

  for (guint i = 1; is_alike && row->caller == NULL && names[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) others, names[i]))
      row->caller = g_strdup (names[i]);
}

void
jank_rows_name (GPtrArray *rows, JankStore *store, JankRowsFunc fill, gpointer data, GHashTable *known,
                void (*step) (guint n_done, guint n))
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < rows->len; i++)
    {
      JankRow *row = g_ptr_array_index (rows, i);
      g_autofree char *key = g_strdup_printf ("%s %s %s", row->fingerprint, row->build != NULL ? row->build : "",
                                              row->culprit != NULL ? row->culprit : "");
      char **its;

      if (step != NULL)
        step (i, rows->len);
      if (!g_hash_table_contains (known, key))
        {
          g_autoptr (JankReport) report = jank_store_load (store, row->id, NULL);

          if (report != NULL)
            fill (report, data);
          g_hash_table_insert (known, g_strdup (key), report != NULL ? list_names (report) : NULL);
        }
      its = g_hash_table_lookup (known, key);
      g_ptr_array_add (names, its);
      if (its != NULL && its[0][0] != '\0' && (row->nameless_in != NULL || row->module != NULL))
        jank_set_text (&row->culprit, its[0]);
    }
  for (gsize i = 0; i < (gsize) rows->len * rows->len; i++)
    tell_apart (g_ptr_array_index (rows, i / rows->len), g_ptr_array_index (rows, i % rows->len),
                names->pdata[i / rows->len], names->pdata[i % rows->len]);
}
