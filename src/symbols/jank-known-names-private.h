/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Remembers what was found out of functions that have no symbol: finding it reads every class, or a file's data, and
 * the reports of a program have much the same functions. Watcher thread only. */

#pragma once

#include "symbols/jank-symbols-private.h"
#include "gobject/jank-type-slots-private.h"

typedef struct _JankKnownNames JankKnownNames;

JankKnownNames *jank_known_names_new      (void);
void            jank_known_names_free     (JankKnownNames *self);

/* Both forget all when the code map has another generation. now_ns: CLOCK_MONOTONIC; a function of which nothing was
 * found is looked for again after a minute: its class may have come into being. */

/* As jank_type_slots_describe(). Where reading takes long, not every call reads. */
void            jank_known_names_describe (JankKnownNames *self, guint64 types_begin, guint64 types_end,
                                           guint generation, gint64 now_ns, JankSlot *slots, guint n_slots);

/* Names those of a Python program's calls that have no name in symbols, by jank_method_tables_find(). */
void            jank_known_names_find_methods (JankKnownNames *self, JankCodeMap *map, gint64 now_ns,
                                               const JankCall *calls, guint n_calls, JankSymbol *symbols);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankKnownNames, jank_known_names_free)
