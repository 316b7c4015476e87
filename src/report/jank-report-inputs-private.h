/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the user did, and how long that took, in a report or a session file, with the rows that make them JSON. Any
 * thread, immutable once shared. */

#pragma once

#include "input/jank-input-answers-private.h"
#include "json/jank-field-private.h"
#include "report/jank-report-redact-private.h"

/* Strings (nullable). kind NONE: there was none, or nobody knows. */
typedef struct
{
  JankInteractionKind kind;
  gint64              stamp_ns;  /* CLOCK_MONOTONIC */
  gint64              delay_ns;  /* until the program got it */
  gint64              waited_ns; /* until the answer */
  char               *widget, *label;
} JankReportInteraction;

/* After the web's INP, as JANK_INPUT_GOOD_NS. */
#define JANK_INPUT_POOR_NS (500 * JANK_NS_PER_MS)

typedef enum
{
  JANK_INPUT_GOOD,
  JANK_INPUT_FAIR,
  JANK_INPUT_POOR,
} JankInputBand;

typedef struct
{
  JankTimeFigures       answered, presented;
  guint64               n_of[JANK_N_INTERACTIONS];
  guint64               n_motion;
  JankInputBand         band;    /* of the 98th percentile */
  JankReportInteraction longest;
} JankReportInputs;

JankInputBand          jank_input_band                 (gint64 length_ns);

/* waited_ns: of it. self: what is there is freed. */
void                   jank_report_interaction_set     (JankReportInteraction *self, const JankInteraction *interaction,
                                                        gint64 waited_ns);
void                   jank_report_inputs_set          (JankReportInputs *self, const JankInputFigures *figures);
void                   jank_report_inputs_clear        (JankReportInputs *self);
/* Adds those of another process, which then has none. Counts add up; percentiles are those of the process with more. */
void                   jank_report_inputs_merge        (JankReportInputs *self, JankReportInputs *other);
JankReportInteraction *jank_report_interaction_new     (void);

extern const JankTable jank_report_interaction_table, jank_report_inputs_table;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (JankReportInputs, jank_report_inputs_clear)

/* The rows, for jank-report-inputs.c only. */
#ifdef JANK_REPORT_INPUTS_FIELDS

static gboolean finish_interaction (gpointer self);

static const char *const interaction_nicks[] = { NULL, "press", "release", "key", "scroll", "touch" };
G_STATIC_ASSERT (G_N_ELEMENTS (interaction_nicks) == JANK_N_INTERACTIONS);
static const char *const input_band_nicks[] = { "good", "fair", "poor" };

JANK_TABLE (JankReportInteraction, jank_report_interaction, finish_interaction,
  { "kind", JANK_NICK, JANK_AT (JankReportInteraction, kind), JANK_REQUIRED, JANK_NICKS (interaction_nicks),
    .words = "Press or release of a button, a key press, a step of scrolling, or a touch that begins or ends." },
  { "began_monotonic_ns", JANK_INT, JANK_AT (JankReportInteraction, stamp_ns),
    .words = "When it happened, by the event's own time: CLOCK_MONOTONIC, within 1 ms." },
  { "delay_ns", JANK_INT, JANK_AT (JankReportInteraction, delay_ns), .words = "From then until the program got it." },
  { "waited_ns", JANK_INT, JANK_AT (JankReportInteraction, waited_ns),
    .words = "From then until the answer. Of the one that waited for a stall: until the stall that it began had "
             "ended, or, where it waited behind the stall, until the program got it. Of others: until the next frame "
             "was painted, or, where no frame was asked for, until the turn of the main loop that handled it had "
             "ended." },
  JANK_TEXT ("widget", JankReportInteraction, widget, JANK_REDACT_WORD,
    .words = "Type of the widget that it was for, such as GtkButton; of a key press the focused one."),
  JANK_TEXT ("label", JankReportInteraction, label, JANK_REDACT_ALL,
    .words = "What the button says, or the widget's name. Never what somebody typed."));

JANK_PART_TABLE (JankTimeFigures, presented, NULL,
  { "count", JANK_INT, JANK_AT (JankTimeFigures, n), .words = "How many." },
  { "p50_ns", JANK_INT, JANK_AT (JankTimeFigures, p50_ns), .words = "Half of them took this long or less." },
  { "p75_ns", JANK_INT, JANK_AT (JankTimeFigures, p75_ns), .words = "75 of 100 took this long or less." },
  { "p98_ns", JANK_INT, JANK_AT (JankTimeFigures, p98_ns), .words = "98 of 100 took this long or less." },
  { "longest_ns", JANK_INT, JANK_AT (JankTimeFigures, longest_ns), .words = "The longest." });

#define OF(nick, kind, says) { nick, JANK_INT, JANK_AT (JankReportInputs, n_of[kind]), .words = says }

JANK_PART_TABLE (JankReportInputs, inputs, NULL,
  { "count", JANK_INT, JANK_AT (JankReportInputs, answered.n),
    .words = "How many, each of which is timed. A press and its release are one." },
  OF ("presses", JANK_INTERACTION_PRESS, "Of them, presses of a button."),
  OF ("releases", JANK_INTERACTION_RELEASE, "Of them, releases of a button."),
  OF ("keys", JANK_INTERACTION_KEY, "Of them, key presses."),
  OF ("scrolls", JANK_INTERACTION_SCROLL, "Of them, steps of scrolling."),
  OF ("touches", JANK_INTERACTION_TOUCH, "Of them, touches that begin or end."),
  { "motions", JANK_INT, JANK_AT (JankReportInputs, n_motion),
    .words = "Movements of the pointer, which are not timed." },
  { "p50_ns", JANK_INT, JANK_AT (JankReportInputs, answered.p50_ns),
    .words = "Half of them took this long or less, from the event's own time to the end of the frame that answered "
             "it; where no frame was asked for, to the end of the turn of the main loop that handled it. Nanoseconds, "
             "within 1.6 %." },
  { "p75_ns", JANK_INT, JANK_AT (JankReportInputs, answered.p75_ns), .words = "The same for 75 of 100." },
  { "p98_ns", JANK_INT, JANK_AT (JankReportInputs, answered.p98_ns), .words = "The same for 98 of 100." },
  { "longest_ns", JANK_INT, JANK_AT (JankReportInputs, answered.longest_ns), .words = "The longest." },
  { "band", JANK_NICK, JANK_AT (JankReportInputs, band), JANK_NICKS (input_band_nicks),
    .words = "Of `p98_ns`: good up to 200 ms, fair up to 500 ms, poor above." },
  { "presented", JANK_OBJECT, JANK_AT (JankReportInputs, presented), JANK_OMIT_EMPTY, .table = &presented_table,
    .words = "The same until the display showed the frame, of those of which it tells." },
  { "longest", JANK_OBJECT, JANK_AT (JankReportInputs, longest), JANK_IF_FIRST, .table = &jank_report_interaction_table,
    .words = "The longest." });
const JankTable jank_report_inputs_table = { inputs_fields, G_N_ELEMENTS (inputs_fields), sizeof (JankReportInputs),
                                             NULL, NULL };

#undef OF

#endif
