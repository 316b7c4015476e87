/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One look at the observed thread: plain data. Watcher thread only. */

#pragma once

#include "wait/jank-wait-private.h"
#include "unwind/jank-stack-private.h"

typedef enum
{
  JANK_SAMPLE_SIGNAL,  /* the thread ran; its signal handler copied registers and stack */
  JANK_SAMPLE_BLOCKED, /* the thread slept in the kernel; read from outside, untouched */
} JankSampleMethod;

typedef struct
{
  gint64           at_ns;     /* CLOCK_MONOTONIC */
  gint64           taken_ns;  /* when its stack was read; 0: at at_ns, of one that was never merged */
  gint64           weight_ns; /* part of the stall that this sample stands for */
  JankSampleMethod method;
  JankThreadState  state;     /* over the time since the sample before */
  gint             syscall;   /* number of the system call it was blocked in, -1 for none */
  JankWait        *wait;      /* (owned) (nullable): what it was blocked on */
  JankStack       *stack;     /* (owned) (nullable): no answer, or nothing could be read */
  gint64           handler_ns; /* of the thread's time, by our signal handler; 0: it was not touched */
  gint64           since_ns;  /* 0, or: it was in the system call that it returned from at at_ns since then */
  gboolean         in_kernel; /* no stack: it computes in a system call, and answers once that returns */
  gboolean         starved;   /* no stack: it waits for a CPU, and answers once it has one */
} JankSample;

/* Lets go of what the sample owns. */
static inline void
jank_sample_clear (JankSample *self)
{
  g_clear_pointer (&self->wait, jank_wait_unref);
  g_clear_pointer (&self->stack, jank_stack_unref);
}
