/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-toolkits-private.h"

#include <dlfcn.h>
#include <string.h>
#include <glib-object.h>

#include "base/jank-memory-private.h"

#define MAX_PATH_BYTES 512
#define MAX_MODULES    4096

#define MUTTER 0

/* A compositor of mutter's may have opened a display of GTK 3, too. */
const JankToolkit jank_toolkits[JANK_N_TOOLKITS] = {
  { "libmutter-clutter-", "libjankwatch-clutter.so", NULL, FALSE },
  { "libgtk-4.so.1", "libjankwatch-gtk4.so", "gtk_is_initialized", FALSE },
  { "libgtk-3.so.0", "libjankwatch-gtk3.so", NULL, TRUE },
};

/* Main thread only: found once. GTK stays loaded, since its types are static. */
static struct
{
  gboolean (*is_initialized) (void); /* (nullable) */
  gpointer (*get_display) (void);    /* NULL: not looked up yet */
} functions[JANK_N_TOOLKITS];

static guint
jank_toolkits_find_toolkit (const char *path)
{
  const char *slash = strrchr (path, '/');

  for (guint i = 0; i < JANK_N_TOOLKITS && slash != NULL; i++)
    if (g_str_has_prefix (slash + 1, jank_toolkits[i].library))
      return 1u << i;
  return 0;
}

static int
jank_toolkits_found_module_cb (struct dl_phdr_info *info, size_t n_bytes, gpointer data)
{
  *(guint *) data |= jank_toolkits_find_toolkit (info->dlpi_name);
  return 0;
}

guint
jank_toolkits_find (void)
{
  guint loaded = 0;

  dl_iterate_phdr (jank_toolkits_found_module_cb, &loaded);
  return loaded;
}

static gboolean
jank_toolkits_read_map (const struct link_map *address, struct link_map *ret_map)
{
  return address != NULL && jank_memory_read_all ((guintptr) address, ret_map, sizeof *ret_map);
}

/* A module that is gone may have left its place in memory to a newer one, or to anything else. */
static gboolean
jank_toolkits_is_still_there (const JankNewestModule *newest, struct link_map *ret_map)
{
  const struct link_map *map = &newest->map;
  struct link_map before;

  return jank_toolkits_read_map ((const struct link_map *) (guintptr) newest->address,
                                 ret_map) && ret_map->l_addr == map->l_addr &&
         ret_map->l_ld == map->l_ld && ret_map->l_name == map->l_name && ret_map->l_prev == map->l_prev &&
         (map->l_prev == NULL ||
          (jank_toolkits_read_map (map->l_prev, &before) && (guintptr) before.l_next == newest->address));
}

guint
jank_toolkits_find_new (JankNewestModule *newest)
{
  char path[MAX_PATH_BYTES];
  guint found = 0;
  struct link_map map;

  if (!jank_toolkits_is_still_there (newest, &map))
    map = (struct link_map) { .l_next = _r_debug.r_map };
  for (guint i = 0; i < MAX_MODULES && map.l_next != NULL; i++)
    {
      const struct link_map *address = map.l_next;

      if (!jank_toolkits_read_map (address, &map))
        break;
      *newest = (JankNewestModule) { (guintptr) address, map };
      if (jank_memory_read_text ((guintptr) map.l_name, path, sizeof path))
        found |= jank_toolkits_find_toolkit (path);
    }
  return found;
}

static void
jank_toolkits_find_functions (guint i)
{
  void *gtk = dlopen (jank_toolkits[i].library, RTLD_LAZY | RTLD_NOLOAD);

  if (gtk == NULL)
    return;
  if (jank_toolkits[i].is_initialized != NULL)
    functions[i].is_initialized = (gboolean (*) (void)) dlsym (gtk, jank_toolkits[i].is_initialized);
  functions[i].get_display = (gpointer (*) (void)) dlsym (gtk, "gdk_display_get_default");
  dlclose (gtk);
}

gboolean
jank_toolkits_has_display (guint toolkit)
{
  if (toolkit == MUTTER)
    return g_type_from_name ("ClutterStage") != 0 && g_type_class_peek (g_type_from_name ("ClutterStage")) != NULL;
  if (functions[toolkit].get_display == NULL)
    jank_toolkits_find_functions (toolkit);
  return functions[toolkit].get_display != NULL &&
         (functions[toolkit].is_initialized == NULL || functions[toolkit].is_initialized ()) &&
         functions[toolkit].get_display () != NULL;
}
