/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When frames began, told by the observed thread to the watcher: a single-producer single-consumer ring of fixed
 * memory. No lock, no allocation, no system call; when nobody reads, what is new is dropped and counted.
 *
 *   observed thread                      watcher thread
 *   push: frames[] := …; n_pushed ────▶  pop: frames[]; n_popped
 *
 * n_pushed and n_popped: release by their writer, acquire by the other. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define JANK_FRAME_TIMES_SIZE 128

typedef struct
{
  int64_t began_ns;   /* CLOCK_MONOTONIC */
  int64_t refresh_ns; /* of the display; 0: unknown */
  bool    follows;    /* the clock has been running since the frame before */
  int     who;        /* made it late: a JankFrameWho */
  int64_t interval_ns, busy_ns; /* since the frame before; 0: there was none */
} JankFrameTime;

/* All zero is empty. */
typedef struct
{
  int64_t          last_ns; /* observed thread only */
  _Atomic uint32_t n_pushed, n_popped, n_dropped;
  JankFrameTime    frames[JANK_FRAME_TIMES_SIZE];
} JankFrameTimes;

/* Observed thread. Windows that are drawn in the same refresh interval make one frame. */
void jank_frame_times_push (JankFrameTimes *self, const JankFrameTime *frame);

/* Watcher thread, in order. */
bool jank_frame_times_pop  (JankFrameTimes *self, JankFrameTime *ret_frame);
