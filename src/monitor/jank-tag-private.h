/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "monitor/jank-tag.h"
#include "monitor/jank-tags-private.h"

/* Pushed onto tags, which it keeps. Returns: (transfer full) */
JankTag *jank_tag_new (JankTags *tags, const char *name, const char *value);
