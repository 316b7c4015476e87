/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What one session may not exceed: "longest>100ms". Pure; any thread. */

#pragma once

#include "compare/jank-comparison-private.h"

typedef enum
{
  JANK_GATE_LONGEST,   /* ms: the longest stall */
  JANK_GATE_STALLS,    /* how many */
  JANK_GATE_STALLED,   /* ms in all stalls */
  JANK_GATE_HANG_RATE, /* s/h */
  JANK_GATE_STARTUP,   /* ms from the process's start to the first frame */
  JANK_GATE_FPS,
  JANK_GATE_LATE,      /* % of frames, late by the program's fault */
  JANK_GATE_HITCH,     /* ms/s */
  JANK_GATE_INPUT_P98, /* ms from an interaction to its answer, that 98 of 100 did not exceed */
  JANK_GATE_STRICT,    /* calls on the main thread that may block */
  JANK_GATE_REPORTS,   /* of missing frames, spins and CPU use */
  JANK_N_GATE_FIGURES,
} JankGateFigure;

typedef struct
{
  JankGateFigure figure;
  gboolean       above;  /* more than limit is too much; else less is too little */
  double         limit;  /* in the figure's unit */
} JankGate;

/* text: a figure, "<" or ">", a number, and maybe a unit, "ms", "s" or "%". FALSE with JANK_ERROR_INVALID. */
gboolean        jank_gate_parse      (const char *text, JankGate *ret_gate, GError **error);

/* What the session has; NAN: it has no such figure, as it drew no frame, or it is empty and exceeds no limit. */
double          jank_gate_get_figure (const JankGate *self, const JankSessionSummary *summary);
gboolean        jank_gate_exceeds    (const JankGate *self, double figure);

/* Of several runs, in which the figure was each of figures[n], n > 0: what half of them did not exceed. Sorts
 * figures. */
double          jank_gate_get_median (double *figures, guint n);

/* Returns: (transfer full) (nullable): for people, "713 ms"; of NAN why there is none, as of a program under watch */
char           *jank_gate_describe   (const JankGate *self, double figure);
