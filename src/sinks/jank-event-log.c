/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stacks wait, by reference, until their busy period is over: looking names up reads files. */

#include "sinks/jank-sinks-private.h"

#include <unistd.h>

#include "base/jank-clock-private.h"
#include "report/jank-brief-stacks-private.h"
#include "report/jank-report-private.h"
#include "rules/jank-events-private.h"
#include "sinks/jank-line-file-private.h"

/* Stacks of one busy period; later ones are left out. */
#define MAX_WAITING 20000

typedef struct
{
  gint64     at_ns;
  JankStack *stack; /* (owned) */
} Waiting;

/* One stack, by its functions. */
typedef struct
{
  guint number, top, culprit;
} Known;

struct _JankEventLog
{
  /* set at construction */
  char        *path;    /* (owned) (nullable): until the file is open */
  JankTurns   *turns;   /* (nullable) */

  /* watcher thread only */
  JankLineFile file;
  GArray      *waiting; /* (owned) (nullable) Waiting */
  GHashTable  *stacks;  /* (owned) (owned) key of functions → (owned) Known */
  GHashTable  *names;   /* (owned) (owned) text → its number */
};

static void
jank_event_log_waiting_clear (gpointer data)
{
  g_clear_pointer (&((Waiting *) data)->stack, jank_stack_unref);
}

JankEventLog *
jank_event_log_new (const char *path, JankTurns *turns)
{
  JankEventLog *self = g_new0 (JankEventLog, 1);

  self->path = g_strdup_printf ("%s-%d", path, getpid ());
  self->turns = turns;
  return self;
}

/* On the watcher thread, whose descriptors are its own. */
static void
jank_event_log_started (gpointer data, JankRecord *record)
{
  JankEventLog *self = data;

  self->waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  g_array_set_clear_func (self->waiting, jank_event_log_waiting_clear);
  self->stacks = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, g_free);
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  jank_line_file_open (&self->file, g_steal_pointer (&self->path), JANK_EVENTS_MAX_LINES);
  jank_line_file_add (&self->file, g_strdup (JANK_EVENTS_HEAD "\n"));
  jank_line_file_add (&self->file, g_strdup_printf ("from %" G_GINT64_FORMAT "\n", jank_clock_now_ns ()));
}

static void
jank_event_log_free (gpointer data)
{
  JankEventLog *self = data;

  if (self->waiting != NULL)
    {
      g_array_unref (self->waiting);
      g_hash_table_unref (self->stacks);
      g_hash_table_unref (self->names);
    }
  jank_line_file_clear (&self->file);
  g_free (self->path);
  g_free (self);
}

/* text (nullable). Returns: 0 for none */
static guint
jank_event_log_get_name (JankEventLog *self, const char *text)
{
  guint number = text != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (self->names, text)) : 0;

  if (text == NULL || number != 0)
    return number;
  number = g_hash_table_size (self->names) + 1;
  g_hash_table_insert (self->names, g_strdup (text), GUINT_TO_POINTER (number));
  jank_line_file_add (&self->file, jank_events_name_to_line (number, text));
  return number;
}

static GBytes *
jank_event_log_make_key (const JankStack *stack)
{
  guint64 *functions = g_new (guint64, stack->n_calls);

  for (guint i = 0; i < stack->n_calls; i++)
    functions[i] = stack->calls[i].function;
  return g_bytes_new_take (functions, stack->n_calls * sizeof *functions);
}

static const Known *
jank_event_log_get_known (JankEventLog *self, JankRecord *record, const JankStack *stack)
{
  g_autoptr (GBytes) key = jank_event_log_make_key (stack);
  Known *known = g_hash_table_lookup (self->stacks, key);
  g_autofree char *culprit = NULL, *top = NULL;

  if (known != NULL)
    return known;
  culprit = jank_brief_stacks_blame (record->briefs, record->map, stack, &top);
  known = g_new (Known, 1);
  known->number = g_hash_table_size (self->stacks) + 1;
  known->top = jank_event_log_get_name (self, top);
  known->culprit = jank_event_log_get_name (self, culprit);
  g_hash_table_insert (self->stacks, g_steal_pointer (&key), known);
  return known;
}

static void
jank_event_log_sampled (gpointer data, JankRecord *record, const JankSample *sample)
{
  JankEventLog *self = data;
  Waiting waiting = { .at_ns = sample->at_ns };

  if (self->file.fd < 0 || sample->stack == NULL || sample->stack->n_calls == 0 || self->waiting->len >= MAX_WAITING)
    return;
  waiting.stack = jank_stack_ref (sample->stack);
  g_array_append_val (self->waiting, waiting);
}

static void
jank_event_log_add_waiting (JankEventLog *self, JankRecord *record)
{
  for (guint i = 0; record->map != NULL && i < self->waiting->len && self->file.n_lines < JANK_EVENTS_MAX_LINES; i++)
    {
      const Waiting *waiting = &g_array_index (self->waiting, Waiting, i);
      const Known *known = jank_event_log_get_known (self, record, waiting->stack);
      JankEventSample sample = { waiting->at_ns, known->number, known->top, known->culprit };

      jank_line_file_add (&self->file, jank_events_sample_to_line (&sample));
    }
  g_array_set_size (self->waiting, 0);
}

/* culprit (nullable) */
static void
jank_event_log_add_period (JankEventLog *self, JankRecord *record, JankEventPeriod period, const char *culprit)
{
  jank_event_log_add_waiting (self, record);
  period.culprit = jank_event_log_get_name (self, culprit);
  jank_line_file_add (&self->file, jank_events_period_to_line (&period));
}

static void
jank_event_log_period (gpointer data, JankRecord *record, const JankBusyPeriod *period)
{
  jank_event_log_add_period (data, record,
                             (JankEventPeriod) { period->began_ns, period->ended_ns, period->startup, 0 }, NULL);
}

static void
jank_event_log_frame (gpointer data, JankRecord *record, const JankFrameTime *time)
{
  JankEventFrame frame = { time->began_ns, time->refresh_ns, time->follows };

  jank_line_file_add (&((JankEventLog *) data)->file, jank_events_frame_to_line (&frame));
}

static void
jank_event_log_add_state (JankEventLog *self, gint64 at_ns, JankTurnState state, int depth)
{
  static const char *const states[] = { "entry", "before-sources", "after-waiting", "before-waiting", "exit" };

  G_STATIC_ASSERT (G_N_ELEMENTS (states) == JANK_N_TURN_STATES);
  /* Half of the lines are for what rules want to know. */
  if (self->file.n_lines < JANK_EVENTS_MAX_LINES / 2)
    jank_line_file_add (&self->file,
                        g_strdup_printf ("state %" G_GINT64_FORMAT " %s %d\n", at_ns, states[state], depth));
}

static void
jank_event_log_add_states (JankEventLog *self)
{
  JankTurnChange change;

  while (self->turns != NULL && jank_turns_pop (self->turns, &change))
    jank_event_log_add_state (self, change.at_ns, change.state, change.depth);
}

static void
jank_event_log_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  if (!stall->is_part && (stall->kind == JANK_STALL_LOOP || stall->kind == JANK_STALL_STARTUP))
    jank_event_log_add_period (data, record,
                               (JankEventPeriod) { stall->period_ns, stall->ended_ns,
                                                  stall->kind == JANK_STALL_STARTUP, 0 },
                               report->culprit.function);
  jank_line_file_write (&((JankEventLog *) data)->file);
}

static void
jank_event_log_tick (gpointer data, JankRecord *record, gint64 now_ns, gint64 *ret_due_ns)
{
  jank_event_log_add_states (data);
  jank_line_file_write (&((JankEventLog *) data)->file);
}

static void
jank_event_log_exiting (gpointer data, JankRecord *record)
{
  JankEventLog *self = data;

  jank_event_log_add_states (self);
  if (self->turns != NULL)
    jank_event_log_add_state (self, jank_clock_now_ns (), JANK_TURN_EXIT, 1);
  jank_event_log_add_waiting (self, record);
  jank_line_file_add (&self->file, g_strdup_printf ("to %" G_GINT64_FORMAT "\n", jank_clock_now_ns ()));
  jank_line_file_close (&self->file);
}

const JankSinkFuncs jank_event_log_sink = {
  .started = jank_event_log_started,
  .sampled = jank_event_log_sampled,
  .period = jank_event_log_period,
  .frame = jank_event_log_frame,
  .ended = jank_event_log_ended,
  .tick = jank_event_log_tick,
  .exiting = jank_event_log_exiting,
  .free = jank_event_log_free,
};
