/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK's inspector makes a page of every type that implements an extension point of GIO. There is no way to take
 * an extension back: after stop() a page finds no host and says so. */

#include "config.h"

#include "gtk/inspector/jank-inspector-private.h"

#include <gio/gio.h>

#include "gtk/inspector/jank-inspector-page-private.h"
#include "gtk/inspector/jank-inspector-resources.h"

#define EXTENSION_POINT "gtk-inspector-page"

static const JankInspectorHost *host;
static JankFrameHistory *history;

void
jank_inspector_start (const JankGtkHost *new_host)
{
  host = new_host->inspector;
  if (host == NULL || g_io_extension_point_lookup (EXTENSION_POINT) == NULL)
    return;
  if (history == NULL)
    history = jank_frame_history_new (JANK_FRAME_HISTORY_BRIEF);
  g_io_extension_point_implement (EXTENSION_POINT, JANK_TYPE_INSPECTOR_PAGE, "jankwatch", 10);
}

void
jank_inspector_stop (void)
{
  if (host != NULL)
    host->set_changed (host->data, NULL, NULL);
  host = NULL;
}

void
jank_inspector_add_frame (const JankFrameEvent *event, gconstpointer window)
{
  if (history != NULL)
    jank_frame_history_add (history, event, window);
}

const JankInspectorHost *
jank_inspector_get_host (void)
{
  return host;
}

JankFrameHistory *
jank_inspector_get_history (void)
{
  return history;
}

void
jank_inspector_ensure_resources (void)
{
  static gboolean is_done;

  if (!is_done)
    jank_inspector_register_resource ();
  is_done = TRUE;
}
