/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A watchdog timer: lets the watcher sleep while a loop that works is calm. The observed thread kicks it now and then,
 * and it goes off only where no busy period has begun for a while: the loop is idle, or late.
 *
 *   observed thread                        watcher thread
 *                                          guard: timer := now + length; kick_after := soon     (A)
 *   begin: kick_after is over?             sleeps until the timer goes off
 *          → cpu, kicked, expires;  ─────▶ awake: past expires? else sleeps on                  (B)
 *            timer := expires              kicked, cpu, kicked again: else unknown              (C)
 *
 * A kick costs the observed thread 2 to 3 us, thirty times a second at most; a look that it saves costs the watcher
 * 20 to 60: beside an animation the watcher takes 0.03 % of a CPU, and 0.08 % with a plain look every 64 ms. (A), (B)
 * release/acquire. (C) a sequence lock, kicked is 0 while cpu is written. (D) a ring ends the guard and then kicks; a
 * kick announces the next and then looks whether the guard goes on: Dekker's pattern, so that none follows but the
 * one under way. A kick that comes when the guard has just ended sets the timer once more: the next guard sets it
 * anew. until_ns bounds the sleep, whatever becomes of the timer.
 *
 * The timer is a POSIX timer that signals the watcher alone: it has no descriptor that the program could see or close. Its
 * signal, blocked there like all others, is one that nobody sends: of any other the watcher would take what is sent to the
 * process while all of the program's threads block it, and the kernel lets no thread put back what kill() has sent.
 *
 * The only system calls of the observed thread beside a futex: clock_gettime, getpid, timer_settime. A guard that is under
 * way goes on for half a second at most; who starts the next looks before that whether a seccomp filter has come. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct
{
  /* set at construction */
  pid_t            pid;

  /* shared, atomic */
  _Atomic int      timer;         /* the kernel's number of a timer of CLOCK_MONOTONIC; -1: none. Made by the watcher,
                                   * before it is on guard */
  _Atomic int64_t  kick_after_ns; /* the next period that begins then kicks; INT64_MAX: nobody is on guard */
  _Atomic int64_t  length_ns, until_ns; /* of a kick, and how far kicks can go */
  _Atomic int64_t  expires_ns;
  _Atomic int64_t  kicked_ns;     /* when it was kicked last */
  _Atomic int64_t  cpu_ns;        /* the observed thread's CPU time then */
  _Atomic uint32_t on_guard;      /* 1 while the watcher sleeps so */
} JankWatchdog;

/* What a guard has seen. */
typedef struct
{
  int64_t expires_ns; /* when the timer was to go off */
  int64_t kicked_ns;  /* the last kick, 0: none */
  int64_t cpu_ns;     /* the observed thread's CPU time then */
} JankGuarded;

/* Before it is shared. */
void jank_watchdog_init  (JankWatchdog *self);
/* When nobody kicks or guards any more. */
void jank_watchdog_clear (JankWatchdog *self);

/* Observed thread, when a period begins at now_ns. */
void jank_watchdog_kick  (JankWatchdog *self, int64_t now_ns);

static inline void
jank_watchdog_begin (JankWatchdog *self, int64_t now_ns)
{
  if (__builtin_expect (now_ns >= atomic_load_explicit (&self->kick_after_ns, memory_order_relaxed), 0))
    jank_watchdog_kick (self, now_ns);
}

/* Watcher thread, always the same: sleeps until no period has begun for length_ns, or for half of that to all of it where one is under
 * way; until until_ns; or until *rung is not expected any more, of which jank_watchdog_ring() tells. Returns: false, at
 * once, where there is no timer: RLIMIT_SIGPENDING allows no more */
bool jank_watchdog_guard (JankWatchdog *self, int64_t length_ns, int64_t until_ns, const _Atomic uint32_t *rung,
                          uint32_t expected, JankGuarded *ret_guarded);

/* Any thread, after *rung has changed: ends the sleep, if there is one; within length_ns when it is just being kicked. */
void jank_watchdog_ring  (JankWatchdog *self);
