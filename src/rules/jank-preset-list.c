/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "rules/jank-preset-list-private.h"

#include <glib/gi18n-lib.h>

static const JankPresetText texts[JANK_N_PRESETS] = {
  [JANK_PRESET_DEFAULT] = {
    "jankwatch",
    N_("The loop is busy for 100 ms; a stack every 10 ms from 16 ms on; the heaviest path of all of them."),
    NULL,
  },
  [JANK_PRESET_QILAG] = {
    "QiLagMonitor",
    N_("The state of the loop has not changed for 88 ms; one stack then."),
    NULL,
  },
  [JANK_PRESET_SEMAPHORE] = {
    "BGPerformanceMonitor",
    N_("Five waits of 50 ms in a row end without a change of the loop's state; one stack then."),
    NULL,
  },
  [JANK_PRESET_KARTUN] = {
    "KartunMonitor",
    N_("Two waits of 1 s in a row end without a change of the loop's state; one stack then."),
    NULL,
  },
  [JANK_PRESET_ANREYE] = {
    "ANREye",
    N_("A ping every 400 ms; one that is not answered within 400 ms; the stacks of all threads then."),
    NULL,
  },
  [JANK_PRESET_MAINWATCH] = {
    "PMainThreadWatcher",
    N_("A ping every second; one that is not answered within 16 ms; one stack then."),
    N_("The original sends the next ping also when the last is unanswered."),
  },
  [JANK_PRESET_RABBIT] = {
    "Rabbit, fpsviewer",
    N_("More than 10 refresh intervals between two frames; a stack every refresh interval, equal ones counted."),
    N_("The original keeps the frame clock running all the time; here it counts while the program draws."),
  },
  [JANK_PRESET_MATRIX] = {
    "WeChat Matrix",
    N_("Every second, whether the loop is busy for more than 2 s; a stack every 50 ms, the last 20 kept; the most "
       "frequent innermost function; checks grow rarer while it lasts; at most 100 reports a day."),
    N_("The original also reads the stack of a loop that waits."),
  },
  [JANK_PRESET_DISPLAYLINK] = {
    "CADisplayLink",
    N_("Frames divided by the time since the last figure, once that is a second; a tenth of them missing; no stack."),
    N_("The originals only show the figure; here it counts while the program draws."),
  },
};

const JankPresetText *
jank_preset_get_text (JankPreset preset)
{
  g_assert (preset < JANK_N_PRESETS);
  return &texts[preset];
}

void
jank_preset_get_spec (JankPreset preset, JankRuleSpec *ret_spec)
{
  g_autoptr (JankSettings) settings = jank_settings_new ();

  if (!jank_settings_set (settings, "preset", jank_preset_nicks[preset], NULL))
    g_assert_not_reached ();
  jank_rule_spec_init (ret_spec, settings);
}
