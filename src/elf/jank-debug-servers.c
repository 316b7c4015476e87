/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* libdebuginfod is opened, not linked: linked, it would bring libcurl and TLS into every run of the command. libdwfl
 * can ask the servers by itself, but it waits 90 s for one that hangs, and takes any file that comes. */

#include "elf/jank-debug-file-private.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-text-clean-private.h"

#define LIBRARY "libdebuginfod.so.1"

#define URLS "DEBUGINFOD_URLS"

/* s until a server that sends less than 100 KB in this time is given up. */
#define TIMEOUT  "DEBUGINFOD_TIMEOUT"
#define PATIENCE "1"
/* s for all files together, and bytes of one: libdebuginfod limits only a size that the server announces. */
#define MAX_TIME  "DEBUGINFOD_MAXTIME"
#define MAX_SIZE  "DEBUGINFOD_MAXSIZE"
#define MAX_S     300
#define MAX_BYTES ((gint64) 2 << 30)

typedef struct _Client Client;

struct _JankDebugServers
{
  /* set at construction */
  char    *urls;    /* (owned) (nullable) */
  gint64   until_us;
  rlim_t   max_bytes;
  void    *library; /* (owned) (nullable) */
  Client  *client;  /* (owned) (nullable) */
  int    (*find) (Client *client, const unsigned char *build_id, int n_bytes, char **ret_path);
  void   (*end) (Client *client);

  guint    n_unknown; /* files that no server has */
  char    *trouble;   /* (owned) (nullable): asks nobody any more */
};

static void
jank_debug_servers_open_library (JankDebugServers *self)
{
  Client *(*begin) (void);

  self->library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (self->library == NULL)
    return;
  *(void **) &begin = dlsym (self->library, "debuginfod_begin");
  *(void **) &self->find = dlsym (self->library, "debuginfod_find_debuginfo");
  *(void **) &self->end = dlsym (self->library, "debuginfod_end");
  if (begin != NULL && self->find != NULL && self->end != NULL)
    self->client = begin ();
}

/* What the variable allows, if that is less than most. */
static gint64
jank_debug_servers_get_limit (const char *variable, gint64 most)
{
  const char *text = g_getenv (variable);
  gint64 n;

  return text != NULL && g_ascii_string_to_signed (text, 10, 1, most, &n, NULL) ? n : most;
}

JankDebugServers *
jank_debug_servers_new (void)
{
  JankDebugServers *self = g_new0 (JankDebugServers, 1);

  self->urls = g_strdup (g_getenv (URLS));
  self->until_us = g_get_monotonic_time () + jank_debug_servers_get_limit (MAX_TIME, MAX_S) * G_USEC_PER_SEC;
  self->max_bytes = (rlim_t) jank_debug_servers_get_limit (MAX_SIZE, MAX_BYTES);
  if (self->urls == NULL || *g_strchug (self->urls) == '\0')
    self->trouble = g_strdup (_("Debug information was not requested: $DEBUGINFOD_URLS is not set"));
  else
    {
      jank_debug_servers_open_library (self);
      if (self->client == NULL)
        self->trouble = g_strdup (_("Debug information was not requested: libdebuginfod.so.1 is not installed"));
    }
  return self;
}

void
jank_debug_servers_free (JankDebugServers *self)
{
  if (self->client != NULL)
    self->end (self->client);
  if (self->library != NULL)
    dlclose (self->library);
  g_free (self->urls);
  g_free (self->trouble);
  g_free (self);
}

/* Nothing but a build-id tells that a file is the one that was asked for. */
static gboolean
jank_debug_servers_has_build_id (int fd, const char *build_id)
{
  Elf *elf = elf_begin (fd, ELF_C_READ_MMAP, NULL);
  const void *bits = NULL;
  gssize n = elf != NULL ? dwelf_elf_gnu_build_id (elf, &bits) : 0;
  g_autofree char *its_own = jank_text_from_bits (bits, (gsize) MAX (n, 0));

  elf_end (elf);
  return g_strcmp0 (its_own, build_id) == 0;
}

static int
jank_debug_servers_ask (JankDebugServers *self, const char *build_id, char **ret_path)
{
  gint64 left_us = self->until_us - g_get_monotonic_time ();
  g_autofree char *left_s = g_strdup_printf ("%d", (int) MAX (1, left_us / G_USEC_PER_SEC - 1)); /* it ends late */
  struct rlimit before;
  void (*handler) (int);
  int fd;

  if (left_us <= 0)
    return -ETIME;
  g_setenv (URLS, self->urls, TRUE);
  g_setenv (TIMEOUT, PATIENCE, FALSE);
  g_setenv (MAX_TIME, left_s, TRUE);
  getrlimit (RLIMIT_FSIZE, &before);
  handler = signal (SIGXFSZ, SIG_IGN);
  setrlimit (RLIMIT_FSIZE, &(struct rlimit) { MIN (before.rlim_cur, self->max_bytes), before.rlim_max });
  fd = self->find (self->client, (const unsigned char *) build_id, 0, ret_path);
  setrlimit (RLIMIT_FSIZE, &before);
  signal (SIGXFSZ, handler);
  g_unsetenv (URLS); /* libdwfl itself asks the servers whenever this is set */
  return fd;
}

char *
jank_debug_servers_find (JankDebugServers *self, const char *build_id)
{
  char *path = NULL, *found = NULL;
  int fd;

  if (self->trouble != NULL)
    return NULL;
  fd = jank_debug_servers_ask (self, build_id, &path);
  if (fd >= 0)
    {
      if (jank_debug_servers_has_build_id (fd, build_id))
        found = g_strdup (path);
      else
        {
          self->trouble = g_strdup (_("A server in $DEBUGINFOD_URLS sent something other than the requested debug "
                                      "information"));
          unlink (path); /* or the cache would answer the same next time */
        }
      close (fd);
    }
  else if (fd == -ETIME)
    self->trouble = g_strdup (_("The servers in $DEBUGINFOD_URLS did not answer in time"));
  else if (fd == -ENOENT)
    self->n_unknown++;
  else
    self->trouble = g_strdup_printf (_("Cannot ask the servers in $DEBUGINFOD_URLS for debug information: %s"),
                                     g_strerror (-fd));
  free (path);
  return found;
}

const char *
jank_debug_servers_get_trouble (JankDebugServers *self)
{
  if (self->trouble == NULL && self->n_unknown > 0)
    self->trouble = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                                  "The servers in $DEBUGINFOD_URLS have no debug information for %u "
                                                  "file",
                                                  "The servers in $DEBUGINFOD_URLS have no debug information for %u "
                                                  "files",
                                                  self->n_unknown), self->n_unknown);
  return self->trouble;
}
