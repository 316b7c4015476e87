/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The beat: all that the observed thread tells the watcher. No lock, no allocation, no system call
 * except one futex wake: when the watcher is parked, and when a stall has just ended.
 *
 *   observed thread                      watcher thread
 *   begin: word := busy|now ──────────▶  load word            (A)
 *          parked? → clear, wake  ◀────  parked := 1; load word again, sleep only if not busy  (B)
 *   end:   long? push to ended[] ─────▶  pop                  (C)
 *          word := waiting|now ───────▶  load word            (A)
 *
 * (A) release/acquire. (B) is Dekker's pattern: each side stores its own word, then loads the other's, all
 * sequentially consistent, so at least one of them sees the other. (C) a single-producer single-consumer
 * ring: n_pushed release/acquire, n_popped release/acquire; when full the period is counted as lost. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "observe/jank-busy-log-private.h"

#define JANK_BEAT_N_ENDED 32

typedef enum
{
  JANK_BEAT_WAITING = 0, /* in poll, or in other sources' prepare; before the first turn: nothing known */
  JANK_BEAT_BUSY    = 1, /* dispatching, or between two turns of a loop that somebody else iterates */
  JANK_BEAT_STARTUP = 2, /* busy, from loading to the first turn */
} JankBeatState;

/* A busy period that was as long as report_ns. */
typedef struct
{
  int64_t began_ns, ended_ns; /* CLOCK_MONOTONIC */
  bool    startup;
} JankBusyPeriod;

typedef struct
{
  /* observed thread only */
  int64_t                began_ns;
  JankBeatState          state;
  JankBusyLog           *log;       /* (nullable): kept by whoever asked for it */

  /* shared, atomic */
  _Atomic uint64_t       word;      /* (monotonic ns << 2) | JankBeatState; the time doubles as sequence number */
  _Atomic uint32_t       parked;    /* futex: 1 while the watcher sleeps without a time-out */
  _Atomic uint32_t       rung;      /* futex: counts wake-ups asked for, to interrupt a timed sleep */
  _Atomic int64_t        report_ns; /* shortest period that is pushed */
  _Atomic uint32_t       n_pushed, n_popped, n_dropped;

  /* written by the observed thread before n_pushed, read by the watcher after it */
  JankBusyPeriod         ended[JANK_BEAT_N_ENDED];
} JankBeat;

/* What a word says. */
static inline JankBeatState jank_beat_word_state (uint64_t word) { return (JankBeatState) (word & 3); }
static inline int64_t       jank_beat_word_ns    (uint64_t word) { return (int64_t) (word >> 2); }

/* Before the beat is shared. startup_began_ns: 0 when nothing is known of the thread yet. */
void     jank_beat_init     (JankBeat *self, int64_t report_ns, int64_t startup_began_ns);

/* Observed thread. */
void     jank_beat_begin    (JankBeat *self);
void     jank_beat_end      (JankBeat *self);
/* From the present period on every one is logged, with exact times. log (nullable): must live until it is
 * set to another. */
void     jank_beat_set_log  (JankBeat *self, JankBusyLog *log);

/* Watcher thread. */
uint64_t jank_beat_load     (JankBeat *self);
bool     jank_beat_pop      (JankBeat *self, JankBusyPeriod *ret_period);
/* Sleeps until the next busy period begins or a ring since `rung`; returns at once when one is under way. */
void     jank_beat_park     (JankBeat *self, uint32_t rung);
/* Sleeps until deadline_ns, a ring since `rung`, or a stall's end. Returns false at the deadline. */
bool     jank_beat_sleep    (JankBeat *self, uint32_t rung, int64_t deadline_ns);
uint32_t jank_beat_get_rung (JankBeat *self);

/* Any thread: wakes the watcher from either sleep. */
void     jank_beat_ring     (JankBeat *self);
