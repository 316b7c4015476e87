/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads /proc at times that grow further apart. A process that lasts less than the first of them is not seen. */

#include "watched.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "descriptors/jank-children-private.h"
#include "proc/jank-proc-private.h"

/* A program without a display ends after 30 ms; one that has begun is looked at rarely. */
#define FIRST_MS    10
#define N_FIRST     20
#define LAST_MS     1000
#define MAX_DEPTH   16
#define MAX_BYTES   (1 << 20) /* of an environment */
#define MODULE_FILE "libgiojankwatch.so"

/* What keeps a process from being watched; the last that one of them has is told. */
typedef enum
{
  REASON_NONE,     /* it has just begun */
  REASON_NO_GLIB,
  REASON_NO_LOOP,  /* nothing else is wrong */
  REASON_FOREIGN,  /* no library can be preloaded */
  REASON_UNLOADED, /* it uses GLib without GIO, and was started without the library */
  REASON_ASKED,    /* JANKWATCH=0 */
  REASON_BLIND,    /* the module is not in its file system */
  REASON_EMPTIED,  /* it has not the variables */
  REASON_STRANGER, /* another user's */
  REASON_WATCHED,
} Reason;

struct _Onlooker
{
  /* set at construction */
  char    *module_folder; /* (owned) */
  GThread *thread;        /* (owned) */

  GMutex   mutex;
  GCond    cond;
  gboolean is_over;       /* by mutex */

  /* the thread's, then the main thread's */
  Reason   reason;
  char    *name;          /* (owned) (nullable): of the process */
  char    *text;          /* (owned) (nullable): why it is foreign */
  gboolean has_gtk;       /* one of them */
};

/* Returns: -1: unknown */
static gint
onlooker_read_user (pid_t pid)
{
  g_autofree char *users = jank_proc_read_field (pid, "Uid:", "status");
  gint effective;

  return users != NULL && sscanf (users, "%*d %d", &effective) == 1 ? effective : -1;
}

/* Returns: (transfer full) (nullable): it may not be read */
static char **
onlooker_read_environment (pid_t pid)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *path = g_strdup_printf ("/proc/%d/environ", (int) pid), *text = NULL;
  gsize n_bytes = 0;

  if (!g_file_get_contents (path, &text, &n_bytes, NULL) || n_bytes > MAX_BYTES)
    return NULL;
  for (const char *item = text; item < text + n_bytes; item += strlen (item) + 1)
    g_ptr_array_add (items, g_strdup (item));
  g_ptr_array_add (items, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&items), FALSE);
}

/* Of a process with GLib. */
static Reason
onlooker_judge_environment (const Onlooker *self, pid_t pid)
{
  g_auto (GStrv) variables = onlooker_read_environment (pid);
  const char *asked = variables != NULL ? g_environ_getenv (variables, "JANKWATCH") : NULL;
  const char *modules = variables != NULL ? g_environ_getenv (variables, "GIO_EXTRA_MODULES") : NULL;
  g_autofree char *module = NULL;

  if (variables == NULL)
    return REASON_NO_LOOP;
  if (g_strcmp0 (asked, "0") == 0)
    return REASON_ASKED;
  if (asked == NULL || modules == NULL || strstr (modules, self->module_folder) == NULL)
    return REASON_EMPTIED;
  module = g_strdup_printf ("/proc/%d/root/%s/" MODULE_FILE, (int) pid, self->module_folder);
  return access (module, F_OK) != 0 && errno == ENOENT ? REASON_BLIND : REASON_NO_LOOP;
}

/* A child of ours before it has become the command. */
static gboolean
onlooker_is_ourselves (pid_t pid)
{
  struct stat own, other;
  char path[48];

  jank_proc_path (path, sizeof path, pid, "exe");
  return stat ("/proc/self/exe", &own) == 0 && stat (path, &other) == 0 && own.st_dev == other.st_dev &&
         own.st_ino == other.st_ino;
}

static Reason
onlooker_judge (Onlooker *self, pid_t pid)
{
  gint user = onlooker_read_user (pid);
  Reason reason;
  char exe[48], path[48];
  g_autofree char *maps = NULL, *foreign = NULL;

  if (user < 0 || onlooker_is_ourselves (pid))
    return REASON_NONE;
  if ((uid_t) user != geteuid ())
    return REASON_STRANGER;
  jank_proc_path (path, sizeof path, pid, "maps");
  maps = jank_proc_read_long (path);
  if (strstr (maps, "/libjankwatch-1.so.") != NULL)
    return REASON_WATCHED;
  self->has_gtk |= strstr (maps, "/libgtk-") != NULL;
  reason = strstr (maps, "/libglib-2.0.so.") == NULL ? REASON_NO_GLIB : onlooker_judge_environment (self, pid);
  if (reason == REASON_NO_LOOP && strstr (maps, "/libgio-2.0.so.") == NULL &&
      strstr (maps, "/libjankwatch-preload.so") == NULL)
    reason = REASON_UNLOADED;
  jank_proc_path (exe, sizeof exe, pid, "exe");
  foreign = preload_explain_foreign (exe);
  if (foreign != NULL)
    return reason == REASON_UNLOADED ? REASON_FOREIGN : MAX (reason, REASON_FOREIGN);
  return reason;
}

static void
onlooker_look (Onlooker *self, pid_t pid, guint depth)
{
  JankChildren children;
  Reason reason = depth > 0 ? onlooker_judge (self, pid) : REASON_NONE;
  char exe[48], path[PATH_MAX];

  jank_proc_path (exe, sizeof exe, pid, "exe");
  if (reason > REASON_NONE && reason >= self->reason)
    {
      self->reason = reason;
      g_free (self->name);
      self->name = jank_proc_read_link (exe, path, sizeof path) ? g_path_get_basename (path) : NULL;
      if (self->name == NULL)
        {
          jank_proc_get_name (pid, path, sizeof path);
          self->name = g_strdup (path);
        }
      g_clear_pointer (&self->text, g_free);
      self->text = reason == REASON_FOREIGN ? preload_explain_foreign (exe) : NULL;
    }
  jank_children_list (pid, &children);
  for (guint i = 0; i < children.n && depth < MAX_DEPTH; i++)
    onlooker_look (self, children.pids[i], depth + 1);
}

static gpointer
onlooker_run (gpointer data)
{
  Onlooker *self = data;
  gint64 wait_ms = FIRST_MS, until_us = g_get_monotonic_time ();
  guint n_looks = 0;

  g_mutex_lock (&self->mutex);
  while (!self->is_over && self->reason != REASON_WATCHED)
    {
      until_us += wait_ms * G_TIME_SPAN_MILLISECOND;
      if (g_cond_wait_until (&self->cond, &self->mutex, until_us))
        continue;
      wait_ms = ++n_looks < N_FIRST ? FIRST_MS : MIN (2 * wait_ms, LAST_MS);
      g_mutex_unlock (&self->mutex);
      onlooker_look (self, getpid (), 0);
      g_mutex_lock (&self->mutex);
    }
  g_mutex_unlock (&self->mutex);
  return NULL;
}

Onlooker *
onlooker_start (const char *module_folder)
{
  Onlooker *self = g_new0 (Onlooker, 1);
  sigset_t all, before;

  self->module_folder = g_strdup (module_folder);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  /* Signals are for the main thread, which passes them on. */
  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, &before);
  self->thread = g_thread_new ("onlooker", onlooker_run, self);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return self;
}

void
onlooker_stop (Onlooker *self)
{
  g_mutex_lock (&self->mutex);
  self->is_over = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
  g_clear_pointer (&self->thread, g_thread_join);
}

void
onlooker_free (Onlooker *self)
{
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
  g_free (self->module_folder);
  g_free (self->name);
  g_free (self->text);
  g_free (self);
}

char *
onlooker_explain (const Onlooker *self, const char *store, const char *why)
{
  const char *name = self->name;

  if (self->reason < REASON_ASKED && why != NULL)
    return g_strdup (why);

  switch (self->reason)
    {
    case REASON_STRANGER:
      return g_strdup_printf (_("‘%s’ ran as another user; jankwatch follows only your own programs"),
                              name);
    case REASON_EMPTIED:
      return g_strdup_printf (_("‘%s’ was started without jankwatch's environment variables (Flatpak and “env -i” "
                                "remove them); see SANDBOXES in jankwatch(1)"), name);
    case REASON_BLIND:
      return g_strdup_printf (_("‘%s’ cannot see ‘%s’ in its sandbox; see SANDBOXES in jankwatch(1)"),
                              name, self->module_folder);
    case REASON_ASKED:
      return g_strdup_printf (_("‘%s’ was started with JANKWATCH=0"), name);
    case REASON_FOREIGN:
      return g_strdup_printf (_("‘%s’ %s: jankwatch cannot follow it"), name, self->text);
    case REASON_UNLOADED:
      return g_strdup_printf (_("‘%s’ uses GLib without GIO, and was started without the LD_PRELOAD of jankwatch"),
                              name);
    case REASON_NO_LOOP:
      if (self->has_gtk && g_getenv ("DISPLAY") == NULL && g_getenv ("WAYLAND_DISPLAY") == NULL)
        return g_strdup_printf (_("‘%s’ has no display: DISPLAY and WAYLAND_DISPLAY are not set; xvfb-run(1) provides "
                                  "a display"), name);
      return g_strdup_printf (_("‘%s’ exited before its main loop ran, or continued in a child that it forked"), name);
    case REASON_NO_GLIB:
      return g_strdup_printf (_("‘%s’ does not use GLib"), name);
    case REASON_WATCHED:
      return g_strdup_printf (_("jankwatch ran inside ‘%s’, but ‘%s’ contains nothing from it; a sandbox may use "
                                "another folder"),
                              name, store);
    case REASON_NONE:
    default:
      return NULL;
    }
}
