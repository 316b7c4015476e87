/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings/jank-settings-private.h"

#include <glib/gi18n-lib.h>

/* A preset that reads one stack of a stall reads it at the threshold: its first-sample equals the threshold. */
static const JankPreset presets[] = {
  {
    .nick = "default",
    .system = "jankwatch",
    .rule = N_("The loop is busy for “threshold”; a stack every “interval” from “first-sample” on; the heaviest path "
               "of all stacks."),
    .settings = "",
  },
  {
    .nick = "qilag",
    .system = "QiLagMonitor",
    .rule = N_("The state of the loop has not changed for 88 ms; one stack then."),
    .differs = N_("The original begins anew between the timers and the sources of a turn, and logs each stack; here a "
                  "turn is one state, and a stall one report of all its stacks."),
    .settings = "observer=loop,threshold=88ms,check-interval=88ms,first-sample=88ms,interval=88ms",
  },
  {
    .nick = "semaphore",
    .system = "BGPerformanceMonitor",
    .rule = N_("Five waits of 50 ms in a row end without a change of the loop's state; one stack then."),
    .differs = N_("The original begins anew between the timers and the sources of a turn, and logs each stack; here a "
                  "turn is one state, and a stall one report of all its stacks."),
    .settings = "observer=loop,threshold=250ms,check-interval=50ms,first-sample=250ms,interval=250ms",
  },
  {
    .nick = "kartun",
    .system = "KartunMonitor",
    .rule = N_("Two waits of 1 s in a row end without a change of the loop's state; one stack then."),
    .differs = N_("The original begins anew between the timers and the sources of a turn, and logs each stack; here a "
                  "turn is one state, and a stall one report of all its stacks."),
    .settings = "observer=loop,threshold=2s,check-interval=1s,first-sample=2s,interval=2s",
  },
  {
    .nick = "anreye",
    .system = "ANREye",
    .rule = N_("A ping every 400 ms; one that is not answered within 400 ms; the stacks of all threads then."),
    .differs = N_("The original reads the stack when it sends the ping, and rests for 400 ms after each answer."),
    .settings = "observer=ping,threshold=400ms,ping-interval=400ms,ping-timeout=400ms,first-sample=400ms,"
                "interval=400ms",
  },
  {
    .nick = "mainwatch",
    .system = "PMainThreadWatcher",
    .rule = N_("A ping every second; one that is not answered within 16 ms; one stack then."),
    .differs = N_("The original sends the next ping also when the last is unanswered, and reads the stack in a signal "
                  "handler."),
    .settings = "observer=ping,threshold=16ms,ping-interval=1s,ping-timeout=16ms,first-sample=16ms,interval=1s",
  },
  {
    .nick = "rabbit",
    .system = "Rabbit, fpsviewer",
    .rule = N_("More than 10 refresh intervals between two frames; a stack every refresh interval, equal ones "
               "counted."),
    .differs = N_("The original keeps the frame clock running all the time, and compares stacks line by line; here it "
                  "counts while the program draws, and compares functions."),
    .settings = "observer=frames,threshold=166.667ms,first-sample=16.667ms,interval=16.667ms",
  },
  {
    .nick = "matrix",
    .system = "WeChat Matrix",
    .rule = N_("Every second, whether the loop is busy for more than 2 s; a stack every 50 ms, the last 20 kept; the "
               "most frequent innermost function; checks grow rarer while it lasts."),
    .differs = N_("The original also reads the stack of a loop that waits."),
    .settings = "observer=loop,threshold=2s,check-interval=1s,first-sample=50ms,interval=50ms,rule=last20",
    .fixed_checks = TRUE,
    .splits = TRUE,
  },
  {
    .nick = "displaylink",
    .system = "CADisplayLink",
    .rule = N_("Frames divided by the time since the last figure, once that is a second; a tenth of them missing; no "
               "stack."),
    .differs = N_("The originals find nothing, and keep the frame clock running all the time; here too few frames are "
                  "a report, and it counts while the program draws."),
    .settings = "observer=frames,threshold=100ms,check-interval=1s",
  },
};

const JankPreset *
jank_preset_get (guint index)
{
  return index < G_N_ELEMENTS (presets) ? &presets[index] : NULL;
}

gint
jank_preset_find (const char *nick)
{
  for (guint i = 0; i < G_N_ELEMENTS (presets); i++)
    if (g_str_equal (presets[i].nick, nick))
      return (gint) i;
  return -1;
}

const char *const *
jank_preset_get_nicks (void)
{
  static const char *nicks[G_N_ELEMENTS (presets) + 1];
  static gsize is_filled;

  if (g_once_init_enter (&is_filled))
    {
      for (guint i = 0; i < G_N_ELEMENTS (presets); i++)
        nicks[i] = presets[i].nick;
      g_once_init_leave (&is_filled, 1);
    }
  return nicks;
}
