/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proc/jank-task-private.h"

#include <stdio.h>
#include <string.h>

#include "proc/jank-proc-private.h"

static double
jank_pressure_read_share (const char *path)
{
  char text[256];
  double percent;

  if (!jank_proc_read (path, text, sizeof text) || sscanf (text, "some avg10=%lf", &percent) != 1)
    return -1;
  return CLAMP (percent / 100, 0, 1);
}

static JankPressure
jank_pressure_read_folder (const char *folder, const char *suffix)
{
  const char *const resources[] = { "memory", "io", "cpu" };
  double shares[G_N_ELEMENTS (resources)];
  char path[512];

  for (guint i = 0; i < G_N_ELEMENTS (resources); i++)
    shares[i] = g_snprintf (path, sizeof path, "%s/%s%s", folder, resources[i], suffix) < (int) sizeof path
              ? jank_pressure_read_share (path) : -1;
  return (JankPressure) { shares[0], shares[1], shares[2] };
}

JankPressure
jank_pressure_read_machine (const char *root)
{
  g_autofree char *folder = g_strconcat (root, "/proc/pressure", NULL);

  return jank_pressure_read_folder (folder, "");
}

JankPressure
jank_pressure_read_group (const char *root)
{
  static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
  g_autofree char *list = NULL;
  JankPressure pressure = { -1, -1, -1 };
  char path[48], text[4096];
  char *line;

  jank_proc_path (path, sizeof path, 0, "cgroup");
  list = g_strconcat (root, path, NULL);
  if (!jank_proc_read (list, text, sizeof text))
    return pressure;
  line = g_str_has_prefix (text, "0::/") ? text : strstr (text, "\n0::/");
  if (line == NULL)
    return pressure;
  line = strchr (line, '/');
  line[strcspn (line, "\n")] = '\0';
  /* The root is the machine; “/..” is outside of what is mounted here. */
  if (line[1] == '\0' || strstr (line, "/..") != NULL)
    return pressure;
  for (guint i = 0; i < G_N_ELEMENTS (mounts) && pressure.memory < 0; i++)
    {
      g_autofree char *folder = g_strconcat (root, mounts[i], line, NULL);

      pressure = jank_pressure_read_folder (folder, ".pressure");
    }
  return pressure;
}
