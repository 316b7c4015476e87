/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* libdebuginfod is opened, not linked: linked, it would bring libcurl and TLS into every run of the command. libdwfl
 * can ask the servers by itself, but it waits 90 s for one that hangs, and takes any file that comes. */

#include "elf/jank-debug-servers-private.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#define LIBRARY "libdebuginfod.so.1"

#define URLS "DEBUGINFOD_URLS"

/* s until a server that sends less than 100 KB in this time is given up. */
#define TIMEOUT  "DEBUGINFOD_TIMEOUT"
#define PATIENCE "1"

typedef struct _Client Client;

struct _JankDebugServers
{
  /* set at construction */
  char    *urls;    /* (owned) (nullable) */
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

JankDebugServers *
jank_debug_servers_new (void)
{
  JankDebugServers *self = g_new0 (JankDebugServers, 1);

  self->urls = g_strdup (g_getenv (URLS));
  if (self->urls == NULL || *g_strchug (self->urls) == '\0')
    self->trouble = g_strdup (_("No debug information was asked for: $DEBUGINFOD_URLS names no server"));
  else
    {
      jank_debug_servers_open_library (self);
      if (self->client == NULL)
        self->trouble = g_strdup (_("No debug information was asked for: libdebuginfod.so.1 is not installed"));
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
  const void *bits;
  gssize n = elf != NULL ? dwelf_elf_gnu_build_id (elf, &bits) : 0;
  gboolean is_same = n > 0 && strlen (build_id) == 2 * (gsize) n;

  for (gssize i = 0; i < n && is_same; i++)
    is_same = 16 * g_ascii_xdigit_value (build_id[2 * i]) + g_ascii_xdigit_value (build_id[2 * i + 1])
              == ((const guint8 *) bits)[i];
  elf_end (elf);
  return is_same;
}

static int
jank_debug_servers_ask (JankDebugServers *self, const char *build_id, char **ret_path)
{
  int fd;

  g_setenv (URLS, self->urls, TRUE);
  g_setenv (TIMEOUT, PATIENCE, FALSE);
  fd = self->find (self->client, (const unsigned char *) build_id, 0, ret_path);
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
    self->trouble = g_strdup (_("The servers in $DEBUGINFOD_URLS sent nothing, or too slowly, and were given up"));
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
                                                  "The servers in $DEBUGINFOD_URLS gave no debug information of %u "
                                                  "file",
                                                  "The servers in $DEBUGINFOD_URLS gave no debug information of %u "
                                                  "files",
                                                  self->n_unknown), self->n_unknown);
  return self->trouble;
}
