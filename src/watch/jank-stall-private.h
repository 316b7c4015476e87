/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher knows of one stall, in addresses of this process. Watcher thread only. */

#pragma once

#include "observe/jank-source-info-private.h"
#include "observe/jank-source-ledger-private.h"
#include "watch/jank-call-tree-private.h"
#include "watch/jank-sample-ring-private.h"
#include "sample/jank-thread-snapshot-private.h"

typedef enum
{
  JANK_STALL_LOOP,    /* the loop was busy for too long */
  JANK_STALL_STARTUP, /* the same, before the loop waits for the first time, and nothing was dispatched */
  JANK_STALL_SPIN,    /* the loop turned and turned without waiting */
  JANK_STALL_CPU,     /* a thread, or the process, kept computing */
  JANK_STALL_FRAMES,  /* too long from one frame to the next, or too few of them, by the rule of another monitor */
  JANK_STALL_DUMP,    /* somebody wants to know what the program does, which may be nothing: then it has no length */
  JANK_STALL_STARVED, /* no frame though one was wanted: the loop turned, and dispatched other things */
  JANK_STALL_INPUT,   /* what a person did had no answer: the loop turned, and dispatched other things */
} JankStallKind;

/* What counting each source's dispatches has shown. */
typedef enum
{
  JANK_COUNTED_NOTHING, /* not yet, or it was not counted */
  JANK_COUNTED_NONE,    /* none was dispatched in at least every second turn */
  JANK_COUNTED_SOURCE,  /* the stall's source was */
} JankCounted;

typedef struct
{
  JankStallKind   kind;
  gint64          began_ns;       /* CLOCK_MONOTONIC */
  gint64          period_ns;      /* when its busy period began: before it, where the first part is another report's */

  gint64          ended_ns;       /* CLOCK_MONOTONIC; 0 while it lasts */
  gint64          threshold_ns;
  gint64          cpu_ns;         /* CPU time of the observed thread, of JANK_STALL_CPU: of the process; -1: unknown */
  gint64          state_ns[JANK_N_STATES]; /* of the stall, what the thread spent in each; all 0: unknown; else the sum
                                            * is the duration */
  gint64          watcher_late_ns; /* how long the watcher itself waited for a CPU meanwhile */
  gint64          suspended_ns;   /* beside CLOCK_MONOTONIC, which stands still */
  gint64          stopped_ns;     /* inside [began, ended]: SIGSTOP, freezer */
  gint64          traced_ns;      /* inside [began, ended]: stopped by a debugger */
  gint64          own_ns;         /* inside [began, ended]: our own work, and GTK's inspector */
  guint           loop_depth;     /* nested dispatches, 1: not nested, 0: unknown or start-up */
  gint            n_outside;      /* of a stall of the loop: samples with nothing dispatched, less all others */
  JankSourceInfo  source;
  JankCounted     counted;        /* of a spin */
  JankSampleRing *ring;           /* (owned) */
  JankCallTree   *tree;           /* (owned) */
  JankThreadSnapshot *threads;    /* (owned) (nullable): the newest, see jank_watch_post_take_threads() */
  guint64         n_turns;        /* of a spin, of starved frames: of the loop, in [began, ended] */
  double          fps;            /* of missing frames: those drawn in [began, ended], a second; 0: not counted */
  const JankSourceLedger *works_of; /* (nullable): whose rows works are of, and who knows what turns were for */
  JankWork        works[JANK_MAX_WORKS]; /* of starved frames and input: dispatched in [began, ended], heaviest first */
  JankWork        turns[JANK_MAX_WORKS]; /* long ones of the last 10 s before it, oldest first */
  guint           n_works, n_before;
  const JankSourceLedger *ledger; /* (nullable): exact times per source, where the setting asks for them */
  guint64         n_samples, n_lost, n_signals;
  guint64         n_starved;      /* looks at which the thread waited for a CPU: nothing is lost */
  gint64          cost_ns;        /* CPU time of the watcher thread since it was sampled first, without reports and
                                     snapshot */
} JankStall;

/* Length until now_ns or its end, without the excluded parts. */
static inline gint64
jank_stall_duration_ns (const JankStall *self, gint64 now_ns)
{
  gint64 end = self->ended_ns != 0 ? self->ended_ns : now_ns;

  return MAX (end - self->began_ns - self->stopped_ns - self->traced_ns - self->own_ns, 0);
}
