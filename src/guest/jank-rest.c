/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "guest/jank-rest-private.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-clock-private.h"

/* A fork() goes ahead after so long: a thread of ours hangs. */
#define BOUND_NS (100 * JANK_NS_PER_MS)

#define CLOSED (UINT32_C (1) << 31)

/* CLOSED, and how many of our threads are at work. */
static _Atomic uint32_t gate;

static _Thread_local bool is_ours, is_at_work;

/* until_ns: CLOCK_MONOTONIC, 0: no limit */
static void
jank_rest_sleep_while (uint32_t value, int64_t until_ns)
{
  struct timespec until = { until_ns / JANK_NS_PER_S, until_ns % JANK_NS_PER_S };

  syscall (SYS_futex, &gate, FUTEX_WAIT_BITSET_PRIVATE, value, until_ns != 0 ? &until : NULL, NULL,
           FUTEX_BITSET_MATCH_ANY);
}

static void
jank_rest_wake_all (void)
{
  syscall (SYS_futex, &gate, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void
jank_rest_begin (void)
{
  if (!is_at_work)
    return;
  is_at_work = false;
  if ((atomic_fetch_sub_explicit (&gate, 1, memory_order_acq_rel) & CLOSED) != 0)
    jank_rest_wake_all ();
}

void
jank_rest_end (void)
{
  uint32_t value = atomic_load_explicit (&gate, memory_order_relaxed);
  int saved_errno = errno;

  if (!is_ours || is_at_work)
    return;
  for (;;)
    if ((value & CLOSED) != 0)
      {
        jank_rest_sleep_while (value, 0);
        value = atomic_load_explicit (&gate, memory_order_relaxed);
      }
    else if (atomic_compare_exchange_weak_explicit (&gate, &value, value + 1, memory_order_acq_rel,
                                                    memory_order_relaxed))
      break;
  is_at_work = true;
  errno = saved_errno;
}

void
jank_rest_yield (void)
{
  if (is_at_work && (atomic_load_explicit (&gate, memory_order_relaxed) & CLOSED) != 0)
    {
      jank_rest_begin ();
      jank_rest_end ();
    }
}

void
jank_rest_join (void)
{
  is_ours = true;
  jank_rest_end ();
}

void
jank_rest_leave (void)
{
  jank_rest_begin ();
  is_ours = false;
}

bool
jank_rest_is_ours (void)
{
  return is_ours;
}

void
jank_rest_before_fork (void)
{
  int64_t until_ns = jank_clock_now_ns () + BOUND_NS;
  int saved_errno = errno;
  uint32_t value;

  /* One of ours that does an errand calls the program's log, which may do anything. */
  jank_rest_begin ();
  value = atomic_fetch_or_explicit (&gate, CLOSED, memory_order_acq_rel) | CLOSED;

  while (value != CLOSED && jank_clock_now_ns () < until_ns)
    {
      jank_rest_sleep_while (value, until_ns);
      value = atomic_load_explicit (&gate, memory_order_acquire);
    }
  errno = saved_errno;
}

void
jank_rest_in_parent (void)
{
  int saved_errno = errno;

  atomic_fetch_and_explicit (&gate, ~CLOSED, memory_order_acq_rel);
  jank_rest_wake_all ();
  jank_rest_end ();
  errno = saved_errno;
}

void
jank_rest_in_child (void)
{
  atomic_store_explicit (&gate, 0, memory_order_release);
  is_ours = false;
}
