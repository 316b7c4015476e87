/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a long session's frames cost: bench-frames N feeds N of them, late ones among them, to the statistics of all
 * clocks, and opens a window every thousand. Prints one JSON object. */

#include "config.h"

#include <glib.h>

#include "base/jank-clock-private.h"
#include "frames/jank-frame-clocks-private.h"
#include "own-memory.h"

#define HZ_60          INT64_C (16666667)
#define FRAMES_A_CLOCK 1000

static gint64
feed (JankFrameClocks *clocks, guint n)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  JankFrameMeter *meter = NULL;
  gint64 now_ns = JANK_NS_PER_S, spent_ns = 0;

  for (guint i = 0; i < n; i++)
    {
      gint64 late_ns = g_rand_int_range (random, 0, 20) == 0 ? g_rand_int_range (random, 0, 900) * JANK_NS_PER_MS : 0;
      JankFrameEvent event = { .refresh_ns = HZ_60, .gap_busy_ns = late_ns, .flags = JANK_FRAME_ANIMATING };
      gint64 began_ns;

      now_ns += HZ_60 + late_ns;
      event.begin_ns = now_ns;
      event.end_ns = now_ns + 2 * JANK_NS_PER_MS;
      event.phase_ns[0] = event.end_ns - event.begin_ns;
      began_ns = jank_clock_now_ns ();
      if (i % FRAMES_A_CLOCK == 0)
        {
          if (meter != NULL)
            jank_frame_clocks_close (clocks, meter);
          meter = jank_frame_clocks_open (clocks, "window");
        }
      jank_frame_meter_add (meter, &event);
      spent_ns += jank_clock_now_ns () - began_ns;
    }
  return spent_ns;
}

int
main (int argc, char **argv)
{
  JankFrameClocks *clocks = g_new0 (JankFrameClocks, 1);
  guint n = argc == 2 ? (guint) g_ascii_strtoull (argv[1], NULL, 10) : 0;
  gint64 began_kb, half_kb, spent_ns;

  if (n == 0)
    {
      g_printerr ("bench-frames N\n");
      return 2;
    }
  feed (clocks, 20 * FRAMES_A_CLOCK);
  began_kb = own_memory_read_anonymous_kb ();
  spent_ns = feed (clocks, n / 2);
  half_kb = own_memory_read_anonymous_kb ();
  spent_ns += feed (clocks, n - n / 2);
  g_print ("{\"frame_ns\": %.1f, \"grown_kb\": %" G_GINT64_FORMAT ", \"grown_later_kb\": %" G_GINT64_FORMAT "}\n",
           (double) spent_ns / n, half_kb - began_kb, own_memory_read_anonymous_kb () - half_kb);
  g_free (clocks);
  return 0;
}
