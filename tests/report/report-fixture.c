/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report-fixture.h"

#include "base/jank-clock-private.h"

static const char *const module_paths[] = {
  "/usr/libexec/jankwatch-demo",
  "/usr/lib/x86_64-linux-gnu/libgtk-4.so.1.800.3",
  "/usr/lib/x86_64-linux-gnu/libgobject-2.0.so.0.7400.6",
  "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0.7400.6",
  "/usr/lib/x86_64-linux-gnu/libgio-2.0.so.0.7400.6",
  "/usr/lib/x86_64-linux-gnu/libc.so.6",
};

/* The call chain, outermost first, with the shares of its functions; the last two are leaves. */
static const struct
{
  gint        module;
  guint64     offset;
  const char *symbol;
  guint64     symbol_offset;
  double      share, self_share;
} chain[] = {
  { 0, 0x2ab1, "_start", 0x21, 1.0, 0.0 },
  { 5, 0x27285, "__libc_start_main", 0x85, 1.0, 0.0 },
  { 5, 0x271ca, NULL, 0x7a, 1.0, 0.0 },
  { 0, 0x2a30, "main", 0x120, 1.0, 0.0 },
  { 4, 0xdf2ed, "g_application_run", 0x1ad, 1.0, 0.0 },
  { 3, 0x5561f, "g_main_context_iteration", 0x2f, 1.0, 0.0 },
  { 3, 0x5529f, NULL, 0x1f, 1.0, 0.0 },
  { 1, 0x24cba8, NULL, 0x98, 1.0, 0.0 },
  { 2, 0x2bc80, "g_signal_emit", 0x90, 1.0, 0.0 },
  { 0, 0x3f10, "on_button_clicked", 0x40, 0.99, 0.01 },
  { 0, 0x3b20, "compute_primes", 0x60, 0.97, 0.95 },
  { 0, 0x3a10, "is_prime", 0x10, 0.0, 0.0 },
  { 5, 0xcd2c5, "clock_nanosleep", 0x65, 0.0, 0.0 },
};

#define N_PATH 11
#define IS_PRIME 11
#define NANOSLEEP 12

static void
add_frames (JankReport *report)
{
  for (guint i = 0; i < G_N_ELEMENTS (module_paths); i++)
    {
      JankReportModule *module = jank_report_module_new ();

      module->path = g_strdup (module_paths[i]);
      module->build_id = g_strdup_printf ("%040x", i + 1);
      module->base = G_GUINT64_CONSTANT (0x7f0000000000) + i * 0x1000000;
      g_ptr_array_add (report->modules, module);
    }
  for (guint i = 0; i < G_N_ELEMENTS (chain); i++)
    {
      JankReportCall *frame = jank_report_call_new ();

      frame->module = chain[i].module;
      frame->offset = chain[i].offset;
      frame->symbol = g_strdup (chain[i].symbol);
      if (frame->symbol != NULL)
        frame->name_from = frame->module == 0 ? JANK_NAME_FROM_SYMTAB : JANK_NAME_FROM_EXPORTED;
      frame->symbol_offset = chain[i].symbol_offset;
      g_ptr_array_add (report->calls, frame);
    }
}

static gint
add_stack (JankReport *report, guint depth, gint leaf, gboolean complete)
{
  JankReportStack *stack = jank_report_stack_new ();
  guint frame = (guint) leaf;

  if (leaf != JANK_REPORT_NO_INDEX)
    g_array_append_val (stack->calls, frame);
  for (guint i = depth; i > 0; i--)
    {
      frame = i - 1;
      g_array_append_val (stack->calls, frame);
    }
  stack->complete = complete;
  g_ptr_array_add (report->stacks, stack);
  return (gint) report->stacks->len - 1;
}

static void
add_sample (JankReport *report, gint64 at_ms, gint64 weight_ms, gint stack, const char *syscall)
{
  JankReportSample *sample = jank_report_sample_new ();

  sample->at_ns = at_ms * JANK_NS_PER_MS;
  sample->weight_ns = weight_ms * JANK_NS_PER_MS;
  sample->stack = stack;
  sample->by_signal = syscall == NULL;
  sample->state = stack == JANK_REPORT_NO_INDEX ? JANK_STATE_UNKNOWN
                  : syscall != NULL ? JANK_STATE_BLOCKED : JANK_STATE_COMPUTING;
  if (syscall != NULL)
    {
      sample->wait = jank_report_wait_new ();
      sample->wait->kind = g_strdup ("sleep");
      sample->wait->syscall = g_strdup (syscall);
      sample->wait->detail = g_strdup ("sleep of 40 ms");
      sample->wait->timeout_ns = 40 * JANK_NS_PER_MS;
      sample->wait->n_bytes = 0;
    }
  g_ptr_array_add (report->samples, sample);
}

static void
add_samples (JankReport *report)
{
  gint computing = add_stack (report, N_PATH, JANK_REPORT_NO_INDEX, TRUE);
  gint in_leaf = add_stack (report, N_PATH, IS_PRIME, TRUE);
  gint sleeping = add_stack (report, N_PATH - 1, NANOSLEEP, FALSE);
  const JankReportBranch sleep = { { NANOSLEEP, 0.2, 0.2 }, 9, 248 * JANK_NS_PER_MS };

  add_sample (report, 16, 320, computing, NULL);
  add_sample (report, 336, 400, computing, NULL);
  add_sample (report, 736, 80, in_leaf, NULL);
  add_sample (report, 816, 20, JANK_REPORT_NO_INDEX, NULL);
  add_sample (report, 836, 380, computing, NULL);
  add_sample (report, 1216, 24, sleeping, "clock_nanosleep");

  report->heaviest.rule = g_strdup ("path");
  report->heaviest.function = g_strdup ("compute_primes");
  report->heaviest.module = g_strdup (module_paths[0]);
  report->heaviest.share = 0.97;
  report->heaviest.self_share = 0.95;
  report->heaviest.confidence = 0.94;
  report->heaviest.n_samples = 122;
  report->heaviest.stack = computing;
  report->heaviest.unanswered = g_strdup ("javascript");
  for (guint i = 0; i < N_PATH; i++)
    {
      JankReportStep step = { (gint) i, chain[i].share, chain[i].self_share };

      g_array_append_val (report->heaviest.path, step);
    }
  g_array_append_val (report->heaviest.branches, sleep);
}

/* The main thread waits for the worker's mutex, and that for a file. */
static void
add_threads (JankReport *report)
{
  static const struct { gint tid; const char *name, *policy; gint priority; JankThreadState state; } threads[] = {
    { 4242, "jankwatch-demo", "other", 0, JANK_STATE_BLOCKED },
    { 4245, "thumbnailer", "other", 0, JANK_STATE_BLOCKED },
    { 4246, "pool-spawner", "fifo", 10, JANK_STATE_COMPUTING },
  };

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      JankReportThread *thread = jank_report_thread_new ();

      thread->tid = threads[i].tid;
      thread->name = g_strdup (threads[i].name);
      thread->state = threads[i].state;
      thread->policy = g_strdup (threads[i].policy);
      thread->priority = threads[i].priority;
      thread->nice = 5;
      thread->cpu_ns = (i + 1) * JANK_NS_PER_S;
      thread->stall_cpu_ns = i * 300 * JANK_NS_PER_MS;
      thread->share = 0.25 * i;
      thread->observed = i == 0;
      g_ptr_array_add (report->threads, thread);
    }
}

static void
add_locks (JankReport *report)
{
  JankReportThread *main_thread = g_ptr_array_index (report->threads, 0);
  JankReportThread *worker = g_ptr_array_index (report->threads, 1);
  const gint waiting[] = { 4242, 4245 };

  main_thread->stack = 2;
  main_thread->function = g_strdup ("compute_primes");
  main_thread->file = g_strdup ("/home/user/src/demo.c");
  main_thread->line = 123;
  main_thread->wait = jank_report_wait_new ();
  main_thread->wait->kind = g_strdup ("lock");
  main_thread->wait->syscall = g_strdup ("futex");
  main_thread->wait->detail = g_strdup ("mutex at 0x5581c0ffee00 of thread 4245");
  main_thread->wait->lock.kind = g_strdup ("mutex");
  main_thread->wait->lock.address = G_GUINT64_CONSTANT (0x5581c0ffee00);
  main_thread->wait->lock.owner = main_thread->waits_for = 4245;
  main_thread->wait->peer = g_strdup ("sshfs");
  worker->stack = add_stack (report, 3, NANOSLEEP, TRUE);
  worker->wait = jank_report_wait_new ();
  worker->wait->kind = g_strdup ("file");
  worker->wait->syscall = g_strdup ("read");
  worker->wait->target = g_strdup ("/home/user/.cache/thumbs.db");
  worker->wait->filesystem = g_strdup ("nfs4");
  worker->wait->mount = g_strdup ("/home/user/.cache");
  worker->wait->n_calls = 3;
  worker->wait->detail = g_strdup ("read of 4096 bytes from /home/user/.cache/thumbs.db (nfs4)");
  worker->wait->n_bytes = 4096;
  worker->wait->peer_pid = 77;
  /* No wait has all of it. */
  worker->wait->dbus.name = g_strdup ("org.jankwatch.Slow");
  worker->wait->dbus.owner = g_strdup (":1.7");
  worker->wait->dbus.path = g_strdup ("/org/jankwatch/Slow");
  worker->wait->dbus.interface = g_strdup ("org.freedesktop.DBus.Properties");
  worker->wait->dbus.method = g_strdup ("org.freedesktop.DBus.Properties.Get");
  worker->wait->dbus.property = g_strdup ("org.jankwatch.Slow.Level");
  worker->wait->dbus.bus = g_strdup ("unix:path=/run/user/1000/bus");
  g_array_append_vals (report->locks.chain, waiting, G_N_ELEMENTS (waiting));
}

static void
add_sources (JankReport *report)
{
  static const struct { const char *name; gint callback; gint64 count, total_ms; } sources[] = {
    { "load thumbnails", 9, 12, 8000 }, { "", 10, 4800, 120 }, { "tick", JANK_REPORT_NO_INDEX, 60, 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      JankReportSource *source = jank_report_source_new ();

      source->name = g_strdup (sources[i].name);
      source->callback = sources[i].callback;
      source->priority = 200;
      source->count = sources[i].count;
      source->total_ns = sources[i].total_ms * JANK_NS_PER_MS;
      source->longest_ns = source->total_ns / 3;
      g_ptr_array_add (report->sources, source);
    }
  g_array_append_val (report->before, ((JankReportTurn) {
    report->stall.began_monotonic_ns - 2 * JANK_NS_PER_S, 48 * JANK_NS_PER_MS, report->source.callback }));
  g_ptr_array_add (report->contributors, jank_report_source_new ());
  *(JankReportSource *) report->contributors->pdata[0] = (JankReportSource) {
    .name = g_strdup ("rows"), .callback = report->source.callback, .count = 6, .total_ns = 310 * JANK_NS_PER_MS,
        .longest_ns = 60 * JANK_NS_PER_MS };
}

/* A line, and a function that was inlined there. */
static void
add_lines (JankReport *report)
{
  JankReportCall *frame = g_ptr_array_index (report->calls, IS_PRIME - 1);
  JankReportInlined *inlined = jank_report_inlined_new ();

  frame->file = g_strdup ("/home/user/src/demo.c");
  frame->line = 123;
  frame->language = g_strdup ("python");
  inlined->symbol = g_strdup ("divides");
  inlined->file = g_strdup ("/usr/include/math.h");
  inlined->line = 7;
  g_ptr_array_add (frame->inlined, inlined);
}

static void
add_process (JankReport *report)
{
  report->process.rss_bytes = 61 << 20;
  report->process.cpu_ns = 3 * JANK_NS_PER_S;
  report->process.n_threads = 6;
  report->process.n_descriptors = 31;
  report->process.read_bytes = 12 << 20;
  report->process.written_bytes = 4096;
  report->process.machine = (JankPressure) { 0.41, 0.02, 0.88 };
  report->process.group = (JankPressure) { 0.8, 0, 0 };
}

static void
add_times (JankReport *report)
{
  report->stall.state_ns[JANK_STATE_COMPUTING] = 1216 * JANK_NS_PER_MS;
  report->stall.state_ns[JANK_STATE_BLOCKED] = 24 * JANK_NS_PER_MS;
  report->stall.watcher_late_ns = 3 * JANK_NS_PER_MS;
  report->stall.n_turns = 1;
  report->stall.fps = 43.5;
  report->repeats.count = 3;
  report->repeats.total_ns = 2 * report->stall.duration_ns;
  report->repeats.longest_ns = report->stall.duration_ns;
  report->repeats.p95_ns = report->stall.duration_ns;
  report->repeats.first_real_us = report->stall.began_real_us;
  report->repeats.last_real_us = report->stall.began_real_us + 60 * G_USEC_PER_SEC;
  g_array_append_vals (report->repeats.lengths, (JankReportLength[]) {
    { 240 * JANK_NS_PER_MS, 1 }, { 1000 * JANK_NS_PER_MS, 1 }, { 1240 * JANK_NS_PER_MS, 1 } }, 3);
  report->interaction.kind = JANK_INTERACTION_RELEASE;
  report->interaction.stamp_ns = report->stall.began_monotonic_ns - 2 * JANK_NS_PER_MS;
  report->interaction.delay_ns = 2 * JANK_NS_PER_MS;
  report->interaction.waited_ns = report->stall.duration_ns + 2 * JANK_NS_PER_MS;
  report->interaction.widget = g_strdup ("GtkButton");
  report->interaction.label = g_strdup ("Primes of alice");
  g_ptr_array_add (report->interactions, jank_report_interaction_new ());
  jank_report_interaction_set (report->interactions->pdata[0], &(JankInteraction) {
    .kind = JANK_INTERACTION_KEY, .stamp_ns = report->stall.began_monotonic_ns - 900 * JANK_NS_PER_MS,
    .handled_ns = report->stall.began_monotonic_ns - 880 * JANK_NS_PER_MS, .widget = "GtkEntry", .label = "alice",
  }, 40 * JANK_NS_PER_MS);
  report->limit.reached = g_strdup ("session");
  report->limit.count = 7;
  report->limit.total_ns = 3 * JANK_NS_PER_S;
}

JankReportFrameClock *
report_fixture_new_frame_clock (void)
{
  g_autofree JankFrameSummary *summary = g_new0 (JankFrameSummary, 1);
  g_autofree JankFrameSnapshot *merged = g_new0 (JankFrameSnapshot, 1);
  JankFrameNumbers *total = &summary->total;
  JankReportFrameClock *frame_clock;
  JankReportLateFrame *late;

  *total = (JankFrameNumbers) {
    .frames = 1240, .startup_frames = 3, .active_ns = 20640 * JANK_NS_PER_MS, .fps = 59.75, .fps_now = 60.0,
    .fps_low = 17.5, .refresh_ns = 16666667, .late = 12, .late_program = 9, .late_compositor = 3, .dropped = 31,
    .dropped_program = 26, .slow = 14, .frozen = 1, .jank = 4, .big_jank = 2, .stutter = 0.0625,
    .hitch_ms_per_s = 4.125, .hitch_compositor_ms_per_s = 0.5, .hitch_band = JANK_HITCH_GOOD, .p50_ns = 16711680,
    .p90_ns = 16973824, .p95_ns = 17235968, .p99_ns = 50331648, .longest_ns = 812 * JANK_NS_PER_MS, .throttled = 2,
    .unseen = 2, .animated = 1100, .animation_error_ns = 1250 * JANK_NS_PER_US,
    .buckets = { { 1228, 13 }, { 5, 18 }, { 0, 0 }, { 0, 0 }, { 1, 48 } },
  };
  summary->n_windows = 2;
  g_strlcpy (summary->windows[0].name, "Demo", JANK_FRAME_NAME_N_BYTES);
  summary->windows[0].numbers = *total;
  g_strlcpy (summary->windows[1].name, "Never drew", JANK_FRAME_NAME_N_BYTES);

  merged->n_late = 2;
  merged->late[0].verdict = (JankFrameVerdict) {
    .began_ns = 4700 * JANK_NS_PER_S, .ended_ns = 4700 * JANK_NS_PER_S + 50 * JANK_NS_PER_MS,
    .interval_ns = 50 * JANK_NS_PER_MS, .judged_ns = 50 * JANK_NS_PER_MS, .n_dropped = 2,
    .over_ns = 8 * JANK_NS_PER_MS, .busiest_ns = 9 * JANK_NS_PER_MS,
    .busiest = JANK_FRAME_LAYOUT, .phase = JANK_FRAME_LAYOUT, .phase_ns = 9 * JANK_NS_PER_MS, .who =
    JANK_FRAME_LATE_PROGRAM,
  };
  merged->late[0].stack = 1;
  merged->late[1].verdict = (JankFrameVerdict) {
    .began_ns = 4711 * JANK_NS_PER_S, .ended_ns = 4711 * JANK_NS_PER_S + 33 * JANK_NS_PER_MS,
    .interval_ns = 17 * JANK_NS_PER_MS, .judged_ns = 33 * JANK_NS_PER_MS, .n_dropped = 1,
    .busiest = JANK_FRAME_BETWEEN, .who = JANK_FRAME_LATE_COMPOSITOR,
  };
  merged->late[1].stack = -1;
  frame_clock = jank_report_frame_clock_from (summary, merged, TRUE);
  late = &g_array_index (frame_clock->late_frames, JankReportLateFrame, 0);
  g_strlcpy (late->culprit, "compute_primes", sizeof late->culprit);
  g_strlcpy (late->report, "20261121-153012-4242-1", sizeof late->report);
  g_array_append_val (frame_clock->parts, ((JankReportFramePart) {
    late->ended_ns, "on_row", JANK_FRAME_BETWEEN, .count = 6, .total_ns = 31 * JANK_NS_PER_MS }));
  return frame_clock;
}

static JankReportLink *
add_link (JankReportChain *made, gint pid, const char *name, JankHopKind kind, gint peer)
{
  JankReportLink *link = jank_report_link_new ();

  link->pid = link->tid = pid;
  link->name = g_strdup (name);
  link->kind = kind;
  g_array_append_val (link->peers, peer);
  g_ptr_array_add (made->links, link);
  return link;
}

JankReportChain *
report_fixture_new_chain (void)
{
  JankReportChain *made = jank_report_chain_new ();
  JankReportLink *first = add_link (made, 4242, "jankwatch-demo", JANK_HOP_FILE_LOCK, 812);
  JankReportLink *last = add_link (made, 812, "backup", JANK_HOP_SOCKET, 4242);

  made->began_monotonic_ns = 4711 * JANK_NS_PER_S;
  made->at_ns = 100 * JANK_NS_PER_MS;
  made->duration_ns = 1240 * JANK_NS_PER_MS;
  made->cause = g_strdup ("deadlock");
  made->is_settled = TRUE;
  made->closes_at = 0;
  first->syscall = g_strdup ("flock");
  first->target = g_strdup ("/home/user/x.db");
  first->filesystem = g_strdup ("nfs4");
  first->mount = g_strdup ("/home/user");
  last->user = g_strdup ("root");
  last->unit = g_strdup ("backup.service");
  last->target = g_strdup ("/run/user/1000/x.socket");
  last->timeout_ns = JANK_NS_PER_S;
  last->is_rest = TRUE;
  last->function = g_strdup ("ask");
  last->file = g_strdup ("/home/user/ask.c");
  last->line = 7;
  return made;
}

JankReport *
report_fixture_new_bare (const char *id)
{
  JankReport *report = jank_report_new ();

  report->id = g_strdup (id);
  report->stall.began_real_us = G_GINT64_CONSTANT (1795275012123456);
  report->stall.began_monotonic_ns = 4711 * JANK_NS_PER_S;
  report->stall.duration_ns = 1240 * JANK_NS_PER_MS;
  report->stall.threshold_ns = 100 * JANK_NS_PER_MS;
  report->stall.severity = JANK_SEVERITY_HANG;
  report->stall.outcome = JANK_OUTCOME_RECOVERED;
  report->app.pid = 4242;
  return report;
}

JankReport *
report_fixture_new (const char *id)
{
  JankReport *report = report_fixture_new_bare (id);

  report->session = g_strdup ("20261121-153000-4200");
  report->app.name = g_strdup ("jankwatch-demo");
  report->app.id = g_strdup ("org.jankwatch.Demo");
  report->app.exe = g_strdup (module_paths[0]);
  report->app.version = g_strdup ("1.2");
  report->toolkit.name = g_strdup ("GTK");
  report->toolkit.version = g_strdup ("4.8.3");
  report->toolkit.backend = g_strdup ("X11");
  report->toolkit.renderer = g_strdup ("GskGLRenderer");
  report->stall.cpu_ns = 1200 * JANK_NS_PER_MS;
  report->stall.suspended_ns = 3600 * JANK_NS_PER_S;
  report->stall.stopped_ns = 2 * JANK_NS_PER_S;
  report->stall.traced_ns = 1;
  report->stall.loop_depth = 1;
  add_frames (report);
  report->source.name = g_strdup ("GDK X11 Event source (:99)");
  report->source.priority = 0;
  report->source.callback = 9;
  add_samples (report);
  report->culprit.function = g_strdup ("compute_primes");
  report->culprit.module = g_strdup (module_paths[0]);
  report->culprit.file = g_strdup ("demo.c");
  report->culprit.line = 123;
  report->culprit.callee = g_strdup ("is_prime");
  report->culprit.callee_share = 0.5;
  report->culprit.reason = g_strdup ("deepest function of the program on the heaviest path");
  jank_report_add_tag (report, "window", "Primes");
  jank_report_add_tag (report, "focus", "GtkButton");
  jank_report_add_tag (report, "action", "app.compute");
  jank_report_add_tag (report, "primes", "up to 100000");
  report->frame_clock = report_fixture_new_frame_clock ();
  report->fingerprint = g_strdup ("0123456789abcdef");
  add_threads (report);
  add_locks (report);
  add_sources (report);
  add_lines (report);
  add_process (report);
  add_times (report);
  report->self.snapshot_ns = 900 * JANK_NS_PER_US;
  report->self.from_outside = TRUE;
  report->self.n_stopped = 2;
  report->self.stopped_ns = 90 * JANK_NS_PER_US;
  report->self.samples = 122;
  report->self.lost_samples = 1;
  report->self.starved = 3;
  report->self.signals_sent = 120;
  report->self.cost_ns = 2500 * JANK_NS_PER_US;
  return report;
}
