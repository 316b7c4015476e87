/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The monitors that came before, each as a set of settings: plain data, any thread. What their rules are is in
 * rules/jank-rule-private.h, what they are called and where they come from in rules/jank-preset-list-private.h. */

#pragma once

typedef enum
{
  JANK_PRESET_DEFAULT,
  JANK_PRESET_QILAG,
  JANK_PRESET_SEMAPHORE,
  JANK_PRESET_KARTUN,
  JANK_PRESET_ANREYE,
  JANK_PRESET_MAINWATCH,
  JANK_PRESET_RABBIT,
  JANK_PRESET_MATRIX,
  JANK_PRESET_DISPLAYLINK,
  JANK_N_PRESETS
} JankPreset;

/* Their names, in that order, ended by NULL. */
extern const char *const jank_preset_nicks[JANK_N_PRESETS + 1];

/* "key=value,key=value": every setting that makes preset what it is; "" for the default. */
const char *jank_preset_get_settings (JankPreset preset);
