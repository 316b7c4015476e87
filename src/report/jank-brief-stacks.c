/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "report/jank-brief-stacks-private.h"

#include <string.h>

#include "blame/jank-culprit-private.h"
#include "blame/jank-heaviest-private.h"
#include "symbols/jank-symbols-private.h"
#include "unwind/jank-scripts-private.h"

#define MAX_NAMES 4096

typedef struct
{
  gint64     began_ns, ended_ns;
  JankStack *stack;   /* (owned) (nullable) */
  char      *report;  /* (owned) (nullable) */
  char      *culprit; /* (owned) (nullable): not looked up yet, or unknown */
} Brief;

struct _JankBriefStacks
{
  Brief       briefs[JANK_BRIEF_STACKS_MAX];
  guint       n_added; /* ever */
  GHashTable *names;   /* (owned) function's address → (owned) (nullable) name */
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

  self->names = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  return self;
}

void
jank_brief_stacks_free (JankBriefStacks *self)
{
  for (guint i = 0; i < JANK_BRIEF_STACKS_MAX; i++)
    jank_brief_stacks_brief_clear (&self->briefs[i]);
  g_hash_table_unref (self->names);
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

void
jank_brief_stacks_add (JankBriefStacks *self, const JankStall *stall)
{
  JankStack *stack = jank_brief_stacks_find_heaviest (stall);

  if (stack != NULL)
    jank_brief_stacks_add_one (self, stall, stack, NULL, NULL);
}

void
jank_brief_stacks_add_stall (JankBriefStacks *self, const JankStall *stall, const char *report, const char *culprit)
{
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

/* Names of all functions of stack that have none in the table yet, in one go. */
static void
jank_brief_stacks_look_up_names (JankBriefStacks *self, JankCodeMap *map, const JankStack *stack)
{
  g_autofree JankCall *unknown = g_new (JankCall, stack->n_calls);
  g_autofree JankSymbol *symbols = g_new0 (JankSymbol, stack->n_calls);
  guint n = 0;

  if (g_hash_table_size (self->names) > MAX_NAMES)
    g_hash_table_remove_all (self->names);
  for (guint i = 0; i < stack->n_calls; i++)
    if (!g_hash_table_contains (self->names, &stack->calls[i].function))
      unknown[n++] = stack->calls[i];
  jank_symbols_resolve (map, unknown, n, symbols);
  for (guint i = 0; i < n; i++)
    g_hash_table_replace (self->names, g_memdup2 (&unknown[i].function, sizeof unknown[i].function),
                          g_steal_pointer (&symbols[i].name));
}

static const char *
jank_brief_stacks_get_path (JankCodeMap *map, const JankCall *call)
{
  guint line;
  const JankScript *script = jank_scripts_get (jank_code_map_get_scripts (map), call, &line);

  if (script != NULL)
    return script->file;
  return call->module < jank_code_map_get_n_modules (map) ? jank_code_map_get (map, call->module)->path : NULL;
}

static const char *
jank_brief_stacks_get_module (JankCodeMap *map, const JankCall *call)
{
  const char *path = jank_brief_stacks_get_path (map, call);
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

static gboolean
jank_brief_stacks_is_collector (JankCodeMap *map, const JankCall *call)
{
  guint line;
  const JankScript *script = jank_scripts_get (jank_code_map_get_scripts (map), call, &line);

  return script != NULL && script->is_collector;
}

/* Returns: (transfer full) (nullable) */
static char *
jank_brief_stacks_find_culprit (JankBriefStacks *self, JankCodeMap *map, const JankStack *stack)
{
  g_autofree JankCulpritStep *steps = g_new0 (JankCulpritStep, stack->n_calls);
  const JankCall *call;
  const char *reason;
  gint found;

  jank_brief_stacks_look_up_names (self, map, stack);
  for (guint i = 0; i < stack->n_calls; i++)
    {
      call = &stack->calls[stack->n_calls - 1 - i];
      steps[i] = (JankCulpritStep) { g_hash_table_lookup (self->names, &call->function),
                                    jank_brief_stacks_get_path (map, call),
                                    jank_brief_stacks_is_collector (map, call) };
    }
  found = jank_culprit_find (steps, stack->n_calls, TRUE, &reason);
  if (found < 0)
    return NULL;
  return jank_brief_call_to_text (map, &stack->calls[stack->n_calls - 1 - (guint) found], steps[found].function);
}

char *
jank_brief_stacks_blame (JankBriefStacks *self, JankCodeMap *map, const JankStack *stack, char **ret_innermost)
{
  char *culprit = jank_brief_stacks_find_culprit (self, map, stack);
  const JankCall *innermost = &stack->calls[0];

  *ret_innermost = NULL;
  if (stack->n_calls > 0)
    *ret_innermost = jank_brief_call_to_text (map, innermost, g_hash_table_lookup (self->names, &innermost->function));
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

void
jank_brief_stacks_tell (JankBriefStacks *self, JankCodeMap *map, JankReportFrameClock *frame_clock)
{
  for (guint i = 0; i < frame_clock->late_frames->len; i++)
    {
      JankReportLateFrame *late = &g_array_index (frame_clock->late_frames, JankReportLateFrame, i);
      Brief *brief = jank_brief_stacks_find_most (self, late->began_ns, late->ended_ns);

      if (brief == NULL)
        continue;
      if (brief->culprit == NULL && brief->stack != NULL)
        brief->culprit = jank_brief_stacks_find_culprit (self, map, brief->stack);
      if (brief->culprit != NULL)
        jank_brief_stacks_copy_text (late->culprit, sizeof late->culprit, brief->culprit);
      if (brief->report != NULL)
        g_strlcpy (late->report, brief->report, sizeof late->report);
    }
}
