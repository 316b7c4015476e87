/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How long the loop's turns took, and the states that it went through: the setting `turns`. The states go through a
 * ring of one writer and one reader; when it is full they are counted as lost. */

#pragma once

#include <stdbool.h>

#include "base/jank-times-private.h"

#define JANK_TURNS_N_STATES 4096

/* Of a run loop, as others print them. */
typedef enum
{
  JANK_TURN_ENTRY,          /* the loop, or another inside one of its sources, turns for the first time */
  JANK_TURN_BEFORE_SOURCES, /* at the same moment as the next: GLib dispatches right then */
  JANK_TURN_AFTER_WAITING,
  JANK_TURN_BEFORE_WAITING,
  JANK_TURN_EXIT,           /* of an inner loop: known when the outer one turns again */
  JANK_N_TURN_STATES,
} JankTurnState;

typedef struct
{
  int64_t       at_ns; /* CLOCK_MONOTONIC */
  JankTurnState state;
  int           depth; /* 1: the outermost loop */
} JankTurnChange;

typedef struct
{
  /* set at construction */
  bool             logs_states;

  /* observed thread only */
  int              depth;

  JankTimes        times;   /* of busy turns; start-up is none */

  /* shared, atomic: n_pushed and n_popped release/acquire */
  _Atomic uint32_t n_pushed, n_popped, n_lost;
  JankTurnChange   states[JANK_TURNS_N_STATES];
} JankTurns;

/* Observed thread: a turn has begun; one ends, which began at began_ns, 0: none did. depth: of loops, 1 for the
 * outermost. */
void jank_turns_begin (JankTurns *self, int64_t now_ns);
void jank_turns_end   (JankTurns *self, int64_t began_ns, int64_t now_ns, int depth);

/* Watcher thread. FALSE: none since. */
bool jank_turns_pop   (JankTurns *self, JankTurnChange *ret_change);
