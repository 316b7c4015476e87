/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When an input event happened, by its own stamp: milliseconds in 32 bits, which mean CLOCK_MONOTONIC on X11 and
 * Wayland, but anything on Broadway, on another machine's X server and in events that a program made. A display's
 * stamps count once some of them were hardly older than the moment they arrived, and no longer once one lies in the
 * future. Before that, one counts if the loop was busy ever since. Observed thread only. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing seen yet. */
typedef struct
{
  bool     is_trusted;
  unsigned n_fresh;   /* since one from the future; 0: there was none */
  uint32_t newest_ms; /* of those that counted */
} JankInputClock;

/* How long the loop was busy. */
typedef int64_t (*JankInputBusyFunc) (int64_t from_ns, int64_t to_ns);

/* get_busy_ns: (nullable). Returns: FALSE: the age of the event is not known */
bool jank_input_clock_read (JankInputClock *self, uint32_t stamp_ms, int64_t now_ns, JankInputBusyFunc get_busy_ns,
                            int64_t *ret_stamp_ns);
