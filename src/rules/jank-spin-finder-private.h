/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Does the loop turn and turn without waiting? A spin is detected as turns minus sleeps: poll had something ready at
 * once in each turn without a sleep. How busy the loop is does not tell: a loop that works has few turns, and a loop
 * that waits for a timer sleeps once a turn. Every window of 100 ms must have many such turns. Small chunks of work
 * in an idle handler count as a spin on purpose: no turn is long, and the program is never idle. Two kinds of
 * waiting are no rest: for a CPU, and while dispatching, such as for threads that render in software. Where the
 * counters say that the thread slept for a good part of a window, peeks show whether it slept in poll. Up to two
 * windows in a row without many turns and without rest end nothing: late frames go before an idle source. Pure:
 * readings in, verdict out. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rules/jank-rule-private.h"

typedef struct
{
  int64_t  at_ns;     /* CLOCK_MONOTONIC */
  uint64_t n_turns;   /* of the loop */
  uint64_t n_sleeps;  /* of the thread */
  int64_t  cpu_ns;    /* of the thread */
  int64_t  delay_ns;  /* that it waited for a CPU */
  uint64_t n_peeks;   /* looks at what the thread does at the moment */
  uint64_t n_rests;   /* of those, that met it asleep in poll */
} JankSpinReading;

typedef enum
{
  JANK_SPIN_NONE,
  JANK_SPIN_MAYBE, /* it looks so, for less than spin_ns yet */
  JANK_SPIN_FOUND,
} JankSpinVerdict;

typedef struct
{
  int64_t         marked_ns;   /* when the turns were last looked at, 0: not yet */
  uint64_t        n_marked;
  JankSpinReading began, last; /* began: of the first window that looks like a spin */
  bool            has_last;
  bool            asks_peeks;  /* the counters may not tell whether the loop rests */
  unsigned        n_without;   /* windows in a row without many turns */
  JankSpinVerdict verdict;
} JankSpinFinder;

/* When to look next; sooner is too soon to judge by. */
int64_t         jank_spin_finder_next_look (const JankSpinFinder *self);

/* The first step of a look. False: there were too few turns since the last look, and no spin before; nothing else
 * need be read, and the finder begins anew. */
bool            jank_spin_finder_may_spin  (JankSpinFinder *self, const JankRule *rule, int64_t now_ns,
                                            uint64_t n_turns);

/* A spin that was one until the look before has ended then, at last.at_ns as it was. */
JankSpinVerdict jank_spin_finder_look      (JankSpinFinder *self, const JankRule *rule, const JankSpinReading *now);
