/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs in observed processes (watcher thread) and in the command. Whatever goes wrong with the disk
 * becomes a GError; it never raises a signal in the process and never touches files of other names. */

#include "config.h"

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
#include "base/jank-error.h"
#include "report/jank-json-check-private.h"

#define SUFFIX ".json"
#define STRAY_AGE_NS (60 * JANK_NS_PER_S)
/* What g_file_set_contents_full() appends while it writes. */
#define TEMPORARY_SUFFIX_LENGTH (sizeof ".XXXXXX" - 1)

static void
entry_free (gpointer data)
{
  JankFolderEntry *entry = data;

  g_free (entry->name);
  g_free (entry);
}

/* A limit on file sizes raises SIGXFSZ, which would kill the program that we only watch. */
static gboolean
write_without_signal (const char *path, const char *text, gsize n_bytes, GError **error)
{
  const struct timespec at_once = { 0 };
  sigset_t blocked, before, pending;
  gboolean was_pending, ok;

  sigemptyset (&blocked);
  sigaddset (&blocked, SIGXFSZ);
  sigpending (&pending);
  was_pending = sigismember (&pending, SIGXFSZ) == 1;
  pthread_sigmask (SIG_BLOCK, &blocked, &before);

  ok = g_file_set_contents_full (path, text, (gssize) n_bytes, G_FILE_SET_CONTENTS_CONSISTENT, 0600, error);

  if (!was_pending)
    sigtimedwait (&blocked, NULL, &at_once);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return ok;
}

/* GLib's sentences name the temporary file; people need the reason only. */
static const char *
reason_of (const GError *error)
{
  static const struct { gint code; gint number; } numbers[] = {
    { G_FILE_ERROR_NOSPC, ENOSPC }, { G_FILE_ERROR_ACCES, EACCES }, { G_FILE_ERROR_ROFS, EROFS },
    { G_FILE_ERROR_NOTDIR, ENOTDIR }, { G_FILE_ERROR_ISDIR, EISDIR }, { G_FILE_ERROR_PERM, EPERM },
    { G_FILE_ERROR_IO, EIO }, { G_FILE_ERROR_MFILE, EMFILE }, { G_FILE_ERROR_NFILE, ENFILE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_error_matches (error, G_FILE_ERROR, numbers[i].code))
      return g_strerror (numbers[i].number);
  return error->message;
}

gboolean
jank_folder_write (const char *folder, const char *name, const char *text, gsize n_bytes, GError **error)
{
  g_autofree char *file = g_strconcat (name, SUFFIX, NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GError) local_error = NULL;

  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      gint number = errno;

      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot create the folder ‘%s’: %s"),
                   folder, g_strerror (number));
      return FALSE;
    }
  if (!write_without_signal (path, text, n_bytes, &local_error))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot save ‘%s’: %s"), path,
                   reason_of (local_error));
      return FALSE;
    }
  return TRUE;
}

char *
jank_folder_read (const char *folder, const char *name, gsize *ret_n_bytes, GError **error)
{
  g_autofree char *file = g_strconcat (name, SUFFIX, NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GError) local_error = NULL;
  char *text;
  struct stat info;

  if (stat (path, &info) == 0 && (!S_ISREG (info.st_mode) || info.st_size > JANK_JSON_MAX_BYTES))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("Cannot read ‘%s’: it is not a file of up to %d MiB"),
                   path, JANK_JSON_MAX_BYTES / (1024 * 1024));
      return NULL;
    }
  if (!g_file_get_contents (path, &text, ret_n_bytes, &local_error))
    {
      gboolean missing = g_error_matches (local_error, G_FILE_ERROR, G_FILE_ERROR_NOENT);

      g_set_error (error, JANK_ERROR, missing ? JANK_ERROR_NOT_FOUND : JANK_ERROR_FAILED,
                   _("Cannot read ‘%s’: %s"), path, missing ? g_strerror (ENOENT) : reason_of (local_error));
      return NULL;
    }
  return text;
}

static gint64
mtime_of (const struct stat *info)
{
  return (gint64) info->st_mtim.tv_sec * JANK_NS_PER_S + info->st_mtim.tv_nsec;
}

/* file: with its suffix. Returns: (transfer full) (nullable): its name when it ends in ".json" */
static char *
name_of (const char *file, gsize n_bytes)
{
  gsize n_suffix = sizeof SUFFIX - 1;

  if (n_bytes <= n_suffix || strncmp (file + n_bytes - n_suffix, SUFFIX, n_suffix) != 0)
    return NULL;
  return g_strndup (file, n_bytes - n_suffix);
}

static gboolean
is_stray (const char *file, JankFolderNameFunc is_ours)
{
  gsize n = strlen (file);
  g_autofree char *name = NULL;

  if (n <= TEMPORARY_SUFFIX_LENGTH || file[n - TEMPORARY_SUFFIX_LENGTH] != '.')
    return FALSE;
  name = name_of (file, n - TEMPORARY_SUFFIX_LENGTH);
  return name != NULL && is_ours (name);
}

static void
look_at (DIR *dir, const char *file, JankFolderNameFunc is_ours, GPtrArray *entries, guint *n_foreign)
{
  g_autofree char *name = name_of (file, strlen (file));
  struct stat info;

  if (name == NULL)
    {
      if (is_stray (file, is_ours) && fstatat (dirfd (dir), file, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
          mtime_of (&info) < jank_clock_read_ns (CLOCK_REALTIME) - STRAY_AGE_NS)
        unlinkat (dirfd (dir), file, 0);
    }
  else if (is_ours (name) && fstatat (dirfd (dir), file, &info, 0) == 0 && S_ISREG (info.st_mode))
    {
      JankFolderEntry *entry = g_new0 (JankFolderEntry, 1);

      entry->name = g_steal_pointer (&name);
      entry->mtime_ns = mtime_of (&info);
      entry->n_bytes = (guint64) info.st_size;
      g_ptr_array_add (entries, entry);
    }
  else
    *n_foreign += 1;
}

GPtrArray *
jank_folder_scan (const char *folder, JankFolderNameFunc is_ours, guint *ret_n_foreign, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  guint n_foreign = 0;
  struct dirent *item;
  DIR *dir = opendir (folder);

  if (dir == NULL && errno != ENOENT)
    {
      gint number = errno;

      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot read the folder ‘%s’: %s"),
                   folder, g_strerror (number));
      return NULL;
    }

  while (dir != NULL && (item = readdir (dir)) != NULL)
    look_at (dir, item->d_name, is_ours, entries, &n_foreign);
  if (dir != NULL)
    closedir (dir);
  if (ret_n_foreign != NULL)
    *ret_n_foreign = n_foreign;
  return g_steal_pointer (&entries);
}

static gint
compare_age_cb (gconstpointer a, gconstpointer b)
{
  const JankFolderEntry *x = *(JankFolderEntry *const *) a, *y = *(JankFolderEntry *const *) b;

  if (x->mtime_ns != y->mtime_ns)
    return x->mtime_ns < y->mtime_ns ? -1 : 1;
  return strcmp (x->name, y->name);
}

void
jank_folder_trim (const char *folder, JankFolderNameFunc is_ours, const char *keep,
                  guint max_files, guint64 max_bytes)
{
  g_autoptr (GPtrArray) entries = jank_folder_scan (folder, is_ours, NULL, NULL);
  guint64 n_bytes = 0;
  guint n_files;

  if (entries == NULL)
    return;

  n_files = entries->len;
  for (guint i = 0; i < entries->len; i++)
    n_bytes += ((JankFolderEntry *) g_ptr_array_index (entries, i))->n_bytes;

  g_ptr_array_sort (entries, compare_age_cb);
  for (guint i = 0; i < entries->len && (n_files > max_files || n_bytes > max_bytes); i++)
    {
      const JankFolderEntry *entry = g_ptr_array_index (entries, i);
      g_autofree char *path = g_strconcat (folder, G_DIR_SEPARATOR_S, entry->name, SUFFIX, NULL);

      if (strcmp (entry->name, keep) == 0 || g_unlink (path) != 0)
        continue;
      n_files--;
      n_bytes -= entry->n_bytes;
    }
}
