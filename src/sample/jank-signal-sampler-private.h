/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a running thread: a timer on that thread's own CPU clock, armed with the shortest time, sends it a signal
 * whose handler copies registers and stack. The kernel delivers it at the thread's next tick, on the way back to
 * user mode: it ends no system call, does not outlive exec(), and never reaches a thread that sleeps. One slot per
 * process: watcher threads take turns. */

#pragma once

#include "sample/jank-signal-sigsafe-private.h"
#include "proc/jank-thread-private.h"

#include <glib.h>

typedef enum
{
  JANK_ANSWER_COPIED,
  JANK_ANSWER_NONE, /* the thread cannot be asked */
  JANK_ANSWER_LATE, /* not within a tick: it sleeps, has no CPU, or is long inside the kernel */
} JankAnswer;

typedef struct
{
  guint64 n_sent;      /* signals that were answered */
  guint64 n_no_answer; /* times that the observed thread stopped answering */
} JankSignalCounts;

typedef struct _JankSignalSampler JankSignalSampler;

/* Whether a kernel of this release delivers such a signal only on the way back to user mode. */
gboolean                jank_signal_sampler_is_safe_on (const char *release);

/* signal: 0 for SIGURG, which does nothing where no handler is. Installs the handler; signals that are not the
 * timer's go to whatever the program has for them. */
JankSignalSampler      *jank_signal_sampler_new        (int signal);

/* The handler stays: a signal may still be on its way. */
void                    jank_signal_sampler_free       (JankSignalSampler *self);

/* Sleeps for a tick. On JANK_ANSWER_COPIED jank_signal_slot holds the copy until jank_signal_sampler_release().
 * After JANK_ANSWER_LATE the thread stays asked: the next take finds its answer, unless jank_signal_sampler_rest()
 * comes first. ranges (nullable): of the moment, for a thread whose stack is not known; they must outlive the
 * asking. python (nullable): the copy is to hold its Python calls, too. engine_request: of the JavaScript engine,
 * asked with the copy; 0: none. */
JankAnswer              jank_signal_sampler_take       (JankSignalSampler *self, JankThread *thread,
                                                        const JankStackRanges *ranges,
                                                        const JankPythonRequest *python, guint32 engine_request);
/* Whether tid has answered what it was asked. */
gboolean                jank_signal_sampler_has_answer (JankSignalSampler *self, pid_t tid);
/* When a thread was asked last. */
gint64                  jank_signal_sampler_get_asked_ns (JankSignalSampler *self);
/* Without waiting for the answer. */
void                    jank_signal_sampler_ask        (JankSignalSampler *self, JankThread *thread,
                                                        const JankPythonRequest *python, guint32 engine_request);
void                    jank_signal_sampler_release    (JankSignalSampler *self);
void                    jank_signal_sampler_rest       (JankSignalSampler *self);

/* Whether a thread is in the handler, where a debugger may keep it: it may still read the ranges it was given. */
gboolean                jank_signal_sampler_is_copying (JankSignalSampler *self);

/* Why no running thread can be read, once; NULL after that. Transfer full. */
GError                 *jank_signal_sampler_take_error (JankSignalSampler *self);

gint64                  jank_signal_sampler_get_tick   (JankSignalSampler *self);
const JankSignalCounts *jank_signal_sampler_get_counts (JankSignalSampler *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSignalSampler, jank_signal_sampler_free)
