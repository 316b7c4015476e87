/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define JANK_REPORT_INPUTS_FIELDS
#include "report/jank-report-inputs-private.h"

static gboolean
finish_interaction (gpointer self)
{
  return ((JankReportInteraction *) self)->kind != JANK_INTERACTION_NONE;
}

JankInputBand
jank_input_band (gint64 length_ns)
{
  return length_ns <= JANK_INPUT_GOOD_NS ? JANK_INPUT_GOOD : length_ns <= JANK_INPUT_POOR_NS
         ? JANK_INPUT_FAIR : JANK_INPUT_POOR;
}

void
jank_report_interaction_set (JankReportInteraction *self, const JankInteraction *interaction, gint64 waited_ns)
{
  self->kind = (JankInteractionKind) interaction->kind;
  self->stamp_ns = interaction->stamp_ns;
  self->delay_ns = interaction->handled_ns - interaction->stamp_ns;
  self->waited_ns = waited_ns;
  jank_set_text (&self->widget, interaction->widget[0] != '\0' ? interaction->widget : NULL);
  jank_set_text (&self->label, interaction->label[0] != '\0' ? interaction->label : NULL);
}

void
jank_report_inputs_set (JankReportInputs *self, const JankInputFigures *figures)
{
  self->answered = figures->answered;
  self->presented = figures->presented;
  for (guint i = 0; i < JANK_N_INTERACTIONS; i++)
    self->n_of[i] = figures->n_of[i];
  self->n_motion = figures->n_motion;
  self->band = jank_input_band (figures->answered.p98_ns);
  jank_report_interaction_set (&self->longest, &figures->longest,
                               figures->longest.answered_ns - figures->longest.stamp_ns);
}

void
jank_report_inputs_clear (JankReportInputs *self)
{
  jank_table_clear (&jank_report_inputs_table, self);
  *self = (JankReportInputs) { 0 };
}
