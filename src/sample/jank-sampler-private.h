/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Takes one sample of a thread: through the handler of our signal when it runs, from outside when it is blocked.
 * Watcher thread only. */

#pragma once

#include "observe/jank-source-info-private.h"
#include "sample/jank-sample-private.h"
#include "sample/jank-signal-sampler-private.h"
#include "unwind/jank-unwinder-private.h"

typedef struct _JankSampler JankSampler;

typedef struct
{
  guint64 n_samples;    /* with a stack */
  guint64 n_lost;       /* without, though the thread had a CPU */
} JankSamplerCounts;

/* signal: as in jank_signal_sampler_new(). */
JankSampler             *jank_sampler_new        (int signal);
void                     jank_sampler_free       (JankSampler *self);

/* Registers and stack of a thread that runs, as jank_blocked_sampler_copy() makes the copy. FALSE: it cannot be
 * read. */
typedef gboolean (*JankSamplerCopyFunc) (pid_t tid, const JankStackRanges *ranges, const JankPythonRequest *python,
                                         JankStackCopy *copy, JankPythonCalls *calls, gint64 *ret_stopped_ns);

/* Of the other process that this thread reads (jank_loaded_open()): for jank_sampler_take_other() alone. No signal is
 * sent there, and what the program's objects tell of a call stays unread. */
JankSampler             *jank_sampler_new_of_other (JankSamplerCopyFunc copy_running);

/* As jank_unwinder_get_error(). */
const GError            *jank_sampler_get_error  (JankSampler *self);

/* Before the first sample, and when another thread is to be read; task_folder as in jank_thread_new(). FALSE with
 * JANK_ERROR_UNAVAILABLE when the kernel does not tell running from blocked: then samples have no stack. */
gboolean                 jank_sampler_set_thread (JankSampler *self, const JankThreadInfo *info,
                                                  const char *task_folder, GError **error);
JankThread              *jank_sampler_get_thread (JankSampler *self);

/* Fills all but weight_ns and state, with what the thread waits for; ret_sample is the caller's to clear.
 * Returns: whether ret_sample->stack is set */
gboolean                 jank_sampler_take       (JankSampler *self, JankSample *ret_sample);
/* The answer that did not come in time, if it has come since. As jank_sampler_take(). */
gboolean                 jank_sampler_take_late  (JankSampler *self, JankSample *ret_sample);
/* The thread's counters, as of then. */
const JankThreadTimes   *jank_sampler_get_times  (JankSampler *self);

/* As jank_handlers_describe_source() */
void                     jank_sampler_describe_source (JankSampler *self, JankSourceInfo *source);

/* A stall has ended: an answer that comes later belongs to no stall. */
void                     jank_sampler_rest       (JankSampler *self);

/* Calls of an interpreter's that became known since their sample was taken. The caller vouches that until until_ns the
 * thread was in the same busy period. As the engine's has_answers(), name() and forget(). */
gboolean                 jank_sampler_has_names  (JankSampler *self, gint64 until_ns);
JankStack               *jank_sampler_name_stack (JankSampler *self, JankStack *stack, gint64 until_ns);
void                     jank_sampler_forget_names (JankSampler *self, gint64 until_ns);

/* As jank_signal_sampler_take_error(), then as jank_python_take_error() and the engine's take_error(). */
GError                  *jank_sampler_take_error (JankSampler *self);

/* One look at any thread, and the call that it is in. A running thread is asked until deadline_ns, and for one tick at
 * least. ranges: read just now. */
void                     jank_sampler_take_other (JankSampler *self, JankThread *thread, const JankStackRanges *ranges,
                                                  gint64 deadline_ns, JankSyscall *ret_call, JankSample *ret_sample);
/* What a walk of the thread's Python calls must know. */
void                     jank_sampler_request_python (JankSampler *self, JankThread *thread,
                                                      JankPythonRequest *ret_request);
/* Frees what jank_sampler_take_other() was given, unless a thread that a debugger stopped may still look at it. */
void                     jank_sampler_free_ranges (JankSampler *self, JankStackRanges *ranges);

JankCodeMap             *jank_sampler_get_map    (JankSampler *self);
const JankSamplerCounts *jank_sampler_get_counts (JankSampler *self);
/* NULL: of another process. */
JankSignalSampler       *jank_sampler_get_signals (JankSampler *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSampler, jank_sampler_free)
