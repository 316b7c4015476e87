/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The monitors that came before, each as a set of settings: one row of a table a monitor. Plain data, any thread.
 * How their rules decide is in rules/jank-rule-private.h. */

#pragma once

#include <glib.h>

typedef struct
{
  const char *nick;         /* as the setting takes it */
  const char *system;       /* the monitor's own name, not translated */
  const char *rule;         /* in words: a sentence, to be translated */
  const char *differs;      /* (nullable): from the original; a sentence, to be translated */
  const char *settings;     /* "key=value,key=value": all that makes it what it is */
  gboolean    fixed_checks; /* looks at fixed times, not when the loop has been busy for some time */
  gboolean    splits;       /* begins another report when the heaviest stack is another one */
} JankPreset;

/* The preset that is none: every setting as it is. */
#define JANK_PRESET_DEFAULT 0

/* (nullable): NULL past the last. */
const JankPreset  *jank_preset_get       (guint index);

/* Returns: its index, -1: there is none */
gint               jank_preset_find      (const char *nick);

/* In the order of the indices, ended by NULL. */
const char *const *jank_preset_get_nicks (void);
