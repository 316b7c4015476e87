/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file stays open from when it is seen first: what a program wrote before it removed its file is still read. */

#include "live/jank-live-reader-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <linux/futex.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-home-private.h"
#include "report/jank-report-json-private.h"

#define MAX_FOLDERS 64   /* two, and one an app in Flatpak's sandbox */
#define MAX_FILES   512  /* each costs a descriptor */
#define N_TRIES     20   /* at a page that is being written */
#define NAP_US      500

/* A program in a sandbox may fill its own folder and write to it without a pause. So each look costs a folder at most
 * 50 ms of naps, and reads each file once. */
#define MAX_FOLDER_FILES 64
#define MAX_NAPS         100
#define MAX_LISTED       5000
#define MAX_READS        64 /* of events, more than the kernel keeps */

/* The file of a program that is gone is left to those who still read what the program wrote: `run` of its session. An
 * empty one may be of a program that has just begun. */
#define SESSION_AGE_NS (5 * JANK_NS_PER_S)
#define EMPTY_AGE_NS   (60 * JANK_NS_PER_S)

typedef struct
{
  char *path;  /* (owned) */
  int   fd;
  int   watch; /* of inotify */
  guint n_files, n_naps; /* n_naps: in this look */
  gboolean is_told; /* that it is too much */
} Folder;

/* A file of a folder. */
typedef struct
{
  JankLiveProgram program;
  Folder         *folder;  /* the reader's */
  char           *name;    /* (owned) */
  int             fd;      /* -1: it is ignored */
  guint64         number;  /* of the page that was read last */
  guint64         n_ended; /* told so far */
  gboolean        is_known; /* it was there at the first look, and what had ended then is no news */
} File;

struct _JankLiveReader
{
  /* set at construction */
  JankLiveReaderFuncs funcs;
  gpointer            data;
  char               *session;  /* (owned) (nullable): of ours */
  char               *runtime;  /* (owned) (nullable): $XDG_RUNTIME_DIR */
  guint64             pid_namespace;
  int                 inotify;  /* -1: there is none */

  GPtrArray          *folders;  /* (owned) of Folder */
  GHashTable         *files;    /* (owned): path → File */
  gboolean            has_looked;
};

static void
jank_live_reader_free_folder (gpointer data)
{
  Folder *folder = data;

  close (folder->fd);
  g_free (folder->path);
  g_free (folder);
}

static void
jank_live_reader_free_file (gpointer data)
{
  File *file = data;

  if (file->fd >= 0)
    close (file->fd);
  g_clear_pointer (&file->program.live, jank_live_free);
  g_clear_pointer (&file->program.stall, jank_report_unref);
  file->folder->n_files--;
  g_free (file->name);
  g_free (file);
}

static void
jank_live_reader_ignore (JankLiveReader *self, const char *path, const char *why)
{
  if (self->funcs.ignored != NULL)
    self->funcs.ignored (self->data, path, why);
}

/* Another user's folder is not ours to read: he could fill it for ever. */
static void
jank_live_reader_add_folder (JankLiveReader *self, const char *parent, const char *name, JankHomeUse use)
{
  g_autofree char *path = g_build_filename (parent, name, NULL), *link = NULL;
  Folder *folder;
  struct stat info;
  int fd;

  for (guint i = 0; i < self->folders->len; i++)
    if (g_str_equal (((Folder *) g_ptr_array_index (self->folders, i))->path, path))
      return;
  fd = self->folders->len < MAX_FOLDERS ? jank_home_open_folder (parent, name, use) : -1;
  if (fd < 0)
    return;
  if (fstat (fd, &info) != 0 || info.st_uid != geteuid () || (info.st_mode & 022) != 0)
    {
      jank_live_reader_ignore (self, path, _("other users can write to this folder"));
      close (fd);
      return;
    }
  folder = g_new (Folder, 1);
  *folder = (Folder) { .path = g_steal_pointer (&path), .fd = fd, .watch = -1 };
  link = g_strdup_printf ("/proc/self/fd/%d", fd);
  if (self->inotify >= 0)
    folder->watch = inotify_add_watch (self->inotify, link, IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE |
                                       IN_ONLYDIR);
  g_ptr_array_add (self->folders, folder);
}

/* Sandboxes begin and end. */
static void
jank_live_reader_find_apps (JankLiveReader *self)
{
  g_autofree char *apps = self->runtime != NULL ? g_build_filename (self->runtime, "app", NULL) : NULL;
  g_autoptr (GDir) dir = apps != NULL ? g_dir_open (apps, 0, NULL) : NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *app = g_build_filename (apps, name, NULL);

      jank_live_reader_add_folder (self, app, JANK_LIVE_RUNTIME, JANK_HOME_READ);
    }
}

JankLiveReader *
jank_live_reader_new (const char *store_folder, const char *session, const JankLiveReaderFuncs *funcs, gpointer data)
{
  JankLiveReader *self = g_new0 (JankLiveReader, 1);
  g_autofree char *runtime = jank_live_get_runtime ();
  struct stat info;

  self->funcs = *funcs;
  self->data = data;
  self->session = g_strdup (session);
  self->runtime = runtime != NULL ? g_path_get_dirname (runtime) : NULL;
  self->pid_namespace = stat ("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
  self->inotify = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK);
  self->folders = g_ptr_array_new_with_free_func (jank_live_reader_free_folder);
  self->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, jank_live_reader_free_file);
  if (runtime != NULL && stat (self->runtime, &info) == 0 && info.st_uid == geteuid ())
    jank_live_reader_add_folder (self, self->runtime, JANK_LIVE_RUNTIME, JANK_HOME_MAKE_BELOW);
  jank_live_reader_add_folder (self, store_folder, JANK_LIVE_FOLDER, JANK_HOME_MAKE_BELOW);
  return self;
}

void
jank_live_reader_free (JankLiveReader *self)
{
  g_hash_table_unref (self->files);
  g_ptr_array_unref (self->folders);
  if (self->inotify >= 0)
    close (self->inotify);
  g_free (self->session);
  g_free (self->runtime);
  g_free (self);
}

int
jank_live_reader_get_fd (const JankLiveReader *self)
{
  return self->folders->len > 0 ? self->inotify : -1;
}

/* Returns: (nullable): why what is open as fd is not believed */
static const char *
jank_live_reader_find_fault (int fd)
{
  struct stat info;

  if (fd < 0)
    return errno == ELOOP ? _("it is a symbolic link") : g_strerror (errno);
  if (fstat (fd, &info) != 0)
    return g_strerror (errno);
  if (!S_ISREG (info.st_mode))
    return _("it is not a regular file");
  if (info.st_uid != geteuid ())
    return _("it belongs to another user");
  return (info.st_mode & 022) != 0 ? _("other users can write to it") : NULL;
}

/* Says so once a folder. */
static void
jank_live_reader_limit (JankLiveReader *self, Folder *folder)
{
  if (!folder->is_told)
    jank_live_reader_ignore (self, folder->path, _("only part of it is read: it contains too many files, or they "
                                                   "change too often"));
  folder->is_told = TRUE;
}

/* Reading must not count as access: O_NOATIME, which the owner of a file may. */
static File *
jank_live_reader_open (JankLiveReader *self, Folder *folder, const char *name, const char *path)
{
  int fd = openat (folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOATIME);
  const char *why;
  File *file;

  if (fd < 0 && errno == EPERM)
    fd = openat (folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT)
    return NULL;
  why = jank_live_reader_find_fault (fd);
  if (why != NULL)
    jank_live_reader_ignore (self, path, why);
  if (why != NULL && fd >= 0)
    close (fd);
  file = g_new0 (File, 1);
  file->folder = folder;
  folder->n_files++;
  file->name = g_strdup (name);
  file->fd = why == NULL ? fd : -1;
  file->is_known = !self->has_looked;
  g_hash_table_insert (self->files, g_strdup (path), file);
  return file;
}

typedef enum { PAGE_NEW, PAGE_OLD, PAGE_EMPTY, PAGE_BAD, PAGE_UNSURE, PAGE_FOREIGN } PageState;

/* What stands in a page that is new. */
typedef struct
{
  JankLive   *live;  /* (owned) (nullable) */
  JankReport *stall; /* (owned) (nullable) */
  char      **lines; /* (owned) (nullable) */
} Page;

static void
jank_live_reader_clear_page (Page *page)
{
  g_clear_pointer (&page->live, jank_live_free);
  g_clear_pointer (&page->stall, jank_report_unref);
  g_clear_pointer (&page->lines, g_strfreev);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Page, jank_live_reader_clear_page)

/* Returns: (nullable): line i, or NULL */
static const char *
jank_live_reader_get_line (const Page *page, guint i)
{
  return i < g_strv_length (page->lines) ? page->lines[i] : NULL;
}

static JankReport *
jank_live_reader_parse_gist (const char *json)
{
  return json != NULL ? jank_report_from_json (json, strlen (json), NULL) : NULL;
}

static PageState
jank_live_reader_read_once (File *file, Page *page)
{
  g_autofree char *bytes = g_malloc0 (JANK_LIVE_PAGE_BYTES), *text = NULL;
  guint64 number;

  if (pread (file->fd, bytes, JANK_LIVE_PAGE_BYTES, 0) == 0)
    return PAGE_EMPTY;
  text = jank_live_page_unpack (bytes, &number);
  if (text == NULL)
    return g_str_has_prefix (bytes, JANK_LIVE_PREFIX) && !g_str_has_prefix (bytes, JANK_LIVE_SCHEMA " ")
             ? PAGE_FOREIGN : PAGE_BAD;
  if (number == file->number)
    return PAGE_OLD;
  jank_live_reader_clear_page (page);
  page->lines = g_strsplit (text, "\n", 2 + JANK_LIVE_N_ENDED + 1);
  page->live = jank_live_from_json (page->lines[0]);
  if (page->live == NULL)
    return PAGE_BAD;
  if (page->live->has_path)
    page->stall = jank_live_reader_parse_gist (jank_live_reader_get_line (page, 1));
  if (page->live->has_path != (page->stall != NULL))
    return PAGE_BAD;
  file->number = number;
  return PAGE_NEW;
}

static PageState
jank_live_reader_read (File *file, Page *page)
{
  PageState state = jank_live_reader_read_once (file, page);

  for (guint i = 0; i < N_TRIES && state == PAGE_BAD; i++)
    {
      if (file->folder->n_naps++ >= MAX_NAPS)
        return PAGE_UNSURE;
      g_usleep (NAP_US);
      state = jank_live_reader_read_once (file, page);
    }
  return state;
}

/* The page has the newest first. */
static void
jank_live_reader_tell_ended (JankLiveReader *self, File *file, const Page *page)
{
  guint64 n_ended = file->program.live->n_ended, n_new = n_ended - MIN (n_ended, file->n_ended);

  for (gint i = (gint) MIN (n_new, JANK_LIVE_N_ENDED) - 1; i >= 0; i--)
    {
      const char *json = jank_live_reader_get_line (page, (file->program.live->has_path ? 2 : 1) + (guint) i);
      g_autoptr (JankReport) stall = jank_live_reader_parse_gist (json);

      if (stall != NULL && self->funcs.ended != NULL)
        self->funcs.ended (self->data, &file->program, stall);
    }
  file->n_ended = n_ended;
}

/* Whether what ended in live's program before the first look is no news: not so of the caller's own session. */
static gboolean
jank_live_reader_is_known (JankLiveReader *self, const File *file, const JankLive *live)
{
  return file->is_known && (self->session == NULL || live == NULL || g_strcmp0 (live->session, self->session) != 0);
}

static void
jank_live_reader_take (JankLiveReader *self, File *file, Page *page)
{
  gboolean is_first = file->program.live == NULL;

  g_clear_pointer (&file->program.live, jank_live_free);
  g_clear_pointer (&file->program.stall, jank_report_unref);
  file->program.live = g_steal_pointer (&page->live);
  file->program.stall = g_steal_pointer (&page->stall);
  if (is_first && jank_live_reader_is_known (self, file, file->program.live))
    file->n_ended = file->program.live->n_ended;
  jank_live_reader_tell_ended (self, file, page);
  if (self->funcs.changed != NULL)
    self->funcs.changed (self->data, &file->program);
}

static void
jank_live_reader_stop_reading (JankLiveReader *self, File *file, const char *path, const char *why)
{
  jank_live_reader_ignore (self, path, why);
  if (file->program.live != NULL && self->funcs.gone != NULL)
    self->funcs.gone (self->data, &file->program);
  g_clear_pointer (&file->program.live, jank_live_free);
  close (file->fd);
  file->fd = -1;
}

static void
jank_live_reader_remove (JankLiveReader *self, const File *file, const JankLive *live)
{
  struct stat info, named;
  gint64 age_ns, least_ns = 0;

  if (fstat (file->fd, &info) != 0 || fstatat (file->folder->fd, file->name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
      info.st_ino != named.st_ino || info.st_dev != named.st_dev)
    return;
  age_ns = jank_clock_read_ns (CLOCK_REALTIME) - (gint64) info.st_mtim.tv_sec * JANK_NS_PER_S;
  if (live == NULL)
    least_ns = EMPTY_AGE_NS;
  else if (live->session != NULL && g_strcmp0 (live->session, self->session) != 0)
    least_ns = SESSION_AGE_NS;
  if (age_ns >= least_ns)
    unlinkat (file->folder->fd, file->name, 0);
}

/* The program of file is gone. live (nullable): what it said last */
static void
jank_live_reader_forget (JankLiveReader *self, File *file, const JankLive *live, const char *path)
{
  if (file->program.live != NULL && self->funcs.gone != NULL)
    self->funcs.gone (self->data, &file->program);
  jank_live_reader_remove (self, file, live);
  g_hash_table_remove (self->files, path);
}

/* Returns: (nullable): why it is not believed */
static const char *
jank_live_reader_take_page (JankLiveReader *self, File *file, const char *path)
{
  gboolean is_held = jank_live_is_held (file->fd, &file->program.pid);
  g_auto (Page) page = { NULL };
  PageState state = jank_live_reader_read (file, &page);

  if (state == PAGE_UNSURE)
    {
      jank_live_reader_limit (self, file->folder);
      return NULL; /* whoever writes it has not finished, and will be heard of */
    }
  if (state == PAGE_FOREIGN)
    return _("another version of jankwatch writes it");
  if (state == PAGE_BAD)
    return _("jankwatch did not write it");
  if (state == PAGE_NEW && is_held && page.live->pid_namespace == self->pid_namespace &&
      page.live->pid != file->program.pid)
    return _("it names a process that did not write it");
  if (is_held || file->program.live != NULL || !jank_live_reader_is_known (self, file, page.live))
    {
      if (state == PAGE_NEW)
        jank_live_reader_take (self, file, &page);
      if (!is_held)
        jank_live_reader_forget (self, file, file->program.live, path);
    }
  else /* It was there, and its program gone, before we came. */
    jank_live_reader_forget (self, file, page.live, path);
  return NULL;
}

static void
jank_live_reader_look_at (JankLiveReader *self, Folder *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);
  File *file = g_hash_table_lookup (self->files, path);
  const char *why;

  if (!g_str_has_suffix (name, JANK_LIVE_SUFFIX))
    return;
  if (file == NULL && folder->n_files < MAX_FOLDER_FILES && g_hash_table_size (self->files) < MAX_FILES)
    file = jank_live_reader_open (self, folder, name, path);
  else if (file == NULL)
    jank_live_reader_limit (self, folder);
  if (file == NULL || file->fd < 0)
    return;
  why = jank_live_reader_take_page (self, file, path);
  if (why != NULL)
    jank_live_reader_stop_reading (self, file, path, why);
}

static void
jank_live_reader_scan (JankLiveReader *self, Folder *folder)
{
  int fd = openat (folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  struct dirent *item;

  for (guint i = 0; dir != NULL && i < MAX_LISTED && (item = readdir (dir)) != NULL; i++)
    jank_live_reader_look_at (self, folder, item->d_name);
  if (dir != NULL)
    closedir (dir);
}

/* A namesake is said anew. */
static void
jank_live_reader_drop_ignored (JankLiveReader *self, const Folder *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);
  const File *file = g_hash_table_lookup (self->files, path);

  if (file != NULL && file->fd < 0)
    g_hash_table_remove (self->files, path);
}

/* changed: (element-type utf8): of each folder, the names that changed, and whether one was deleted; "" is the whole
 * folder */
static void
jank_live_reader_take_event (JankLiveReader *self, const struct inotify_event *event, GHashTable *changed[])
{
  for (guint i = 0; i < self->folders->len; i++)
    {
      const Folder *folder = g_ptr_array_index (self->folders, i);
      const char *name = (event->mask & IN_Q_OVERFLOW) != 0 ? "" : event->name;
      gboolean is_deleted = (event->mask & IN_DELETE) != 0;

      if ((event->mask & IN_Q_OVERFLOW) == 0 && (folder->watch != event->wd || event->len == 0))
        continue;
      if (changed[i] == NULL)
        changed[i] = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      is_deleted |= GPOINTER_TO_INT (g_hash_table_lookup (changed[i], name));
      g_hash_table_replace (changed[i], g_strdup (name), GINT_TO_POINTER (is_deleted));
    }
}

/* Takes changed (nullable). */
static void
jank_live_reader_look_at_changed (JankLiveReader *self, Folder *folder, GHashTable *changed)
{
  GHashTableIter iter;
  gpointer name, is_deleted;

  if (changed == NULL)
    return;
  g_hash_table_iter_init (&iter, changed);
  while (g_hash_table_iter_next (&iter, &name, &is_deleted))
    {
      if (*(char *) name == '\0')
        jank_live_reader_scan (self, folder);
      else
        jank_live_reader_look_at (self, folder, name);
      if (GPOINTER_TO_INT (is_deleted))
        jank_live_reader_drop_ignored (self, folder, name);
    }
  g_hash_table_unref (changed);
}

void
jank_live_reader_look (JankLiveReader *self)
{
  char buffer[16384] __attribute__ ((aligned (__alignof__ (struct inotify_event))));
  guint n_folders = self->has_looked ? self->folders->len : 0;
  GHashTable *changed[MAX_FOLDERS] = { NULL };
  gssize n;

  jank_live_reader_find_apps (self);
  for (guint i = 0; i < self->folders->len; i++)
    ((Folder *) g_ptr_array_index (self->folders, i))->n_naps = 0;
  for (guint i = n_folders; i < self->folders->len; i++)
    jank_live_reader_scan (self, g_ptr_array_index (self->folders, i));
  self->has_looked = TRUE;
  for (guint i = 0; i < MAX_READS && self->inotify >= 0 && (n = read (self->inotify, buffer, sizeof buffer)) > 0; i++)
    for (char *p = buffer; p < buffer + n;)
      {
        const struct inotify_event *event = (const void *) p;

        jank_live_reader_take_event (self, event, changed);
        p += sizeof *event + event->len;
      }
  for (guint i = 0; i < self->folders->len; i++)
    jank_live_reader_look_at_changed (self, g_ptr_array_index (self->folders, i), changed[i]);
}

void
jank_live_reader_ask (JankLiveReader *self)
{
  gint64 until_ns = jank_clock_read_ns (CLOCK_REALTIME) + JANK_LIVE_ASKED_NS;
  const struct timespec times[] = { { until_ns / JANK_NS_PER_S, until_ns % JANK_NS_PER_S }, { .tv_nsec = UTIME_OMIT } };
  GHashTableIter iter;
  gpointer file;

  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    if (((File *) file)->fd >= 0)
      futimens (((File *) file)->fd, times);
}

/* program is the first member of its File. */
gboolean
jank_live_reader_ask_dump (JankLiveReader *self, const JankLiveProgram *program)
{
  const File *file = (const File *) program;
  gint64 until_ns = jank_clock_read_ns (CLOCK_REALTIME) + JANK_LIVE_DUMP_NS;
  const struct timespec until = { until_ns / JANK_NS_PER_S, until_ns % JANK_NS_PER_S };
  void *bell;

  if (file->fd < 0 || futimens (file->fd, (struct timespec[]) { until, until }) != 0)
    return FALSE;
  bell = mmap (NULL, JANK_LIVE_PAGE_BYTES, PROT_READ, MAP_SHARED, file->fd, 0);
  if (bell == MAP_FAILED)
    return TRUE;
  syscall (SYS_futex, bell, FUTEX_WAKE, G_MAXINT, NULL, NULL, 0);
  munmap (bell, JANK_LIVE_PAGE_BYTES);
  return TRUE;
}

GPtrArray *
jank_live_reader_get_all (JankLiveReader *self)
{
  GPtrArray *all = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer file;

  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    if (((File *) file)->fd >= 0 && ((File *) file)->program.live != NULL)
      g_ptr_array_add (all, &((File *) file)->program);
  return all;
}
