/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames are gathered first, each once, while stacks, path and source refer to them by index; then all are
 * resolved in one batch; then texts are made. Watcher thread, in the observed process: no lock but malloc's,
 * no memory kept, and a stall that never got a sample gives a report all the same. */

#include "config.h"

#include "report/jank-report-build-private.h"

#include <string.h>

#include "attribute/jank-culprit-private.h"
#include "attribute/jank-heaviest-private.h"
#include "attribute/jank-platform-private.h"
#include "attribute/jank-symbols-private.h"
#include "attribute/jank-syscalls-private.h"
#include "base/jank-clock-private.h"

typedef struct
{
  /* set at construction */
  const JankStall    *stall;
  JankCodeMap        *map;
  JankReport         *report;
  JankSample          samples[JANK_SAMPLE_RING_SIZE]; /* of the ring, oldest first; their stacks are borrowed */
  guint               n_samples;
  const JankCallNode *nodes;
  guint               n_nodes;

  GArray             *frames;  /* (owned) JankFrame, as in report->frames; never grows beyond its first size */
  GHashTable         *index;   /* (owned) JankFrame in frames → its index */
  JankSymbol         *symbols; /* (owned) one per frame */
} Builder;

static guint
hash_frame (gconstpointer data)
{
  return g_int64_hash (&((const JankFrame *) data)->pc);
}

static gboolean
equal_frames (gconstpointer a, gconstpointer b)
{
  const JankFrame *a_frame = a, *b_frame = b;

  return a_frame->pc == b_frame->pc && a_frame->module == b_frame->module;
}

static void
builder_init (Builder *self, const JankStall *stall, JankCodeMap *map)
{
  guint n_frames = 1 + JANK_STACK_MAX_FRAMES; /* the source's callback and the path */

  *self = (Builder) { .stall = stall, .map = map, .report = jank_report_new () };
  self->n_samples = stall->ring != NULL ? jank_sample_ring_get_size (stall->ring) : 0;
  for (guint i = 0; i < self->n_samples; i++)
    {
      self->samples[i] = *jank_sample_ring_get (stall->ring, i);
      n_frames += self->samples[i].stack != NULL ? self->samples[i].stack->n_frames : 0;
    }
  if (stall->tree != NULL)
    self->nodes = jank_call_tree_get_nodes (stall->tree, &self->n_nodes);

  self->frames = g_array_sized_new (FALSE, FALSE, sizeof (JankFrame), n_frames);
  self->index = g_hash_table_new (hash_frame, equal_frames);
}

static void
builder_clear (Builder *self)
{
  if (self->symbols != NULL)
    jank_symbols_clear (self->symbols, self->frames->len);
  g_free (self->symbols);
  g_hash_table_unref (self->index);
  g_array_unref (self->frames);
}

static guint
add_frame (Builder *self, const JankFrame *frame)
{
  gpointer index;

  if (!g_hash_table_lookup_extended (self->index, frame, NULL, &index))
    {
      index = GUINT_TO_POINTER (self->frames->len);
      g_array_append_vals (self->frames, frame, 1);
      g_hash_table_insert (self->index, &g_array_index (self->frames, JankFrame, GPOINTER_TO_UINT (index)), index);
    }
  return GPOINTER_TO_UINT (index);
}

/* Index of the stack of a sample that was added. */
static gint
get_stack (Builder *self, guint sample)
{
  return ((JankReportSample *) g_ptr_array_index (self->report->samples, sample))->stack;
}

static gint
add_stack (Builder *self, guint sample)
{
  const JankStack *stack = self->samples[sample].stack;
  JankReportStack *report_stack;

  if (stack == NULL)
    return JANK_REPORT_NO_INDEX;
  for (guint i = 0; i < sample; i++)
    if (self->samples[i].stack != NULL && jank_stack_equal (self->samples[i].stack, stack))
      return get_stack (self, i);

  report_stack = jank_report_stack_new ();
  report_stack->complete = stack->complete;
  for (guint i = 0; i < stack->n_frames; i++)
    {
      guint frame = add_frame (self, &stack->frames[i]);

      g_array_append_val (report_stack->frames, frame);
    }
  g_ptr_array_add (self->report->stacks, report_stack);
  return (gint) self->report->stacks->len - 1;
}

static void
add_samples (Builder *self)
{
  for (guint i = 0; i < self->n_samples; i++)
    {
      const JankSample *sample = &self->samples[i];
      JankReportSample *report_sample = jank_report_sample_new ();

      report_sample->at_ns = sample->at_ns - self->stall->began_ns;
      report_sample->weight_ns = sample->weight_ns;
      report_sample->cost_ns = sample->cost_ns;
      report_sample->by_signal = sample->method == JANK_SAMPLE_SIGNAL;
      if (!report_sample->by_signal)
        report_sample->state = JANK_STATE_BLOCKED;
      else if (sample->stack != NULL)
        report_sample->state = JANK_STATE_COMPUTING;
      if (!report_sample->by_signal && sample->syscall >= 0)
        {
          report_sample->wait_kind = g_strdup ("syscall");
          report_sample->wait_syscall = jank_syscall_to_text (sample->syscall);
        }
      report_sample->stack = add_stack (self, i);
      g_ptr_array_add (self->report->samples, report_sample);
    }
}

static void
add_source (Builder *self)
{
  const JankSourceInfo *source = &self->stall->source;
  JankFrame frame = { .pc = source->callback != 0 ? source->callback : source->dispatch };

  if (!source->known)
    return;
  self->report->source.name = g_utf8_make_valid (source->name, -1);
  self->report->source.priority = source->priority;
  if (frame.pc != 0)
    {
      frame.function = frame.pc;
      frame.module = jank_code_map_find (self->map, frame.pc);
      self->report->source.callback = (gint) add_frame (self, &frame);
    }
}

static void
add_step (Builder *self, const JankFrame *frame, const JankCallNode *node)
{
  JankReportStep step = { .frame = (gint) add_frame (self, frame) };

  if (node != NULL && self->nodes[0].total_ns > 0)
    {
      step.share = (double) node->total_ns / (double) self->nodes[0].total_ns;
      step.self_share = (double) node->self_ns / (double) self->nodes[0].total_ns;
    }
  g_array_append_val (self->report->heaviest.path, step);
}

static const JankCallNode *
find_child (Builder *self, const JankCallNode *parent, const JankFrame *frame)
{
  for (guint32 i = parent->first_child; i != JANK_CALL_NODE_NONE; i = self->nodes[i].next_sibling)
    if (self->nodes[i].function == frame->function && self->nodes[i].module == frame->module)
      return &self->nodes[i];
  return NULL;
}

/* Shares of the heaviest function are those of the 20 samples, as in the rule; those of the steps are of all. */
static void
find_by_last20 (Builder *self)
{
  const JankCallNode *node = self->nodes;
  JankHeaviestGroup group;
  const JankStack *stack;
  gint64 total_ns = 0;

  if (!jank_heaviest_by_weight (self->samples, self->n_samples, &group))
    return;
  for (guint i = 0; i < self->n_samples; i++)
    total_ns += self->samples[i].weight_ns;

  self->report->heaviest.rule = g_strdup ("last20");
  self->report->heaviest.n_samples = self->n_samples;
  if (total_ns > 0)
    {
      self->report->heaviest.share = (double) group.weight_ns / (double) total_ns;
      self->report->heaviest.self_share = self->report->heaviest.share;
      self->report->heaviest.confidence = jank_heaviest_confidence (self->report->heaviest.share, self->n_samples);
    }
  self->report->heaviest.stack = get_stack (self, group.sample);

  stack = self->samples[group.sample].stack;
  for (guint i = stack->n_frames; i-- > 0;)
    {
      node = node != NULL ? find_child (self, node, &stack->frames[i]) : NULL;
      add_step (self, &stack->frames[i], node);
    }
}

static void
find_by_path (Builder *self)
{
  JankHeaviestPath path;
  gint sample;

  jank_heaviest_path (self->nodes, self->n_nodes, &path);
  if (path.n_nodes == 0)
    return;

  self->report->heaviest.rule = g_strdup ("path");
  self->report->heaviest.n_samples = path.n_samples;
  self->report->heaviest.share = path.share;
  self->report->heaviest.self_share = path.self_share;
  self->report->heaviest.confidence = path.confidence;
  for (guint i = 0; i < path.n_nodes; i++)
    {
      const JankCallNode *node = &self->nodes[path.nodes[i]];

      add_step (self, &(JankFrame) { node->pc, node->function, node->module }, node);
    }
  sample = jank_heaviest_find_path (&path, self->nodes, self->samples, self->n_samples);
  if (sample >= 0)
    self->report->heaviest.stack = get_stack (self, (guint) sample);
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
add_module (Builder *self, guint32 module, guint *indices)
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
resolve_frames (Builder *self)
{
  const JankFrame *frames = (const JankFrame *) (void *) self->frames->data;
  guint n_modules = jank_code_map_get_n_modules (self->map);
  g_autofree guint *indices = g_new0 (guint, n_modules);

  self->symbols = g_new0 (JankSymbol, self->frames->len);
  jank_symbols_resolve (self->map, frames, self->frames->len, self->symbols);

  for (guint i = 0; i < self->frames->len; i++)
    {
      JankReportFrame *frame = jank_report_frame_new ();
      gboolean named = self->symbols[i].name != NULL;

      frame->offset = frames[i].pc;
      if (frames[i].module < n_modules)
        {
          frame->module = add_module (self, frames[i].module, indices);
          frame->offset -= jank_code_map_get (self->map, frames[i].module)->base;
        }
      frame->symbol = g_strdup (self->symbols[i].name);
      frame->symbol_offset = frames[i].pc - (named ? self->symbols[i].start : frames[i].function);
      g_ptr_array_add (self->report->frames, frame);
    }
}

static const char *
get_module_path (Builder *self, guint frame)
{
  gint module = ((JankReportFrame *) g_ptr_array_index (self->report->frames, frame))->module;

  if (module == JANK_REPORT_NO_INDEX)
    return NULL;
  return ((JankReportModule *) g_ptr_array_index (self->report->modules, module))->path;
}

/* (nullable): borrowed from path */
static const char *
get_file_name (const char *path)
{
  const char *slash = path != NULL ? strrchr (path, '/') : NULL;

  return slash != NULL ? slash + 1 : path;
}

/* Of a function without name the start, not where it was interrupted: the same function has the same text. */
static char *
function_to_text (Builder *self, guint frame)
{
  const JankReportFrame *f = g_ptr_array_index (self->report->frames, frame);
  const char *file = get_file_name (get_module_path (self, frame));

  if (f->symbol != NULL)
    return g_strdup (f->symbol);
  return g_strdup_printf ("%s%s0x%" G_GINT64_MODIFIER "x", file != NULL ? file : "", file != NULL ? "+" : "",
                          f->offset - f->symbol_offset);
}

static void
find_culprit (Builder *self)
{
  JankReport *report = self->report;
  const GArray *path = report->heaviest.path;
  g_autofree JankCulpritStep *steps = g_new0 (JankCulpritStep, path->len);
  const char *reason;
  gint found;

  for (guint i = 0; i < path->len; i++)
    {
      gint frame = g_array_index (path, JankReportStep, i).frame;

      steps[i].function = self->symbols[frame].name;
      steps[i].module = get_file_name (get_module_path (self, frame));
      steps[i].in_platform = steps[i].module != NULL && jank_platform_contains (steps[i].module);
    }

  found = jank_culprit_find (steps, path->len, &reason);
  if (found >= 0)
    {
      gint frame = g_array_index (path, JankReportStep, found).frame;

      report->culprit.function = function_to_text (self, frame);
      report->culprit.module = g_strdup (get_module_path (self, frame));
      report->culprit.reason = g_strdup (reason);
    }
}

static void
name_heaviest (Builder *self)
{
  const GArray *path = self->report->heaviest.path;

  if (path->len != 0)
    {
      gint deepest = g_array_index (path, JankReportStep, path->len - 1).frame;

      self->report->heaviest.function = function_to_text (self, deepest);
      self->report->heaviest.module = g_strdup (get_module_path (self, deepest));
    }
}

static void
copy_stall (JankReport *report, const JankStall *stall, const JankReportContext *context)
{
  gint64 began_ago_us = (context->now_ns - stall->began_ns + stall->suspended_ns) / JANK_NS_PER_US;

  report->kind = stall->startup ? JANK_REPORT_STARTUP : JANK_REPORT_STALL;
  report->stall.began_real_us = context->now_real_us - began_ago_us;
  report->stall.began_monotonic_ns = stall->began_ns;
  report->stall.duration_ns = jank_stall_duration_ns (stall, context->now_ns);
  report->stall.threshold_ns = stall->threshold_ns;
  report->stall.cpu_ns = stall->cpu_ns;
  report->stall.suspended_ns = stall->suspended_ns;
  report->stall.stopped_ns = stall->stopped_ns;
  report->stall.traced_ns = stall->traced_ns;
  report->stall.loop_depth = stall->loop_depth;
  report->stall.severity = jank_severity_of (report->stall.duration_ns);
  report->stall.outcome = stall->ended_ns == 0 ? JANK_OUTCOME_ONGOING : JANK_OUTCOME_RECOVERED;

  report->repeats.count = 1;
  report->repeats.total_ns = report->stall.duration_ns;
  report->repeats.longest_ns = report->stall.duration_ns;
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
  report->app.version = g_strdup (context->app.version);
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
find_stack_between (Builder *self, gint64 began_ns, gint64 ended_ns)
{
  gint64 weights_ns[JANK_SAMPLE_RING_SIZE] = { 0 };
  gint best = JANK_REPORT_NO_INDEX;

  for (guint i = 0; i < self->n_samples; i++)
    {
      const JankSample *sample = &self->samples[i];
      gint stack = get_stack (self, i);

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
copy_frame_clock (Builder *self, const JankReportFrameClock *frame_clock)
{
  JankReport *report = self->report;

  if (frame_clock == NULL)
    return;
  report->frame_clock = jank_report_frame_clock_copy (frame_clock);
  for (guint i = 0; i < report->frame_clock->late_frames->len; i++)
    {
      JankReportLateFrame *late = &g_array_index (report->frame_clock->late_frames, JankReportLateFrame, i);

      if (late->stack < 0 || late->stack >= (gint) report->stacks->len)
        late->stack = find_stack_between (self, late->began_ns, late->ended_ns);
    }
}

JankReport *
jank_report_build (const JankStall *stall, JankCodeMap *map, JankRule rule, const JankReportContext *context)
{
  Builder self;

  builder_init (&self, stall, map);
  copy_context (self.report, context);
  copy_stall (self.report, stall, context);
  add_samples (&self);
  add_source (&self);
  if (rule == JANK_RULE_LAST20)
    find_by_last20 (&self);
  else
    find_by_path (&self);
  resolve_frames (&self);
  name_heaviest (&self);
  find_culprit (&self);
  copy_frame_clock (&self, context->frame_clock);
  builder_clear (&self);
  return self.report;
}
