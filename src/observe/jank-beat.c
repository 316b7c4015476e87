/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "observe/jank-beat-private.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "guest/jank-rest-private.h"

/* How far CLOCK_MONOTONIC_COARSE may lag: more than a tick. Seen with ticks of 4 ms: 7 ms after an idle CPU, 23 ms in
 * a virtual machine whose host is busy. */
#define COARSE_LAG_NS (50 * JANK_NS_PER_MS)

/* Turns that follow each other faster than this are too frequent for two readings of the exact clock each. */
#define FAST_CYCLE_NS (100 * JANK_NS_PER_US)
#define N_FAST_TURNS  64 /* of which one is measured */

/* A person who has just done something, or seen a late frame, is there. */
#define WORKS_NS (10 * JANK_NS_PER_S)

/* A turn this long makes a frame later, if it is not the frame's own. */
#define DELAYS_NS (3 * JANK_NS_PER_MS)

/* A start-up ends after this many turns, even if the loop has not waited. */
#define STARTING_TURNS 1000

static void
jank_beat_futex_wake (_Atomic uint32_t *futex)
{
  syscall (SYS_futex, futex, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* deadline_ns: CLOCK_MONOTONIC, or 0 for none. */
static void
jank_beat_futex_wait (_Atomic uint32_t *futex, uint32_t expected, int64_t deadline_ns)
{
  struct timespec deadline = { deadline_ns / JANK_NS_PER_S, deadline_ns % JANK_NS_PER_S };

  jank_rest_begin ();
  syscall (SYS_futex, futex, FUTEX_WAIT_BITSET_PRIVATE, expected, deadline_ns != 0 ? &deadline : NULL,
           NULL, FUTEX_BITSET_MATCH_ANY);
  jank_rest_end ();
}

/* The same, or until the bell. Returns: whether it was the bell */
static bool
jank_beat_futex_wait_with_bell (_Atomic uint32_t *futex, uint32_t expected, int64_t deadline_ns, const JankBell *bell)
{
#ifdef SYS_futex_waitv
  const struct futex_waitv either[] = {
    { .val = expected, .uaddr = (uintptr_t) futex, .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG },
    { .val = bell->value, .uaddr = (uintptr_t) bell->word, .flags = FUTEX_32 },
  };
  struct timespec deadline = { deadline_ns / JANK_NS_PER_S, deadline_ns % JANK_NS_PER_S };
  long woken = -1;

  if (bell->word != NULL)
    {
      jank_rest_begin ();
      woken = syscall (SYS_futex_waitv, either, 2, 0, deadline_ns != 0 ? &deadline : NULL, CLOCK_MONOTONIC);
      jank_rest_end ();
      if (woken >= 0 || errno == ETIMEDOUT || errno == EINTR)
        return woken == 1;
    }
#endif
  /* Where the bell is what cannot be waited for, also because it has another value. */
  jank_beat_futex_wait (futex, expected, deadline_ns);
  return false;
}

static uint64_t
jank_beat_make_word (JankBeatState state, int64_t now_ns)
{
  return ((uint64_t) now_ns << 2) | (uint64_t) state;
}

void
jank_beat_init (JankBeat *self, int64_t report_ns, int64_t startup_began_ns)
{
  *self = (JankBeat) {
    .began_ns = startup_began_ns,
    .cycle_ns = FAST_CYCLE_NS,
    .state = startup_began_ns != 0 ? JANK_BEAT_STARTUP : JANK_BEAT_WAITING,
    .is_starting = startup_began_ns != 0,
  };
  atomic_init (&self->word,
               jank_beat_make_word (self->state, startup_began_ns != 0 ? startup_began_ns : jank_clock_now_ns ()));
  atomic_init (&self->report_ns, report_ns);
}

static void
jank_beat_count_busy (JankBeat *self, int64_t busy_ns)
{
  int64_t before_ns = atomic_load_explicit (&self->busy_ns, memory_order_relaxed);

  atomic_store_explicit (&self->busy_ns, before_ns + busy_ns, memory_order_relaxed);
}

/* A measured fast turn stands for those that are not measured. */
static int64_t
jank_beat_get_weight_ns (bool is_fast, int64_t length_ns)
{
  int64_t common_ns = length_ns < FAST_CYCLE_NS ? length_ns : FAST_CYCLE_NS;

  return is_fast ? length_ns + common_ns * (N_FAST_TURNS - 1) : length_ns;
}

long
jank_beat_count_sleeps (void)
{
  struct rusage usage = { .ru_nvcsw = 0 };

  getrusage (RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

void
jank_beat_begin (JankBeat *self)
{
  int64_t now_ns = jank_clock_now_ns ();
  uint64_t n_turns = atomic_load_explicit (&self->n_turns, memory_order_relaxed) + 1;

  self->cycle_ns = now_ns - self->began_ns;
  self->began_ns = now_ns;
  self->state = JANK_BEAT_BUSY;
  atomic_store_explicit (&self->n_turns, n_turns, memory_order_relaxed);
  /* Some programs turn the loop by hand before they run it. Only one that is run sleeps in poll(). */
  self->is_starting = self->is_starting && jank_beat_count_sleeps () == self->n_sleeps && n_turns < STARTING_TURNS;
  if (self->log != NULL)
    jank_busy_log_begin (self->log, self->began_ns);

  /* Pairs with jank_beat_park(): word before parked, on both sides sequentially consistent. */
  atomic_store_explicit (&self->word, jank_beat_make_word (self->is_starting ? JANK_BEAT_STARTING : JANK_BEAT_BUSY,
                                                           now_ns), memory_order_seq_cst);
  if (atomic_load_explicit (&self->parked, memory_order_seq_cst) != 0)
    {
      atomic_store_explicit (&self->parked, 0, memory_order_relaxed);
      jank_beat_futex_wake (&self->parked);
    }
}

static void
jank_beat_push_ended (JankBeat *self, int64_t ended_ns)
{
  uint32_t n_pushed = atomic_load_explicit (&self->n_pushed, memory_order_relaxed);

  /* Pairs with the release in jank_beat_pop(): the slot is free. */
  if (n_pushed - atomic_load_explicit (&self->n_popped, memory_order_acquire) == JANK_BEAT_N_ENDED)
    {
      atomic_fetch_add_explicit (&self->n_dropped, 1, memory_order_relaxed);
      return;
    }
  self->ended[n_pushed % JANK_BEAT_N_ENDED] = (JankBusyPeriod) {
    .began_ns = self->began_ns,
    .ended_ns = ended_ns,
    .startup = self->state == JANK_BEAT_STARTUP,
  };
  atomic_store_explicit (&self->n_pushed, n_pushed + 1, memory_order_release);
}

static void
jank_beat_end_logged (JankBeat *self, int64_t now_ns)
{
  JankEndedFunc func = self->ended_func;

  jank_busy_log_end (self->log, now_ns);
  self->ended_func = NULL;
  if (func != NULL)
    func (now_ns);
}

/* A frame is about to be late out of nothing: whoever is dispatched from here on is counted. The frame's own turn ends
 * with another one wanted, since a moment ago; the display may hold one back for ever. */
static void
jank_beat_end_delay (JankBeat *self, int64_t now_ns)
{
  int64_t wanted_ns = atomic_load_explicit (&self->frame_wanted_ns, memory_order_relaxed);

  if (wanted_ns < self->began_ns && now_ns - wanted_ns >= JANK_BEAT_LATE_NS && now_ns - wanted_ns < JANK_BEAT_HELD_NS)
    jank_beat_ask_works (self, now_ns);
  if (now_ns - self->began_ns >= JANK_BEAT_LONG_NS)
    jank_work_log_add (&self->turns, 0, self->began_ns, now_ns - self->began_ns);
}

void
jank_beat_end (JankBeat *self)
{
  /* The coarse clock costs 4 ns, the exact one 25. The coarse one is enough to see that a period was short; nobody
   * needs the end of a short one to the nanosecond. */
  int64_t now_ns = jank_clock_read_ns (CLOCK_MONOTONIC_COARSE);
  int64_t report_ns = atomic_load_explicit (&self->report_ns, memory_order_relaxed);
  /* The coarse clock did not tick during a turn that followed the last at once. */
  bool is_fast = self->cycle_ns < FAST_CYCLE_NS && now_ns <= self->began_ns;
  bool is_measured = !is_fast || atomic_load_explicit (&self->n_turns, memory_order_relaxed) % N_FAST_TURNS == 0;
  bool is_long = false;

  if (self->state != JANK_BEAT_WAITING &&
      (is_measured || self->log != NULL || self->is_exact || self->own.is_rest ||
       now_ns - self->began_ns + COARSE_LAG_NS >= report_ns))
    {
      if (self->own.is_rest)
        jank_own_time_end_rest (&self->own);
      now_ns = jank_clock_now_ns ();
      is_long = now_ns - self->began_ns >= report_ns;
      if (is_long)
        jank_beat_push_ended (self, now_ns);
      if (is_measured)
        jank_beat_count_busy (self, jank_beat_get_weight_ns (is_fast, now_ns - self->began_ns));
    }
  if (now_ns < self->began_ns)
    now_ns = self->began_ns;
  if (now_ns - self->began_ns >= DELAYS_NS && self->state == JANK_BEAT_BUSY)
    jank_beat_end_delay (self, now_ns);
  if (self->log != NULL)
    jank_beat_end_logged (self, now_ns);

  self->state = JANK_BEAT_WAITING;
  atomic_store_explicit (&self->word, jank_beat_make_word (JANK_BEAT_WAITING, now_ns), memory_order_release);
  if (is_long)
    jank_beat_ring (self);
}

void
jank_beat_set_log (JankBeat *self, JankBusyLog *log)
{
  self->log = log;
  if (log != NULL && self->state != JANK_BEAT_WAITING)
    jank_busy_log_begin (log, self->began_ns);
}

uint64_t
jank_beat_load (JankBeat *self)
{
  return atomic_load_explicit (&self->word, memory_order_acquire);
}

bool
jank_beat_pop (JankBeat *self, JankBusyPeriod *ret_period)
{
  uint32_t n_popped = atomic_load_explicit (&self->n_popped, memory_order_relaxed);

  /* Pairs with the release in jank_beat_push_ended(): the slot is filled. */
  if (atomic_load_explicit (&self->n_pushed, memory_order_acquire) == n_popped)
    return false;
  *ret_period = self->ended[n_popped % JANK_BEAT_N_ENDED];
  atomic_store_explicit (&self->n_popped, n_popped + 1, memory_order_release);
  return true;
}

bool
jank_beat_park (JankBeat *self, uint32_t rung, int64_t deadline_ns, const JankBell *bell)
{
  bool rings = false;

  atomic_store_explicit (&self->parked, 1, memory_order_seq_cst);
  if (jank_beat_word_state (atomic_load_explicit (&self->word, memory_order_seq_cst)) == JANK_BEAT_WAITING &&
      atomic_load_explicit (&self->rung, memory_order_seq_cst) == rung)
    rings = jank_beat_futex_wait_with_bell (&self->parked, 1, deadline_ns, bell);
  atomic_store_explicit (&self->parked, 0, memory_order_relaxed);
  return rings;
}

bool
jank_beat_sleep (JankBeat *self, uint32_t rung, int64_t deadline_ns)
{
  while (atomic_load_explicit (&self->rung, memory_order_acquire) == rung)
    {
      if (jank_clock_now_ns () >= deadline_ns)
        return false;
      jank_beat_futex_wait (&self->rung, rung, deadline_ns);
    }
  return true;
}

uint32_t
jank_beat_get_rung (JankBeat *self)
{
  return atomic_load_explicit (&self->rung, memory_order_acquire);
}

void
jank_beat_ring (JankBeat *self)
{
  atomic_fetch_add_explicit (&self->rung, 1, memory_order_seq_cst);
  jank_beat_futex_wake (&self->rung);
  /* Pairs with jank_beat_park(): rung before parked. */
  if (atomic_exchange_explicit (&self->parked, 0, memory_order_seq_cst) != 0)
    jank_beat_futex_wake (&self->parked);
}

void
jank_beat_close (JankBeat *self)
{
  atomic_store_explicit (&self->closed_ns, jank_clock_now_ns (), memory_order_relaxed);
}

static void
jank_beat_check_frame (JankBeat *self)
{
  if (self->held_func == NULL || self->held_func (self->look_data))
    atomic_store_explicit (&self->frame_wanted_ns, 0, memory_order_relaxed);
  else
    atomic_store_explicit (&self->frame_due_ns, atomic_load_explicit (&self->frame_wanted_ns, memory_order_relaxed),
                           memory_order_relaxed);
}

void
jank_beat_look (JankBeat *self)
{
  uint32_t all = atomic_load_explicit (&self->asks, memory_order_relaxed), asks = all & ~self->answered;

  if ((asks & JANK_BEAT_ASKS_FRAME) != 0)
    jank_beat_check_frame (self);
  self->answered = (self->answered & ~(uint32_t) JANK_BEAT_ASKS_FRAME) | (all & JANK_BEAT_ASKS_FRAME);
  if ((asks & JANK_BEAT_ASKS_LOOK) != 0 && self->look_func != NULL && self->look_func (self->look_data))
    self->answered |= JANK_BEAT_ASKS_LOOK;
  if ((asks & JANK_BEAT_ASKS_ENGINE) != 0 && self->engine_func != NULL && self->engine_func (self->look_data))
    self->answered |= JANK_BEAT_ASKS_ENGINE;
}

void
jank_beat_ask (JankBeat *self, JankBeatAsks bit, bool asks)
{
  if (asks)
    atomic_fetch_or_explicit (&self->asks, (uint32_t) bit, memory_order_relaxed);
  else
    atomic_fetch_and_explicit (&self->asks, ~(uint32_t) bit, memory_order_relaxed);
}

void
jank_beat_ask_works (JankBeat *self, int64_t now_ns)
{
  atomic_store_explicit (&self->works_until_ns, now_ns + WORKS_NS, memory_order_relaxed);
  if ((atomic_load_explicit (&self->asks, memory_order_relaxed) & JANK_BEAT_ASKS_WORKS) == 0)
    jank_beat_ask (self, JANK_BEAT_ASKS_WORKS, true);
}

void
jank_beat_end_works (JankBeat *self)
{
  if ((atomic_load_explicit (&self->asks, memory_order_relaxed) & JANK_BEAT_ASKS_WORKS) != 0 &&
      jank_clock_now_ns () > atomic_load_explicit (&self->works_until_ns, memory_order_relaxed))
    jank_beat_ask (self, JANK_BEAT_ASKS_WORKS, false);
}

void
jank_beat_set_report (JankBeat *self, int64_t report_ns)
{
  atomic_store_explicit (&self->report_ns, report_ns, memory_order_relaxed);
}

JankLoopLive
jank_beat_read_live (const JankBeat *self)
{
  uint64_t word = atomic_load_explicit (&self->word, memory_order_acquire);
  JankLoopLive live = {
    .at_ns = jank_clock_now_ns (),
    .n_turns = atomic_load_explicit (&self->n_turns, memory_order_relaxed),
    .busy_ns = atomic_load_explicit (&self->busy_ns, memory_order_relaxed),
  };

  if (jank_beat_word_state (word) != JANK_BEAT_WAITING)
    live.busy_ns += live.at_ns - jank_beat_word_ns (word);
  return live;
}
