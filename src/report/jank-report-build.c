/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs on the watcher thread, in the observed process: takes no lock but malloc's and keeps no memory. A stall without
 * a sample gets a report, too. */

#include "report/jank-report-builder-private.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "base/jank-order-private.h"
#include "guest/jank-rest-private.h"
#include "gobject/jank-callbacks-private.h"
#include "blame/jank-dispatched-private.h"
#include "unwind/jank-scripts-private.h"

/* Where the thread's times were not read, how the sample was taken tells its state. */
static JankThreadState
jank_report_build_find_state (const JankSample *sample)
{
  if (sample->state != JANK_STATE_UNKNOWN)
    return sample->state;
  if (sample->method == JANK_SAMPLE_BLOCKED)
    return JANK_STATE_BLOCKED;
  return sample->stack != NULL ? JANK_STATE_COMPUTING : JANK_STATE_UNKNOWN;
}

static void
jank_report_build_add_samples (JankReportBuilder *self)
{
  for (guint i = 0; i < self->n_samples; i++)
    {
      const JankSample *sample = &self->samples[i];
      JankReportSample *report_sample = jank_report_sample_new ();
      gboolean blocked = sample->method == JANK_SAMPLE_BLOCKED;

      /* A late frame's stall begins when the frame was due, which its first sample can precede. */
      report_sample->at_ns = MAX (sample->at_ns - self->stall->began_ns, 0);
      report_sample->weight_ns = sample->weight_ns;
      report_sample->by_signal = !blocked;
      report_sample->state = jank_report_build_find_state (sample);
      report_sample->wait = jank_report_wait_from (sample->wait, blocked ? sample->syscall : -1);
      if (report_sample->wait != NULL)
        report_sample->wait->n_calls = i == 0 || sample->wait == NULL || sample->wait != self->samples[i - 1].wait;
      report_sample->stack = jank_report_builder_add_stack (self, sample->stack);
      g_ptr_array_add (self->report->samples, report_sample);
    }
}

static gboolean
jank_report_build_is_of_libc (const JankReportModule *module)
{
  return module != NULL && module->path != NULL &&
         (strstr (module->path, "/libc.so") != NULL || strstr (module->path, "/ld-musl") != NULL);
}

/* Once the calls have names: the system call's number is gone when it returns. */
static void
jank_report_build_name_kernel (JankReportBuilder *self)
{
  for (guint i = 0; i < self->n_samples; i++)
    {
      JankReportSample *sample = g_ptr_array_index (self->report->samples, i);
      const JankReportStack *stack = jank_report_get_stack (self->report, sample->stack);
      const JankReportCall *call;

      if (self->samples[i].since_ns == 0 || stack == NULL)
        continue;
      call = stack->calls->len > 0 ? jank_report_get_call (self->report, g_array_index (stack->calls, gint, 0)) : NULL;
      if (call != NULL && call->symbol != NULL &&
          jank_report_build_is_of_libc (jank_report_get_module (self->report, call)))
        sample->kernel = g_strdup (call->symbol + strspn (call->symbol, "_"));
      else
        sample->kernel = g_strdup ("unknown");
    }
}

/* Of several sources with the same dispatch the one that is seen most often; all samples count, as a callback that does
 * next to nothing is in few. FALSE: none is seen */
static gboolean
jank_report_build_find_called (JankReportBuilder *self, guint64 dispatch, gboolean is_direct, JankCall *ret_call)
{
  g_autoptr (GArray) tally = g_array_new (FALSE, FALSE, sizeof (JankCalled));
  const JankCalled *most;

  for (guint i = 0; i < self->n_nodes; i++)
    {
      guint n_samples;
      g_autoptr (JankStack) stack = jank_call_tree_get_stack (self->nodes, i, &n_samples);
      const JankCall *call = stack != NULL ? jank_dispatched_find_called (self->map, stack, dispatch, is_direct) : NULL;

      if (call != NULL)
        jank_called_count (tally, call, n_samples);
    }
  most = jank_called_find_most (tally);
  if (most != NULL)
    *ret_call = jank_dispatched_get_function (self->map, &most->call);
  return most != NULL;
}

/* Returns: (transfer full) */
static char *
jank_report_build_name_source (JankReportBuilder *self)
{
  const JankSourceInfo *source = &self->stall->source;
  const char *kind = source->name[0] == '\0' ? jank_callback_get_source (source->dispatch) : NULL;
  g_autofree char *name = kind != NULL ? g_strdup_printf ("[%s]", kind) : g_utf8_make_valid (source->name, -1);
  const char *served = jank_report_builder_find_served (self);
  g_autofree char *serves = source->serves[0] != '\0' ? g_utf8_make_valid (source->serves, -1) : g_strdup (served);

  if (serves == NULL)
    return g_steal_pointer (&name);
  return name[0] != '\0' ? g_strdup_printf ("%s: %s", name, serves) : g_steal_pointer (&serves);
}

/* While the loop turns, what it dispatches goes by the program's functions. */
static gint
jank_report_build_add_callback (JankReportBuilder *self, guint64 callback, guint64 dispatch)
{
  gboolean turns = self->stall->kind == JANK_STALL_STARVED || self->stall->kind == JANK_STALL_INPUT;
  JankCall call;

  if (dispatch != 0 && !(turns && jank_dispatched_is_known (self->map, callback)) &&
      jank_report_build_find_called (self, dispatch, !turns, &call) &&
      (turns || call.module == JANK_MODULE_SCRIPT))
    return (gint) jank_report_builder_add_call (self, &call);
  return jank_report_builder_add_callback (self, callback != 0 ? callback : dispatch);
}

static void
jank_report_build_add_source (JankReportBuilder *self)
{
  const JankSourceInfo *source = &self->stall->source;

  if (!source->known)
    return;
  self->report->source.name = jank_report_build_name_source (self);
  self->report->source.priority = source->priority;
  self->report->source.callback = jank_report_build_add_callback (self, source->callback, source->dispatch);
}

/* A binding's closure is code that was made at run time, another one for each source. */
static gint
jank_report_build_find_contributor (JankReportBuilder *self, guint number, const JankLedgerRow *row)
{
  JankDispatched dispatched = { self->map, self->stall->works_of, self->samples, self->n_samples };
  JankCall call;

  if (!jank_dispatched_is_known (self->map, row->callback) && jank_dispatched_find_row (&dispatched, number, &call))
    return (gint) jank_report_builder_add_call (self, &call);
  if (row->callback != 0 && jank_code_map_find (self->map, row->callback) == JANK_MODULE_NONE)
    return JANK_REPORT_NO_INDEX;
  return jank_report_builder_add_callback (self, row->callback);
}

JANK_ORDER_FALLING (jank_report_build_compare_total_cb, JankReportSource *const, [0]->total_ns)

/* Rows with the same function are one. */
static void
jank_report_build_add_contributor (JankReportBuilder *self, const JankLedgerRow *row, const JankWork *work)
{
  GPtrArray *contributors = self->report->contributors;
  const char *kind = row->name[0] == '\0' ? jank_callback_get_source (row->dispatch) : NULL;
  g_autofree char *name = kind != NULL ? g_strdup_printf ("[%s]", kind) : g_utf8_make_valid (row->name, -1);
  gint callback = jank_report_build_find_contributor (self, work->row, row);
  JankReportSource *source = NULL;

  for (guint i = 0; i < contributors->len && source == NULL; i++)
    {
      JankReportSource *other = g_ptr_array_index (contributors, i);

      if (other->callback == callback && (callback != JANK_REPORT_NO_INDEX || g_strcmp0 (other->name, name) == 0))
        source = other;
    }
  if (source == NULL)
    {
      source = jank_report_source_new ();
      source->name = g_steal_pointer (&name);
      source->callback = callback;
      source->priority = row->priority;
      g_ptr_array_add (contributors, source);
    }
  source->count += work->count;
  source->total_ns += work->total_ns;
  source->longest_ns = MAX (source->longest_ns, work->longest_ns);
}

static void
jank_report_build_add_contributors (JankReportBuilder *self)
{
  GPtrArray *contributors = self->report->contributors;
  guint n = 0;

  for (guint i = 0; i < self->stall->n_works; i++)
    {
      JankLedgerRow row;

      jank_source_ledger_get_row (self->stall->works_of, self->stall->works[i].row, &row);
      jank_report_build_add_contributor (self, &row, &self->stall->works[i]);
    }
  g_ptr_array_sort (contributors, jank_report_build_compare_total_cb);
  while (n < MIN (contributors->len, JANK_REPORT_MAX_CONTRIBUTORS) &&
         ((JankReportSource *) g_ptr_array_index (contributors, n))->total_ns >= JANK_NS_PER_MS)
    n++;
  g_ptr_array_set_size (contributors, (gint) n);
}

static void
jank_report_build_copy_stall (JankReport *report, const JankStall *stall, const JankReportContext *context)
{
  gint64 began_ago_us = (context->now_ns - stall->began_ns + stall->suspended_ns) / JANK_NS_PER_US;

  report->kind = jank_report_kind_of[stall->kind];
  report->stall.began_real_us = context->now_real_us - began_ago_us;
  report->stall.began_monotonic_ns = stall->began_ns;
  report->stall.duration_ns = jank_stall_duration_ns (stall, context->now_ns);
  report->stall.threshold_ns = stall->threshold_ns;
  report->stall.cpu_ns = stall->cpu_ns;
  report->stall.suspended_ns = stall->suspended_ns;
  report->stall.stopped_ns = stall->stopped_ns;
  report->stall.traced_ns = stall->traced_ns;
  report->stall.own_ns = stall->own_ns;
  for (guint i = 0; i < JANK_N_STATES; i++)
    report->stall.state_ns[i] = MAX (stall->state_ns[i], 0);
  report->stall.watcher_late_ns = MAX (stall->watcher_late_ns, 0);
  report->stall.n_turns = (gint64) MIN (stall->n_turns, G_MAXINT32);
  report->stall.fps = stall->fps;
  report->stall.loop_depth = stall->loop_depth;
  report->stall.severity = jank_severity_of (report->stall.duration_ns);
  report->stall.outcome = stall->ended_ns == 0 ? JANK_OUTCOME_ONGOING : JANK_OUTCOME_RECOVERED;

  report->repeats.count = 1;
  report->repeats.total_ns = report->stall.duration_ns;
  report->repeats.longest_ns = report->stall.duration_ns;
  report->repeats.p95_ns = report->stall.duration_ns;
  report->repeats.first_real_us = report->stall.began_real_us;
  report->repeats.last_real_us = report->stall.began_real_us;

  report->self.samples = stall->n_samples;
  report->self.lost_samples = stall->n_lost;
  report->self.starved = stall->n_starved;
  report->self.signals_sent = stall->n_signals;
  report->self.cost_ns = stall->cost_ns;
}

static void
jank_report_build_copy_interactions (JankReport *report, const JankReportContext *context)
{
  if (context->interaction.kind != JANK_INTERACTION_NONE)
    jank_report_interaction_set (&report->interaction, &context->interaction, context->waited_ns);
  for (guint i = 0; i < context->n_interactions; i++)
    {
      const JankInteraction *interaction = &context->interactions[i];
      JankReportInteraction *added;

      if (interaction->answered_ns == 0)
        continue;
      added = jank_report_interaction_new ();
      jank_report_interaction_set (added, interaction, interaction->answered_ns - interaction->stamp_ns);
      g_ptr_array_add (report->interactions, added);
    }
}

static void
jank_report_build_copy_context (JankReport *report, const JankReportContext *context)
{
  report->id = g_strdup (context->id);
  report->session = g_strdup (context->session);
  report->app.name = g_strdup (context->app.name);
  report->app.id = g_strdup (context->app.id);
  report->app.exe = g_strdup (context->app.exe);
  report->app.version = g_strdup (context->app.version);
  report->app.pid = context->app.pid;
  report->toolkit.name = g_strdup (context->toolkit.name);
  report->toolkit.version = g_strdup (context->toolkit.version);
  report->toolkit.backend = g_strdup (context->toolkit.backend);
  report->toolkit.renderer = g_strdup (context->toolkit.renderer);
  report->process = context->process;
  report->self.from_outside = context->from_outside;
  jank_report_build_copy_interactions (report, context);
  for (guint i = 0; i < context->n_tags; i++)
    jank_report_add_tag (report, context->tags[i].name, context->tags[i].value);
}

/* The heaviest stack of the samples within a late frame. */
static gint
jank_report_build_find_stack_between (JankReportBuilder *self, gint64 began_ns, gint64 ended_ns)
{
  gint64 weights_ns[JANK_SAMPLE_RING_SIZE] = { 0 };
  gint best = JANK_REPORT_NO_INDEX;

  for (guint i = 0; i < self->n_samples; i++)
    {
      const JankSample *sample = &self->samples[i];
      gint stack = jank_report_get_sample (self->report, i)->stack;

      if (stack == JANK_REPORT_NO_INDEX || sample->at_ns < began_ns || sample->at_ns >= ended_ns)
        continue;
      weights_ns[stack] += sample->weight_ns;
      if (best == JANK_REPORT_NO_INDEX || weights_ns[stack] > weights_ns[best])
        best = stack;
    }
  return best;
}

static void
jank_report_build_copy_frame_clock (JankReportBuilder *self, const JankReportContext *context)
{
  JankReport *report = self->report;

  if (context->frame_clock == NULL)
    return;
  report->frame_clock = jank_report_frame_clock_copy (context->frame_clock);
  JANK_EACH_IN (JankReportLateFrame, late, report->frame_clock->late_frames)
    {
      if (late->stack < 0 || late->stack >= (gint) report->stacks->len)
        late->stack = jank_report_build_find_stack_between (self, late->verdict.began_ns, late->verdict.ended_ns);
      if (late->stack == JANK_REPORT_NO_INDEX)
        late->stack = jank_report_builder_add_stack (self, jank_report_builder_find_brief (context, &late->verdict));
    }
}

static void
jank_report_build_add_before (JankReportBuilder *self)
{
  const JankStall *stall = self->stall;
  JankWork works[JANK_MAX_WORKS];
  JankLedgerRow row;

  for (guint i = 0; i < stall->n_before; i++)
    {
      JankReportTurn turn = { stall->turns[i].began_ns, stall->turns[i].total_ns, JANK_REPORT_NO_INDEX };
      guint n = stall->works_of == NULL ? 0
                : jank_work_log_sum (jank_source_ledger_get_works (stall->works_of), turn.began_ns,
                                     turn.began_ns + turn.duration_ns, FALSE, works);

      if (n > 0 && works[0].total_ns >= turn.duration_ns / 2)
        {
          jank_source_ledger_get_row (stall->works_of, works[0].row, &row);
          turn.callback = jank_report_build_find_contributor (self, works[0].row, &row);
        }
      g_array_append_val (self->report->before, turn);
    }
}

/* GTK puts work off: what the program dispatched last before that may have caused it. */
static void
jank_report_build_add_after (JankReportBuilder *self)
{
  const JankStall *stall = self->stall;
  gint64 to_ns = stall->began_ns + self->report->stall.duration_ns;
  JankWork works[JANK_MAX_WORKS];
  guint n;

  if (stall->works_of == NULL || self->report->kind != JANK_REPORT_STALL || !stall->source.known ||
      jank_dispatched_is_known (self->map, stall->source.callback))
    return;
  n = jank_work_log_list (jank_source_ledger_get_works (stall->works_of), stall->began_ns - JANK_NS_PER_S, to_ns,
                          works);
  for (guint i = 0; i < n; i++)
    if (works[i].total_ns >= self->report->stall.duration_ns / 2)
      to_ns = works[i].began_ns;
  while (n-- > 0 && self->report->after == JANK_REPORT_NO_INDEX)
    {
      JankLedgerRow row;

      jank_source_ledger_get_row (stall->works_of, works[n].row, &row);
      if (works[n].began_ns < to_ns && jank_dispatched_is_known (self->map, row.callback))
        self->report->after = jank_report_builder_add_callback (self, row.callback);
    }
}

JankReport *
jank_report_build (const JankStall *stall, JankCodeMap *map, JankPick pick, const JankReportContext *context)
{
  g_autoptr (JankKnownNames) own = jank_known_names_new ();
  JankReportBuilder self;

  jank_report_builder_init (&self, stall, map, context);
  jank_report_build_copy_context (self.report, context);
  jank_report_build_copy_stall (self.report, stall, context);
  jank_report_build_add_samples (&self);
  jank_report_build_add_source (&self);
  jank_report_build_add_contributors (&self);
  jank_report_build_add_before (&self);
  jank_report_build_add_after (&self);
  jank_report_find_heaviest (&self, pick);
  jank_rest_yield ();
  self.first_of_threads = self.calls->len;
  jank_report_add_threads (&self);
  self.end_of_threads = self.calls->len;
  jank_report_add_sources (&self);
  jank_report_build_copy_frame_clock (&self, context);
  jank_report_builder_resolve (&self, context->known != NULL ? context->known : own);
  jank_report_build_name_kernel (&self);
  jank_report_find_culprit (&self);
  jank_report_name_threads (self.report);
  jank_report_name_locks (self.report);
  jank_table_clean (&jank_report_table, self.report);
  jank_rest_yield ();
  jank_report_builder_clear (&self);
  return self.report;
}
