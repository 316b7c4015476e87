/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls for 800 ms, with something inside that looks like a gjs of another time, or, with PYTHON, like such a
 * Python. */

#include <gio/gio.h>

#ifdef PYTHON
extern const unsigned long Py_Version;
extern guint64 _PyRuntime[64];

G_MODULE_EXPORT const unsigned long Py_Version = 0x030f00f0;
G_MODULE_EXPORT guint64 _PyRuntime[64];
#else
G_MODULE_EXPORT void *gjs_context_get_current (void);

void *
gjs_context_get_current (void)
{
  return NULL;
}
#endif

static gboolean
stall_cb (gpointer data)
{
  g_usleep (800 * 1000);
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

int
main (void)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  GFile *file = g_file_new_for_path ("/"); /* loads GIO's modules */

  g_timeout_add (200, stall_cb, loop);
  g_main_loop_run (loop);
  g_object_unref (file);
  g_main_loop_unref (loop);
  return 0;
}
