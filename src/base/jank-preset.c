/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "base/jank-preset-private.h"

#include <glib.h>

const char *const jank_preset_nicks[JANK_N_PRESETS + 1] = {
  "default", "qilag", "semaphore", "kartun", "anreye", "mainwatch", "rabbit", "matrix", "displaylink", NULL,
};

/* Those that read one stack, when they have found a stall, read it at the threshold: first-sample is as long. */
static const char *const settings[JANK_N_PRESETS] = {
  [JANK_PRESET_DEFAULT] = "",
  [JANK_PRESET_QILAG] = "observer=loop,threshold=88ms,check-interval=88ms,first-sample=88ms,interval=88ms",
  [JANK_PRESET_SEMAPHORE] = "observer=loop,threshold=250ms,check-interval=50ms,first-sample=250ms,interval=250ms",
  [JANK_PRESET_KARTUN] = "observer=loop,threshold=2s,check-interval=1s,first-sample=2s,interval=2s",
  [JANK_PRESET_ANREYE] = "observer=ping,threshold=400ms,ping-interval=400ms,ping-timeout=400ms,first-sample=400ms,"
                         "interval=400ms",
  [JANK_PRESET_MAINWATCH] = "observer=ping,threshold=20ms,ping-interval=1s,ping-timeout=16ms,first-sample=16ms,"
                            "interval=1s",
  [JANK_PRESET_RABBIT] = "observer=frames,threshold=166.667ms,first-sample=16.667ms,interval=16.667ms,rule=last20",
  [JANK_PRESET_MATRIX] = "observer=loop,threshold=2s,check-interval=1s,first-sample=50ms,interval=50ms,rule=last20,"
                         "max-per-day=100",
  [JANK_PRESET_DISPLAYLINK] = "observer=frames,threshold=100ms,check-interval=1s",
};

const char *
jank_preset_get_settings (JankPreset preset)
{
  g_assert (preset < JANK_N_PRESETS);
  return settings[preset];
}
