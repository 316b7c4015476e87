/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* From what the watcher knows of a stall to a report: samples, source, and the facts of the program. Watcher
 * thread, in the observed process: no lock but malloc's, no memory kept, and a stall that never got a sample gives
 * a report all the same. */

#include "config.h"

#include "report/jank-report-builder-private.h"

#include "base/jank-clock-private.h"

static guint
hash_frame (gconstpointer data)
{
  return g_int64_hash (&((const JankCall *) data)->pc);
}

static gboolean
equal_frames (gconstpointer a, gconstpointer b)
{
  const JankCall *a_frame = a, *b_frame = b;

  return a_frame->pc == b_frame->pc && a_frame->module == b_frame->module;
}

static guint
count_frames (const JankStack *stack)
{
  return stack != NULL ? stack->n_calls : 0;
}

/* (nullable): of an earlier busy period */
static JankStack *
find_brief (const JankReportContext *context, const JankReportLateFrame *late)
{
  return context->briefs != NULL ? jank_brief_stacks_find (context->briefs, late->began_ns, late->ended_ns) : NULL;
}

static guint
count_brief_frames (const JankReportContext *context)
{
  const GArray *late_frames = context->frame_clock != NULL ? context->frame_clock->late_frames : NULL;
  guint n = 0;

  for (guint i = 0; late_frames != NULL && i < late_frames->len; i++)
    n += count_frames (find_brief (context, &g_array_index (late_frames, JankReportLateFrame, i)));
  return n;
}

static void
builder_init (JankReportBuilder *self, const JankStall *stall, JankCodeMap *map, const JankReportContext *context)
{
  guint n_frames = 1 + JANK_STACK_MAX_CALLS; /* the source's callback and the path */

  *self = (JankReportBuilder) { .stall = stall, .map = map, .report = jank_report_new () };
  self->n_samples = stall->ring != NULL ? jank_sample_ring_get_size (stall->ring) : 0;
  for (guint i = 0; i < self->n_samples; i++)
    {
      self->samples[i] = *jank_sample_ring_get (stall->ring, i);
      n_frames += count_frames (self->samples[i].stack);
    }
  n_frames += count_brief_frames (context);
  for (guint i = 0; stall->threads != NULL && i < stall->threads->threads->len; i++)
    n_frames += count_frames (g_array_index (stall->threads->threads, JankSnapshotThread, i).stack);
  if (stall->ledger != NULL)
    {
      self->rows = g_new (JankLedgerRow, JANK_LEDGER_SIZE + 1);
      self->n_rows = jank_source_ledger_read (stall->ledger, self->rows);
      n_frames += self->n_rows;
    }
  if (stall->tree != NULL)
    self->nodes = jank_call_tree_get_nodes (stall->tree, &self->n_nodes);

  self->calls = g_array_sized_new (FALSE, FALSE, sizeof (JankCall), n_frames);
  self->index = g_hash_table_new (hash_frame, equal_frames);
  self->stacks = g_ptr_array_new ();
}

static void
builder_clear (JankReportBuilder *self)
{
  if (self->symbols != NULL)
    jank_symbols_clear (self->symbols, self->calls->len);
  g_free (self->symbols);
  g_hash_table_unref (self->index);
  g_array_unref (self->calls);
  g_ptr_array_unref (self->stacks);
  g_free (self->rows);
}

guint
jank_report_builder_add_call (JankReportBuilder *self, const JankCall *call)
{
  gpointer index;

  if (!g_hash_table_lookup_extended (self->index, call, NULL, &index))
    {
      index = GUINT_TO_POINTER (self->calls->len);
      g_array_append_vals (self->calls, call, 1);
      g_hash_table_insert (self->index, &g_array_index (self->calls, JankCall, GPOINTER_TO_UINT (index)), index);
    }
  return GPOINTER_TO_UINT (index);
}

gint
jank_report_builder_add_callback (JankReportBuilder *self, guint64 address)
{
  JankCall call = { .pc = address, .function = address };

  if (address == 0)
    return JANK_REPORT_NO_INDEX;
  call.module = jank_code_map_find (self->map, address);
  return (gint) jank_report_builder_add_call (self, &call);
}

gint
jank_report_builder_get_stack (JankReportBuilder *self, guint sample)
{
  return ((JankReportSample *) g_ptr_array_index (self->report->samples, sample))->stack;
}

gint
jank_report_builder_add_stack (JankReportBuilder *self, const JankStack *stack)
{
  JankReportStack *report_stack;

  if (stack == NULL)
    return JANK_REPORT_NO_INDEX;
  for (guint i = 0; i < self->stacks->len; i++)
    if (jank_stack_equal (g_ptr_array_index (self->stacks, i), stack))
      return (gint) i;

  report_stack = jank_report_stack_new ();
  report_stack->complete = stack->complete;
  for (guint i = 0; i < stack->n_calls; i++)
    {
      guint call = jank_report_builder_add_call (self, &stack->calls[i]);

      g_array_append_val (report_stack->calls, call);
    }
  g_ptr_array_add (self->report->stacks, report_stack);
  g_ptr_array_add (self->stacks, (gpointer) stack);
  return (gint) self->report->stacks->len - 1;
}

/* How a sample was taken tells as much as a look at the thread's times, where there was none. */
static JankThreadState
find_state (const JankSample *sample)
{
  if (sample->state != JANK_STATE_UNKNOWN)
    return sample->state;
  if (sample->method == JANK_SAMPLE_BLOCKED)
    return JANK_STATE_BLOCKED;
  return sample->stack != NULL ? JANK_STATE_COMPUTING : JANK_STATE_UNKNOWN;
}

static void
add_samples (JankReportBuilder *self)
{
  for (guint i = 0; i < self->n_samples; i++)
    {
      const JankSample *sample = &self->samples[i];
      JankReportSample *report_sample = jank_report_sample_new ();
      gboolean blocked = sample->method == JANK_SAMPLE_BLOCKED;

      report_sample->at_ns = sample->at_ns - self->stall->began_ns;
      report_sample->weight_ns = sample->weight_ns;
      report_sample->cost_ns = sample->cost_ns;
      report_sample->by_signal = !blocked;
      report_sample->state = find_state (sample);
      report_sample->wait = jank_report_wait_from (sample->wait, blocked ? sample->syscall : -1);
      report_sample->stack = jank_report_builder_add_stack (self, sample->stack);
      g_ptr_array_add (self->report->samples, report_sample);
    }
}

static void
add_source (JankReportBuilder *self)
{
  const JankSourceInfo *source = &self->stall->source;

  if (!source->known)
    return;
  self->report->source.name = g_utf8_make_valid (source->name, -1);
  self->report->source.priority = source->priority;
  self->report->source.callback =
    jank_report_builder_add_callback (self, source->callback != 0 ? source->callback : source->dispatch);
}

static char *
build_id_to_text (const JankModule *module)
{
  GString *text = module->n_build_id != 0 ? g_string_sized_new (2 * module->n_build_id) : NULL;

  for (guint i = 0; i < module->n_build_id; i++)
    g_string_append_printf (text, "%02x", module->build_id[i]);
  return text != NULL ? g_string_free (text, FALSE) : NULL;
}

/* Index in the report of a module of the map; indices holds index + 1 of those that are in it. */
static gint
add_module (JankReportBuilder *self, guint32 module, guint *indices)
{
  if (indices[module] == 0)
    {
      const JankModule *loaded = jank_code_map_get (self->map, module);
      JankReportModule *report_module = jank_report_module_new ();

      report_module->path = loaded->path != NULL ? g_utf8_make_valid (loaded->path, -1) : NULL;
      report_module->build_id = build_id_to_text (loaded);
      report_module->base = loaded->base;
      g_ptr_array_add (self->report->modules, report_module);
      indices[module] = self->report->modules->len;
    }
  return (gint) indices[module] - 1;
}

static void
resolve_frames (JankReportBuilder *self)
{
  const JankCall *calls = (const JankCall *) (void *) self->calls->data;
  guint n_modules = jank_code_map_get_n_modules (self->map);
  g_autofree guint *indices = g_new0 (guint, n_modules);

  self->symbols = g_new0 (JankSymbol, self->calls->len);
  jank_symbols_resolve (self->map, calls, self->calls->len, self->symbols);

  for (guint i = 0; i < self->calls->len; i++)
    {
      JankReportCall *call = jank_report_call_new ();
      gboolean named = self->symbols[i].name != NULL;

      call->offset = calls[i].pc;
      if (calls[i].module < n_modules)
        {
          call->module = add_module (self, calls[i].module, indices);
          call->offset -= jank_code_map_get (self->map, calls[i].module)->base;
        }
      call->symbol = g_strdup (self->symbols[i].name);
      call->symbol_offset = calls[i].pc - (named ? self->symbols[i].start : calls[i].function);
      g_ptr_array_add (self->report->calls, call);
    }
}

static JankReportKind
find_kind (JankStallKind kind)
{
  switch (kind)
    {
    case JANK_STALL_STARTUP: return JANK_REPORT_STARTUP;
    case JANK_STALL_SPIN:    return JANK_REPORT_SPIN;
    case JANK_STALL_CPU:     return JANK_REPORT_CPU;
    case JANK_STALL_FRAMES:  return JANK_REPORT_FRAME;
    case JANK_STALL_LOOP:
    default:                 return JANK_REPORT_STALL;
    }
}

static void
copy_stall (JankReport *report, const JankStall *stall, const JankReportContext *context)
{
  gint64 began_ago_us = (context->now_ns - stall->began_ns + stall->suspended_ns) / JANK_NS_PER_US;

  report->kind = find_kind (stall->kind);
  report->stall.began_real_us = context->now_real_us - began_ago_us;
  report->stall.began_monotonic_ns = stall->began_ns;
  report->stall.duration_ns = jank_stall_duration_ns (stall, context->now_ns);
  report->stall.threshold_ns = stall->threshold_ns;
  report->stall.cpu_ns = stall->cpu_ns;
  report->stall.suspended_ns = stall->suspended_ns;
  report->stall.stopped_ns = stall->stopped_ns;
  report->stall.traced_ns = stall->traced_ns;
  for (guint i = 0; i < JANK_N_STATES; i++)
    report->stall.state_ns[i] = MAX (stall->state_ns[i], 0);
  report->stall.watcher_late_ns = MAX (stall->watcher_late_ns, 0);
  report->stall.n_turns = (gint64) MIN (stall->n_turns, G_MAXINT32);
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
  report->self.signals_sent = stall->n_signals;
  report->self.cost_ns = stall->cost_ns;
}

static void
copy_context (JankReport *report, const JankReportContext *context)
{
  report->id = g_strdup (context->id);
  report->session = g_strdup (context->session);
  report->app.name = g_strdup (context->app.name);
  report->app.id = g_strdup (context->app.id);
  report->app.exe = g_strdup (context->app.exe);
  report->app.pid = context->app.pid;
  report->toolkit.name = g_strdup (context->toolkit.name);
  report->toolkit.version = g_strdup (context->toolkit.version);
  report->toolkit.backend = g_strdup (context->toolkit.backend);
  report->toolkit.renderer = g_strdup (context->toolkit.renderer);
  report->process.rss_bytes = context->process.rss_bytes;
  report->process.cpu_ns = context->process.cpu_ns;
  report->process.n_threads = context->process.n_threads;
  for (guint i = 0; i < context->n_tags; i++)
    jank_report_add_tag (report, context->tags[i].name, context->tags[i].value);
}

/* The heaviest stack of the samples that fell into a late frame: late for this stall, as a rule. */
static gint
find_stack_between (JankReportBuilder *self, gint64 began_ns, gint64 ended_ns)
{
  gint64 weights_ns[JANK_SAMPLE_RING_SIZE] = { 0 };
  gint best = JANK_REPORT_NO_INDEX;

  for (guint i = 0; i < self->n_samples; i++)
    {
      const JankSample *sample = &self->samples[i];
      gint stack = jank_report_builder_get_stack (self, i);

      if (stack == JANK_REPORT_NO_INDEX || sample->at_ns < began_ns || sample->at_ns >= ended_ns)
        continue;
      weights_ns[stack] += sample->weight_ns;
      if (best == JANK_REPORT_NO_INDEX || weights_ns[stack] > weights_ns[best])
        best = stack;
    }
  return best;
}

/* A stack that a late frame refers to must be one of the report's. */
static void
copy_frame_clock (JankReportBuilder *self, const JankReportContext *context)
{
  JankReport *report = self->report;

  if (context->frame_clock == NULL)
    return;
  report->frame_clock = jank_report_frame_clock_copy (context->frame_clock);
  for (guint i = 0; i < report->frame_clock->late_frames->len; i++)
    {
      JankReportLateFrame *late = &g_array_index (report->frame_clock->late_frames, JankReportLateFrame, i);

      if (late->stack < 0 || late->stack >= (gint) report->stacks->len)
        late->stack = find_stack_between (self, late->began_ns, late->ended_ns);
      if (late->stack == JANK_REPORT_NO_INDEX)
        late->stack = jank_report_builder_add_stack (self, find_brief (context, late));
    }
}

JankReport *
jank_report_build (const JankStall *stall, JankCodeMap *map, JankRule rule, const JankReportContext *context)
{
  JankReportBuilder self;

  builder_init (&self, stall, map, context);
  copy_context (self.report, context);
  copy_stall (self.report, stall, context);
  add_samples (&self);
  add_source (&self);
  jank_report_builder_find_heaviest (&self, rule);
  jank_report_builder_add_threads (&self);
  jank_report_builder_add_sources (&self);
  copy_frame_clock (&self, context);
  resolve_frames (&self);
  jank_report_builder_find_culprit (&self);
  builder_clear (&self);
  return self.report;
}
