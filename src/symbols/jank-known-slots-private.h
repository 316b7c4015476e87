/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Remembers what jank_type_slots_describe() has said of functions: it reads every class, and the reports of a program have
 * much the same functions. Watcher thread only. */

#pragma once

#include "symbols/jank-type-slots-private.h"

typedef struct _JankKnownSlots JankKnownSlots;

JankKnownSlots *jank_known_slots_new      (void);
void            jank_known_slots_free     (JankKnownSlots *self);

/* As jank_type_slots_describe(). self: (nullable). generation: of the code map; another one forgets all. now_ns: CLOCK_MONOTONIC; a function
 * without a description is asked for again after a minute: its class may have come into being. Where reading takes long, not
 * every call reads. */
void            jank_known_slots_describe (JankKnownSlots *self, guint64 types_begin, guint64 types_end, guint generation,
                                           gint64 now_ns, JankSlot *slots, guint n_slots);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankKnownSlots, jank_known_slots_free)
