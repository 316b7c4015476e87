/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a person did, and when: never which key, and no text but a widget's label. */

#pragma once

#include <stdint.h>

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
