/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When something that keeps happening is worth writing down again: after 1, 1, 2, 3, 5, 8 … further times, or after
 * as many seconds, whichever comes first (the annealing of the WeChat Matrix family of monitors, whose check
 * interval grows by Fibonacci while the stack stays the same). So n times cost about 4.8 · log10(n) writes. Pure. */

#pragma once

#include <glib.h>

#define JANK_ANNEALING_INTERVAL_NS G_GINT64_CONSTANT (1000000000)

/* Zeroed: nothing was written, it is due at once. */
typedef struct
{
  guint  n_written;
  guint  n_since;  /* times since it was written */
  gint64 last_ns;  /* when that was */
} JankAnnealing;

/* It happened again. */
void     jank_annealing_note   (JankAnnealing *self);
gboolean jank_annealing_is_due (const JankAnnealing *self, gint64 now_ns);
void     jank_annealing_wrote  (JankAnnealing *self, gint64 now_ns);

/* 1, 1, 2, 3, 5, 8 … for n from 1 on; it stays at 10^9 once there. */
gint64   jank_annealing_fibonacci (guint n);
