/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The descriptor is the watcher thread's own (guest/jank-own-files-private.h): no child has it, no closefrom() closes
 * it, and the lock ends with the thread, at the latest with the process or at its exec(). A limit on file sizes raises
 * SIGXFSZ for this thread, which blocks it. lseek() and write() are calls that jank_filter_find_deadly() tries;
 * pwrite() is not, and a filter may end the program for it. */

#include "live/jank-live-file-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-home-private.h"
#include "base/jank-memory-sigsafe-private.h"
#include "guest/jank-rest-private.h"
#include "report/jank-report-json-private.h"

/* Programs that are killed, or end by _exit(), leave their files; those of nobody's session only if no reader runs. */
#define MAX_LOOKED_AT 500
#define STRAY_AGE_NS  (60 * JANK_NS_PER_S)

struct _JankLiveFile
{
  /* set at construction */
  char    *runtime; /* (owned) (nullable) */
  char    *store;   /* (owned) */
  gboolean session;

  int      fd;      /* -1: there is no file */
  char    *name;    /* (owned) (nullable): of the file */
  gboolean is_in_store;
  guint64  number;  /* of the page that was written last */
  gsize    room;    /* beside live's own line, in bytes */
  GQueue   ended;   /* of (owned) JSON of what has ended, the newest first: what has stood in the page, and the
                       newest */
  void    *bell;    /* (nullable): the page, mapped */
};

JankLiveFile *
jank_live_file_new (const char *store_folder, gboolean session)
{
  JankLiveFile *self = g_new0 (JankLiveFile, 1);

  self->runtime = jank_live_get_runtime ();
  self->store = g_strdup (store_folder);
  self->session = session;
  self->fd = -1;
  self->room = JANK_LIVE_TEXT_BYTES;
  return self;
}

void
jank_live_file_free (JankLiveFile *self)
{
  g_queue_clear_full (&self->ended, g_free);
  g_free (self->runtime);
  g_free (self->store);
  g_free (self->name);
  g_free (self);
}

/* Nothing is made in another user's runtime folder, which sudo may leave in the environment: it would be in the way.
 * Returns: a descriptor, -1: there is no folder of the user's */
static int
jank_live_file_open_folder (const JankLiveFile *self, gboolean in_store, gboolean makes)
{
  g_autofree char *parent = self->runtime != NULL ? g_path_get_dirname (self->runtime) : NULL;
  struct stat info;
  int folder = -1;

  if (in_store)
    folder = jank_home_open_folder (self->store, JANK_LIVE_FOLDER, makes ? JANK_HOME_MAKE : JANK_HOME_READ);
  else if (parent != NULL && stat (parent, &info) == 0 && info.st_uid == geteuid ())
    folder = jank_home_open_folder (parent, JANK_LIVE_RUNTIME, makes ? JANK_HOME_MAKE_BELOW : JANK_HOME_READ);
  if (folder < 0 || (fstat (folder, &info) == 0 && info.st_uid == geteuid ()))
    return folder;
  close (folder);
  return -1;
}

/* The system calls of a file that may be anybody's: it is opened to see whether somebody holds its lock. */
static void
jank_live_file_remove_stray (int folder, const char *name)
{
  gint64 until_ns = jank_clock_read_ns (CLOCK_REALTIME) - STRAY_AGE_NS;
  struct stat info;
  int fd, pid;

  if (fstatat (folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG (info.st_mode) || info.st_uid != geteuid () ||
      (gint64) info.st_mtim.tv_sec * JANK_NS_PER_S > until_ns)
    return;
  fd = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return;
  if (!jank_live_is_held (fd, &pid))
    unlinkat (folder, name, 0);
  close (fd);
}

static void
jank_live_file_tidy (int folder)
{
  int fd = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  struct dirent *item;

  for (guint i = 0; dir != NULL && i < MAX_LOOKED_AT && (item = readdir (dir)) != NULL; i++)
    if (g_str_has_suffix (item->d_name, JANK_LIVE_SUFFIX))
      {
        jank_rest_begin ();
        jank_live_file_remove_stray (folder, item->d_name);
        jank_rest_end ();
      }
  if (dir != NULL)
    closedir (dir);
}

/* Nobody reads it but the kernel in futex_waitv(), which needs Linux 5.16, and which valgrind complains of. No child
 * has it: its file is not the child's. */
static void
jank_live_file_map_bell (JankLiveFile *self)
{
#ifdef SYS_futex_waitv
  if (jank_memory_is_on_valgrind () || (syscall (SYS_futex_waitv, NULL, 0, 0, NULL, 0) != 0 && errno != EINVAL))
    return;
  self->bell = mmap (NULL, JANK_LIVE_PAGE_BYTES, PROT_READ, MAP_SHARED, self->fd, 0);
  if (self->bell == MAP_FAILED)
    self->bell = NULL;
  else if (madvise (self->bell, JANK_LIVE_PAGE_BYTES, MADV_DONTFORK) != 0)
    {
      munmap (self->bell, JANK_LIVE_PAGE_BYTES);
      self->bell = NULL;
    }
#endif
}

const void *
jank_live_file_get_bell (const JankLiveFile *self)
{
  return self->bell;
}

/* Nobody has a file of that name, which has the time. Returns: FALSE: there cannot be one in folder */
static gboolean
jank_live_file_create (JankLiveFile *self, gboolean in_store)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  g_autofree char *name = g_strdup_printf ("%d-%" G_GINT64_FORMAT JANK_LIVE_SUFFIX, (gint) getpid (),
                                           jank_clock_now_ns ());
  int folder = jank_live_file_open_folder (self, in_store, in_store || !self->session), fd;

  if (folder < 0)
    return FALSE;
  jank_live_file_tidy (folder);
  jank_rest_begin ();
  fd = openat (folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0 && fcntl (fd, F_SETLK, &lock) != 0)
    {
      unlinkat (folder, name, 0);
      close (fd);
      fd = -1;
    }
  close (folder);
  jank_rest_end ();
  if (fd < 0)
    return FALSE;
  self->fd = fd;
  jank_live_file_map_bell (self);
  g_free (self->name);
  self->name = g_steal_pointer (&name);
  self->is_in_store = in_store;
  return TRUE;
}

static void
jank_live_file_shut (JankLiveFile *self)
{
  if (self->bell != NULL)
    munmap (self->bell, JANK_LIVE_PAGE_BYTES);
  self->bell = NULL;
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

/* Somebody may have tidied the folder. */
static gboolean
jank_live_file_is_there (JankLiveFile *self)
{
  struct stat info;

  return self->fd >= 0 && fstat (self->fd, &info) == 0 && info.st_nlink > 0;
}

static gboolean
jank_live_file_append (GString *text, const char *json)
{
  if (text->len + 1 + strlen (json) > JANK_LIVE_TEXT_BYTES)
    return FALSE;
  g_string_append_c (text, '\n');
  g_string_append (text, json);
  return TRUE;
}

/* Returns: (transfer full): of at most max_bytes, if its waits can be left out */
static char *
jank_live_file_generate (JankReport *gist, gsize max_bytes)
{
  char *json = jank_report_generate_gist (gist);

  if (strlen (json) <= max_bytes)
    return json;
  g_free (json);
  g_ptr_array_set_size (gist->samples, 0);
  if (gist->verdict != NULL)
    {
      gist->verdict->wait = gist->verdict->second = -1;
      g_ptr_array_set_size (gist->verdict->waits, 0);
    }
  return jank_report_generate_gist (gist);
}

/* Returns: (transfer full): all lines; too long where live's own is */
static GString *
jank_live_file_compose (JankLiveFile *self, JankLive *live, JankReport *gist)
{
  g_autofree char *head = NULL, *stall = NULL;
  GString *text = g_string_sized_new (JANK_LIVE_PAGE_BYTES);
  guint n_fit = 0;

  live->has_path = gist != NULL;
  head = jank_live_to_json (live);
  g_string_append (text, head);
  self->room = JANK_LIVE_TEXT_BYTES - MIN (text->len + 1, JANK_LIVE_TEXT_BYTES);
  if (gist != NULL)
    stall = jank_live_file_generate (gist, self->room);
  if (stall != NULL && !jank_live_file_append (text, stall))
    {
      g_free (head);
      live->has_path = FALSE;
      head = jank_live_to_json (live);
      g_string_assign (text, head);
    }
  while (n_fit < self->ended.length && jank_live_file_append (text, g_queue_peek_nth (&self->ended, n_fit)))
    n_fit++;
  while (self->ended.length > MAX (n_fit, 1))
    g_free (g_queue_pop_tail (&self->ended));
  return text;
}

void
jank_live_file_set (JankLiveFile *self, JankLive *live, JankReport *gist)
{
  g_autofree char *page = g_malloc (JANK_LIVE_PAGE_BYTES);
  guint64 number = self->number + 1;
  GString *text;

  live->written_ns = jank_clock_now_ns ();
  if (!jank_live_file_is_there (self))
    {
      jank_live_file_shut (self);
      if (!jank_live_file_create (self, FALSE))
        jank_live_file_create (self, TRUE);
    }
  live->has_bell = self->bell != NULL;
  text = jank_live_file_compose (self, live, gist);
  if (jank_live_page_pack (page, number, text->str))
    {
      self->number = number;
      /* A page that is written half, on a full disk, has a wrong check. */
      jank_rest_begin ();
      if (self->fd >= 0 && lseek (self->fd, 0, SEEK_SET) == 0)
        (void) !write (self->fd, page, JANK_LIVE_PAGE_BYTES);
      jank_rest_end ();
    }
  g_string_free (text, TRUE);
}

void
jank_live_file_add_ended (JankLiveFile *self, JankReport *gist)
{
  g_queue_push_head (&self->ended, jank_live_file_generate (gist, self->room));
  if (self->ended.length > JANK_LIVE_N_ENDED)
    g_free (g_queue_pop_tail (&self->ended));
}

/* Where the clock was set back, the time of modification is in the future, too, but not that of access. */
gboolean
jank_live_file_is_asked (JankLiveFile *self, gboolean *ret_dump)
{
  struct stat info;
  gint64 until_ns, now_ns;

  *ret_dump = FALSE;
  if (self->fd < 0 || fstat (self->fd, &info) != 0)
    return FALSE;
  now_ns = jank_clock_read_ns (CLOCK_REALTIME);
  until_ns = jank_clock_to_ns (&info.st_atim);
  *ret_dump = until_ns > now_ns && until_ns - now_ns <= JANK_LIVE_DUMP_NS &&
              until_ns == jank_clock_to_ns (&info.st_mtim);
  return until_ns > now_ns;
}

void
jank_live_file_close (JankLiveFile *self)
{
  int folder = self->fd >= 0 && !(self->session && self->ended.length > 0)
                 ? jank_live_file_open_folder (self, self->is_in_store, FALSE) : -1;

  if (folder >= 0)
    {
      unlinkat (folder, self->name, 0);
      close (folder);
    }
  jank_live_file_shut (self);
}
