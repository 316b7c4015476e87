/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The observed thread's half runs on the program's main thread, outside of GLib and of locks: it neither allocates nor
 * takes any. */

#include "sample/jank-strict-slot-private.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "wait/jank-wait-private.h"

/* A sample takes less than a millisecond of a watcher that has a CPU. One that takes so long may wait for what the
 * observed thread holds: then that goes on, and no call is told of any more. */
#define WAIT_NS       (100 * JANK_NS_PER_MS)
#define TAKE_NS       JANK_NS_PER_S

/* After so many questions asking takes at most one part in SHARE of the time. A call between two questions counts for
 * the last one from the same place and depth of the stack, of which the newest N_KNOWN are known. */
#define MAX_QUESTIONS 500
#define SHARE         20
#define N_KNOWN       64

enum { EMPTY, ASKED, TAKEN, DONE };

#define STATE(number, state) ((number) << 2 | (uint32_t) (state))

typedef struct
{
  const void *caller; /* (nullable): none */
  uintptr_t   frame;
  uint32_t    site;
} Known;

static struct
{
  /* set before the preloaded library is told */
  JankBeat         *beat;
  JankStrictSetFunc *set_funcs;

  /* shared, see above */
  _Atomic uint32_t  state;
  atomic_bool       is_on;
  JankStrictRequest request, taken; /* the watcher's own copy: the thread may go on, and ask anew */
  uint32_t          reply;       /* the site, 0: not counted */
  struct
  {
    _Atomic uint64_t n;
    _Atomic int64_t  longest_ns;
  } sites[JANK_STRICT_MAX_SITES];

  /* observed thread only */
  Known             known[N_KNOWN];
  uint32_t          n_questions;
  bool              is_asking;
  int64_t           asked_ns, question_ns;
  uintptr_t         frame;       /* on the stack, of the call under way; 0: there is none */
  uint64_t          turn;        /* of the loop, in which it began */
  uint32_t          site;
  int64_t           began_ns;
} slot;

/* Returns: the state, other than that one, or the same after until_ns */
static uint32_t
jank_strict_slot_await (uint32_t state, int64_t until_ns)
{
  struct timespec until = { until_ns / JANK_NS_PER_S, until_ns % JANK_NS_PER_S };
  uint32_t now = state;

  while (now == state && jank_clock_now_ns () < until_ns)
    {
      syscall (SYS_futex, &slot.state, FUTEX_WAIT_BITSET_PRIVATE, state, &until, NULL, FUTEX_BITSET_MATCH_ANY);
      now = atomic_load_explicit (&slot.state, memory_order_acquire);
    }
  return now;
}

/* From that state to an empty slot with another number. Returns: FALSE: it is in another state */
static bool
jank_strict_slot_give_up (uint32_t state)
{
  uint32_t number = atomic_load_explicit (&slot.state, memory_order_relaxed) >> 2, before = STATE (number, state);

  return atomic_compare_exchange_strong_explicit (&slot.state, &before, STATE (number + 1, EMPTY), memory_order_acq_rel,
                                                  memory_order_acquire);
}

/* Returns: whether the watcher has answered */
static bool
jank_strict_slot_ask (void)
{
  uint32_t number = atomic_load_explicit (&slot.state, memory_order_relaxed) >> 2;

  atomic_store_explicit (&slot.state, STATE (number, ASKED), memory_order_release);
  jank_beat_ring (slot.beat);
  if (jank_strict_slot_await (STATE (number, ASKED), slot.asked_ns + WAIT_NS) == STATE (number, ASKED) &&
      jank_strict_slot_give_up (ASKED))
    return false;
  if (jank_strict_slot_await (STATE (number, TAKEN), slot.asked_ns + TAKE_NS) == STATE (number, TAKEN) &&
      jank_strict_slot_give_up (TAKEN))
    {
      jank_strict_slot_set_on (false);
      return false;
    }
  return jank_strict_slot_give_up (DONE);
}

static uint32_t
jank_strict_slot_find_site (const JankStrictCall *call)
{
  Known *known = &slot.known[((uintptr_t) call->caller ^ slot.frame >> 4) % N_KNOWN];
  bool is_known = known->caller == call->caller && known->frame == slot.frame, is_answered;
  int64_t now_ns = jank_clock_now_ns ();

  if (slot.n_questions >= MAX_QUESTIONS && now_ns - slot.asked_ns < SHARE * slot.question_ns)
    return is_known ? known->site : 0;
  /* The program jumped out of that question, whatever the watcher still finds. */
  if (slot.is_asking)
    {
      jank_spans_end (&slot.beat->own.spans);
      for (uint32_t state = ASKED; state <= DONE; state++)
        jank_strict_slot_give_up (state);
    }
  slot.request = (JankStrictRequest) { .kind = call->kind, .function = call->function, .fd = call->fd };
  jank_memory_read_text ((uintptr_t) call->target, slot.request.target, sizeof slot.request.target);
  slot.asked_ns = now_ns;
  slot.n_questions++;
  slot.is_asking = true;
  /* What it takes is ours. */
  jank_spans_begin (&slot.beat->own.spans);
  is_answered = jank_strict_slot_ask ();
  jank_spans_end (&slot.beat->own.spans);
  slot.is_asking = false;
  slot.question_ns = jank_clock_now_ns () - slot.asked_ns;
  *known = (Known) { call->caller, slot.frame, is_answered ? slot.reply : 0 };
  return known->site;
}

/* Calls of start-up are not listed: nothing is there to freeze. */
static bool
jank_strict_slot_call_begins (const JankStrictCall *call)
{
  uintptr_t frame = (uintptr_t) __builtin_frame_address (0);
  uint64_t turn = jank_beat_load (slot.beat);

  /* A call inside another one is part of it. One that the program jumped out of, by siglongjmp(), does not end: later
   * calls are further up the stack, or in another turn. */
  if (!atomic_load_explicit (&slot.is_on, memory_order_relaxed) ||
      (jank_beat_word_state (turn) & JANK_BEAT_BUSY) == 0 || (slot.frame > frame && slot.turn == turn))
    return false;
  slot.frame = frame;
  slot.turn = turn;
  slot.site = jank_strict_slot_find_site (call);
  if (slot.site == 0)
    slot.frame = 0;
  else
    atomic_fetch_add_explicit (&slot.sites[slot.site].n, 1, memory_order_relaxed);
  slot.began_ns = jank_clock_now_ns ();
  return slot.site != 0;
}

static void
jank_strict_slot_call_ends (void)
{
  int64_t took_ns = jank_clock_now_ns () - slot.began_ns;

  slot.frame = 0;
  if (took_ns > atomic_load_explicit (&slot.sites[slot.site].longest_ns, memory_order_relaxed))
    atomic_store_explicit (&slot.sites[slot.site].longest_ns, took_ns, memory_order_relaxed);
}

static const JankStrictFuncs funcs = {
  .begin = jank_strict_slot_call_begins,
  .end = jank_strict_slot_call_ends,
};

void
jank_strict_slot_prepare (void)
{
  *(void **) &slot.set_funcs = dlsym (RTLD_DEFAULT, JANK_STRICT_SET_SYMBOL);
}

bool
jank_strict_slot_is_there (void)
{
  return slot.set_funcs != NULL;
}

void
jank_strict_slot_begin (JankBeat *beat, const JankThreadInfo *info)
{
  if (slot.set_funcs == NULL || slot.beat != NULL || info->tid != getpid ())
    return;
  slot.beat = beat;
  jank_wait_note_pause ((uintptr_t) &slot.state);
  atomic_store_explicit (&slot.is_on, true, memory_order_relaxed);
  slot.set_funcs (&funcs);
}

bool
jank_strict_slot_is_of (const JankBeat *beat)
{
  return slot.beat == beat;
}

void
jank_strict_slot_set_on (bool on)
{
  atomic_store_explicit (&slot.is_on, on, memory_order_relaxed);
}

const JankStrictRequest *
jank_strict_slot_take (void)
{
  uint32_t state = atomic_load_explicit (&slot.state, memory_order_relaxed);

  if ((state & 3) != ASKED || !atomic_compare_exchange_strong_explicit (&slot.state, &state, STATE (state >> 2, TAKEN),
                                                                        memory_order_acquire, memory_order_relaxed))
    return NULL;
  slot.taken = slot.request;
  return &slot.taken;
}

bool
jank_strict_slot_answer (uint32_t site)
{
  uint32_t taken = STATE (atomic_load_explicit (&slot.state, memory_order_relaxed) >> 2, TAKEN);
  bool is_awaited;

  slot.reply = site;
  is_awaited = atomic_compare_exchange_strong_explicit (&slot.state, &taken, (taken & ~3u) | DONE, memory_order_release,
                                                        memory_order_relaxed);
  syscall (SYS_futex, &slot.state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  return is_awaited;
}

bool
jank_strict_slot_is_asleep (const JankSyscall *call)
{
  return call->kind == JANK_SYSCALL_BLOCKED && call->args[0] == (uintptr_t) &slot.state;
}

uint64_t
jank_strict_slot_count (uint32_t site, int64_t *ret_longest_ns)
{
  *ret_longest_ns = atomic_load_explicit (&slot.sites[site].longest_ns, memory_order_relaxed);
  return atomic_load_explicit (&slot.sites[site].n, memory_order_relaxed);
}
