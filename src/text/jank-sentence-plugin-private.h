/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library that a watched program opens for the setting log: no other has texts in it. */

#pragma once

#include "report/jank-report-private.h"

#define JANK_SENTENCE_LIBRARY "libjankwatch-sentence.so"
#define JANK_SENTENCE_SYMBOL  "jank_sentence_make"

/* As jank_text_headline(). */
typedef char *(*JankSentenceFunc) (JankReport *report);
