/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which function the report blames: the heaviest path by either rule, then the culprit on it. */

#include "report/jank-report-builder-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "blame/jank-heaviest-private.h"
#include "blame/jank-platform-private.h"
#include "gobject/jank-callbacks-private.h"
#include "symbols/jank-function-name-private.h"

static JankReportStep
jank_report_build_blame_make_step (JankReportBuilder *self, const JankCall *call, const JankCallNode *node)
{
  JankReportStep step = { .call = (gint) jank_report_builder_add_call (self, call) };
  gint64 known_ns = self->n_nodes > 0 ? jank_heaviest_get_known_ns (self->nodes) : 0;

  if (node != NULL && known_ns > 0)
    {
      step.share = (double) node->total_ns / (double) known_ns;
      step.self_share = (double) node->self_ns / (double) known_ns;
    }
  return step;
}

static void
jank_report_build_blame_add_step (JankReportBuilder *self, const JankCall *call, const JankCallNode *node)
{
  JankReportStep step = jank_report_build_blame_make_step (self, call, node);

  g_array_append_val (self->report->heaviest.path, step);
}

/* The report's path may be longer than that of the tree. */
static void
jank_report_build_blame_add_branches (JankReportBuilder *self, const JankHeaviestPath *path)
{
  g_autoptr (GArray) branches = jank_heaviest_branches (self->nodes, self->n_nodes, path);
  gint n_longer = (gint) (self->report->heaviest.path->len - path->n_nodes);

  JANK_EACH_IN (const JankHeaviestBranch, from, branches)
    {
      const JankCallNode *node = &self->nodes[from->node];
      JankReportBranch branch = {
        jank_report_build_blame_make_step (self, &node->call, node),
        from->from + (from->from >= (gint) path->n_nodes ? n_longer : 0), node->total_ns,
      };

      g_array_append_val (self->report->heaviest.branches, branch);
    }
}

static const JankCallNode *
jank_report_build_blame_find_child (JankReportBuilder *self, const JankCallNode *parent, const JankCall *call)
{
  for (guint32 i = parent->first_child; i != JANK_CALL_NODE_NONE; i = self->nodes[i].next_sibling)
    if (jank_call_is_same (&self->nodes[i].call, call))
      return &self->nodes[i];
  return NULL;
}

/* The engine answers once its native function returns. */
static void
jank_report_build_blame_set_stack (JankReportBuilder *self, guint sample)
{
  const JankStack *stack = self->samples[sample].stack;
  gboolean is_marked = FALSE;

  for (guint i = 0; i < stack->n_calls && !is_marked; i++)
    is_marked = stack->calls[i].script_request != 0;
  self->report->heaviest.stack = jank_report_get_sample (self->report, sample)->stack;
  self->report->heaviest.unanswered = is_marked ? g_strdup ("javascript") : NULL;
}

static void
jank_report_build_blame_find_by_last20 (JankReportBuilder *self)
{
  const JankCallNode *node = self->nodes;
  JankHeaviestGroup group;
  const JankStack *stack;
  JankHeaviestPath path = { .n_nodes = 0 };
  guint n_known = 0;

  for (guint i = 0; i < self->n_samples; i++)
    n_known += self->samples[i].stack != NULL;
  if (!jank_heaviest_by_count (self->samples, self->n_samples, &group))
    return;
  self->report->heaviest.rule = g_strdup ("last20");
  self->report->heaviest.n_samples = n_known;
  self->report->heaviest.share = (double) group.n_samples / (double) n_known;
  self->report->heaviest.self_share = self->report->heaviest.share;
  self->report->heaviest.confidence = jank_heaviest_confidence (self->report->heaviest.share, n_known);
  jank_report_build_blame_set_stack (self, group.sample);

  stack = self->samples[group.sample].stack;
  for (guint i = stack->n_calls; i-- > 0;)
    {
      if (stack->calls[i].is_aside)
        continue;
      node = node != NULL ? jank_report_build_blame_find_child (self, node, &stack->calls[i]) : NULL;
      if (node != NULL)
        path.nodes[path.n_nodes++] = (guint32) (node - self->nodes);
      jank_report_build_blame_add_step (self, &stack->calls[i], node);
    }
  jank_report_build_blame_add_branches (self, &path);
}

static void
jank_report_build_blame_find_by_path (JankReportBuilder *self, JankPick pick)
{
  JankHeaviestPath path;
  gint sample;

  if (pick == JANK_PICK_SAME)
    jank_heaviest_same (self->nodes, self->n_nodes, &path);
  else
    jank_heaviest_path (self->nodes, self->n_nodes, self->stall->kind == JANK_STALL_STARTUP, &path);
  if (path.n_nodes == 0)
    return;

  self->report->heaviest.rule = g_strdup (pick == JANK_PICK_SAME ? "same" : "path");
  self->report->heaviest.n_samples = path.n_samples;
  self->report->heaviest.share = path.share;
  self->report->heaviest.self_share = path.self_share;
  self->report->heaviest.confidence = path.confidence;
  for (guint i = 0; i < path.n_nodes; i++)
    {
      const JankCallNode *node = &self->nodes[path.nodes[i]];

      jank_report_build_blame_add_step (self, &node->call, node);
    }
  jank_report_build_blame_add_branches (self, &path);
  sample = jank_heaviest_find_path (&path, self->nodes, self->samples, self->n_samples);
  if (sample >= 0)
    jank_report_build_blame_set_stack (self, (guint) sample);
}

void
jank_report_find_heaviest (JankReportBuilder *self, JankPick pick)
{
  if (pick == JANK_PICK_LAST20)
    jank_report_build_blame_find_by_last20 (self);
  else
    jank_report_build_blame_find_by_path (self, pick);
}

/* Returns: (transfer full) (nullable) */
static char *
jank_report_build_blame_dup_module_path (JankReport *report, guint call)
{
  const JankReportModule *module = jank_report_get_module (report, jank_report_get_call (report, (gint) call));

  return module != NULL ? g_strdup (module->path) : NULL;
}

static void
jank_report_build_blame_set_culprit (JankReport *report, guint call, const char *reason)
{
  const JankReportCall *named = jank_report_get_call (report, (gint) call);

  report->culprit.function = jank_report_call_to_text (report, call);
  report->culprit.module = jank_report_build_blame_dup_module_path (report, call);
  report->culprit.reason = g_strdup (reason);
  /* A callback may be on no stack. */
  report->culprit.file = named->line > 0 ? g_strdup (named->file) : NULL;
  report->culprit.line = named->line;
}

/* A callback that turns the loop itself, in a busy wait, is not dispatched again and again: all sources were counted
 * but this one, which has not returned. */
static gboolean
jank_report_build_blame_is_turned (JankReportBuilder *self)
{
  return self->report->kind == JANK_REPORT_SPIN && self->stall->counted == JANK_COUNTED_NONE &&
         jank_callback_get_source (self->stall->source.dispatch) != NULL;
}

/* Of a spin: the source's callback, which does next to nothing and is on few stacks. */
static void
jank_report_build_blame_find_spinner (JankReportBuilder *self)
{
  JankReport *report = self->report;
  gint step = jank_report_find_culprit_step (report);
  gboolean is_own = step >= 0 && jank_report_is_own (report, jank_report_get_step_call (report, step), NULL);
  gboolean is_turned = jank_report_build_blame_is_turned (self);
  gint callback;

  /* The address of a script's, which no sample has met. */
  if (report->source.callback >= 0 &&
      jank_report_get_call (report, report->source.callback)->module == JANK_REPORT_NO_INDEX)
    report->source.callback = JANK_REPORT_NO_INDEX;
  callback = report->source.callback;
  if (is_turned)
    report->source.callback = JANK_REPORT_NO_INDEX;
  if ((is_turned && is_own) || !jank_report_has_callback (report, callback))
    return;
  g_free (report->culprit.function);
  g_free (report->culprit.module);
  g_free (report->culprit.reason);
  g_free (report->culprit.file);
  g_clear_pointer (&report->culprit.callee, g_free);
  jank_report_build_blame_set_culprit (report, (guint) callback,
                                       is_turned ? N_("callback in which the main loop turned")
                                                 : N_("callback of the source that the main loop dispatched most "
                                                      "often"));
}

static gint
jank_report_build_blame_choose (JankReportBuilder *self, gboolean *ret_has_dispatch, const char **ret_reason)
{
  JankReport *report = self->report;
  g_autofree JankCulpritStep *steps = jank_report_make_steps (report);
  guint n_steps = report->heaviest.path->len;

  /* What the turned loop dispatches meanwhile did not turn it. */
  if (jank_report_build_blame_is_turned (self))
    n_steps = jank_culprit_count_outside (steps, n_steps, 1);
  *ret_has_dispatch = jank_culprit_has_dispatch (steps, n_steps, jank_report_kind_is_stall (report->kind));
  return jank_culprit_find (steps, n_steps, jank_report_kind_is_stall (report->kind), ret_reason);
}

/* The heaviest branches from the end of the path on, each of least share, down to the innermost function of the program
 * that has a name. Returns: (transfer full) of guint: indices of branches */
static GArray *
jank_report_build_blame_find_named (JankReport *report, double least)
{
  GArray *chain = g_array_new (FALSE, FALSE, sizeof (guint));
  gint at = (gint) report->heaviest.path->len - 1;
  guint n_named = 0;

  for (guint i = 0, best = G_MAXUINT; ; i++)
    {
      const GArray *branches = report->heaviest.branches;
      const JankReportBranch *branch = i < branches->len ? &g_array_index (branches, JankReportBranch, i) : NULL;
      const JankReportCall *call;

      if (branch != NULL && branch->from == at && branch->step.share >= least
          && (best == G_MAXUINT || branch->time_ns > g_array_index (branches, JankReportBranch, best).time_ns))
        best = i;
      if (branch != NULL)
        continue;
      if (best == G_MAXUINT)
        break;
      g_array_append_val (chain, best);
      call = jank_report_get_call (report, g_array_index (branches, JankReportBranch, best).step.call);
      if (call->symbol != NULL && jank_report_is_own (report, call, NULL))
        n_named = chain->len;
      at = (gint) (report->heaviest.path->len + best);
      i = best; /* callers stand before what they call */
      best = G_MAXUINT;
    }
  g_array_set_size (chain, n_named);
  return chain;
}

/* The chain's branches become steps of the path. */
static void
jank_report_build_blame_lengthen (JankReport *report, const GArray *chain)
{
  GArray *path = report->heaviest.path, *branches = report->heaviest.branches;
  g_autofree gint *moved = g_new (gint, branches->len + 1);
  gint n_path = (gint) path->len, n_longer = n_path + (gint) chain->len;
  guint n = 0, k = 0;

  for (guint i = 0; i < branches->len; i++)
    {
      JankReportBranch branch = g_array_index (branches, JankReportBranch, i);

      branch.from = branch.from >= n_path ? moved[branch.from - n_path] : branch.from;
      if (k < chain->len && g_array_index (chain, guint, k) == i)
        {
          moved[i] = n_path + (gint) k++;
          g_array_append_val (path, branch.step);
          continue;
        }
      moved[i] = n_longer + (gint) n;
      g_array_index (branches, JankReportBranch, n++) = branch;
    }
  g_array_set_size (branches, n);
}

/* Where the culprit has no name, or is a platform's since no function of the program has half of the stall, what has
 * half of its own time may be better. */
static void
jank_report_build_blame_go_on (JankReportBuilder *self)
{
  JankReport *report = self->report;
  const char *reason;
  gboolean has_dispatch;
  gint found = jank_report_build_blame_choose (self, &has_dispatch, &reason);
  g_autoptr (GArray) chain = NULL;
  gint own = (gint) report->heaviest.path->len - 1;

  if (found < 0)
    return;
  while (g_strcmp0 (reason, JANK_CULPRIT_PLATFORM) != 0 && own > found &&
         !jank_report_is_own (report, jank_report_get_step_call (report, own), NULL))
    own--;
  if (g_strcmp0 (reason, JANK_CULPRIT_PLATFORM) != 0 && jank_report_get_step_call (report, own)->symbol != NULL)
    return;
  chain = jank_report_build_blame_find_named (report, jank_report_get_step (report, own)->share / 2);
  jank_report_build_blame_lengthen (report, chain);
}

/* What the making of an object spends half of the time in; GObject's own calls lead there. */
static void
jank_report_build_blame_find_callee (JankReport *report, guint culprit)
{
  for (guint i = report->heaviest.path->len - 1; i > culprit && jank_report_is_creation (report->culprit.function); i--)
    {
      const JankReportStep *step = jank_report_get_step (report, (gint) i);
      const JankReportCall *call = jank_report_get_call (report, step->call);
      const char *file = jank_report_get_file_name (report, call);

      if (call->symbol == NULL || jank_culprit_is_folded (call->symbol) || step->share < 0.5
          || (file != NULL && g_str_has_prefix (file, "libgobject-2.0.so")))
        continue;
      report->culprit.callee = jank_report_call_to_text (report, (guint) step->call);
      report->culprit.callee_share = step->share;
      return;
    }
}

/* Where the stacks end before the main loop, whatever they show was called by what was dispatched; GLib and an
 * interpreter were so in any case. A callback with a name stands for a function of the same file without one. */
static gboolean
jank_report_build_blame_is_of_callback (JankReport *report, gint found, gboolean has_dispatch, const char *reason)
{
  gint at = report->source.callback;
  const JankReportCall *callback = jank_report_has_callback (report, at) ? jank_report_get_call (report, at) : NULL;
  JankCulpritStep step = jank_report_make_step (report, jank_report_get_step_call (report, found));

  if (callback == NULL || !jank_report_is_own (report, callback, NULL))
    return FALSE;
  if (step.function == NULL && jank_culprit_is_own (&step))
    return callback->symbol != NULL && callback->module == jank_report_get_step_call (report, found)->module;
  return g_strcmp0 (reason, JANK_CULPRIT_PLATFORM) == 0 && (!has_dispatch || jank_culprit_is_runtime (&step));
}

/* What GTK did for a frame in functions without a name, or that anything calls. */
static void
jank_report_build_blame_name_frame (JankReport *report)
{
  const JankCulpritStep culprit = { report->culprit.function, report->culprit.module, FALSE };

  if (report->source.name == NULL || strstr (report->source.name, "gdk_frame_clock_") == NULL ||
      jank_culprit_is_own (&culprit) || jank_culprit_is_walk (&culprit) ||
      (strstr (culprit.function, "+0x") == NULL && !jank_culprit_is_runtime (&culprit)))
    return;
  jank_set_text (&report->culprit.function, JANK_FUNCTION_FRAME);
  g_clear_pointer (&report->culprit.module, g_free);
}

static void
jank_report_build_blame_find_culprit (JankReportBuilder *self)
{
  JankReport *report = self->report;
  const char *reason;
  gboolean has_dispatch;
  gint found;

  jank_report_build_blame_go_on (self);
  found = jank_report_build_blame_choose (self, &has_dispatch, &reason);
  if (found >= 0 && !jank_report_is_idle (report))
    {
      gboolean is_callback = jank_report_build_blame_is_of_callback (report, found, has_dispatch, reason);
      guint call = (guint) (is_callback ? report->source.callback : jank_report_get_step (report, found)->call);

      if (is_callback)
        reason = N_("callback of the source that was dispatched; no function on the heaviest path says more");
      jank_report_build_blame_set_culprit (report, call, reason);
      jank_report_build_blame_find_callee (report, (guint) found);
      jank_report_build_blame_name_frame (report);
    }
  if (report->kind == JANK_REPORT_SPIN)
    jank_report_build_blame_find_spinner (self);
}

static void
jank_report_build_blame_name_heaviest (JankReport *report)
{
  gint i = (gint) report->heaviest.path->len - 1;
  guint deepest;

  if (i < 0)
    return;
  while (i > 0 && jank_culprit_is_folded (jank_report_get_step_call (report, i)->symbol))
    i--;
  deepest = (guint) jank_report_get_step (report, i)->call;
  report->heaviest.function = jank_report_call_to_text (report, deepest);
  report->heaviest.module = jank_report_build_blame_dup_module_path (report, deepest);
}

void
jank_report_find_culprit (JankReportBuilder *self)
{
  jank_report_build_blame_name_heaviest (self->report);
  jank_report_build_blame_find_culprit (self);
}

/* Whether the program has asked for what this one waits for, or a library of the platform waits on its own account, as
 * GTK does for its portal. */
static gboolean
jank_report_asked_hands_on (JankReport *report, const JankReportCall *call)
{
  const JankReportModule *module = jank_report_get_module (report, call);

  return call->language != NULL || module == NULL || module->path == NULL ||
         jank_platform_is (module->path, JANK_PLATFORM_INTERPRETER) ||
         jank_platform_is (module->path, JANK_PLATFORM_WAITS) || jank_report_is_own (report, call, NULL);
}

/* GLib waits for a child of its own that starts the program's and ends at once. */
static gboolean
jank_report_asked_is_spawn (const JankReportCall *call)
{
  return call->symbol != NULL && (g_str_has_prefix (call->symbol, "g_spawn_async") ||
                                  strcmp (call->symbol, "g_spawn_command_line_async") == 0);
}

gboolean
jank_report_is_asked (JankReport *report)
{
  g_autofree JankCulpritStep *steps = jank_report_make_steps (report);
  gint culprit = jank_report_find_culprit_step (report);

  if (culprit == JANK_REPORT_NO_INDEX ||
      !jank_report_is_own (report, jank_report_get_step_call (report, culprit), NULL) ||
      !jank_culprit_has_dispatch (steps, report->heaviest.path->len, TRUE))
    return FALSE;
  for (gint i = culprit + 1; i < (gint) report->heaviest.path->len; i++)
    {
      const JankReportCall *call = jank_report_get_step_call (report, i);

      if (!jank_report_asked_hands_on (report, call) || jank_report_asked_is_spawn (call))
        return FALSE;
    }
  return TRUE;
}
