/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The newest interactions, written by the observed thread, read by any. Fixed memory, no lock, no allocation, no
 * system call on the observed thread. All data are atomic words under a JankSeqlock. */

#pragma once

#include "base/jank-histogram-private.h"
#include "base/jank-seqlock-private.h"

/* What a person did, and when: never which key, and no text but a widget's label. */

typedef enum
{
  JANK_INTERACTION_NONE,
  JANK_INTERACTION_PRESS,   /* of a button */
  JANK_INTERACTION_RELEASE,
  JANK_INTERACTION_KEY,     /* pressed */
  JANK_INTERACTION_SCROLL,
  JANK_INTERACTION_TOUCH,   /* a finger comes or goes */
  JANK_N_INTERACTIONS
} JankInteractionKind;

/* Of fewer, a percentile is just one of them. */
#define JANK_INTERACTION_N_PERCENTILE 20

/* Only 8-byte fields: it is published word by word. */
typedef struct
{
  uint64_t kind;        /* JankInteractionKind */
  int64_t  stamp_ns;    /* of the event itself; CLOCK_MONOTONIC */
  int64_t  handled_ns;  /* when the program got it */
  char     widget[40];  /* type of whom it was for, such as "GtkButton"; may be empty */
  char     label[64];   /* the widget's label, a field's placeholder, else its name; may be empty */
  int64_t  done_ns;     /* when the turn of the loop that handled it had ended; 0: not yet */
  int64_t  answered_ns; /* end of the frame that followed; done_ns where none did; 0: not yet, or nobody knows */
} JankInteraction;

#define JANK_INPUT_N_KEPT           16
#define JANK_INTERACTION_N_WORDS    (sizeof (JankInteraction) / sizeof (uint64_t))

/* All shared and atomic; all zero is empty. */
typedef struct
{
  JankSeqlock      lock;
  _Atomic uint64_t n;        /* interactions ever */
  _Atomic uint64_t n_motion; /* events of a pointer that moved: counted, not timed */
  _Atomic uint64_t kept[JANK_INPUT_N_KEPT][JANK_INTERACTION_N_WORDS]; /* at n % N */
  _Atomic uint64_t n_answered[JANK_N_INTERACTIONS];    /* by kind */
  _Atomic uint64_t longest[JANK_INTERACTION_N_WORDS];  /* of the answered */
  int64_t          pressed_ns;                         /* observed thread only: of the last press, until its release */
  JankTimes        answered;                           /* from the stamp until the answer; a click is one */
  JankTimes        presented;                          /* from the stamp until the display showed it, where it tells */
} JankInputBoard;

typedef struct
{
  JankTimeFigures answered, presented;
  uint64_t        n_of[JANK_N_INTERACTIONS]; /* of the answered */
  uint64_t        n_motion;
  JankInteraction longest;                   /* kind NONE: none was answered */
} JankInputFigures;

/* Observed thread. Returns: its number */
uint64_t jank_input_board_push (JankInputBoard *self, const JankInteraction *interaction);
/* Replaces number, if it is still kept. */
void jank_input_board_change   (JankInputBoard *self, uint64_t number, const JankInteraction *interaction);
/* The same, and counts it: it is answered. */
void jank_input_board_answer   (JankInputBoard *self, uint64_t number, const JankInteraction *interaction);

static inline void
jank_input_board_count_motion (JankInputBoard *self)
{
  uint64_t n = atomic_load_explicit (&self->n_motion, memory_order_relaxed);

  atomic_store_explicit (&self->n_motion, n + 1, memory_order_relaxed);
}

/* An answer was shown. */
void jank_input_board_present  (JankInputBoard *self, int64_t length_ns);

/* Any thread: the interaction that waited the longest for a loop which did not turn in [began_ns, ended_ns]. Either
 * its handler kept the loop, then it waited until ended_ns, or it happened meanwhile and was handled afterwards.
 * FALSE: none is known to have waited for long. */
bool jank_input_board_find     (JankInputBoard *self, int64_t began_ns, int64_t ended_ns,
                                JankInteraction *ret_interaction, int64_t *ret_waited_ns);
/* Any thread. FALSE as in jank_frame_board_read(). */
bool jank_input_board_sum_up   (JankInputBoard *self, JankInputFigures *ret_figures);
/* Any thread: the newest, oldest first; ret_kept has room for JANK_INPUT_N_KEPT. Returns: how many; 0 also where the
 * observed thread is held up in mid-write */
unsigned jank_input_board_read (JankInputBoard *self, JankInteraction *ret_kept);
/* Any thread: whether one that happened before at_ns was handled after it, and for whom is known. */
bool jank_input_board_is_named (JankInputBoard *self, int64_t at_ns);
