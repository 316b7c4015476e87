/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "observe/jank-watchdog-private.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-rest-private.h"

#define KERNEL_SET_BYTES 8

/* One that Linux names and never sends. */
#define TIMER_SIGNAL SIGSTKFLT

static const uint64_t timer_set = UINT64_C (1) << (TIMER_SIGNAL - 1);

void
jank_watchdog_init (JankWatchdog *self)
{
  *self = (JankWatchdog) { .pid = getpid () };
  atomic_init (&self->kick_after_ns, INT64_MAX);
  atomic_init (&self->timer, -1);
}

static struct timespec
make_timespec (int64_t ns)
{
  return (struct timespec) { ns / JANK_NS_PER_S, ns % JANK_NS_PER_S };
}

/* Does nothing in a forked child, whose loop nobody watches and which has none of its parent's timers. */
static void
set_timer (JankWatchdog *self, int64_t at_ns)
{
  struct itimerspec at = { .it_value = make_timespec (at_ns) };

  if (getpid () == self->pid)
    syscall (SYS_timer_settime, atomic_load_explicit (&self->timer, memory_order_relaxed), TIMER_ABSTIME, &at, NULL);
}

/* The kernel's call: glibc's number of a timer would do for glibc's functions only, of which some look into it. */
static bool
make_timer (JankWatchdog *self)
{
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TIMER_SIGNAL };
  int timer;

  event._sigev_un._tid = (pid_t) syscall (SYS_gettid);
  if (syscall (SYS_rt_sigprocmask, SIG_BLOCK, &timer_set, NULL, KERNEL_SET_BYTES) != 0 ||
      syscall (SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0)
    return false;
  atomic_store_explicit (&self->timer, timer, memory_order_relaxed);
  return true;
}

void
jank_watchdog_clear (JankWatchdog *self)
{
  int timer = atomic_exchange_explicit (&self->timer, -1, memory_order_relaxed);

  if (timer >= 0 && getpid () == self->pid)
    syscall (SYS_timer_delete, timer);
}

void
jank_watchdog_kick (JankWatchdog *self, int64_t now_ns)
{
  int64_t length_ns, until_ns, expires_ns;

  atomic_thread_fence (memory_order_acquire); /* (A) */
  length_ns = atomic_load_explicit (&self->length_ns, memory_order_relaxed);
  until_ns = atomic_load_explicit (&self->until_ns, memory_order_relaxed);
  expires_ns = now_ns + length_ns < until_ns ? now_ns + length_ns : until_ns;
  if (expires_ns <= atomic_load_explicit (&self->expires_ns, memory_order_relaxed))
    {
      atomic_store_explicit (&self->kick_after_ns, INT64_MAX, memory_order_relaxed);
      return;
    }
  atomic_store_explicit (&self->kick_after_ns, now_ns + length_ns / 2, memory_order_seq_cst); /* (D) */
  if (atomic_load_explicit (&self->on_guard, memory_order_seq_cst) == 0)
    {
      atomic_store_explicit (&self->kick_after_ns, INT64_MAX, memory_order_relaxed);
      return;
    }
  atomic_store_explicit (&self->kicked_ns, 0, memory_order_relaxed); /* (C) */
  atomic_thread_fence (memory_order_release);
  atomic_store_explicit (&self->cpu_ns, jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID), memory_order_relaxed);
  atomic_store_explicit (&self->kicked_ns, now_ns, memory_order_release);
  atomic_store_explicit (&self->expires_ns, expires_ns, memory_order_release); /* (B) */
  set_timer (self, expires_ns);
}

static void
read_guarded (JankWatchdog *self, JankGuarded *ret_guarded)
{
  ret_guarded->expires_ns = atomic_load_explicit (&self->expires_ns, memory_order_acquire);
  ret_guarded->kicked_ns = atomic_load_explicit (&self->kicked_ns, memory_order_acquire); /* (C) */
  ret_guarded->cpu_ns = atomic_load_explicit (&self->cpu_ns, memory_order_relaxed);
  atomic_thread_fence (memory_order_acquire);
  if (atomic_load_explicit (&self->kicked_ns, memory_order_relaxed) != ret_guarded->kicked_ns)
    ret_guarded->kicked_ns = 0;
}

static bool
is_rung (const _Atomic uint32_t *rung, uint32_t expected)
{
  return atomic_load_explicit (rung, memory_order_seq_cst) != expected;
}

static void
wait_for_signal (int64_t until_ns)
{
  int64_t left_ns = until_ns - jank_clock_now_ns ();
  struct timespec left = make_timespec (left_ns > 0 ? left_ns : 0);

  jank_rest_begin ();
  syscall (SYS_rt_sigtimedwait, &timer_set, NULL, &left, KERNEL_SET_BYTES);
  jank_rest_end ();
}

static void
sleep_until_expired (JankWatchdog *self, const _Atomic uint32_t *rung, uint32_t expected)
{
  for (;;)
    {
      int64_t expires_ns = atomic_load_explicit (&self->expires_ns, memory_order_acquire); /* (B) */

      if (is_rung (rung, expected) || jank_clock_now_ns () >= expires_ns)
        return;
      wait_for_signal (atomic_load_explicit (&self->until_ns, memory_order_relaxed));
      /* A kick has not reached the timer yet, or a ring came, which the next round sees. */
      expires_ns = atomic_load_explicit (&self->expires_ns, memory_order_acquire);
      if (jank_clock_now_ns () < expires_ns && !is_rung (rung, expected))
        set_timer (self, expires_ns);
    }
}

bool
jank_watchdog_guard (JankWatchdog *self, int64_t length_ns, int64_t until_ns, const _Atomic uint32_t *rung,
                     uint32_t expected, JankGuarded *ret_guarded)
{
  int64_t now_ns = jank_clock_now_ns ();
  int64_t expires_ns = now_ns + length_ns < until_ns ? now_ns + length_ns : until_ns;

  if (atomic_load_explicit (&self->timer, memory_order_relaxed) < 0 && !make_timer (self))
    return false;
  set_timer (self, expires_ns);
  atomic_store_explicit (&self->length_ns, length_ns, memory_order_relaxed);
  atomic_store_explicit (&self->until_ns, until_ns, memory_order_relaxed);
  atomic_store_explicit (&self->kicked_ns, 0, memory_order_relaxed);
  atomic_store_explicit (&self->expires_ns, expires_ns, memory_order_relaxed);
  atomic_store_explicit (&self->on_guard, 1, memory_order_seq_cst);
  atomic_store_explicit (&self->kick_after_ns, now_ns + length_ns / 2, memory_order_release); /* (A) */

  sleep_until_expired (self, rung, expected);

  atomic_store_explicit (&self->kick_after_ns, INT64_MAX, memory_order_relaxed);
  atomic_store_explicit (&self->on_guard, 0, memory_order_relaxed);
  read_guarded (self, ret_guarded);
  return true;
}

void
jank_watchdog_ring (JankWatchdog *self)
{
  if (atomic_exchange_explicit (&self->on_guard, 0, memory_order_seq_cst) == 0)
    return;
  atomic_store_explicit (&self->kick_after_ns, INT64_MAX, memory_order_seq_cst); /* (D) */
  set_timer (self, 1);
}
