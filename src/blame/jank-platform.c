/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "blame/jank-platform-private.h"

#include <string.h>

typedef struct
{
  const char      *name;
  JankPlatformKind kind;
} PlatformLibrary;

/* PlatformLibrary platform_libraries[] */
#include "blame/jank-platform-table.h"

/* "libgtk-4" matches "libgtk-4.so.1"; "libpango*" matches every name that begins so. */
static gboolean
jank_platform_matches (const char *entry, const char *file)
{
  gsize n = strcspn (entry, "*");

  if (strncmp (entry, file, n) != 0)
    return FALSE;
  return entry[n] == '*' || file[n] == '\0' || g_str_has_prefix (file + n, ".so");
}

/* Python's standard library, PyGObject and dbus-python. What else is installed beside them is somebody's program. */
static gboolean
jank_platform_is_of_python (const char *path)
{
  const char *below = strstr (path, "/lib/python3"), *packages;

  if (g_str_has_prefix (path, "<frozen "))
    return TRUE;
  below = below != NULL ? strchr (below + strlen ("/lib/"), '/') : NULL;
  if (below == NULL)
    return FALSE;
  packages = strstr (below, "-packages/");
  return packages == NULL || g_str_has_prefix (packages, "-packages/gi/") ||
         g_str_has_prefix (packages, "-packages/dbus/");
}

/* What SpiderMonkey and gjs bring along. GNOME Shell's own modules are the shell's. */
static gboolean
jank_platform_is_of_javascript (const char *path)
{
  return g_str_equal (path, "self-hosted") || g_str_has_prefix (path, "resource:///org/gnome/gjs/");
}

static const PlatformLibrary *
jank_platform_find (const char *path)
{
  const char *slash = strrchr (path, '/'), *file = slash != NULL ? slash + 1 : path;

  for (gsize i = 0; i < G_N_ELEMENTS (platform_libraries); i++)
    if (jank_platform_matches (platform_libraries[i].name, file))
      return &platform_libraries[i];
  return NULL;
}

gboolean
jank_platform_contains (const char *path)
{
  return jank_platform_is_of_python (path) || jank_platform_is_of_javascript (path) ||
         jank_platform_find (path) != NULL;
}

gboolean
jank_platform_is (const char *path, JankPlatformKind kind)
{
  const PlatformLibrary *library = jank_platform_find (path);

  return library != NULL && library->kind == kind;
}
