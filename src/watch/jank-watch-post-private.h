/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher's parts share: whom they watch, with what, and whom they tell. Watcher thread only. */

#pragma once

#include "base/jank-memory-private.h"
#include "observe/jank-ping-private.h"
#include "watch/jank-stall-tracker-private.h"
#include "watch/jank-watcher-private.h"

typedef struct _JankEpisode JankEpisode;

typedef struct
{
  /* set at construction */
  JankBeat           *beat;
  JankSinks          *sinks;
  const char         *task_folder;

  /* as ordered */
  JankRule            rule;
  JankPing           *ping;        /* (nullable) */
  JankDispatchSlot    slot;
  const JankSourceLedger *ledger;  /* (nullable) */

  uint64_t            word;        /* the beat, as it was before ended busy periods were told */
  gint64              ignored_until_ns; /* busy periods that began before are nobody's business */
  gboolean            has_new_rule; /* since the loop was looked at */
  gboolean            is_restless; /* a spin is looked at: a waiting loop is busy again in a moment */
  JankCalm            calm;
  JankStallTracker   *tracker;     /* (owned) (nullable): of the busy period under way, from its first sample on */
  JankRuleState       rule_state;
  JankLoopView        view;        /* as the rule saw it last */
  JankSampler        *sampler;     /* (owned) */
  JankThread         *own;         /* (owned): the watcher thread, as the kernel sees it */
  JankMoment          asleep;      /* when the watcher last went to sleep, or the loop became busy just before */
  gint64              run_delay_ns; /* of the watcher thread, when last looked */
  gint64              slept_at_ns,
      slept_cpu_ns;  /* when the watcher last went to sleep; the thread's CPU time then, -1:
                                                     not known */
  JankSample          late;        /* (owned): found to be after the stall, or at its very end */
  gboolean            polls_itself; /* the program has been seen to poll for its loop, without GLib */
  gboolean            has_followed; /* the sampled thread runs a loop that is not observed */
  gint64              awaits_ns;   /* when the last sample found the program polling for the loop, which it turns by
                                      hand; else 0 */
  gint64              sampled_at_ns; /* when slept_cpu_ns was read with a sample */
  gint64              told_until_ns; /* end of the last thing that has a report for which a person waits */
  gint64              told_ns;       /* when a stall that lasts was told of, or shown, last */
  gint64              ticked_ns, tick_due_ns; /* as of the last JankSinkFuncs.tick */
  gint64              delays_at_ns; /* when the delays in asleep were read, 0: not yet */
  gboolean            was_late;     /* the last sleep took longer than asked */
  JankGaps            gaps;
  gboolean            has_stall;   /* one is reported as ongoing */
  JankEpisode        *announced;   /* (nullable): reported as ongoing; nothing else is before it has ended */
} JankWatchPost;

/* How the sinks are told of a stall. */
typedef enum
{
  JANK_TELL_ONGOING,
  JANK_TELL_GLANCE,  /* the same, to who asks */
  JANK_TELL_ENDED,   /* at 0: as it was told last, since what follows is another report */
  JANK_TELL_EXITING, /* and the program ends */
} JankTelling;

/* What may be allocated for a sample, and while a report is written. */
#define JANK_LOOK_BYTES   (1 << 20)
#define JANK_REPORT_BYTES JANK_MEMORY_MAX_ROOM

void        jank_watch_post_init          (JankWatchPost *self, int signal);
void        jank_watch_post_clear         (JankWatchPost *self);

/* The counters now, for a moment that has just been. */
void        jank_watch_post_read_moment   (JankWatchPost *self, gint64 at_ns, JankMoment *ret_moment);
/* Estimated counters at the start of a busy period that began while the watcher slept. */
void        jank_watch_post_estimate      (JankWatchPost *self, gint64 began_ns, gint64 now_ns, JankMoment *ret_moment);

/* Around a sleep: oversleeping counts as a stop unless the thread was waiting for a CPU. */
void        jank_watch_post_before_sleep  (JankWatchPost *self);
void        jank_watch_post_note_gap      (JankWatchPost *self, gint64 expected_ns, gint64 now_ns);

/* Whom to sample from now on. */
void        jank_watch_post_set_thread    (JankWatchPost *self, const JankThreadInfo *info,
                                           const JankDispatchSlot *slot);
/* While the observed thread sleeps: looks for another one that waits in a loop that the program runs there. */
gboolean    jank_other_loop_find          (JankWatchPost *self, JankThreadInfo *ret_info);
/* Whether the program polls for a loop that is not observed, outside of whatever is dispatched: all is well then. */
gboolean    jank_other_loop_is_awaited    (JankWatchPost *self, const JankStallTracker *tracker,
                                           const JankSample *sample);

/* Whether the turn under way is a stall, or will be. */
gboolean    jank_watch_post_is_in_stall   (const JankWatchPost *self, gint64 now_ns);

/* Whether the busy period that tracker is of is no longer under way; FALSE of what is not a busy period. */
gboolean    jank_watch_post_is_over       (const JankWatchPost *self, const JankStallTracker *tracker);

/* The sample of a call into the kernel that lasted until the stall ended, or nearly: the thread answered behind it. */
void        jank_watch_post_take_late     (JankWatchPost *self, JankStallTracker *tracker, gint64 ended_ns);

/* One sample of a thread that is not the loop's. */
void        jank_watch_post_sample_other  (JankWatchPost *self, JankStallTracker *tracker, pid_t tid,
                                           const JankStackRanges *ranges);
/* One sample of the loop's thread; of a busy period none when it has ended meanwhile.
 * Returns: in how long the thread computes for one interval, by what it did since the sample before; 0: it is
 * awaited */
gint64      jank_watch_post_sample        (JankWatchPost *self, JankStallTracker *tracker);
/* All threads, when tracker has none, and again while a stall lasts. */
void        jank_watch_post_take_threads  (JankWatchPost *self, JankStallTracker *tracker);

void        jank_watch_post_tell          (JankWatchPost *self, JankStallTracker *tracker, gint64 at_ns,
                                           JankTelling how);
/* Once a second, where somebody asks: how an ongoing stall that was told goes on. */
void        jank_watch_post_tell_asked    (JankWatchPost *self, JankStallTracker *tracker, gint64 now_ns);
/* 0: nothing is known of its stacks */
guint64     jank_watch_post_find_heaviest (JankWatchPost *self, JankStallTracker *tracker);
void        jank_watch_post_tell_brief    (JankWatchPost *self, JankStallTracker *tracker, gint64 ended_ns);
/* The next frame of the program in order, which has been told; only where a rule asks for frames. FALSE: none since. */
gboolean    jank_watch_post_next_frame    (JankWatchPost *self, JankFrameTime *ret_frame);
void        jank_watch_post_tell_exiting  (JankWatchPost *self);
