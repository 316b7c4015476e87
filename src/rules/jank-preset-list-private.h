/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What people read of the presets: which monitor each is after, and its rule in words. Any thread. */

#pragma once

#include "rules/jank-rule-private.h"

typedef struct
{
  const char *system;  /* proper name, not translated */
  const char *rule;    /* a sentence, to be translated */
  const char *differs; /* (nullable): what it does otherwise than the original; a sentence, to be translated */
} JankPresetText;

const JankPresetText *jank_preset_get_text (JankPreset preset);

/* The rule of preset as it is without any other setting. */
void                  jank_preset_get_spec (JankPreset preset, JankRuleSpec *ret_spec);
