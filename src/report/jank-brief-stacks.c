/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/jank-brief-stacks-private.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "base/jank-each-private.h"
#include "blame/jank-culprit-private.h"
#include "blame/jank-heaviest-private.h"
#include "gobject/jank-callbacks-private.h"
#include "blame/jank-dispatched-private.h"
#include "symbols/jank-symbols-private.h"
#include "unwind/jank-scripts-private.h"

typedef struct
{
  gint64     began_ns, ended_ns;
  JankStack *stack;   /* (owned) (nullable) */
  char      *report;  /* (owned) (nullable) */
  char      *culprit; /* (owned) (nullable): not looked up yet, or unknown */
} Brief;

/* A busy period, or a wait for a frame while the loop turned, until what was dispatched in it has been told. */
typedef struct
{
  gint64          began_ns, ended_ns;
  JankSampleRing *ring; /* (owned) (nullable): told by now */
} Wait;

#define N_WAITS 16

struct _JankBriefStacks
{
  Brief       briefs[JANK_BRIEF_STACKS_MAX];
  guint       n_added; /* ever */
  Wait        waits[N_WAITS];
  guint       n_waits; /* ever */
  GArray     *parts;   /* (owned) JankReportFramePart: what was dispatched before the last late frames */
  gint64      told_ns; /* the newest of those */
};

static void
jank_brief_stacks_brief_clear (Brief *brief)
{
  g_clear_pointer (&brief->stack, jank_stack_unref);
  g_free (brief->report);
  g_free (brief->culprit);
  *brief = (Brief) { 0 };
}

JankBriefStacks *
jank_brief_stacks_new (void)
{
  JankBriefStacks *self = g_new0 (JankBriefStacks, 1);

  self->parts = g_array_new (FALSE, FALSE, sizeof (JankReportFramePart));
  return self;
}

void
jank_brief_stacks_free (JankBriefStacks *self)
{
  for (guint i = 0; i < JANK_BRIEF_STACKS_MAX; i++)
    jank_brief_stacks_brief_clear (&self->briefs[i]);
  for (guint i = 0; i < N_WAITS; i++)
    g_clear_pointer (&self->waits[i].ring, jank_sample_ring_free);
  g_array_unref (self->parts);
  g_free (self);
}

/* Returns: (transfer full) (nullable) */
static JankStack *
jank_brief_stacks_find_heaviest (const JankStall *stall)
{
  const JankSample *samples = jank_sample_ring_get_all (stall->ring);
  JankHeaviestGroup group;

  if (!jank_heaviest_by_weight (samples, jank_sample_ring_get_size (stall->ring), &group))
    return NULL;
  return jank_stack_ref (samples[group.sample].stack);
}

static void
jank_brief_stacks_add_one (JankBriefStacks *self, const JankStall *stall, JankStack *stack, const char *report,
                           const char *culprit)
{
  Brief *brief = &self->briefs[self->n_added++ % JANK_BRIEF_STACKS_MAX];

  jank_brief_stacks_brief_clear (brief);
  brief->began_ns = stall->began_ns;
  brief->ended_ns = stall->ended_ns;
  brief->stack = stack;
  brief->report = g_strdup (report);
  brief->culprit = g_strdup (culprit);
}

static void
jank_brief_stacks_add_wait (JankBriefStacks *self, const JankStall *stall)
{
  Wait *wait = &self->waits[self->n_waits++ % N_WAITS];

  g_clear_pointer (&wait->ring, jank_sample_ring_free);
  *wait = (Wait) { stall->began_ns, stall->ended_ns, jank_sample_ring_new () };
  for (guint i = 0; i < jank_sample_ring_get_size (stall->ring); i++)
    jank_sample_ring_add (wait->ring, jank_sample_ring_get (stall->ring, i));
}

void
jank_brief_stacks_add (JankBriefStacks *self, const JankStall *stall)
{
  gboolean is_wait = stall->kind == JANK_STALL_STARVED || stall->kind == JANK_STALL_INPUT;
  JankStack *stack = is_wait ? NULL : jank_brief_stacks_find_heaviest (stall);

  jank_brief_stacks_add_wait (self, stall);
  if (stack != NULL)
    jank_brief_stacks_add_one (self, stall, stack, NULL, NULL);
}

void
jank_brief_stacks_add_stall (JankBriefStacks *self, const JankStall *stall, const char *report, const char *culprit)
{
  jank_brief_stacks_add_wait (self, stall);
  jank_brief_stacks_add_one (self, stall, jank_brief_stacks_find_heaviest (stall), report, culprit);
}

static Brief *
jank_brief_stacks_find_most (JankBriefStacks *self, gint64 began_ns, gint64 ended_ns)
{
  Brief *found = NULL;
  gint64 most_ns = 0;

  for (guint i = 0; i < JANK_BRIEF_STACKS_MAX; i++)
    {
      Brief *brief = &self->briefs[i];
      gint64 overlap_ns = MIN (brief->ended_ns, ended_ns) - MAX (brief->began_ns, began_ns);

      if (overlap_ns > most_ns)
        {
          most_ns = overlap_ns;
          found = brief;
        }
    }
  return found;
}

JankStack *
jank_brief_stacks_find (JankBriefStacks *self, gint64 began_ns, gint64 ended_ns)
{
  Brief *brief = jank_brief_stacks_find_most (self, began_ns, ended_ns);

  return brief != NULL ? brief->stack : NULL;
}

static const char *
jank_brief_stacks_get_module (JankCodeMap *map, const JankCall *call)
{
  const char *path = jank_call_get_path (map, call);
  const char *slash = path != NULL ? strrchr (path, '/') : NULL;

  return slash != NULL ? slash + 1 : path;
}

char *
jank_brief_call_to_text (JankCodeMap *map, const JankCall *call, const char *name)
{
  const char *module = jank_brief_stacks_get_module (map, call);

  if (name != NULL)
    return g_strdup (name);
  if (module == NULL)
    return g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", call->function);
  return g_strdup_printf ("%s+0x%" G_GINT64_MODIFIER "x", module,
                          call->function - jank_code_map_get (map, call->module)->base);
}

char *
jank_brief_stacks_blame (JankCodeMap *map, const JankStack *stack, char **ret_innermost)
{
  guint n = stack->n_calls;
  g_autofree JankCulpritStep *steps = g_new0 (JankCulpritStep, n);
  g_autofree JankSymbol *symbols = g_new0 (JankSymbol, n);
  const char *reason;
  char *culprit = NULL;
  gint found;

  jank_symbols_resolve (map, stack->calls, n, symbols);
  for (guint i = 0; i < n; i++)
    steps[n - 1 - i] = jank_culprit_make_step (map, &stack->calls[i], symbols[i].name);
  found = jank_culprit_find (steps, n, TRUE, &reason);
  if (found >= 0)
    culprit = jank_brief_call_to_text (map, &stack->calls[n - 1 - (guint) found], steps[found].function);
  *ret_innermost = n > 0 ? jank_brief_call_to_text (map, &stack->calls[0], symbols[0].name) : NULL;
  jank_symbols_clear (symbols, n);
  return culprit;
}

/* Cut between two characters. */
static void
jank_brief_stacks_copy_text (char *to, gsize n_bytes, const char *from)
{
  g_autofree char *valid = g_utf8_make_valid (from, -1);

  if (strlen (valid) >= n_bytes)
    *g_utf8_find_prev_char (valid, valid + n_bytes) = '\0';
  g_strlcpy (to, valid, n_bytes);
}

/* FALSE: it is over before the frame, or has been told, or was later */
static gboolean
jank_brief_stacks_get_wait (JankBriefStacks *self, guint i, const JankFrameVerdict *late, JankDispatched *dispatched)
{
  const Wait *wait = &self->waits[i];

  if (wait->ring == NULL || wait->began_ns >= late->ended_ns || wait->ended_ns <= late->began_ns)
    return FALSE;
  dispatched->samples = jank_sample_ring_get_all (wait->ring);
  dispatched->n_samples = jank_sample_ring_get_size (wait->ring);
  return TRUE;
}

/* FALSE: nobody knows */
static gboolean
jank_brief_stacks_find_row (JankBriefStacks *self, JankCodeMap *map, const JankSourceLedger *ledger, guint row,
                            const JankFrameVerdict *late, JankCall *ret_call)
{
  JankDispatched dispatched = { map, ledger };

  for (guint i = 0; i < N_WAITS; i++)
    if (jank_brief_stacks_get_wait (self, i, late, &dispatched) &&
        jank_dispatched_find_row (&dispatched, row, ret_call))
      return TRUE;
  return jank_dispatched_find_row (&(JankDispatched) { map, ledger }, row, ret_call);
}

/* Many of an interpreter's functions have one name, or none: they go by where they begin. Samples of JavaScript do not
 * say that. Returns: (transfer full) */
static char *
jank_brief_stacks_name_part (JankCodeMap *map, const JankCall *call)
{
  const JankScript *script = jank_call_get_script (map, call);
  guint line = JANK_SCRIPT_LINE (call);
  g_autofree char *name = NULL;
  JankSymbol symbol;

  jank_symbols_resolve (map, call, 1, &symbol);
  name = jank_brief_call_to_text (map, call, symbol.name);
  jank_symbols_clear (&symbol, 1);
  if (script == NULL || line == 0 || script->line == 0)
    return g_steal_pointer (&name);
  return g_strdup_printf ("%s (%s:%u)", name, jank_brief_stacks_get_module (map, call), line);
}

/* Returns: (transfer full) */
static char *
jank_brief_stacks_name_row (JankBriefStacks *self, JankCodeMap *map, const JankSourceLedger *ledger, guint number,
                            const JankFrameVerdict *late)
{
  const char *kind;
  JankLedgerRow row;
  JankCall call;

  jank_source_ledger_get_row (ledger, number, &row);
  call = (JankCall) { .pc = row.callback, .function = row.callback, .module = jank_code_map_find (map, row.callback) };
  kind = jank_callback_get_source (row.dispatch);
  if ((!jank_dispatched_is_known (map, row.callback) &&
       jank_brief_stacks_find_row (self, map, ledger, number, late, &call)) ||
      (row.callback != 0 && call.module != JANK_MODULE_NONE))
    return jank_brief_stacks_name_part (map, &call);
  return row.name[0] != '\0' || kind == NULL ? g_strdup (row.name) : g_strdup_printf ("[%s]", kind);
}

/* work: of an unknown number of dispatches count is 0 */
static void
jank_brief_stacks_add_part (JankBriefStacks *self, const char *name, const JankWork *work, guint first, gint64 frame_ns)
{
  JankReportFramePart part = {
    .frame_ns = frame_ns, .phase = JANK_FRAME_BETWEEN, .count = work->count, .total_ns = work->total_ns,
  };

  jank_brief_stacks_copy_text (part.function, sizeof part.function, *name != '\0' ? name : "?");
  for (guint i = first; i < self->parts->len; i++)
    {
      JankReportFramePart *other = &g_array_index (self->parts, JankReportFramePart, i);

      if (strcmp (other->function, part.function) != 0)
        continue;
      other->count += part.count;
      other->total_ns += part.total_ns;
      return;
    }
  part.count = MAX (part.count, 1);
  if (part.total_ns >= JANK_NS_PER_MS && self->parts->len - first < JANK_REPORT_MAX_PARTS - 1)
    g_array_append_val (self->parts, part);
}

/* Of a frame whose work was between two: what its own phases do is told as theirs. */
static void
jank_brief_stacks_add_others (JankBriefStacks *self, JankCodeMap *map, const JankSourceLedger *ledger,
                              const JankFrameVerdict *late, guint first)
{
  g_autoptr (GArray) tally = g_array_new (FALSE, FALSE, sizeof (JankCalled));
  JankDispatched dispatched = { map, ledger };

  for (guint i = 0; i < N_WAITS && late->busiest == JANK_FRAME_BETWEEN; i++)
    if (jank_brief_stacks_get_wait (self, i, late, &dispatched))
      jank_dispatched_tally_others (&dispatched, late->began_ns, late->ended_ns, tally);
  JANK_EACH_IN (const JankCalled, called, tally)
    {
      JankWork work = { .count = 0, .total_ns = called->weight };
      JankCall call = jank_dispatched_get_function (map, &called->call);
      g_autofree char *name = jank_brief_stacks_name_part (map, &call);

      jank_brief_stacks_add_part (self, name, &work, first, late->ended_ns);
    }
}

/* The frame itself is under way when it begins: what had not ended then is no part of what it waited for. */
static void
jank_brief_stacks_add_parts (JankBriefStacks *self, JankCodeMap *map, const JankSourceLedger *ledger,
                             const JankFrameVerdict *late)
{
  guint first = self->parts->len, n;
  JankWork works[JANK_MAX_WORKS];

  n = jank_work_log_sum (jank_source_ledger_get_works (ledger), late->began_ns, late->ended_ns, true, works);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = jank_brief_stacks_name_row (self, map, ledger, works[i].row, late);

      jank_brief_stacks_add_part (self, name, &works[i], first, late->ended_ns);
    }
  jank_brief_stacks_add_others (self, map, ledger, late, first);
}

/* What is told later is not in the log any more. */
static void
jank_brief_stacks_tell_parts (JankBriefStacks *self, JankCodeMap *map, const JankSourceLedger *ledger,
                              JankReportFrameClock *frame_clock)
{
  const GArray *late_frames = frame_clock->late_frames;

  JANK_EACH_IN (const JankReportLateFrame, frame, late_frames)
    {
      const JankFrameVerdict *late = &frame->verdict;

      if (late->ended_ns <= self->told_ns)
        continue;
      if (ledger != NULL)
        jank_brief_stacks_add_parts (self, map, ledger, late);
      self->told_ns = late->ended_ns;
    }
  for (guint i = 0; i < N_WAITS; i++)
    if (self->waits[i].ended_ns <= self->told_ns)
      g_clear_pointer (&self->waits[i].ring, jank_sample_ring_free);
  if (late_frames->len > 0)
    jank_report_frame_parts_keep (self->parts, g_array_index (late_frames, JankReportLateFrame, 0).verdict.ended_ns);
  if (self->parts->len > 0)
    g_array_append_vals (frame_clock->parts, self->parts->data, self->parts->len);
}

void
jank_brief_stacks_tell (JankBriefStacks *self, JankCodeMap *map, const JankSourceLedger *ledger,
                        JankReportFrameClock *frame_clock)
{
  JANK_EACH_IN (JankReportLateFrame, late, frame_clock->late_frames)
    {
      g_autofree char *innermost = NULL;
      Brief *brief = jank_brief_stacks_find_most (self, late->verdict.began_ns, late->verdict.ended_ns);

      if (brief == NULL)
        continue;
      if (brief->culprit == NULL && brief->stack != NULL)
        brief->culprit = jank_brief_stacks_blame (map, brief->stack, &innermost);
      if (brief->culprit != NULL)
        jank_brief_stacks_copy_text (late->culprit, sizeof late->culprit, brief->culprit);
      if (brief->report != NULL)
        g_strlcpy (late->report, brief->report, sizeof late->report);
    }
  jank_brief_stacks_tell_parts (self, map, ledger, frame_clock);
}
