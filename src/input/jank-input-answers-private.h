/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interactions until a person sees the answer: the next frame of the window that got it, or of another one that was
 * asked for meanwhile; where no frame was asked for, the end of the turn that handled it. What cannot be known
 * counts for nothing. Observed thread only; no allocation, no system call. A clock is known by its address, which is
 * never followed. */

#pragma once

#include "input/jank-input-board-private.h"

#define JANK_INPUT_N_OPEN 64 /* more at a time count for nothing */

/* A good program answers sooner; after the web's INP. */
#define JANK_INPUT_GOOD_NS (200 * JANK_NS_PER_MS)

typedef enum
{
  JANK_INPUT_NO_FRAME,
  JANK_INPUT_FRAME, /* one is asked for */
  JANK_INPUT_HELD,  /* the display has not taken the last frame yet, so nobody knows; or one is under way */
} JankInputWait;

/* Of the toolkit. */
typedef struct
{
  /* Which frame follows, of *clock or of another one since since_ns, which it then becomes. */
  JankInputWait (*find_wait)   (const void **clock, int64_t since_ns);
  /* How long the loop was busy. */
  int64_t       (*get_busy_ns) (int64_t from_ns, int64_t to_ns);
  /* One was answered that the loop kept waiting for longer than is good. */
  void          (*on_slow)     (int64_t stamp_ns, int64_t answered_ns);
} JankInputFuncs;

typedef struct
{
  JankInteraction interaction;
  uint64_t        number;      /* on the board */
  const void     *clock;
  bool            needs_frame; /* without one it counts for nothing */
} JankInputOpen;

typedef struct
{
  const void *clock;
  int64_t     stamp_ns, painted_ns;
} JankInputShown;

typedef struct
{
  /* set before it is used */
  JankInputBoard       *board;
  const JankInputFuncs *funcs;

  /* all zero is empty */
  unsigned              n_open, n_shown;
  JankInputOpen         open[JANK_INPUT_N_OPEN];
  JankInputShown        shown[JANK_INPUT_N_OPEN]; /* painted, but not yet presented */
} JankInputAnswers;

/* number: its own on the board. needs_frame: what it does without one comes later, as from an input method. */
void jank_input_answers_add        (JankInputAnswers *self, const JankInteraction *interaction, uint64_t number,
                                    const void *clock, bool needs_frame);
/* It turned out whom it is for, or that it is handled later. */
void jank_input_answers_renew     (JankInputAnswers *self, const JankInteraction *interaction, uint64_t number);
/* What it does comes later, so nobody can tell what its answer is. */
void jank_input_answers_forget     (JankInputAnswers *self, uint64_t number);
/* Returns: whether to call again at the next turn's end */
bool jank_input_answers_turn_ended (JankInputAnswers *self, int64_t ended_ns);
/* A frame of clock ended. is_drawn: something was painted. presented_ns: when the display showed the one before it,
 * 0: it does not tell */
void jank_input_answers_painted    (JankInputAnswers *self, const void *clock, int64_t began_ns, int64_t ended_ns,
                                    bool is_drawn, int64_t presented_ns);
/* Returns: when the oldest happened that has no answer yet, 0: there is none */
int64_t jank_input_answers_get_oldest (const JankInputAnswers *self);
