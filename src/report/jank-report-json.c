/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Report to JSON. Its names are fixed by the schema; a new one must be added there, in the reader and in
 * data/. Any thread; no files. */

#include "config.h"

#include "report/jank-report-json-private.h"

#include "report/jank-json-private.h"

static void
add_index (JsonObject *object, const char *name, gint index)
{
  jank_json_add_count (object, name, index);
}

/* JSON integers end at 2^63 here; no user-space address of x86-64 does. */
static void
add_address (JsonObject *object, const char *name, guint64 address)
{
  if (address <= G_MAXINT64)
    jank_json_add_count (object, name, (gint64) address);
}

static void
add_app (JsonObject *root, JankReport *self)
{
  JsonObject *app = jank_json_add_object (root, "app");
  JsonObject *toolkit;

  jank_json_add_text (app, "name", self->app.name);
  jank_json_add_text (app, "id", self->app.id);
  jank_json_add_text (app, "exe", self->app.exe);
  jank_json_add_count (app, "pid", self->app.pid);
  jank_json_add_text (app, "version", self->app.version);

  if (self->toolkit.name == NULL)
    return;
  toolkit = jank_json_add_object (root, "toolkit");
  jank_json_add_text (toolkit, "name", self->toolkit.name);
  jank_json_add_text (toolkit, "version", self->toolkit.version);
  jank_json_add_text (toolkit, "backend", self->toolkit.backend);
  jank_json_add_text (toolkit, "renderer", self->toolkit.renderer);
}

static void
add_stall (JsonObject *root, JankReport *self)
{
  JsonObject *stall = jank_json_add_object (root, "stall");
  JsonObject *excluded;

  jank_json_add_time (stall, "began", self->stall.began_real_us);
  jank_json_add_count (stall, "began_monotonic_ns", self->stall.began_monotonic_ns);
  jank_json_add_count (stall, "duration_ns", self->stall.duration_ns);
  jank_json_add_count (stall, "threshold_ns", self->stall.threshold_ns);
  jank_json_add_text (stall, "severity", jank_severity_to_nick (self->stall.severity));
  jank_json_add_text (stall, "outcome", jank_outcome_to_nick (self->stall.outcome));
  jank_json_add_count (stall, "cpu_ns", self->stall.cpu_ns);
  if (self->stall.loop_depth > 0)
    jank_json_add_count (stall, "loop_depth", self->stall.loop_depth);

  if (self->stall.suspended_ns <= 0 && self->stall.stopped_ns <= 0 && self->stall.traced_ns <= 0)
    return;
  excluded = jank_json_add_object (stall, "excluded_ns");
  jank_json_add_count (excluded, "suspend", self->stall.suspended_ns);
  jank_json_add_count (excluded, "stopped", self->stall.stopped_ns);
  jank_json_add_count (excluded, "traced", self->stall.traced_ns);
}

static void
add_source (JsonObject *root, JankReport *self)
{
  JsonObject *source;

  if (self->source.name == NULL && self->source.callback == JANK_REPORT_NO_INDEX)
    return;
  source = jank_json_add_object (root, "source");
  if (self->source.name != NULL && *self->source.name != '\0')
    jank_json_add_text (source, "name", self->source.name);
  json_object_set_int_member (source, "priority", self->source.priority);
  add_index (source, "callback", self->source.callback);
}

static void
add_heaviest (JsonObject *root, JankReport *self)
{
  JsonObject *heaviest;
  JsonArray *path;

  if (self->heaviest.rule == NULL)
    return;
  heaviest = jank_json_add_object (root, "heaviest");
  jank_json_add_text (heaviest, "rule", self->heaviest.rule);
  jank_json_add_text (heaviest, "function", self->heaviest.function);
  jank_json_add_text (heaviest, "module", self->heaviest.module);
  jank_json_add_share (heaviest, "share", self->heaviest.share);
  jank_json_add_share (heaviest, "self_share", self->heaviest.self_share);
  jank_json_add_share (heaviest, "confidence", self->heaviest.confidence);
  jank_json_add_count (heaviest, "samples", self->heaviest.n_samples);
  add_index (heaviest, "stack", self->heaviest.stack);

  if (self->heaviest.path->len == 0)
    return;
  path = jank_json_add_array (heaviest, "path");
  for (guint i = 0; i < self->heaviest.path->len; i++)
    {
      const JankReportStep *step = &g_array_index (self->heaviest.path, JankReportStep, i);
      JsonObject *object = jank_json_append_object (path);

      add_index (object, "frame", step->frame);
      jank_json_add_share (object, "share", step->share);
      jank_json_add_share (object, "self_share", step->self_share);
    }
}

static void
add_culprit (JsonObject *root, JankReport *self)
{
  JsonObject *culprit;

  if (self->culprit.function == NULL)
    return;
  culprit = jank_json_add_object (root, "culprit");
  jank_json_add_text (culprit, "function", self->culprit.function);
  jank_json_add_text (culprit, "module", self->culprit.module);
  jank_json_add_text (culprit, "file", self->culprit.file);
  if (self->culprit.line > 0)
    jank_json_add_count (culprit, "line", self->culprit.line);
  jank_json_add_text (culprit, "reason", self->culprit.reason);
}

static void
add_sample (JsonArray *samples, const JankReportSample *sample)
{
  JsonObject *object = jank_json_append_object (samples);
  JsonObject *wait;

  jank_json_add_count (object, "at_ns", sample->at_ns);
  jank_json_add_count (object, "weight_ns", sample->weight_ns);
  add_index (object, "stack", sample->stack);
  jank_json_add_text (object, "method", sample->by_signal ? "signal" : "blocked");
  if (sample->state != JANK_STATE_UNKNOWN)
    jank_json_add_text (object, "state", sample->state == JANK_STATE_COMPUTING ? "computing" : "blocked");
  jank_json_add_count (object, "cost_ns", sample->cost_ns);

  if (sample->wait_kind == NULL && sample->wait_syscall == NULL && sample->wait_detail == NULL)
    return;
  wait = jank_json_add_object (object, "wait");
  jank_json_add_text (wait, "kind", sample->wait_kind);
  jank_json_add_text (wait, "syscall", sample->wait_syscall);
  jank_json_add_text (wait, "detail", sample->wait_detail);
}

static void
add_stacks (JsonObject *root, JankReport *self)
{
  JsonArray *stacks = jank_json_add_array (root, "stacks");
  JsonArray *complete = jank_json_add_array (root, "stacks_complete");

  for (guint i = 0; i < self->stacks->len; i++)
    {
      const JankReportStack *stack = g_ptr_array_index (self->stacks, i);
      JsonArray *frames = json_array_new ();

      for (guint j = 0; j < stack->frames->len; j++)
        json_array_add_int_element (frames, g_array_index (stack->frames, guint, j));
      json_array_add_array_element (stacks, frames);
      json_array_add_boolean_element (complete, stack->complete);
    }
}

static void
add_frames (JsonObject *root, JankReport *self)
{
  JsonArray *frames = jank_json_add_array (root, "frames");
  JsonArray *modules = jank_json_add_array (root, "modules");

  for (guint i = 0; i < self->frames->len; i++)
    {
      const JankReportFrame *frame = g_ptr_array_index (self->frames, i);
      JsonObject *object = jank_json_append_object (frames);

      add_index (object, "module", frame->module);
      add_address (object, "offset", frame->offset);
      jank_json_add_text (object, "symbol", frame->symbol);
      add_address (object, "symbol_offset", frame->symbol_offset);
    }
  for (guint i = 0; i < self->modules->len; i++)
    {
      const JankReportModule *module = g_ptr_array_index (self->modules, i);
      JsonObject *object = jank_json_append_object (modules);

      jank_json_add_text (object, "path", module->path);
      jank_json_add_text (object, "build_id", module->build_id);
      add_address (object, "base", module->base);
    }
}

static void
add_tags (JsonObject *root, JankReport *self)
{
  JsonArray *tags;

  if (self->tags->len == 0)
    return;
  tags = jank_json_add_array (root, "tags");
  for (guint i = 0; i < self->tags->len; i++)
    {
      const JankReportTag *tag = g_ptr_array_index (self->tags, i);
      JsonObject *object = jank_json_append_object (tags);

      jank_json_add_text (object, "name", tag->name);
      jank_json_add_text (object, "value", tag->value);
    }
}

static void
add_totals (JsonObject *root, JankReport *self)
{
  JsonObject *object;

  if (self->process.n_threads > 0)
    {
      object = jank_json_add_object (root, "process");
      jank_json_add_count (object, "rss_bytes", self->process.rss_bytes);
      jank_json_add_count (object, "cpu_ns", self->process.cpu_ns);
      jank_json_add_count (object, "n_threads", self->process.n_threads);
    }
  if (self->repeats.count > 0)
    {
      object = jank_json_add_object (root, "repeats");
      jank_json_add_count (object, "count", self->repeats.count);
      jank_json_add_count (object, "total_ns", self->repeats.total_ns);
      jank_json_add_count (object, "longest_ns", self->repeats.longest_ns);
      jank_json_add_time (object, "first", self->repeats.first_real_us);
      jank_json_add_time (object, "last", self->repeats.last_real_us);
    }
  object = jank_json_add_object (root, "self");
  jank_json_add_count (object, "samples", (gint64) self->self.samples);
  jank_json_add_count (object, "lost_samples", (gint64) self->self.lost_samples);
  jank_json_add_count (object, "cost_ns", self->self.cost_ns);
  jank_json_add_count (object, "signals_sent", (gint64) self->self.signals_sent);
}

JsonNode *
jank_report_to_node (JankReport *self)
{
  JsonObject *root = json_object_new ();
  JsonNode *node = json_node_init_object (json_node_alloc (), root);
  JsonArray *samples;

  jank_json_add_text (root, "schema", JANK_REPORT_SCHEMA);
  jank_json_add_text (root, "id", self->id);
  jank_json_add_text (root, "kind", jank_report_kind_to_nick (self->kind));
  jank_json_add_text (root, "session", self->session);
  add_app (root, self);
  add_stall (root, self);
  add_source (root, self);
  add_heaviest (root, self);
  add_culprit (root, self);
  add_tags (root, self);
  samples = jank_json_add_array (root, "samples");
  for (guint i = 0; i < self->samples->len; i++)
    add_sample (samples, g_ptr_array_index (self->samples, i));
  add_stacks (root, self);
  add_frames (root, self);
  jank_report_frame_clock_to_json (self->frame_clock, root);
  add_totals (root, self);

  json_object_unref (root);
  return node;
}

char *
jank_report_generate_json (JankReport *self, gboolean pretty)
{
  g_autoptr (JsonNode) node = jank_report_to_node (self);

  return jank_json_generate (node, pretty ? JANK_JSON_PRETTY : JANK_JSON_COMPACT);
}
