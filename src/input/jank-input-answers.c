/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/jank-input-answers-private.h"

/* Of a window that is shown, a display takes no longer for a frame, and leaves no loop waiting for longer. */
#define HELD_NS (100 * JANK_NS_PER_MS)

void
jank_input_answers_add (JankInputAnswers *self, const JankInteraction *interaction, uint64_t number, const void *clock,
                        bool needs_frame)
{
  if (self->n_open < JANK_INPUT_N_OPEN)
    self->open[self->n_open++] = (JankInputOpen) { *interaction, number, clock, needs_frame };
}

void
jank_input_answers_renew (JankInputAnswers *self, const JankInteraction *interaction, uint64_t number)
{
  JankInputOpen *newest = self->n_open > 0 ? &self->open[self->n_open - 1] : NULL;

  if (newest == NULL || newest->number != number)
    return;
  newest->interaction.handled_ns = interaction->handled_ns;
  memcpy (newest->interaction.widget, interaction->widget, sizeof interaction->widget);
  memcpy (newest->interaction.label, interaction->label, sizeof interaction->label);
}

void
jank_input_answers_forget (JankInputAnswers *self, uint64_t number)
{
  for (unsigned i = 0; i < self->n_open; i++)
    if (self->open[i].number == number)
      {
        memmove (&self->open[i], &self->open[i + 1], (self->n_open - i - 1) * sizeof self->open[0]);
        self->n_open--;
        return;
      }
}

static void
jank_input_answers_close (JankInputAnswers *self, JankInputOpen *open, int64_t answered_ns)
{
  int64_t stamp_ns = open->interaction.stamp_ns, length_ns = answered_ns - stamp_ns;

  open->interaction.answered_ns = answered_ns;
  jank_input_board_answer (self->board, open->number, &open->interaction);
  if (length_ns > JANK_INPUT_GOOD_NS && self->funcs->get_busy_ns (stamp_ns, answered_ns) >= length_ns - length_ns / 4)
    self->funcs->on_slow (stamp_ns, answered_ns);
}

/* Returns: whether it is still open */
static bool
jank_input_answers_end_turn (JankInputAnswers *self, JankInputOpen *open, int64_t ended_ns)
{
  JankInputWait wait;

  if (open->interaction.done_ns == 0)
    open->interaction.done_ns = ended_ns;
  wait = self->funcs->find_wait (&open->clock, open->interaction.handled_ns);
  if (wait == JANK_INPUT_FRAME || (wait == JANK_INPUT_HELD && ended_ns - open->interaction.done_ns <= HELD_NS))
    return true;
  if (!open->needs_frame)
    jank_input_answers_close (self, open, open->interaction.done_ns);
  return false;
}

bool
jank_input_answers_turn_ended (JankInputAnswers *self, int64_t ended_ns)
{
  unsigned n_open = 0;

  for (unsigned i = 0; i < self->n_open; i++)
    if (jank_input_answers_end_turn (self, &self->open[i], ended_ns))
      self->open[n_open++] = self->open[i];
  self->n_open = n_open;
  return n_open > 0;
}

/* A window that is not shown is not painted, though the loop has time. */
static bool
jank_input_answers_was_held (JankInputAnswers *self, const JankInputOpen *open, int64_t began_ns)
{
  int64_t done_ns = open->interaction.done_ns;

  return done_ns != 0 && began_ns - done_ns > HELD_NS &&
         began_ns - done_ns - self->funcs->get_busy_ns (done_ns, began_ns) > HELD_NS;
}

static void
jank_input_answers_answer (JankInputAnswers *self, JankInputOpen *open, int64_t began_ns, int64_t ended_ns,
                           bool is_drawn)
{
  if (is_drawn && jank_input_answers_was_held (self, open, began_ns))
    return;
  if (!is_drawn && open->needs_frame)
    return;
  if (open->interaction.done_ns == 0)
    open->interaction.done_ns = ended_ns;
  jank_input_answers_close (self, open, is_drawn ? ended_ns : open->interaction.done_ns);
  if (is_drawn && self->n_shown < JANK_INPUT_N_OPEN)
    self->shown[self->n_shown++] = (JankInputShown) { open->clock, open->interaction.stamp_ns, ended_ns };
}

static void
jank_input_answers_present (JankInputAnswers *self, const void *clock, int64_t presented_ns)
{
  unsigned n_shown = 0;

  for (unsigned i = 0; i < self->n_shown; i++)
    if (self->shown[i].clock != clock)
      self->shown[n_shown++] = self->shown[i];
    else if (presented_ns >= self->shown[i].painted_ns)
      jank_input_board_present (self->board, presented_ns - self->shown[i].stamp_ns);
  self->n_shown = n_shown;
}

void
jank_input_answers_painted (JankInputAnswers *self, const void *clock, int64_t began_ns, int64_t ended_ns,
                            bool is_drawn, int64_t presented_ns)
{
  unsigned n_open = 0;

  if (self->n_shown > 0)
    jank_input_answers_present (self, clock, presented_ns);
  for (unsigned i = 0; i < self->n_open; i++)
    if (self->open[i].clock != clock)
      self->open[n_open++] = self->open[i];
    else
      jank_input_answers_answer (self, &self->open[i], began_ns, ended_ns, is_drawn);
  self->n_open = n_open;
}

int64_t
jank_input_answers_get_oldest (const JankInputAnswers *self)
{
  return self->n_open > 0 ? self->open[0].interaction.stamp_ns : 0;
}
