/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON to report, from a file that anyone may have written: whatever comes in, what goes out is a report
 * whose indices are in bounds and whose numbers can be added. Unknown names are ignored. Any thread. */

#include "config.h"

#include "report/jank-report-json-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "report/jank-json-private.h"

/* More than jankwatch writes; the rest is left out, for whoever shows it works in quadratic time. */
#define MAX_SAMPLES 1000
#define MAX_DEPTH   1000
#define MAX_TAGS    100
#define MAX_THREADS 256
#define MAX_SOURCES 300
#define MAX_INLINED 64

/* json_array_get_length() does not take NULL. */
static guint
array_length (JsonArray *array)
{
  return array != NULL ? json_array_get_length (array) : 0;
}

static gint
get_index (JsonObject *object, const char *name, guint n)
{
  gint64 index = jank_json_get_int (object, name, -1, G_MAXINT, JANK_REPORT_NO_INDEX);

  return index >= 0 && index < n ? (gint) index : JANK_REPORT_NO_INDEX;
}

static void
read_modules (JankReport *self, JsonArray *array)
{
  for (guint i = 0; i < array_length (array); i++)
    {
      JsonObject *object = jank_json_get_element (array, i);
      JankReportModule *module = jank_report_module_new ();

      module->path = jank_json_dup_text (object, "path");
      module->build_id = jank_json_dup_text (object, "build_id");
      module->base = (guint64) jank_json_get_int (object, "base", 0, G_MAXINT64, 0);
      g_ptr_array_add (self->modules, module);
    }
}

static void
read_inlined (JankReportCall *frame, JsonArray *array)
{
  guint n = MIN (array_length (array), MAX_INLINED);

  for (guint i = 0; i < n; i++)
    {
      JsonObject *object = jank_json_get_element (array, i);
      JankReportInlined *inlined = jank_report_inlined_new ();

      inlined->symbol = jank_json_dup_text (object, "symbol");
      inlined->file = jank_json_dup_text (object, "file");
      inlined->line = (guint) jank_json_get_int (object, "line", 0, G_MAXINT, 0);
      jank_report_add_inlined (frame, inlined);
    }
}

static void
read_frames (JankReport *self, JsonArray *array)
{
  for (guint i = 0; i < array_length (array); i++)
    {
      JsonObject *object = jank_json_get_element (array, i);
      JankReportCall *frame = jank_report_call_new ();

      frame->module = get_index (object, "module", self->modules->len);
      frame->offset = (guint64) jank_json_get_int (object, "offset", 0, G_MAXINT64, 0);
      frame->symbol = jank_json_dup_text (object, "symbol");
      frame->symbol_offset = (guint64) jank_json_get_int (object, "symbol_offset", 0, (gint64) frame->offset, 0);
      frame->file = jank_json_dup_text (object, "file");
      frame->line = (guint) jank_json_get_int (object, "line", 0, G_MAXINT, 0);
      read_inlined (frame, jank_json_get_array (object, "inlined"));
      g_ptr_array_add (self->calls, frame);
    }
}

static gboolean
read_stack (JankReport *self, JsonNode *node, JankReportStack *stack)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  guint n = MIN (array_length (array), MAX_DEPTH);
  gint64 frame;

  if (array == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      guint index;

      if (!jank_json_node_to_int (json_array_get_element (array, i), &frame) ||
          frame < 0 || frame >= self->calls->len)
        return FALSE;
      index = (guint) frame;
      g_array_append_val (stack->calls, index);
    }
  return TRUE;
}

static gboolean
read_stacks (JankReport *self, JsonArray *array, JsonArray *complete, GError **error)
{
  for (guint i = 0; i < array_length (array); i++)
    {
      JankReportStack *stack = jank_report_stack_new ();
      JsonNode *flag = i < array_length (complete) ? json_array_get_element (complete, i) : NULL;

      g_ptr_array_add (self->stacks, stack);
      if (!read_stack (self, json_array_get_element (array, i), stack))
        {
          g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
                       _("its stack %u refers to a frame that is not there"), i);
          return FALSE;
        }
      stack->complete = flag == NULL || !JSON_NODE_HOLDS_VALUE (flag) ||
                        json_node_get_value_type (flag) != G_TYPE_BOOLEAN || json_node_get_boolean (flag);
    }
  return TRUE;
}

/* object: the value of "wait" (nullable). Returns: (transfer full) (nullable) */
static JankReportWait *
read_wait (JsonObject *object)
{
  JsonObject *lock = jank_json_get_object (object, "lock");
  JankReportWait *wait;

  if (object == NULL)
    return NULL;
  wait = jank_report_wait_new ();
  wait->kind = jank_json_dup_text (object, "kind");
  wait->syscall = jank_json_dup_text (object, "syscall");
  wait->target = jank_json_dup_text (object, "target");
  wait->filesystem = jank_json_dup_text (object, "filesystem");
  wait->detail = jank_json_dup_text (object, "detail");
  wait->n_bytes = jank_json_get_int (object, "bytes", 0, JANK_JSON_MAX_COUNT, -1);
  wait->timeout_ns = jank_json_get_int (object, "timeout_ns", 0, JANK_JSON_MAX_COUNT, -1);
  wait->peer_pid = (gint) jank_json_get_int (object, "peer_pid", 0, G_MAXINT, 0);
  wait->lock.kind = jank_json_dup_text (lock, "kind");
  wait->lock.address = (guint64) jank_json_get_int (lock, "address", 0, G_MAXINT64, 0);
  wait->lock.owner = (gint) jank_json_get_int (lock, "owner", 0, G_MAXINT, 0);
  return wait;
}

static void
read_samples (JankReport *self, JsonArray *array)
{
  guint n = MIN (array_length (array), MAX_SAMPLES);

  for (guint i = 0; i < n; i++)
    {
      JsonObject *object = jank_json_get_element (array, i);
      JankReportSample *sample = jank_report_sample_new ();

      sample->at_ns = jank_json_get_count (object, "at_ns");
      sample->weight_ns = jank_json_get_count (object, "weight_ns");
      sample->cost_ns = jank_json_get_count (object, "cost_ns");
      sample->stack = get_index (object, "stack", self->stacks->len);
      sample->by_signal = g_strcmp0 (jank_json_get_text (object, "method"), "signal") == 0;
      sample->state = jank_report_state_from_nick (jank_json_get_text (object, "state"));
      sample->wait = read_wait (jank_json_get_object (object, "wait"));
      g_ptr_array_add (self->samples, sample);
    }
}

static void
read_app (JankReport *self, JsonObject *root)
{
  JsonObject *app = jank_json_get_object (root, "app");
  JsonObject *toolkit = jank_json_get_object (root, "toolkit");

  self->app.name = jank_json_dup_text (app, "name");
  self->app.id = jank_json_dup_text (app, "id");
  self->app.exe = jank_json_dup_text (app, "exe");
  self->app.pid = (gint) jank_json_get_int (app, "pid", 0, G_MAXINT, 0);
  self->toolkit.name = jank_json_dup_text (toolkit, "name");
  self->toolkit.version = jank_json_dup_text (toolkit, "version");
  self->toolkit.backend = jank_json_dup_text (toolkit, "backend");
  self->toolkit.renderer = jank_json_dup_text (toolkit, "renderer");
}

static void
read_threads (JankReport *self, JsonArray *array)
{
  guint n = MIN (array_length (array), MAX_THREADS);

  for (guint i = 0; i < n; i++)
    {
      JsonObject *object = jank_json_get_element (array, i);
      JankReportThread *thread = jank_report_thread_new ();

      thread->tid = (gint) jank_json_get_int (object, "tid", 0, G_MAXINT, 0);
      thread->name = jank_json_dup_text (object, "name");
      thread->state = jank_report_state_from_nick (jank_json_get_text (object, "state"));
      thread->policy = jank_json_dup_text (object, "policy");
      thread->priority = (gint) jank_json_get_int (object, "priority", 0, G_MAXINT, 0);
      thread->nice = (gint) jank_json_get_int (object, "nice", G_MININT, G_MAXINT, 0);
      thread->cpu_ns = jank_json_get_int (object, "cpu_ns", 0, JANK_JSON_MAX_COUNT, -1);
      thread->stall_cpu_ns = jank_json_get_int (object, "stall_cpu_ns", 0, JANK_JSON_MAX_COUNT, -1);
      if (object != NULL && json_object_has_member (object, "share"))
        thread->share = jank_json_get_share (object, "share");
      thread->stack = get_index (object, "stack", self->stacks->len);
      thread->wait = read_wait (jank_json_get_object (object, "wait"));
      thread->observed = jank_json_get_boolean (object, "observed");
      g_ptr_array_add (self->threads, thread);
    }
}

/* tids, as indices of threads; those of threads that are not there are left out. */
static void
read_tids (JankReport *self, JsonArray *array, GArray *ret_threads)
{
  guint n = MIN (array_length (array), MAX_THREADS);

  for (guint i = 0; i < n; i++)
    {
      gint64 tid;

      if (!jank_json_node_to_int (json_array_get_element (array, i), &tid))
        continue;
      for (guint k = 0; k < self->threads->len; k++)
        if (((JankReportThread *) g_ptr_array_index (self->threads, k))->tid == tid)
          {
            g_array_append_val (ret_threads, k);
            break;
          }
    }
}

static void
read_locks (JankReport *self, JsonObject *locks)
{
  read_tids (self, jank_json_get_array (locks, "chain"), self->locks.chain);
  self->locks.deadlock = self->locks.chain->len > 0 && jank_json_get_boolean (locks, "deadlock");
}

static void
read_sources (JankReport *self, JsonArray *array)
{
  guint n = MIN (array_length (array), MAX_SOURCES);

  for (guint i = 0; i < n; i++)
    {
      JsonObject *object = jank_json_get_element (array, i);
      JankReportSource *source = jank_report_source_new ();
      const char *name = jank_json_get_text (object, "name");

      source->name = g_strdup (name != NULL ? name : "");
      source->callback = get_index (object, "callback", self->calls->len);
      source->priority = (gint) jank_json_get_int (object, "priority", G_MININT, G_MAXINT, 0);
      source->count = jank_json_get_count (object, "count");
      source->total_ns = jank_json_get_count (object, "total_ns");
      source->longest_ns = jank_json_get_count (object, "longest_ns");
      g_ptr_array_add (self->sources, source);
    }
}

static gboolean
read_stall (JankReport *self, JsonObject *root, GError **error)
{
  JsonObject *stall = jank_json_get_object (root, "stall");
  JsonObject *excluded = jank_json_get_object (stall, "excluded_ns");

  if (stall == NULL || !jank_outcome_from_nick (jank_json_get_text (stall, "outcome"), &self->stall.outcome))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("it does not say how the stall ended"));
      return FALSE;
    }

  self->stall.began_real_us = jank_json_get_time (stall, "began");
  self->stall.began_monotonic_ns = jank_json_get_count (stall, "began_monotonic_ns");
  self->stall.duration_ns = jank_json_get_count (stall, "duration_ns");
  self->stall.threshold_ns = jank_json_get_count (stall, "threshold_ns");
  self->stall.cpu_ns = jank_json_get_int (stall, "cpu_ns", 0, JANK_JSON_MAX_COUNT, -1);
  self->stall.state_ns[JANK_STATE_COMPUTING] = jank_json_get_count (stall, "computing_ns");
  self->stall.state_ns[JANK_STATE_PREEMPTED] = jank_json_get_count (stall, "preempted_ns");
  self->stall.state_ns[JANK_STATE_PAGE_FAULT] = jank_json_get_count (stall, "page_fault_ns");
  self->stall.state_ns[JANK_STATE_BLOCKED] = jank_json_get_count (stall, "blocked_ns");
  self->stall.watcher_late_ns = jank_json_get_count (stall, "watcher_late_ns");
  self->stall.n_turns = jank_json_get_count (stall, "turns");
  self->stall.loop_depth = (guint) jank_json_get_int (stall, "loop_depth", 0, G_MAXINT, 0);
  self->stall.suspended_ns = jank_json_get_count (excluded, "suspend");
  self->stall.stopped_ns = jank_json_get_count (excluded, "stopped");
  self->stall.traced_ns = jank_json_get_count (excluded, "traced");
  if (!jank_severity_from_nick (jank_json_get_text (stall, "severity"), &self->stall.severity))
    self->stall.severity = jank_severity_of (self->stall.duration_ns);
  return TRUE;
}

static void
read_heaviest (JankReport *self, JsonObject *heaviest)
{
  JsonArray *path = jank_json_get_array (heaviest, "path");
  guint n_path = MIN (array_length (path), MAX_DEPTH);

  self->heaviest.rule = jank_json_dup_text (heaviest, "rule");
  self->heaviest.function = jank_json_dup_text (heaviest, "function");
  self->heaviest.module = jank_json_dup_text (heaviest, "module");
  self->heaviest.share = jank_json_get_share (heaviest, "share");
  self->heaviest.self_share = jank_json_get_share (heaviest, "self_share");
  self->heaviest.confidence = jank_json_get_share (heaviest, "confidence");
  self->heaviest.n_samples = (guint) jank_json_get_int (heaviest, "samples", 0, G_MAXINT, 0);
  self->heaviest.stack = get_index (heaviest, "stack", self->stacks->len);

  for (guint i = 0; i < n_path; i++)
    {
      JsonObject *object = jank_json_get_element (path, i);
      JankReportStep step = {
        .call = get_index (object, "frame", self->calls->len),
        .share = jank_json_get_share (object, "share"),
        .self_share = jank_json_get_share (object, "self_share"),
      };

      if (step.call != JANK_REPORT_NO_INDEX)
        g_array_append_val (self->heaviest.path, step);
    }
}

static void
read_blame (JankReport *self, JsonObject *root)
{
  JsonObject *source = jank_json_get_object (root, "source");
  JsonObject *culprit = jank_json_get_object (root, "culprit");

  /* A source may be without a name; what marks one that was not known is that it is missing. */
  self->source.name = jank_json_dup_text (source, "name");
  if (self->source.name == NULL && source != NULL)
    self->source.name = g_strdup ("");
  self->source.priority = (gint) jank_json_get_int (source, "priority", G_MININT, G_MAXINT, 0);
  self->source.callback = get_index (source, "callback", self->calls->len);
  self->culprit.function = jank_json_dup_text (culprit, "function");
  self->culprit.module = jank_json_dup_text (culprit, "module");
  self->culprit.file = jank_json_dup_text (culprit, "file");
  self->culprit.reason = jank_json_dup_text (culprit, "reason");
  self->culprit.line = (guint) jank_json_get_int (culprit, "line", 0, G_MAXINT, 0);
}

static gint64
get_known (JsonObject *object, const char *name)
{
  return jank_json_get_int (object, name, 0, JANK_JSON_MAX_COUNT, -1);
}

static void
read_process (JankReport *self, JsonObject *process)
{
  self->process.rss_bytes = get_known (process, "rss_bytes");
  self->process.cpu_ns = get_known (process, "cpu_ns");
  self->process.n_threads = (guint) jank_json_get_int (process, "n_threads", 0, G_MAXINT, 0);
  self->process.n_descriptors = get_known (process, "descriptors");
  self->process.read_bytes = get_known (process, "read_bytes");
  self->process.written_bytes = get_known (process, "written_bytes");
}

static void
read_totals (JankReport *self, JsonObject *root)
{
  JsonObject *repeats = jank_json_get_object (root, "repeats");
  JsonObject *limit = jank_json_get_object (root, "limit");
  JsonObject *cost = jank_json_get_object (root, "self");

  self->repeats.count = (guint) jank_json_get_int (repeats, "count", 0, G_MAXINT, 0);
  self->repeats.total_ns = jank_json_get_count (repeats, "total_ns");
  self->repeats.longest_ns = jank_json_get_count (repeats, "longest_ns");
  self->repeats.p95_ns = jank_json_get_count (repeats, "p95_ns");
  self->repeats.first_real_us = jank_json_get_time (repeats, "first");
  self->repeats.last_real_us = jank_json_get_time (repeats, "last");
  self->limit.reached = jank_json_dup_text (limit, "reached");
  self->limit.count = (guint) jank_json_get_int (limit, "count", 0, G_MAXINT, 0);
  self->limit.total_ns = jank_json_get_count (limit, "total_ns");
  self->self.samples = (guint64) jank_json_get_count (cost, "samples");
  self->self.lost_samples = (guint64) jank_json_get_count (cost, "lost_samples");
  self->self.signals_sent = (guint64) jank_json_get_count (cost, "signals_sent");
  self->self.cost_ns = jank_json_get_count (cost, "cost_ns");
  self->self.snapshot_ns = jank_json_get_count (cost, "snapshot_ns");
}

static void
read_tags (JankReport *self, JsonArray *array)
{
  guint n = MIN (array_length (array), MAX_TAGS);

  for (guint i = 0; i < n; i++)
    {
      JsonObject *object = jank_json_get_element (array, i);
      const char *name = jank_json_get_text (object, "name");
      const char *value = jank_json_get_text (object, "value");

      if (name != NULL && value != NULL)
        jank_report_add_tag (self, name, value);
    }
}

static gboolean
read_head (JankReport *self, JsonObject *root, GError **error)
{
  const char *kind = jank_json_get_text (root, "kind");

  self->id = jank_json_dup_text (root, "id");
  self->session = jank_json_dup_text (root, "session");
  self->fingerprint = jank_json_dup_text (root, "fingerprint");
  if (self->id == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("it has no ID"));
      return FALSE;
    }
  if (!jank_report_kind_from_nick (kind, &self->kind))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("it is of the unknown kind ‘%s’"),
                   kind != NULL ? kind : "");
      return FALSE;
    }
  return TRUE;
}

JankReport *
jank_report_from_json (const char *text, gsize n_bytes, GError **error)
{
  g_autoptr (JankReport) self = NULL;
  g_autoptr (JsonNode) node = jank_json_parse (text, n_bytes, JANK_REPORT_SCHEMA, error);
  JsonObject *root;

  if (node == NULL)
    return NULL;

  self = jank_report_new ();
  root = json_node_get_object (node);
  if (!read_head (self, root, error) || !read_stall (self, root, error))
    return NULL;
  read_app (self, root);

  /* What is referred to comes before what refers to it. */
  read_modules (self, jank_json_get_array (root, "modules"));
  read_frames (self, jank_json_get_array (root, "frames"));
  if (!read_stacks (self, jank_json_get_array (root, "stacks"),
                    jank_json_get_array (root, "stacks_complete"), error))
    return NULL;
  read_samples (self, jank_json_get_array (root, "samples"));
  read_heaviest (self, jank_json_get_object (root, "heaviest"));
  read_blame (self, root);
  read_tags (self, jank_json_get_array (root, "tags"));
  self->frame_clock = jank_report_frame_clock_from_json (jank_json_get_object (root, "frame_clock"),
                                                         self->stacks->len);
  read_threads (self, jank_json_get_array (root, "threads"));
  read_locks (self, jank_json_get_object (root, "locks"));
  read_sources (self, jank_json_get_array (root, "sources"));
  read_process (self, jank_json_get_object (root, "process"));
  read_totals (self, root);

  return g_steal_pointer (&self);
}
