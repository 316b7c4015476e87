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

  if (self->toolkit.name == NULL)
    return;
  toolkit = jank_json_add_object (root, "toolkit");
  jank_json_add_text (toolkit, "name", self->toolkit.name);
  jank_json_add_text (toolkit, "version", self->toolkit.version);
  jank_json_add_text (toolkit, "backend", self->toolkit.backend);
  jank_json_add_text (toolkit, "renderer", self->toolkit.renderer);
}

static void
add_states (JsonObject *stall, JankReport *self)
{
  gint64 known_ns = 0;

  for (guint i = JANK_STATE_UNKNOWN + 1; i < JANK_N_STATES; i++)
    known_ns |= self->stall.state_ns[i];
  if (known_ns == 0)
    return;
  jank_json_add_count (stall, "computing_ns", self->stall.state_ns[JANK_STATE_COMPUTING]);
  jank_json_add_count (stall, "preempted_ns", self->stall.state_ns[JANK_STATE_PREEMPTED]);
  jank_json_add_count (stall, "page_fault_ns", self->stall.state_ns[JANK_STATE_PAGE_FAULT]);
  jank_json_add_count (stall, "blocked_ns", self->stall.state_ns[JANK_STATE_BLOCKED]);
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
  add_states (stall, self);
  if (self->stall.watcher_late_ns > 0)
    jank_json_add_count (stall, "watcher_late_ns", self->stall.watcher_late_ns);
  if (self->stall.n_turns > 0)
    jank_json_add_count (stall, "turns", self->stall.n_turns);
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

      add_index (object, "frame", step->call);
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
add_wait (JsonObject *parent, const JankReportWait *wait)
{
  JsonObject *object, *lock;

  if (wait == NULL)
    return;
  object = jank_json_add_object (parent, "wait");
  jank_json_add_text (object, "kind", wait->kind);
  jank_json_add_text (object, "syscall", wait->syscall);
  jank_json_add_text (object, "target", wait->target);
  jank_json_add_text (object, "filesystem", wait->filesystem);
  jank_json_add_text (object, "detail", wait->detail);
  jank_json_add_count (object, "bytes", wait->n_bytes);
  jank_json_add_count (object, "timeout_ns", wait->timeout_ns);
  if (wait->peer_pid > 0)
    jank_json_add_count (object, "peer_pid", wait->peer_pid);
  if (wait->lock.kind == NULL)
    return;
  lock = jank_json_add_object (object, "lock");
  jank_json_add_text (lock, "kind", wait->lock.kind);
  add_address (lock, "address", wait->lock.address);
  if (wait->lock.owner > 0)
    jank_json_add_count (lock, "owner", wait->lock.owner);
}

static void
add_sample (JsonArray *samples, const JankReportSample *sample)
{
  JsonObject *object = jank_json_append_object (samples);

  jank_json_add_count (object, "at_ns", sample->at_ns);
  jank_json_add_count (object, "weight_ns", sample->weight_ns);
  add_index (object, "stack", sample->stack);
  jank_json_add_text (object, "method", sample->by_signal ? "signal" : "blocked");
  jank_json_add_text (object, "state", jank_report_state_to_nick (sample->state));
  jank_json_add_count (object, "cost_ns", sample->cost_ns);
  add_wait (object, sample->wait);
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

      for (guint j = 0; j < stack->calls->len; j++)
        json_array_add_int_element (frames, g_array_index (stack->calls, guint, j));
      json_array_add_array_element (stacks, frames);
      json_array_add_boolean_element (complete, stack->complete);
    }
}

static void
add_line (JsonObject *object, const char *file, guint line)
{
  jank_json_add_text (object, "file", file);
  if (line > 0)
    jank_json_add_count (object, "line", line);
}

static void
add_frame (JsonArray *frames, const JankReportCall *frame)
{
  JsonObject *object = jank_json_append_object (frames);
  JsonArray *inlined;

  add_index (object, "module", frame->module);
  add_address (object, "offset", frame->offset);
  jank_json_add_text (object, "symbol", frame->symbol);
  add_address (object, "symbol_offset", frame->symbol_offset);
  add_line (object, frame->file, frame->line);
  if (frame->inlined == NULL || frame->inlined->len == 0)
    return;
  inlined = jank_json_add_array (object, "inlined");
  for (guint i = 0; i < frame->inlined->len; i++)
    {
      const JankReportInlined *function = g_ptr_array_index (frame->inlined, i);
      JsonObject *element = jank_json_append_object (inlined);

      jank_json_add_text (element, "symbol", function->symbol);
      add_line (element, function->file, function->line);
    }
}

static void
add_frames (JsonObject *root, JankReport *self)
{
  JsonArray *frames = jank_json_add_array (root, "frames");
  JsonArray *modules = jank_json_add_array (root, "modules");

  for (guint i = 0; i < self->calls->len; i++)
    add_frame (frames, g_ptr_array_index (self->calls, i));
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

static gint
get_tid (JankReport *self, guint thread)
{
  return ((JankReportThread *) g_ptr_array_index (self->threads, thread))->tid;
}

static void
add_thread (JsonArray *threads, const JankReportThread *thread)
{
  JsonObject *object = jank_json_append_object (threads);

  jank_json_add_count (object, "tid", thread->tid);
  jank_json_add_text (object, "name", thread->name);
  jank_json_add_text (object, "state", jank_report_state_to_nick (thread->state));
  jank_json_add_text (object, "policy", thread->policy);
  if (thread->priority > 0)
    jank_json_add_count (object, "priority", thread->priority);
  json_object_set_int_member (object, "nice", thread->nice);
  jank_json_add_count (object, "cpu_ns", thread->cpu_ns);
  jank_json_add_count (object, "stall_cpu_ns", thread->stall_cpu_ns);
  if (thread->share >= 0.0)
    jank_json_add_share (object, "share", thread->share);
  add_index (object, "stack", thread->stack);
  add_wait (object, thread->wait);
  if (thread->wait != NULL && thread->wait->lock.kind != NULL && thread->wait->lock.owner > 0)
    jank_json_add_count (object, "waits_for", thread->wait->lock.owner);
  json_object_set_boolean_member (object, "observed", thread->observed);
}

static void
add_tids (JsonObject *object, const char *name, JankReport *self, const GArray *threads)
{
  JsonArray *array = jank_json_add_array (object, name);

  for (guint i = 0; i < threads->len; i++)
    json_array_add_int_element (array, get_tid (self, g_array_index (threads, guint, i)));
}

static void
add_threads (JsonObject *root, JankReport *self)
{
  JsonArray *threads;
  JsonObject *locks;

  if (self->threads->len == 0)
    return;
  threads = jank_json_add_array (root, "threads");
  for (guint i = 0; i < self->threads->len; i++)
    add_thread (threads, g_ptr_array_index (self->threads, i));
  if (self->locks.chain->len == 0)
    return;
  locks = jank_json_add_object (root, "locks");
  add_tids (locks, "chain", self, self->locks.chain);
  json_object_set_boolean_member (locks, "deadlock", self->locks.deadlock);
}

static void
add_sources (JsonObject *root, JankReport *self)
{
  JsonArray *sources;

  if (self->sources->len == 0)
    return;
  sources = jank_json_add_array (root, "sources");
  for (guint i = 0; i < self->sources->len; i++)
    {
      const JankReportSource *source = g_ptr_array_index (self->sources, i);
      JsonObject *object = jank_json_append_object (sources);

      if (source->name != NULL && *source->name != '\0')
        jank_json_add_text (object, "name", source->name);
      add_index (object, "callback", source->callback);
      json_object_set_int_member (object, "priority", source->priority);
      jank_json_add_count (object, "count", source->count);
      jank_json_add_count (object, "total_ns", source->total_ns);
      jank_json_add_count (object, "longest_ns", source->longest_ns);
    }
}

static void
add_process (JsonObject *root, JankReport *self)
{
  JsonObject *object;

  if (self->process.n_threads == 0)
    return;
  object = jank_json_add_object (root, "process");
  jank_json_add_count (object, "rss_bytes", self->process.rss_bytes);
  jank_json_add_count (object, "cpu_ns", self->process.cpu_ns);
  jank_json_add_count (object, "n_threads", self->process.n_threads);
  jank_json_add_count (object, "descriptors", self->process.n_descriptors);
  jank_json_add_count (object, "read_bytes", self->process.read_bytes);
  jank_json_add_count (object, "written_bytes", self->process.written_bytes);
}

static void
add_totals (JsonObject *root, JankReport *self)
{
  JsonObject *object;

  if (self->repeats.count > 0)
    {
      object = jank_json_add_object (root, "repeats");
      jank_json_add_count (object, "count", self->repeats.count);
      jank_json_add_count (object, "total_ns", self->repeats.total_ns);
      jank_json_add_count (object, "longest_ns", self->repeats.longest_ns);
      jank_json_add_count (object, "p95_ns", self->repeats.p95_ns);
      jank_json_add_time (object, "first", self->repeats.first_real_us);
      jank_json_add_time (object, "last", self->repeats.last_real_us);
    }
  if (self->limit.reached != NULL)
    {
      object = jank_json_add_object (root, "limit");
      jank_json_add_text (object, "reached", self->limit.reached);
      jank_json_add_count (object, "count", self->limit.count);
      jank_json_add_count (object, "total_ns", self->limit.total_ns);
    }
  object = jank_json_add_object (root, "self");
  jank_json_add_count (object, "samples", (gint64) self->self.samples);
  jank_json_add_count (object, "lost_samples", (gint64) self->self.lost_samples);
  jank_json_add_count (object, "cost_ns", self->self.cost_ns);
  if (self->self.snapshot_ns > 0)
    jank_json_add_count (object, "snapshot_ns", self->self.snapshot_ns);
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
  jank_json_add_text (root, "fingerprint", self->fingerprint);
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
  add_threads (root, self);
  add_sources (root, self);
  jank_report_frame_clock_to_json (self->frame_clock, root);
  add_process (root, self);
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
