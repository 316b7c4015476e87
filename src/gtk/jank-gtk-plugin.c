/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the monitor looks up. Runs on GTK's thread, but for the getters that say otherwise. */

#include "gtk/jank-gtk-plugin-private.h"

#include "gtk/clock/jank-frame-hook-private.h"
#include "gtk/clock/jank-inspector-time-private.h"
#include "gtk/input/jank-input-hook-private.h"
#include "gtk/jank-gtk-facts-private.h"
#include "gtk/overlay/jank-overlay-private.h"
#if GTK_MAJOR_VERSION >= 4
#include "gtk/jank-inspector-private.h"
#endif

static gboolean is_started;

static void
jank_gtk_plugin_frame_cb (JankGtkClock *clock)
{
  jank_input_notes_painted (clock->gdk, &clock->event);
#if GTK_MAJOR_VERSION >= 4
  jank_inspector_add_frame (&clock->event, clock);
#endif
  jank_gtk_facts_update (clock->last_end_ns, clock->has_presentation);
}

static void
jank_gtk_plugin_start (const JankGtkHost *host)
{
  g_assert (!is_started);

  jank_inspector_time_start (host->own);
  jank_frame_hook_start (host, jank_gtk_plugin_frame_cb);
  jank_input_hook_start (host);
  jank_gtk_facts_start ();
  jank_overlay_start (host);
#if GTK_MAJOR_VERSION >= 4
  jank_inspector_start (host);
#endif
  is_started = TRUE;
}

static void
jank_gtk_plugin_stop (void)
{
  if (!is_started)
    return;
  is_started = FALSE;
#if GTK_MAJOR_VERSION >= 4
  jank_inspector_stop ();
#endif
  jank_overlay_stop ();
  jank_gtk_facts_stop ();
  jank_input_hook_stop ();
  jank_frame_hook_stop ();
  jank_inspector_time_stop ();
}

static const JankGtkPlugin plugin = {
  .start = jank_gtk_plugin_start,
  .stop = jank_gtk_plugin_stop,
  .set_overlay = jank_overlay_set,
  .configure = jank_overlay_configure,
  .get_overlay = jank_overlay_get,
  .is_held = jank_frame_hook_is_held,
  .get_frames = jank_frame_hook_get_frames,
  .get_input = jank_input_hook_get_board,
  .get_tags = jank_gtk_facts_get_tags,
  .get_toolkit = jank_gtk_facts_get_toolkit,
};

JANK_API const JankGtkPlugin *
jank_gtk_plugin_get (void)
{
  return &plugin;
}
