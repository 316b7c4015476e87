/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* staller hostile: a handler, or many, that keep the loader, the allocator or the C++ unwinder busy. */

#include "staller-hostile.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANDLER_REST_MS 10

typedef struct
{
  gint64 (*func) (gint64 until_ns);
  gint64 handler_ns;
  gint64 n_loops;
  guint n_handlers;
  gint64 began_ns, ended_ns; /* of the latest handler */
  gint64 longest_ns;         /* handler */
} Hostile;

static const struct
{
  const char *name;
  gint64 (*func) (gint64 until_ns);
} kinds[] = {
  { "dl-iterate-phdr", hostile_dl_iterate_phdr },
  { "dlopen", hostile_dlopen },
  { "malloc", hostile_malloc },
  { "throw", hostile_throw },
  { "recursion", hostile_recursion },
  { "altstack", hostile_altstack },
  { "coroutine", hostile_coroutine },
};

/* A library beside this program. */
static void *
open_beside (const char *name)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname (self);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);

  if (library == NULL)
    fprintf (stderr, "staller: %s\n", dlerror ());
  return library;
}

static int
count_segments_cb (struct dl_phdr_info *info, size_t size, void *data)
{
  *(guint64 *) data += info->dlpi_phnum;
  return 0;
}

gint64
hostile_dl_iterate_phdr (gint64 until_ns)
{
  gint64 n_loops = 0;

  for (; now_ns () < until_ns; n_loops++)
    dl_iterate_phdr (count_segments_cb, &staller_sink);
  return n_loops;
}

static gboolean
call_in_library (void *library, const char *symbol)
{
  guint64 (*func) (guint64 seed);

  if (library == NULL)
    return FALSE;
  *(void **) &func = dlsym (library, symbol);
  staller_sink += func (staller_sink);
  dlclose (library);
  return TRUE;
}

/* libthread_db stands for a system library that no GLib program has loaded. */
gint64
hostile_dlopen (gint64 until_ns)
{
  gint64 n_loops = 0;

  for (; now_ns () < until_ns; n_loops++)
    {
      void *system_library = dlopen ("libthread_db.so.1", RTLD_NOW | RTLD_LOCAL);

      if (!call_in_library (open_beside ("libhostile-a.so"), "hostile_a") ||
          !call_in_library (open_beside ("libhostile-b.so"), "hostile_b"))
        return -1;
      if (system_library != NULL)
        dlclose (system_library);
    }
  return n_loops;
}

/* Sizes up to 1 MB, so that the arena, its bins and mmap() all get their share. */
gint64
hostile_malloc (gint64 until_ns)
{
  void *blocks[64] = { NULL };
  guint32 random = 1;
  gint64 n_loops = 0;

  for (; now_ns () < until_ns; n_loops++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
        {
          random = random * 1664525 + 1013904223;
          free (blocks[i]);
          blocks[i] = malloc ((size_t) 1 << (random >> 16) % 20);
          memset (blocks[i], (int) i, 1);
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    free (blocks[i]);
  return n_loops;
}

gint64
hostile_throw (gint64 until_ns)
{
  static gboolean (*throw_and_catch) (unsigned depth);
  gint64 n_loops = 0;

  if (throw_and_catch == NULL)
    {
      void *library = open_beside ("libhostile-throw.so");

      if (library == NULL)
        return -1;
      *(void **) &throw_and_catch = dlsym (library, "hostile_throw_and_catch");
    }
  for (; now_ns () < until_ns; n_loops++)
    {
      if (!throw_and_catch (10))
        return -1;
    }
  return n_loops;
}

static void
hostile_cb (gpointer data)
{
  Hostile *hostile = data;
  gint64 n_loops;

  hostile->began_ns = now_ns ();
  n_loops = hostile->n_loops < 0 ? hostile->n_loops : hostile->func (hostile->began_ns + hostile->handler_ns);
  hostile->ended_ns = now_ns ();

  hostile->n_loops = n_loops < 0 ? n_loops : hostile->n_loops + n_loops;
  hostile->n_handlers++;
  hostile->longest_ns = MAX (hostile->longest_ns, hostile->ended_ns - hostile->began_ns);
}

static int
run_hostile (const StallerArgs *args, Hostile *hostile)
{
  gint64 all_ms = staller_arg (args, 1, 5) * 1000;
  gint64 handler_ms = MAX (staller_arg (args, 2, all_ms), 1);

  hostile->handler_ns = handler_ms * NS_PER_MS;
  staller_run_times (hostile_cb, hostile, (guint) MAX (all_ms / handler_ms, 1), HANDLER_REST_MS);
  staller_print ("{\"command\": \"hostile\", \"kind\": \"%s\", \"loops\": %" G_GINT64_FORMAT ", \"handlers\": %u"
                 ", \"longest_ns\": %" G_GINT64_FORMAT ", \"began_monotonic_ns\": %" G_GINT64_FORMAT
                 ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT "}",
                 args->args[0], hostile->n_loops, hostile->n_handlers, hostile->longest_ns, hostile->began_ns,
                 hostile->ended_ns);
  return hostile->n_loops < 0 ? 1 : 0;
}

int
command_hostile (const StallerArgs *args)
{
  Hostile hostile = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds) && args->n_args > 0; i++)
    {
      hostile.func = kinds[i].func;
      if (strcmp (args->args[0], kinds[i].name) == 0)
        return run_hostile (args, &hostile);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    fprintf (stderr, "staller hostile %s\n", kinds[i].name);
  return 2;
}
