/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "overlay-check.h"

#include <string.h>

#define OVERLAY_WIDTH_PX  260
#define OVERLAY_HEIGHT_PX 146
#define WINDOW_WIDTH_PX   500
#define SHADOW_PX         60

/* Most of the overlay's pixels differ from any content; text may happen to be as light as what is below. */
#define MIN_CHANGED 15000

static guint64
count_frames (void)
{
  const JankFrameNumbers *total = &read_summary ()->total;

  return total->counts.frames + total->counts.excluded_frames;
}

Pixels *
overlay_grab (gboolean overlay)
{
  guint64 n_before = count_frames ();
  gboolean is_drawn = overlay != plugin->get_overlay ();

  plugin->set_overlay (overlay);
  AWAIT (!is_drawn || count_frames () > n_before, run_ms (10));
  run_ms (is_drawn ? 50 : 300);
  gdk_display_sync (gdk_display_get_default ());
  return pixels_grab ();
}

/* In the overlay's place: the animation moves over nothing of that. */
static gboolean
differ (const Pixels *a, const Pixels *b)
{
  for (int y = 20; y < OVERLAY_HEIGHT_PX; y++)
    if (memcmp (&a->pixels[y * a->width + 300], &b->pixels[y * a->width + 300], 180 * sizeof *a->pixels) != 0)
      return TRUE;
  return FALSE;
}

static Pixels *
grab_later (void)
{
  run_ms (20);
  return pixels_grab ();
}

void
await_changes (guint n)
{
  Pixels *last = pixels_grab (), *now;

  AWAIT (n == 0, now = grab_later (), n -= differ (last, now), pixels_free (last), last = now);
  pixels_free (last);
}

static void
check_rectangle (const Pixels *without, const Pixels *with)
{
  int left, top, right, bottom;

  g_assert_cmpuint (pixels_count (without, with, &left, &top, &right, &bottom), >, MIN_CHANGED);
  g_test_message ("drawn at %d,%d, %d×%d", left, top, right - left + 1, bottom - top + 1);
  g_assert_cmpint (right - left, <, OVERLAY_WIDTH_PX);
  g_assert_cmpint (bottom - top, <, OVERLAY_HEIGHT_PX);
  g_assert_cmpint (right, <, WINDOW_WIDTH_PX + SHADOW_PX);
}

void
check_shown_and_gone (Scene *scene)
{
  g_autoptr (Pixels) before = NULL, shown = NULL, after = NULL;
  int left, top, right, bottom;

  before = overlay_grab (FALSE);
  shown = overlay_grab (TRUE);
  check_rectangle (before, shown);
  after = overlay_grab (FALSE);
  g_assert_cmpuint (pixels_count (before, after, &left, &top, &right, &bottom), ==, 0);
}

void
check_shown (Scene *scene)
{
  g_autoptr (Pixels) shown = NULL, without = NULL;

  g_assert_true (plugin->get_overlay ());
  shown = overlay_grab (TRUE);
  without = overlay_grab (FALSE);
  check_rectangle (without, shown);
  plugin->set_overlay (TRUE);
}
