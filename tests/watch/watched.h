/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A context whose loop a test turns, watched by a real watcher, which writes down what it says. */

#pragma once

#include <pthread.h>

#include "base/jank-clock-private.h"
#include "observe/jank-loop-observer-private.h"
#include "watch/jank-watcher-private.h"
#include "worker.h"

#define MS JANK_NS_PER_MS

/* A busy machine may keep the watcher from its work; once in so many tries it does not. */
#define N_TRIES 20

#define AWAIT_NS (30 * JANK_NS_PER_S)

/* What the watcher said of one stall. */
typedef struct
{
  JankStall stall;          /* ring, tree and threads are gone */
  gint64    duration_ns;
  gint64    weights_ns;     /* of the samples in the ring */
  gint64    tree_ns;        /* of the call tree's root */
  guint     n_in_ring;
  guint     n_with_culprit; /* in the ring, with a function of ours that stalls on their stack */
  guint     n_resting;      /* in the ring, with watched_rest() */
  guint     n_blocked;
  guint     n_states[JANK_N_STATES];  /* of the samples in the ring */
  gboolean  has_threads;
  gboolean  exiting;
} Said;

typedef struct
{
  GMainContext     *context;  /* (owned) */
  JankLoopObserver *observer; /* (owned) */
  JankWatcher      *watcher;  /* (owned) (nullable) */
  JankSinks         sinks;

  /* the watcher's words, under mutex */
  pthread_mutex_t   mutex;    /* not GLib's, which no thread sanitizer sees */
  GArray           *ongoing, *ended, *brief; /* (owned) of Said */
  guint             n_started, n_exiting;
  pid_t             tid;
  GPtrArray        *failures; /* (owned) of char */
  JankWatcherCounts counts;
  gint64            ongoing_at_ns; /* the first */

  gint              is_held;  /* (atomic): the watcher stays in ongoing() until this is cleared */
} Watched;

extern const JankRule watched_rule;

void watched_set_up      (Watched *self, gconstpointer data);
void watched_tear_down   (Watched *self, gconstpointer data);

/* report_ns: what the observed thread takes for a stall. The calling thread runs the loop. */
void watched_start       (Watched *self, const JankRule *rule, gint64 report_ns, const char *task_folder);
void watched_stop        (Watched *self);

/* Waits until the watcher has said so much; it must within seconds. */
void watched_await       (Watched *self, const GArray *said, guint n);
guint watched_count      (Watched *self, const GArray *said);
/* How often, of that kind, and the first of them: a busy machine makes others. */
guint watched_find_kind  (Watched *self, const GArray *said, JankStallKind kind, Said *ret_first);
/* Waits until the first one has ended. */
Said watched_await_kind  (Watched *self, JankStallKind kind);
/* A copy. */
Said watched_get         (Watched *self, const GArray *said, guint i);

typedef void (*StallFunc) (gint64 duration_ns);

typedef struct
{
  StallFunc func;
  gint64    duration_ns;
  gint64    began_ns, took_ns; /* the truth */
} Work;

void watched_compute     (gint64 duration_ns);
void watched_sleep       (gint64 duration_ns);
/* Computes inside one system call, for about as long. */
void watched_call_kernel (gint64 duration_ns);
/* Outside of the loop's busy periods. */
void watched_rest        (gint64 duration_ns);

/* The loop turns once to work, and back to waiting. */
void watched_run         (Watched *self, Work *work);

/* Waits until the watcher has said that the stall ended in which this was done. There may be others before it and
 * after it: a busy machine makes them. */
Said watched_await_work  (Watched *self, const Work *work);

/* How often it has said so. */
guint watched_count_work (Watched *self, const Work *work);

/* For how long this thread and the watcher have waited for a CPU, together. */
gint64 watched_get_run_delay_ns (Watched *self);

#define WATCHED_ADD(path, data, func) g_test_add (path, Watched, data, watched_set_up, func, watched_tear_down)
