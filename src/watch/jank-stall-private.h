/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher knows of one stall, in addresses of this process. Watcher thread only. */

#pragma once

#include "observe/jank-source-info-private.h"
#include "observe/jank-source-ledger-private.h"
#include "sample/jank-thread-snapshot-private.h"
#include "unwind/jank-stack-private.h"
#include "sample/jank-sample-private.h"

/* Every sample of one stall, folded by function from the outermost call inward, weighted by time.
 * Bounded: past JANK_CALL_TREE_MAX_NODES the rest of a stack is charged to its deepest known node.
 * Watcher thread only. */

#define JANK_CALL_TREE_MAX_NODES 4096
#define JANK_CALL_NODE_NONE G_MAXUINT32

typedef struct
{
  JankCall call;        /* of the first sample that came through here */
  guint32 parent;       /* JANK_CALL_NODE_NONE for the root */
  guint32 first_child;
  guint32 next_sibling;
  guint32 n_samples;    /* with this node on the stack */
  gint64  total_ns;     /* of samples with this node on the stack */
  gint64  self_ns;      /* of samples that end here */
} JankCallNode;

typedef struct _JankCallTree JankCallTree;

JankCallTree       *jank_call_tree_new       (void);
void                jank_call_tree_free      (JankCallTree *self);

/* Folds stack in; n_samples is 0 when weight is added to a sample that was counted before. */
void                jank_call_tree_add       (JankCallTree *self, const JankStack *stack, gint64 weight_ns,
                                              guint n_samples);

/* Folds all anew, with what rename makes of each stack. */
void                jank_call_tree_rename    (JankCallTree *self, JankStackRename rename, gpointer data);

/* Node 0 is the root: no function, the whole stall. */
const JankCallNode *jank_call_tree_get_nodes (const JankCallTree *self, guint *ret_n_nodes);

/* The calls of the samples that end at a node. Returns: (transfer full) (nullable): NULL if none does */
JankStack          *jank_call_tree_get_stack (const JankCallNode *nodes, guint32 at, guint *ret_n_samples);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankCallTree, jank_call_tree_free)

/* The last 20 samples of a stall (WeChat Matrix keeps the last 20 stacks of a fixed spacing), except that
 * these 20 always span the whole stall: when full, neighbours merge and the spacing doubles. The sum of
 * the weights never changes by merging. Watcher thread only. */

#define JANK_SAMPLE_RING_SIZE 20

typedef struct _JankSampleRing JankSampleRing;

JankSampleRing   *jank_sample_ring_new        (void);
void              jank_sample_ring_free       (JankSampleRing *self);

/* Takes references of the sample's stack and wait; the sample stays the caller's. */
void              jank_sample_ring_add        (JankSampleRing *self, const JankSample *sample);

/* Before the first is added: a full ring forgets its oldest sample, and spans what it spans. */
void              jank_sample_ring_keep_newest (JankSampleRing *self);

/* Adds time to the newest sample. */
void              jank_sample_ring_add_weight (JankSampleRing *self, gint64 weight_ns);

void              jank_sample_ring_rename     (JankSampleRing *self, JankStackRename rename, gpointer data);

guint             jank_sample_ring_get_size   (const JankSampleRing *self);
const JankSample *jank_sample_ring_get        (const JankSampleRing *self, guint i); /* 0: oldest */
/* All of them, oldest first. */
const JankSample *jank_sample_ring_get_all    (const JankSampleRing *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSampleRing, jank_sample_ring_free)

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
