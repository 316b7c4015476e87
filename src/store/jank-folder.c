/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs in observed processes (watcher thread) and in the command. Whatever goes wrong with the disk
 * becomes a GError; it never raises a signal in the process and never touches files of other names. */

#include "store/jank-folder-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "base/jank-home-private.h"
#include "guest/jank-rest-private.h"
#include "base/jank-error.h"
#include "json/jank-json-private.h"

#define STRAY_AGE_NS (60 * JANK_NS_PER_S)
/* What jank_folder_replace_file() appends while it writes. */
#define TEMPORARY_SUFFIX_LENGTH (sizeof ".XXXXXX" - 1)
/* A busy disk takes 5 ms to remove a file: a folder that somebody has filled empties over many writes. */
#define MAX_SURPLUS 10000
#define MAX_REMOVED 100
/* To look into a file takes 10 µs. */
#define MAX_CONSIDERED 1000
#define HEAD_BYTES 512

#define PROGRAM_KEY "\"app\":{\"name\":\""
#define PROBLEM_KEY "\"fingerprint\":\""

typedef struct { guint64 n, n_bytes; } Amount;

typedef struct
{
  Amount *program; /* borrowed */
  Amount  amount;
  GQueue  entries; /* their numbers, the oldest first */
} Problem;

/* Which file of a full folder goes next: of the program that has most, of the problem that it has most of, the oldest.
 * So no program pushes out another's, and of a noisy program the rare problem stays. The watcher thread asks for each
 * new report once the store is full: of a file no more than its first bytes are read, which name program and problem
 * in the order of our writers; whatever they do not name is of one program. */
typedef struct
{
  GPtrArray  *entries;  /* borrowed: the oldest first */
  GHashTable *programs; /* (owned): Amount by name */
  GHashTable *problems; /* (owned): Problem by program and fingerprint */
} JankRetention;

static void
jank_folder_entry_free (gpointer data)
{
  JankFolderEntry *entry = data;

  g_free (entry->name);
  g_free (entry);
}

static gboolean
jank_folder_write_all (gint fd, const char *text, gsize n_bytes)
{
  while (n_bytes > 0)
    {
      ssize_t n = write (fd, text, n_bytes);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return FALSE;
      text += n;
      n_bytes -= (gsize) n;
    }
  return TRUE;
}

/* Writes a file beside it and renames that. Nothing is forced to the disk: that would hold up the program's own
 * writing, and a report that a power cut has cut short is refused by its readers. Returns: 0 or errno */
static gint
jank_folder_replace_file (gint dir, const char *file, const char *text, gsize n_bytes)
{
  g_autofree char *temporary = g_strdup_printf ("%s.%06x", file, (guint) jank_clock_now_ns () & 0xffffff);
  gint fd, number = 0;

  jank_rest_begin ();
  fd = openat (dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0 || !jank_folder_write_all (fd, text, n_bytes))
    number = errno;
  if (fd >= 0 && close (fd) != 0 && number == 0)
    number = errno;
  if (number == 0 && renameat (dir, temporary, dir, file) != 0)
    number = errno;
  if (number != 0 && fd >= 0)
    unlinkat (dir, temporary, 0);
  jank_rest_end ();
  return number;
}

/* A limit on file sizes raises SIGXFSZ, which would kill the program that we only watch. */
static gint
jank_folder_replace_without_signal (gint dir, const char *file, const char *text, gsize n_bytes)
{
  const struct timespec at_once = { 0 };
  sigset_t blocked, before, pending;
  gboolean was_pending;
  gint number;

  sigemptyset (&blocked);
  sigaddset (&blocked, SIGXFSZ);
  sigpending (&pending);
  was_pending = sigismember (&pending, SIGXFSZ) == 1;
  pthread_sigmask (SIG_BLOCK, &blocked, &before);

  number = jank_folder_replace_file (dir, file, text, n_bytes);

  if (!was_pending)
    sigtimedwait (&blocked, NULL, &at_once);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return number;
}

gboolean
jank_folder_write_file (const char *store, const char *below, const char *file, const char *text, gsize n_bytes,
                        GError **error)
{
  g_autofree char *folder = g_build_filename (store, below, NULL), *path = g_build_filename (folder, file, NULL);
  gint dir = jank_home_open_folder (store, below, JANK_HOME_MAKE);
  gint number = dir < 0 ? errno : jank_folder_replace_without_signal (dir, file, text, n_bytes);

  if (dir < 0)
    g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot write to the folder ‘%s’: %s"), folder,
                 jank_home_explain (folder, number));
  else
    close (dir);
  if (dir >= 0 && number != 0)
    g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot save ‘%s’: %s"), path, g_strerror (number));
  return number == 0;
}

gboolean
jank_folder_write (const char *store, const char *below, const char *name, const char *text, gsize n_bytes,
                   GError **error)
{
  g_autofree char *file = g_strconcat (name, JANK_FOLDER_SUFFIX, NULL);

  return jank_folder_write_file (store, below, file, text, n_bytes, error);
}

/* Returns: (transfer full) (nullable): with errno */
static char *
jank_folder_read_all (gint fd, gsize size, gsize *ret_n_bytes)
{
  g_autofree char *text = g_malloc (size + 1);
  gsize n_bytes = 0;
  ssize_t n = 1;

  while (n_bytes < size && n != 0)
    {
      n = read (fd, text + n_bytes, size - n_bytes);
      if (n < 0 && errno != EINTR)
        return NULL;
      n_bytes += (gsize) MAX (n, 0);
    }
  text[n_bytes] = '\0';
  *ret_n_bytes = n_bytes;
  return g_steal_pointer (&text);
}

char *
jank_folder_read_fd (gint fd, const char *path, gsize *ret_n_bytes, GError **error)
{
  char *text = NULL;
  struct stat info;
  gint number;

  if (fd >= 0 && fstat (fd, &info) == 0 && (!S_ISREG (info.st_mode) || info.st_size > JANK_JSON_MAX_BYTES))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, 
                   _("Cannot read ‘%s’: it is not a file, or it is larger than %d MiB"), path,
                   JANK_JSON_MAX_BYTES / (1024 * 1024));
      close (fd);
      return NULL;
    }
  if (fd >= 0)
    text = jank_folder_read_all (fd, (gsize) info.st_size, ret_n_bytes);
  number = errno;
  if (fd >= 0)
    close (fd);
  if (text == NULL)
    g_set_error (error, JANK_ERROR, number == ENOENT ? JANK_ERROR_NOT_FOUND : JANK_ERROR_FAILED,
                 _("Cannot read ‘%s’: %s"), path, g_strerror (number));
  return text;
}

char *
jank_folder_read_file (const char *store, const char *below, const char *file, gsize *ret_n_bytes, GError **error)
{
  g_autofree char *path = g_build_filename (store, below != NULL ? below : file, below != NULL ? file : NULL, NULL);
  gint dir = jank_home_open_folder (store, below, JANK_HOME_READ), number = errno;
  gint fd = dir >= 0 ? openat (dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;

  if (dir >= 0)
    {
      number = errno;
      close (dir);
    }
  errno = number;
  return jank_folder_read_fd (fd, path, ret_n_bytes, error);
}

char *
jank_folder_read (const char *store, const char *below, const char *name, gsize *ret_n_bytes, GError **error)
{
  g_autofree char *file = g_strconcat (name, JANK_FOLDER_SUFFIX, NULL);

  return jank_folder_read_file (store, below, file, ret_n_bytes, error);
}

gboolean
jank_folder_has (const char *store, const char *name)
{
  g_autofree char *file = g_strconcat (name, JANK_FOLDER_SUFFIX, NULL);
  gint dir = jank_home_open_folder (store, NULL, JANK_HOME_READ);
  struct stat info;
  gboolean has = dir >= 0 && fstatat (dir, file, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG (info.st_mode);

  if (dir >= 0)
    close (dir);
  return has;
}

gint
jank_folder_remove (const char *store, const char *below, const char *name)
{
  g_autofree char *file = g_strconcat (name, JANK_FOLDER_SUFFIX, NULL);
  gint dir = jank_home_open_folder (store, below, JANK_HOME_READ), number = 0;

  if (dir < 0 || unlinkat (dir, file, 0) != 0)
    number = errno;
  if (dir >= 0)
    close (dir);
  return number;
}

/* file: with its suffix. Returns: (transfer full) (nullable): its name when it ends in ".json" */
static char *
jank_folder_name_of (const char *file, gsize n_bytes)
{
  gsize n_suffix = sizeof JANK_FOLDER_SUFFIX - 1;

  if (n_bytes <= n_suffix || strncmp (file + n_bytes - n_suffix, JANK_FOLDER_SUFFIX, n_suffix) != 0)
    return NULL;
  return g_strndup (file, n_bytes - n_suffix);
}

static gboolean
jank_folder_is_stray (const char *file, JankFolderNameFunc is_ours)
{
  gsize n = strlen (file);
  g_autofree char *name = NULL;

  if (n <= TEMPORARY_SUFFIX_LENGTH || file[n - TEMPORARY_SUFFIX_LENGTH] != '.')
    return FALSE;
  name = jank_folder_name_of (file, n - TEMPORARY_SUFFIX_LENGTH);
  return name != NULL && is_ours (name);
}

/* What a crashed writer left behind over a minute ago. */
static void
jank_folder_remove_stray (gint dir, const char *file, JankFolderNameFunc is_ours)
{
  struct stat info;

  if (jank_folder_is_stray (file, is_ours) && fstatat (dir, file, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      jank_clock_to_ns (&info.st_mtim) < jank_clock_read_ns (CLOCK_REALTIME) - STRAY_AGE_NS)
    unlinkat (dir, file, 0);
}

static void
jank_folder_look_at (gint dir, const char *file, JankFolderNameFunc is_ours, GPtrArray *entries, GPtrArray *foreign)
{
  g_autofree char *name = jank_folder_name_of (file, strlen (file));
  struct stat info;

  if (name == NULL || fstatat (dir, file, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return; /* or it has gone meanwhile */
  if (is_ours (name) && S_ISREG (info.st_mode))
    {
      JankFolderEntry *entry = g_new0 (JankFolderEntry, 1);

      entry->name = g_steal_pointer (&name);
      entry->mtime_ns = jank_clock_to_ns (&info.st_mtim);
      entry->ctime_ns = jank_clock_to_ns (&info.st_ctim);
      entry->inode = info.st_ino;
      entry->n_bytes = (guint64) info.st_size;
      g_ptr_array_add (entries, entry);
    }
  else if (foreign != NULL)
    g_ptr_array_add (foreign, g_strdup (file));
}

/* fd: -1: there is no folder. Returns: (transfer full) (nullable): with errno */
static GPtrArray *
jank_folder_scan_fd (gint fd, JankFolderNameFunc is_ours, guint max_entries, gboolean tidies, GPtrArray *foreign)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (jank_folder_entry_free);
  gint listed = fd >= 0 ? openat (fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  DIR *dir = listed >= 0 ? fdopendir (listed) : NULL;
  struct dirent *item;

  if (fd >= 0 && dir == NULL)
    return NULL;
  while (dir != NULL && entries->len < max_entries && (item = readdir (dir)) != NULL)
    {
      if (tidies)
        jank_folder_remove_stray (fd, item->d_name, is_ours);
      jank_folder_look_at (fd, item->d_name, is_ours, entries, foreign);
      jank_rest_yield ();
    }
  if (dir != NULL)
    closedir (dir);
  return g_steal_pointer (&entries);
}

gint
jank_folder_compare_newest_first (gconstpointer a, gconstpointer b)
{
  return strverscmp ((*(JankFolderEntry *const *) b)->name, (*(JankFolderEntry *const *) a)->name);
}

GPtrArray *
jank_folder_scan (const char *store, const char *below, JankFolderNameFunc is_ours, GPtrArray *foreign, GError **error)
{
  gint fd = jank_home_open_folder (store, below, JANK_HOME_READ), number = errno;
  GPtrArray *entries = NULL;

  if (fd >= 0 || number == ENOENT)
    {
      entries = jank_folder_scan_fd (fd, is_ours, G_MAXUINT, FALSE, foreign);
      number = errno;
    }
  if (fd >= 0)
    close (fd);
  if (entries == NULL)
    {
      g_autofree char *folder = g_build_filename (store, below, NULL);

      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot read the folder ‘%s’: %s"),
                   folder, jank_home_explain (folder, number));
    }
  return entries;
}

static gint
jank_folder_compare_age_cb (gconstpointer a, gconstpointer b)
{
  const JankFolderEntry *x = *(JankFolderEntry *const *) a, *y = *(JankFolderEntry *const *) b;

  return x->mtime_ns < y->mtime_ns ? -1 : x->mtime_ns > y->mtime_ns ? 1 : strcmp (x->name, y->name);
}

static void
jank_retention_problem_free (gpointer data)
{
  g_queue_clear (&((Problem *) data)->entries);
  g_free (data);
}

/* Returns: (transfer full): the text behind key, as JSON has it; "": there is none */
static char *
jank_retention_find (const char *head, const char *key)
{
  const char *found = strstr (head, key);

  found = found != NULL ? found + strlen (key) : "";
  return g_strndup (found, strcspn (found, "\""));
}

static void
jank_retention_add (JankRetention *self, gint dir, guint i)
{
  const JankFolderEntry *entry = g_ptr_array_index (self->entries, i);
  g_autofree char *file = g_strconcat (entry->name, JANK_FOLDER_SUFFIX, NULL), *program = NULL, *problem = NULL,
      *both = NULL;
  char head[HEAD_BYTES + 1] = "";
  gint fd = openat (dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  Amount *amount;
  Problem *of;

  if (fd >= 0 && read (fd, head, HEAD_BYTES) < 0)
    head[0] = '\0';
  if (fd >= 0)
    close (fd);
  program = jank_retention_find (head, PROGRAM_KEY);
  problem = jank_retention_find (head, PROBLEM_KEY);
  both = g_strconcat (problem, " ", program, NULL);

  amount = g_hash_table_lookup (self->programs, program);
  if (amount == NULL)
    g_hash_table_insert (self->programs, g_steal_pointer (&program), amount = g_new0 (Amount, 1));
  of = g_hash_table_lookup (self->problems, both);
  if (of == NULL)
    g_hash_table_insert (self->problems, g_steal_pointer (&both), of = g_new0 (Problem, 1));
  of->program = amount;
  of->amount.n++;
  of->amount.n_bytes += entry->n_bytes;
  amount->n++;
  amount->n_bytes += entry->n_bytes;
  g_queue_push_tail (&of->entries, GUINT_TO_POINTER (i));
}

/* Whether a goes before b. */
static gboolean
jank_retention_is_first (const Problem *a, const Problem *b, gboolean by_bytes)
{
  const guint64 of_a[] = { by_bytes ? a->program->n_bytes : a->program->n, by_bytes ? a->amount.n_bytes : a->amount.n };
  const guint64 of_b[] = { by_bytes ? b->program->n_bytes : b->program->n, by_bytes ? b->amount.n_bytes : b->amount.n };

  for (guint i = 0; i < G_N_ELEMENTS (of_a); i++)
    if (of_a[i] != of_b[i])
      return of_a[i] > of_b[i];
  return GPOINTER_TO_UINT (a->entries.head->data) < GPOINTER_TO_UINT (b->entries.head->data);
}

/* Each once. by_bytes: most is meant of bytes, not of files. Returns: (nullable): none is left */
static const JankFolderEntry *
jank_retention_next (JankRetention *self, gboolean by_bytes)
{
  Problem *first = NULL;
  GHashTableIter iter;
  gpointer problem;
  const JankFolderEntry *entry;

  g_hash_table_iter_init (&iter, self->problems);
  while (g_hash_table_iter_next (&iter, NULL, &problem))
    if (!g_queue_is_empty (&((Problem *) problem)->entries) &&
        (first == NULL || jank_retention_is_first (problem, first, by_bytes)))
      first = problem;
  if (first == NULL)
    return NULL;
  entry = g_ptr_array_index (self->entries, GPOINTER_TO_UINT (g_queue_pop_head (&first->entries)));
  first->amount.n--;
  first->amount.n_bytes -= entry->n_bytes;
  first->program->n--;
  first->program->n_bytes -= entry->n_bytes;
  return entry;
}

void
jank_folder_trim (const char *store, const char *below, JankFolderNameFunc is_ours, const char *keep,
                  guint max_files, guint64 max_bytes)
{
  gint dir = jank_home_open_folder (store, below, JANK_HOME_READ);
  guint n_files, n_removed = 0;
  guint64 n_bytes = 0;
  const JankFolderEntry *entry;
  g_autoptr (GPtrArray) entries = jank_folder_scan_fd (dir, is_ours, MIN (max_files, G_MAXUINT - MAX_SURPLUS) +
                                                       MAX_SURPLUS, TRUE, NULL);
  g_autoptr (GHashTable) programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) problems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           jank_retention_problem_free);
  JankRetention retention = { entries, programs, problems };

  n_files = entries != NULL ? entries->len : 0;
  for (guint i = 0; i < n_files; i++)
    n_bytes += ((JankFolderEntry *) g_ptr_array_index (entries, i))->n_bytes;

  if (n_files > max_files || n_bytes > max_bytes)
    {
      g_ptr_array_sort (entries, jank_folder_compare_age_cb);
      for (guint i = 0; i < MIN (n_files, MAX_CONSIDERED); i++)
        {
          jank_retention_add (&retention, dir, i);
          jank_rest_yield ();
        }
    }
  while (n_removed < MAX_REMOVED && (n_files > max_files || n_bytes > max_bytes) &&
         (entry = jank_retention_next (&retention, n_files <= max_files)) != NULL)
    {
      g_autofree char *file = g_strconcat (entry->name, JANK_FOLDER_SUFFIX, NULL);

      if (g_strcmp0 (entry->name, keep) == 0 || unlinkat (dir, file, 0) != 0)
        continue;
      n_files--;
      n_removed++;
      n_bytes -= entry->n_bytes;
    }
  if (dir >= 0)
    close (dir);
}

char *
jank_folder_get_databases (const char *store, const char *below, JankHomeUse use)
{
  gint dir = jank_home_open_folder (store, below, use), listed;
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", dir);
  char *path = NULL;
  struct stat info;
  struct dirent *item;
  DIR *list;

  if (dir >= 0 && fstat (dir, &info) == 0 && info.st_uid == geteuid ())
    path = g_file_read_link (link, NULL);
  listed = path != NULL ? openat (dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  list = listed >= 0 ? fdopendir (listed) : NULL;
  while (list != NULL && (item = readdir (list)) != NULL)
    if (fstatat (dir, item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR (info.st_mode) &&
        (!S_ISREG (info.st_mode) || info.st_uid != geteuid () || info.st_nlink > 1))
      unlinkat (dir, item->d_name, 0);
  if (list != NULL)
    closedir (list);
  if (dir >= 0)
    close (dir);
  return path;
}
