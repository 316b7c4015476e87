/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A worker's thread, and a copy of its stack. */

#pragma once

#include "base/jank-clock-private.h"
#include "sample/jank-signal-sampler-private.h"
#include "worker.h"

#define AWAIT_NS (20 * JANK_NS_PER_S)

static inline JankThread *
new_thread (Worker *worker)
{
  return jank_thread_new (worker_get_info (worker), WORKER_TASKS);
}

/* Until there is a copy: a busy machine may keep the thread from its CPU. It stays in the slot. */
static inline void
take (JankSignalSampler *sampler, JankThread *thread)
{
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;

  while (jank_signal_sampler_take (sampler, thread, NULL, NULL, 0) != JANK_ANSWER_COPIED)
    g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
}
