/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watching.h"

#include <dlfcn.h>

gpointer
watching_find (const char *symbol)
{
  void *library = dlopen ("libjankwatch-1.so.0", RTLD_LAZY | RTLD_NOLOAD);

  return library != NULL ? dlsym (library, symbol) : NULL;
}

GObject *
watching_get_monitor (void)
{
  GObject *(*get_default) (void) = (GObject * (*) (void)) watching_find ("jank_monitor_get_default");

  return get_default != NULL ? get_default () : NULL;
}

gint64
watching_read_cpu_ns (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *tid;

  while (tasks != NULL && (tid = g_dir_read_name (tasks)) != NULL)
    {
      g_autofree char *name_file = g_build_filename ("/proc/self/task", tid, "comm", NULL);
      g_autofree char *times_file = g_build_filename ("/proc/self/task", tid, "schedstat", NULL);
      g_autofree char *name = NULL, *times = NULL;

      if (g_file_get_contents (name_file, &name, NULL, NULL) && g_str_equal (name, "jankwatch\n") &&
          g_file_get_contents (times_file, &times, NULL, NULL))
        return g_ascii_strtoll (times, NULL, 10);
    }
  return 0;
}

gboolean
watching_set (gboolean watched)
{
  GObject *monitor = watching_get_monitor ();
  gboolean (*start) (GObject *, GError **) = (gboolean (*) (GObject *, GError **)) watching_find ("jank_monitor_start");
  void (*stop) (GObject *) = (void (*) (GObject *)) watching_find ("jank_monitor_stop");

  if (monitor == NULL)
    return !watched;
  if (watched)
    return start (monitor, NULL);
  stop (monitor);
  return TRUE;
}
