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
 *          n_turns, busy_ns ─────────▶  read_live              (D), any thread
 *          load asks  ◀───────────────  set and clear bits     (E), any thread
 *          sources := ledger ────────▶  load
 *          closed_ns := now ─────────▶  load                   (F), any thread
 *          slow_*, then waits_ns ────▶  waits_ns, then slow_*  (G)
 *
 * (A) release/acquire. (B) is Dekker's pattern: each side stores its own word, then loads the other's, all
 * sequentially consistent, so at least one of them sees the other. (C) a single-producer single-consumer
 * ring: n_pushed release/acquire, n_popped release/acquire; when full the period is counted as lost.
 * (D) relaxed: sums, that order nothing. (E) relaxed one way, release/acquire the other.
 * (F) relaxed: a time, that orders nothing. (G) release/acquire: who sees that nobody waits any more sees who has
 * waited for long. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "observe/jank-busy-log-private.h"
#include "observe/jank-frame-times-private.h"
#include "observe/jank-own-time-private.h"
#include "observe/jank-source-ledger-private.h"

#define JANK_BEAT_N_ENDED 32

/* A turn that may be felt. */
#define JANK_BEAT_LONG_NS INT64_C (16000000)

/* A frame that is wanted for so long is late, or nearly; for so long, held back. At 60 Hz one on time takes 17 ms. */
#define JANK_BEAT_LATE_NS INT64_C (22000000)
#define JANK_BEAT_HELD_NS INT64_C (100000000)

typedef enum
{
  JANK_BEAT_WAITING = 0, /* in poll, or in other sources' prepare; before the first turn: nothing known */
  JANK_BEAT_BUSY    = 1, /* dispatching, or between two turns of a loop that somebody else iterates */
  JANK_BEAT_STARTUP = 2, /* busy, from loading to the first turn */
  JANK_BEAT_STARTING = 3, /* of a word alone: as BUSY, but the loop has not waited yet */
} JankBeatState;

typedef enum
{
  JANK_BEAT_ASKS_SOURCES = 1 << 0, /* count dispatches: the loop spins */
  JANK_BEAT_ASKS_LOOK    = 1 << 1, /* call look_func, once a turn until it returns true */
  JANK_BEAT_ASKS_FRAME   = 1 << 2, /* call held_func, once, and set frame_due_ns or forget frame_wanted_ns */
  JANK_BEAT_ASKS_WORKS   = 1 << 3, /* count dispatches: somebody touches the program, or frames are late */
  JANK_BEAT_ASKS_ENGINE  = 1 << 4, /* call engine_func, once a turn until it returns true */
} JankBeatAsks;

/* On the observed thread, as JankThreadFunc. */
typedef bool (*JankLookFunc) (void *data);

/* On the observed thread. */
typedef void (*JankEndedFunc) (int64_t ended_ns);

/* A busy period that was as long as report_ns. */
typedef struct
{
  int64_t began_ns, ended_ns; /* CLOCK_MONOTONIC */
  bool    startup;
} JankBusyPeriod;

/* Two readings tell by their difference how often the loop turned in between, and how long it was busy. */
typedef struct
{
  int64_t  at_ns;   /* CLOCK_MONOTONIC */
  uint64_t n_turns; /* ever begun */
  int64_t  busy_ns; /* until at_ns; exact, except for turns less than 100 µs apart: one in 64 of those is measured */
} JankLoopLive;

typedef struct
{
  /* set before it is shared */
  JankLookFunc           look_func, engine_func; /* (nullable) */
  JankLookFunc           held_func; /* (nullable): whether the display holds the frame back that is wanted, or nobody
                                       wants it */
  void                  *look_data;

  /* observed thread only */
  int64_t                began_ns;
  int64_t                cycle_ns;  /* from the last period's beginning to this one's */
  uint32_t               answered;  /* bits of asks that it has acted upon */
  JankBeatState          state;
  bool                   is_starting; /* the loop has neither waited nor drawn a frame */
  long                   n_sleeps;  /* of the thread, when it left prepare(); while it is starting */
  JankBusyLog           *log;       /* (nullable): kept by whoever asked for it */
  JankEndedFunc          ended_func; /* (nullable): called once, at the next end of a period that is logged */
  bool                   is_exact;  /* every end is read from the exact clock */

  /* shared, atomic */
  _Atomic uint64_t       word;      /* (monotonic ns << 2) | JankBeatState; the time doubles as sequence number */
  _Atomic uint32_t       parked;    /* futex: 1 while the watcher sleeps without a time-out */
  _Atomic uint32_t       rung;      /* futex: counts wake-ups asked for, to interrupt a timed sleep */
  _Atomic int64_t        report_ns; /* shortest period that is pushed */
  _Atomic uint32_t       n_pushed, n_popped, n_dropped;
  _Atomic uint64_t       n_turns;   /* busy periods that have begun */
  _Atomic int64_t        busy_ns;   /* of those that have ended */
  _Atomic int64_t        closed_ns; /* when somebody began to wait for the watcher's end, 0: nobody yet */
  _Atomic uint32_t       asks;      /* JankBeatAsks, of the observed thread; looked at once a turn */
  JankOwnTime            own;       /* see there */
  JankWorkLog            turns;     /* the last that took JANK_BEAT_LONG_NS and more; rows are 0 */
  JankFrameTimes         frames;    /* see there: of the program, where somebody wants them */
  _Atomic int64_t        frame_began_ns; /* of the newest, which may be under way; 0: none. Orders nothing */
  /* Since when a frame is wanted of a window that is shown, 0: none is; and the one that held_func said not to be held.
   * Order nothing. */
  _Atomic int64_t        frame_wanted_ns, frame_due_ns;
  _Atomic int64_t        waits_ns;  /* of the oldest interaction without an answer, 0: there is none */
  _Atomic int64_t        slow_stamp_ns, slow_answered_ns; /* of one that has waited for long; 0: taken by the watcher */
  _Atomic int64_t        works_until_ns; /* until when JANK_BEAT_ASKS_WORKS holds */
  _Atomic (const JankSourceLedger *) sources; /* where they are counted, NULL: nowhere yet */
  _Atomic (const JankSourceLedger *) works;   /* the same, and stays: what was dispatched lately */

  /* written by the observed thread before n_pushed, read by the watcher after it */
  JankBusyPeriod         ended[JANK_BEAT_N_ENDED];
} JankBeat;

/* A futex in a file, by which other processes wake the watcher: they write nothing there. word (nullable): none.
 * Nobody here reads it but the kernel, whose read just fails where somebody has cut off the file. */
typedef struct
{
  const void *word;
  uint32_t    value; /* that it has, always */
} JankBell;

/* What a word says. */
static inline JankBeatState jank_beat_word_state (uint64_t word) { return (JankBeatState) (word & 3); }
static inline int64_t       jank_beat_word_ns    (uint64_t word) { return (int64_t) (word >> 2); }

/* Before the beat is shared. startup_began_ns: 0 when nothing is known of the thread yet. */
void     jank_beat_init     (JankBeat *self, int64_t report_ns, int64_t startup_began_ns);

/* Observed thread. */
void     jank_beat_begin    (JankBeat *self);
void     jank_beat_end      (JankBeat *self);
/* How often the calling thread has gone to sleep. */
long     jank_beat_count_sleeps (void);
/* Does what JANK_BEAT_ASKS_LOOK, JANK_BEAT_ASKS_FRAME and JANK_BEAT_ASKS_ENGINE ask for. */
void     jank_beat_look     (JankBeat *self);
/* From the present period on every period is logged, with exact times. log (nullable): must outlive its use here. */
void     jank_beat_set_log  (JankBeat *self, JankBusyLog *log);

/* Watcher thread. */
uint64_t jank_beat_load     (JankBeat *self);
bool     jank_beat_pop      (JankBeat *self, JankBusyPeriod *ret_period);
/* Sleeps until the next busy period begins, a ring since `rung`, the bell, or deadline_ns (0: none); returns at once
 * when a period is under way. Returns whether it was the bell. */
bool     jank_beat_park     (JankBeat *self, uint32_t rung, int64_t deadline_ns, const JankBell *bell);
/* Sleeps until deadline_ns, a ring since `rung`, or a stall's end. Returns false at the deadline. */
bool     jank_beat_sleep    (JankBeat *self, uint32_t rung, int64_t deadline_ns);
uint32_t jank_beat_get_rung (JankBeat *self);

/* Any thread: wakes the watcher from any sleep. */
void     jank_beat_ring     (JankBeat *self);

/* Any thread: what the observed thread does from now on may be to wait for the watcher's end, and is no stall's. */
void     jank_beat_close    (JankBeat *self);

/* Any thread. */
void     jank_beat_ask      (JankBeat *self, JankBeatAsks bit, bool asks);

/* Observed thread: from the next turn on, and for ten seconds, it is kept what the loop dispatches. */
void     jank_beat_ask_works (JankBeat *self, int64_t now_ns);
/* Watcher thread: no longer, once they are over. */
void     jank_beat_end_works (JankBeat *self);

/* Any thread: from now on periods at least this long are pushed. */
void     jank_beat_set_report (JankBeat *self, int64_t report_ns);

/* Any thread; may miss a period that begins or ends meanwhile. */
JankLoopLive jank_beat_read_live (const JankBeat *self);
