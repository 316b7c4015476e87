/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/overlay/jank-overlay-private.h"

#include <glib/gi18n-lib.h>

#include "guest/jank-plugin-private.h"
#include "gtk/clock/jank-frame-hook-private.h"
#include "gtk/clock/jank-inspector-time-private.h"
#include "gtk/input/jank-input-hook-private.h"

static JankOverlayFeed feed;
static JankOverlayUpdateFunc update; /* NULL: not needed yet */

static gboolean
jank_overlay_open (void)
{
#if GTK_MAJOR_VERSION < 4
  update = jank_overlay_window_update;
#else
  g_autoptr (GError) error = NULL;

  if (update == NULL)
    update = (JankOverlayUpdateFunc) jank_plugin_find (JANK_OVERLAY_LIBRARY, JANK_OVERLAY_SYMBOL, &error);
  if (update == NULL && feed.host->say != NULL)
    {
      g_autofree char *text = g_strdup_printf (_("Could not open the overlay: %s"), error->message);

      feed.host->say (text);
    }
#endif
  return update != NULL;
}

void
jank_overlay_set (gboolean shown)
{
  if (feed.is_shown == shown)
    return;
  jank_spans_begin (&jank_inspector_time_get ()->spans);
  if (jank_overlay_open ())
    {
      feed.is_shown = shown;
      update (&feed);
    }
  jank_spans_end (&jank_inspector_time_get ()->spans);
}

gboolean
jank_overlay_get (void)
{
  return feed.is_shown;
}

static void
jank_overlay_toggle_cb (void)
{
  jank_overlay_set (!feed.is_shown);
}

static void
jank_overlay_start_key (void)
{
  if (feed.host->settings->overlay_key[0] != '\0')
    jank_overlay_key_start (feed.host->settings->overlay_key, jank_overlay_toggle_cb);
}

void
jank_overlay_configure (void)
{
  jank_overlay_key_stop ();
  jank_overlay_start_key ();
  if (feed.is_shown)
    update (&feed);
}

void
jank_overlay_start (const JankGtkHost *host)
{
  feed = (JankOverlayFeed) { host, jank_input_hook_get_board (), jank_inspector_time_get, jank_frame_hook_find,
                             jank_frame_hook_queue_draw, FALSE };
#if GTK_MAJOR_VERSION < 4
  jank_frame_hook_set_paint_func (jank_overlay_window_paint);
#endif
  jank_overlay_start_key ();
  jank_overlay_set (host->settings->overlay);
}

void
jank_overlay_stop (void)
{
  jank_overlay_key_stop ();
  jank_overlay_set (FALSE);
}
