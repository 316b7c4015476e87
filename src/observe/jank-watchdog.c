/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "observe/jank-watchdog-private.h"

#include <limits.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/jank-clock-private.h"

#define OWN_INTERVAL { .tv_sec = 10 * 365 * 24 * 3600, .tv_nsec = 74659827 }

void
jank_watchdog_init (JankWatchdog *self)
{
  *self = (JankWatchdog) { .pid = getpid () };
  atomic_init (&self->kick_after_ns, INT64_MAX);
  atomic_init (&self->timer, -1);
}

static int
get_timer (JankWatchdog *self)
{
  return atomic_load_explicit (&self->timer, memory_order_relaxed);
}

/* Also silences a timer that has gone off. Ours is recognised by its interval, which never elapses. */
static bool
arm (int timer, int64_t at_ns)
{
  struct itimerspec at = { .it_value = { at_ns / JANK_NS_PER_S, at_ns % JANK_NS_PER_S }, .it_interval = OWN_INTERVAL };

  return timerfd_settime (timer, TFD_TIMER_ABSTIME, &at, NULL) == 0;
}

/* Skipped where the program has closed it: the number may now be that of any other file, which must not be touched.
 * */
static bool
is_own (int timer)
{
  const struct timespec own = OWN_INTERVAL;
  struct itimerspec at;

  return timerfd_gettime (timer, &at) == 0 && at.it_interval.tv_sec == own.tv_sec && at.it_interval.tv_nsec == own.tv_nsec;
}

/* Returns false also in a forked child, whose loop nobody watches but which shares the timer with its parent. */
static bool
set_timer (JankWatchdog *self, int64_t at_ns)
{
  int timer = get_timer (self);

  return getpid () == self->pid && is_own (timer) && arm (timer, at_ns);
}

static bool
make_timer (JankWatchdog *self, int64_t at_ns)
{
  int timer = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

  if (timer < 0)
    return false;
  arm (timer, at_ns);
  atomic_store_explicit (&self->timer, timer, memory_order_relaxed);
  return true;
}

void
jank_watchdog_clear (JankWatchdog *self)
{
  if (is_own (get_timer (self)))
    close (get_timer (self));
  atomic_store_explicit (&self->timer, -1, memory_order_relaxed);
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

static int
ms_until (int64_t at_ns)
{
  int64_t left_ms = (at_ns - jank_clock_now_ns ()) / JANK_NS_PER_MS + 1;

  return left_ms < 0 ? 0 : left_ms > INT_MAX ? INT_MAX : (int) left_ms;
}

/* Nobody reads from the timer, so a foreign file that has got its number loses nothing. */
static bool
sleep_until_expired (JankWatchdog *self, const _Atomic uint32_t *rung, uint32_t expected)
{
  struct pollfd timer = { .fd = get_timer (self), .events = POLLIN };

  for (;;)
    {
      int64_t expires_ns = atomic_load_explicit (&self->expires_ns, memory_order_acquire); /* (B) */

      if (is_rung (rung, expected) || jank_clock_now_ns () >= expires_ns)
        return true;
      if (poll (&timer, 1, ms_until (atomic_load_explicit (&self->until_ns, memory_order_relaxed))) < 0 ||
          (timer.revents & ~POLLIN) != 0)
        return false;
      /* A kick has not reached the timer yet, or a ring came, which the next round sees. */
      expires_ns = atomic_load_explicit (&self->expires_ns, memory_order_acquire);
      if (jank_clock_now_ns () < expires_ns && !is_rung (rung, expected) && !set_timer (self, expires_ns))
        return false;
    }
}

bool
jank_watchdog_guard (JankWatchdog *self, int64_t length_ns, int64_t until_ns, const _Atomic uint32_t *rung,
                     uint32_t expected, JankGuarded *ret_guarded)
{
  int64_t now_ns = jank_clock_now_ns ();
  int64_t expires_ns = now_ns + length_ns < until_ns ? now_ns + length_ns : until_ns;
  bool slept;

  if (get_timer (self) >= 0 ? !set_timer (self, expires_ns) : !make_timer (self, expires_ns))
    {
      /* The next guard makes one. */
      atomic_store_explicit (&self->timer, -1, memory_order_relaxed);
      return false;
    }
  atomic_store_explicit (&self->length_ns, length_ns, memory_order_relaxed);
  atomic_store_explicit (&self->until_ns, until_ns, memory_order_relaxed);
  atomic_store_explicit (&self->kicked_ns, 0, memory_order_relaxed);
  atomic_store_explicit (&self->expires_ns, expires_ns, memory_order_relaxed);
  atomic_store_explicit (&self->on_guard, 1, memory_order_seq_cst);
  atomic_store_explicit (&self->kick_after_ns, now_ns + length_ns / 2, memory_order_release); /* (A) */

  slept = sleep_until_expired (self, rung, expected);

  atomic_store_explicit (&self->kick_after_ns, INT64_MAX, memory_order_relaxed);
  atomic_store_explicit (&self->on_guard, 0, memory_order_relaxed);
  read_guarded (self, ret_guarded);
  return slept;
}

void
jank_watchdog_ring (JankWatchdog *self)
{
  if (atomic_exchange_explicit (&self->on_guard, 0, memory_order_seq_cst) == 0)
    return;
  atomic_store_explicit (&self->kick_after_ns, INT64_MAX, memory_order_seq_cst); /* (D) */
  set_timer (self, 1);
}
