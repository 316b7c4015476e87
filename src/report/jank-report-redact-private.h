/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules of which each text names one: what others may read of it. Who watches a program redacts nothing. */

#pragma once

#include "json/jank-field-private.h"

typedef enum
{
  JANK_REDACT_ALL,      /* nothing */
  JANK_REDACT_TITLE,    /* "" */
  JANK_REDACT_WORD,     /* itself where no text of a user looks like it */
  JANK_REDACT_ID,       /* the same, and never nothing */
  JANK_REDACT_SENTENCE, /* one of ours */
  JANK_REDACT_NAME,     /* a program's, of a few letters only */
  JANK_REDACT_PATH,     /* its last part */
  JANK_REDACT_FUNCTION,
  JANK_REDACT_SOURCE,
  JANK_REDACT_THREAD,
  JANK_REDACT_TAG,
  JANK_REDACT_TAGS,
  JANK_REDACT_TARGET,
  JANK_REDACT_LINK_TARGET,
  JANK_REDACT_BUS_NAME,
} JankRedactRule;

/* self: the struct that holds the text. Returns: (transfer full) (nullable): nothing */
char *jank_redact_text (const char *text, JankRedactRule rule, gconstpointer self);
