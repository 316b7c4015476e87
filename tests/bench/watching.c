/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

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
