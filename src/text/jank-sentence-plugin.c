/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "text/jank-sentence-plugin-private.h"

#include "base/jank-version-macros.h"
#include "text/jank-text-sentence-private.h"

JANK_API char *jank_sentence_make (JankReport *report);

char *
jank_sentence_make (JankReport *report)
{
  return jank_text_headline (report);
}
