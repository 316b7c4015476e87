/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules of which each text names one. Any thread. */

#pragma once

#include "json/jank-field-private.h"

/* What others may read of text; self: the struct that holds it. Returns: (transfer full) (nullable): nothing */
char *jank_redact_all      (const char *text, gconstpointer self); /* nothing */
char *jank_redact_title    (const char *text, gconstpointer self); /* "" */
char *jank_redact_word     (const char *text, gconstpointer self); /* itself where no text of a user looks like it */
char *jank_redact_id       (const char *text, gconstpointer self); /* the same, and never nothing */
char *jank_redact_sentence (const char *text, gconstpointer self); /* one of ours */
char *jank_redact_name     (const char *text, gconstpointer self); /* a program's, of a few letters only */
char *jank_redact_path     (const char *text, gconstpointer self); /* its last part */
char *jank_redact_function (const char *text, gconstpointer self);
char *jank_redact_source   (const char *text, gconstpointer self);
char *jank_redact_thread   (const char *text, gconstpointer self);
char *jank_redact_tag      (const char *text, gconstpointer self);
char *jank_redact_target   (const char *text, gconstpointer self);
char *jank_redact_link_target (const char *text, gconstpointer self);
char *jank_redact_bus_name (const char *text, gconstpointer self);
