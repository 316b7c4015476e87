/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "blame/jank-dispatched-private.h"

#include <string.h>

#include "blame/jank-culprit-private.h"
#include "unwind/jank-scripts-private.h"

static gboolean
jank_dispatched_is_own (JankCodeMap *map, const JankCall *call)
{
  JankCulpritStep step = jank_culprit_make_step (map, call, NULL);

  return !call->is_aside && !step.is_collector && jank_culprit_is_own (&step);
}

/* GLib's dispatch of an idle source jumps to the callback, which the loop itself seems to have called. */
static gboolean
jank_dispatched_is_dispatch (JankCodeMap *map, const JankStack *stack, guint k, guint64 dispatch)
{
  const guint64 loops[] = { (guintptr) g_main_loop_run, (guintptr) g_main_context_iteration,
                            (guintptr) g_main_context_dispatch };

  if (stack->calls[k].function == dispatch)
    return TRUE;
  for (; k < stack->n_calls && jank_code_map_is_glib (map, stack->calls[k].module); k++)
    for (guint i = 0; i < G_N_ELEMENTS (loops); i++)
      if (stack->calls[k].function == loops[i])
        return TRUE;
  return FALSE;
}

/* What stands between GLib and a script: bindings, made by libffi, the interpreter, and code that it has compiled. */
static gboolean
jank_dispatched_is_of_interpreter (JankCodeMap *map, const JankCall *call)
{
  static const char *const files[] = { "/python3", "/libpython3", "/_gi.", "/libffi.so", "/libgjs.so", "/libmozjs-" };
  const JankModule *module = jank_code_map_get (map, call->module);
  const char *slash = module != NULL && module->path != NULL ? strrchr (module->path, '/') : NULL;

  for (guint i = 0; slash != NULL && i < G_N_ELEMENTS (files); i++)
    if (g_str_has_prefix (slash, files[i]))
      return TRUE;
  return call->module == JANK_MODULE_NONE;
}

const JankCall *
jank_dispatched_find_called (JankCodeMap *map, const JankStack *stack, guint64 dispatch, gboolean is_direct)
{
  guint k = 0;

  while (k < stack->n_calls && !jank_dispatched_is_dispatch (map, stack, k, dispatch))
    k++;
  while (k < stack->n_calls && k-- > 0)
    {
      if (jank_dispatched_is_own (map, &stack->calls[k]))
        return &stack->calls[k];
      if (is_direct && !jank_dispatched_is_of_interpreter (map, &stack->calls[k]))
        return NULL;
    }
  return NULL;
}

JankCall
jank_dispatched_get_function (JankCodeMap *map, const JankCall *call)
{
  const JankScript *script = jank_call_get_script (map, call);
  JankCall function = *call;

  if (script != NULL && script->line > 0)
    function.pc = function.function + script->line;
  return function;
}

void
jank_called_count (GArray *tally, const JankCall *call, gint64 weight)
{
  JankCalled called = { *call, weight };

  for (guint i = 0; i < tally->len; i++)
    if (g_array_index (tally, JankCalled, i).call.function == call->function)
      {
        g_array_index (tally, JankCalled, i).weight += weight;
        return;
      }
  g_array_append_val (tally, called);
}

const JankCalled *
jank_called_find_most (const GArray *tally)
{
  const JankCalled *most = NULL;

  for (guint i = 0; i < tally->len; i++)
    if (most == NULL || g_array_index (tally, JankCalled, i).weight > most->weight)
      most = &g_array_index (tally, JankCalled, i);
  return most;
}

gboolean
jank_dispatched_is_known (JankCodeMap *map, guint64 callback)
{
  JankCall call = { .pc = callback, .function = callback, .module = jank_code_map_find (map, callback) };

  return callback != 0 && call.module != JANK_MODULE_NONE && jank_dispatched_is_own (map, &call);
}

/* What a script's engine tells of a sample can come in the next dispatch, so most will do. Samples of a closure that
 * have not got to the program's function yet, or have left it, say nothing. */
gboolean
jank_dispatched_find_row (const JankDispatched *self, guint row, JankCall *ret_call)
{
  const JankWorkLog *works = jank_source_ledger_get_works (self->ledger);
  g_autoptr (GArray) tally = g_array_new (FALSE, FALSE, sizeof (JankCalled));
  const JankCalled *most;
  guint n_samples = 0;
  gboolean is_closure;
  JankLedgerRow of;

  jank_source_ledger_get_row (self->ledger, row, &of);
  is_closure = of.callback != 0 && jank_code_map_find (self->map, of.callback) == JANK_MODULE_NONE;
  for (guint i = 0; i < self->n_samples; i++)
    {
      const JankSample *sample = &self->samples[i];
      const JankCall *call;
      uint32_t sampled;

      if (sample->stack == NULL || !jank_work_log_find (works, sample->taken_ns, &sampled) || sampled != row)
        continue;
      call = jank_dispatched_find_called (self->map, sample->stack, of.dispatch, FALSE);
      n_samples += call != NULL || !is_closure;
      if (call != NULL)
        jank_called_count (tally, call, 1);
    }
  most = jank_called_find_most (tally);
  if (most == NULL || 2 * most->weight <= n_samples)
    return FALSE;
  *ret_call = jank_dispatched_get_function (self->map, &most->call);
  return TRUE;
}

void
jank_dispatched_tally_others (const JankDispatched *self, gint64 from_ns, gint64 to_ns, GArray *tally)
{
  const JankWorkLog *works = jank_source_ledger_get_works (self->ledger);

  for (guint i = 0; i < self->n_samples; i++)
    {
      const JankSample *sample = &self->samples[i];
      const JankCall *call;
      uint32_t row;

      if (sample->stack == NULL || sample->taken_ns < from_ns || sample->taken_ns >= to_ns ||
          jank_work_log_find (works, sample->taken_ns, &row) ||
          (call = jank_dispatched_find_called (self->map, sample->stack, 0, FALSE)) == NULL)
        continue;
      jank_called_count (tally, call, sample->weight_ns);
    }
}
