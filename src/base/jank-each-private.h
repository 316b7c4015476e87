/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loops over arrays; NULL is empty: JANK_EACH (const JankRow, row, rows) …; break and continue are those of a loop. */

#pragma once

#include <glib.h>

#define JANK_EACH_ITEM(Type, item, array, place) \
  for (guint item##_i = 0, item##_ends = FALSE; !item##_ends && (array) != NULL && item##_i < (array)->len; \
       item##_i++) \
    for (Type *item = (item##_ends = TRUE, place); item##_ends; item##_ends = FALSE)

/* What a GPtrArray points to. */
#define JANK_EACH(Type, item, array)    JANK_EACH_ITEM (Type, item, array, (array)->pdata[item##_i])
/* What a GArray contains. */
#define JANK_EACH_IN(Type, item, array) JANK_EACH_ITEM (Type, item, array, &g_array_index (array, Type, item##_i))
