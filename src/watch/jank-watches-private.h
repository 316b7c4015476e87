/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher looks for, each beside the others. Watcher thread only. */

#pragma once

#include "rules/jank-cpu-finder-private.h"
#include "rules/jank-spin-finder-private.h"
#include "watch/jank-episode-private.h"
#include "watch/jank-watch-post-private.h"

/* The busy period under way: sampled while it is late, reported when it is a stall. Watcher thread only. */
typedef struct
{
  gint64            period_ns; /* when the period under way began, 0: none */
  JankBeatState     state;     /* of the period: which kind of busy */
  JankMoment        began;
  JankStallTracker *tracker;   /* (owned) (nullable): none before the first sample is due */
  gboolean          is_announced; /* it has been reported */
  gboolean          has_program; /* that runs a main loop; asked while it starts up */
  gboolean          has_started; /* the program has polled for the loop */
  gboolean          awaits;    /* when last looked at, the program polled for the loop, which it turns by hand */
  gint64            last_ended_began_ns; /* the word of that period is written after its end is announced */
  gint64            ignored_until_ns; /* periods that began before are nobody's business */
} JankLoopWatch;

/* Periods that the observed thread found long have ended. */
void     jank_loop_watch_take_ended (JankLoopWatch *self, JankWatchPost *post);

/* The loop waits since then. */
void     jank_loop_watch_wait       (JankLoopWatch *self, JankWatchPost *post, gint64 since_ns);

/* The loop is busy. Returns: when to look again, as seen at ret_now_ns */
gint64   jank_loop_watch_look       (JankLoopWatch *self, JankWatchPost *post, gint64 began_ns, JankBeatState state,
                                     gint64 *ret_now_ns);

/* What was announced ends now. */
void     jank_loop_watch_finish     (JankLoopWatch *self, JankWatchPost *post, gboolean exiting);
void     jank_loop_watch_drop       (JankLoopWatch *self, JankWatchPost *post);

/* Frame-driven watching, for the rules that want it: stacks from one frame to the next, and a report, after the fact,
 * of a frame that took too long, or of a time with too few of them. Watcher thread only. */
typedef struct
{
  JankStallTracker *tracker; /* (owned) (nullable): since the newest frame that was told */
  JankStallTracker *next;    /* (owned) (nullable): since the one that has begun after it, and is told when it is
                                drawn */
} JankFrameWatch;

/* Returns: when to look again while the loop is as it is now, G_MAXINT64: never */
gint64 jank_frame_watch_look (JankFrameWatch *self, JankWatchPost *post, gboolean busy, gint64 since_ns);
void   jank_frame_watch_drop (JankFrameWatch *self);

/* Answers what the main thread asks of a call that may block: which site it is. A site is new where its stack is; the
 * sinks are told of it. Watcher thread only. */
typedef struct
{
  GHashTable *sites;       /* (owned) (nullable): a stack's key → number of its site */
  guint32     n_sites;     /* numbers given out: from 1 on */

  /* A site whose script's calls the engine has yet to tell. */
  JankStack  *awaited;     /* (owned) (nullable) */
  JankBlockingCall call;
  char        target[JANK_STRICT_TARGET_BYTES]; /* of call */
  guint64     n_turns;     /* of the loop, at the call */
} JankStrictWatch;

/* Before anything else is looked at, which may forget what the engine was asked. Returns: when to look again */
gint64 jank_strict_watch_look  (JankStrictWatch *self, JankWatchPost *post);
void   jank_strict_watch_clear (JankStrictWatch *self);

/* Looks whether the loop spins, at the watcher's own pace: a spinning loop is never idle, so the watcher is never
 * parked. Costs two small files of /proc ten times a second, and only while there are many turns; a third one about
 * a hundred times a second, while the loop looks like a spin or when only the place where the thread sleeps can
 * tell. Samples hardly ever meet a callback that does next to nothing: while the loop looks like a spin, the
 * observed thread counts its sources itself. Watcher thread only. */
typedef struct
{
  JankSpinFinder finder;
  JankMoment     last;     /* of the last look that read counters, but for windows without many turns in a spin */
  guint64        n_turns_last, n_turns_began; /* then; and when the episode began */
  gint64         next_peek_ns;
  guint64        n_peeks, n_rests; /* ever */
  JankEpisode    episode;
  JankLedgerRow *before;   /* (owned) (nullable): the sources when they were first seen to be counted */
  guint          n_before;
  guint64        n_turns_before;
} JankSpinWatch;

/* Returns: when to look again at the latest, G_MAXINT64: whenever the watcher is awake */
gint64 jank_spin_watch_look (JankSpinWatch *self, JankWatchPost *post);

/* Ends what is under way. */
void   jank_spin_watch_stop (JankSpinWatch *self, JankWatchPost *post, gboolean exiting);
/* Without a word. */
void   jank_spin_watch_drop (JankSpinWatch *self);

/* Looks whether the process keeps a CPU busy, if the settings ask for that: the watcher then wakes three times per
 * cpu-time, also in an idle program. The first look over the limit reads all threads; from then on the busiest
 * thread is sampled. Watcher thread only. */
typedef struct
{
  JankCpuFinder finder;
  JankMoment    last;    /* of the last look; CPU time of the process */
  JankEpisode   episode;
  JankStackRanges *ranges; /* (owned) (nullable): when the episode began */
} JankCpuWatch;

/* Returns: when to look again, G_MAXINT64: never */
gint64 jank_cpu_watch_look (JankCpuWatch *self, JankWatchPost *post);

/* Ends what is under way. */
void   jank_cpu_watch_stop (JankCpuWatch *self, JankWatchPost *post, gboolean exiting);
/* Without a word. */
void   jank_cpu_watch_drop (JankCpuWatch *self, JankWatchPost *post);

/* A frame that does not come, or an interaction without an answer, though the loop turns: each turn is short, but what
 * it dispatches comes before GTK's drawing. Nobody's stall, and a window that stands still. Watcher thread only. */
typedef struct
{
  JankEpisode  episode;
  gint64       wanted_ns;   /* the wish that is looked at: since when; 0: none */
  gboolean     is_input;    /* it is for an answer */
  gboolean     is_due;      /* meanwhile, the frame for it was wanted for as long as one may be */
  JankLoopLive before;      /* the loop's counters since when it has hardly waited */
  guint64      n_turns;     /* ever begun when the episode did */
  gboolean     is_over;     /* the display holds that frame back, or a stall does */
} JankStarvedWatch;

/* word: the beat, as it was before the ended busy periods were told. Returns: when to look again, G_MAXINT64: whenever
 * there is another reason to */
gint64 jank_starved_watch_look (JankStarvedWatch *self, JankWatchPost *post, uint64_t word);

/* What was reported ends now. */
void   jank_starved_watch_stop (JankStarvedWatch *self, JankWatchPost *post, gboolean exiting);
