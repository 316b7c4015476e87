/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a running thread: sends it a real-time signal whose handler copies registers and stack.
 * One per process, since there is one slot; watcher threads take turns. */

#pragma once

#include "sample/jank-signal-sigsafe-private.h"
#include "proc/jank-thread-private.h"

#include <glib.h>

typedef enum
{
  JANK_ANSWER_COPIED,
  JANK_ANSWER_NONE,    /* not within the bound, or the thread blocks the signal */
  JANK_ANSWER_BLOCKED, /* it sleeps, or may have just woken; nothing was sent, look again */
  JANK_ANSWER_BUSY,    /* an earlier signal has not been answered yet */
} JankAnswer;

typedef struct
{
  guint64 n_sent;      /* signals */
  guint64 n_no_answer; /* sent, or withheld, without a copy */
  guint64 n_restarted; /* system calls that were put back */
  gint64  max_handler_ns;
} JankSignalCounts;

typedef struct _JankSignalSampler JankSignalSampler;

/* signal: 0 for the first free one from SIGRTMAX downward. Installs the handler.
 * NULL with JANK_ERROR_UNAVAILABLE when that signal, or every one, is taken. */
JankSignalSampler      *jank_signal_sampler_new        (int signal, GError **error);

/* The handler stays: an unanswered signal may still arrive. */
void                    jank_signal_sampler_free       (JankSignalSampler *self);

/* On JANK_ANSWER_COPIED jank_signal_slot holds the copy until jank_signal_sampler_release(). */
JankAnswer              jank_signal_sampler_take       (JankSignalSampler *self, JankThread *thread);

/* Of a thread whose stack's base is not known; waits bound_ns for its answer, not longer. ranges: of the moment. */
JankAnswer              jank_signal_sampler_take_other (JankSignalSampler *self, JankThread *thread,
                                                        const JankStackRanges *ranges, gint64 bound_ns);
void                    jank_signal_sampler_release    (JankSignalSampler *self);

/* A debugger keeps a thread in the handler: it may still look at the ranges it was given. */
gboolean                jank_signal_sampler_is_copying (JankSignalSampler *self);

int                     jank_signal_sampler_get_signal (JankSignalSampler *self);
const JankSignalCounts *jank_signal_sampler_get_counts (JankSignalSampler *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSignalSampler, jank_signal_sampler_free)
