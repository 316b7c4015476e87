/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A report is made empty, filled by one thread, then shared by reference and never changed. Any thread. */

#include "report/jank-report-private.h"

#include <string.h>

#include "base/jank-each-private.h"

G_DEFINE_BOXED_TYPE (JankReport, jank_report, jank_report_ref, jank_report_unref)

JankReport *
jank_report_new (void)
{
  JankReport *self = jank_table_new (&jank_report_table);

  g_atomic_ref_count_init (&self->n_refs);
  return self;
}

void
jank_report_add_tag (JankReport *self, const char *name, const char *value)
{
  JankReportTag *tag = g_new0 (JankReportTag, 1);

  tag->name = g_strdup (name);
  tag->value = g_strdup (value);
  g_ptr_array_add (self->tags, tag);
}

JankCulpritStep
jank_report_make_step (JankReport *self, const JankReportCall *call)
{
  const JankReportModule *module = jank_report_get_module (self, call);

  return (JankCulpritStep) { call->symbol, module != NULL ? module->path : NULL,
                             call->name_from == JANK_NAME_FROM_COLLECTOR };
}

JankCulpritStep *
jank_report_make_steps (JankReport *self)
{
  JankCulpritStep *steps = g_new0 (JankCulpritStep, self->heaviest.path->len + 1);

  for (guint i = 0; i < self->heaviest.path->len; i++)
    steps[i] = jank_report_make_step (self, jank_report_get_step_call (self, (gint) i));
  return steps;
}

/* Of a program that was not watched: a loop is in its poll, and waits for no answer that a function was called for. */
static gboolean
jank_report_is_in_loop (JankReport *self)
{
  const JankReportSample *sample = self->samples->len > 0 ? jank_report_get_sample (self, 0) : NULL;
  const char *kind = sample != NULL && sample->wait != NULL ? sample->wait->kind : NULL;
  g_autofree JankCulpritStep *steps = jank_report_make_steps (self);

  return jank_culprit_is_in_poll (steps, self->heaviest.path->len) && sample != NULL &&
         sample->state == JANK_STATE_BLOCKED && g_strcmp0 (kind, "dbus") != 0 && g_strcmp0 (kind, "child") != 0;
}

gboolean
jank_report_is_from_outside (const JankReport *self)
{
  return self->kind == JANK_REPORT_DUMP && self->self.from_outside;
}

gboolean
jank_report_is_idle (JankReport *self)
{
  return self->kind == JANK_REPORT_DUMP && self->stall.duration_ns == 0 &&
         (!jank_report_is_from_outside (self) || jank_report_is_in_loop (self));
}

const JankReportModule *
jank_report_get_module (JankReport *self, const JankReportCall *call)
{
  return call->module != JANK_REPORT_NO_INDEX ? g_ptr_array_index (self->modules, call->module) : NULL;
}

#define EXTENSIONS "/gnome-shell/extensions/"

/* Returns: the slash before the folder that tells such a file from all others of its name, else the last one;
 * (nullable) */
static const char *
jank_report_find_last_slash (const char *path)
{
  static const char *const common[] = { "/__init__.py", "/__main__.py", "/index.js" };
  const char *slash = strrchr (path, '/'), *folder = NULL;

  for (gsize i = 0; slash != NULL && i < G_N_ELEMENTS (common); i++)
    if (strcmp (slash, common[i]) == 0)
      folder = g_strrstr_len (path, slash - path, "/");
  return folder != NULL ? folder : slash;
}

/* An extension of GNOME Shell is known by its folder's name, its UUID: all of them have an extension.js. */
const char *
jank_report_shorten_path (const char *path)
{
  const char *slash = path != NULL ? jank_report_find_last_slash (path) : NULL;
  const char *extensions = path != NULL ? g_strrstr (path, EXTENSIONS) : NULL;

  return extensions != NULL && slash >= extensions + strlen (EXTENSIONS) ? extensions + strlen (EXTENSIONS)
         : slash != NULL ? slash + 1 : path;
}

const char *
jank_report_get_file_name (JankReport *self, const JankReportCall *call)
{
  const JankReportModule *module = jank_report_get_module (self, call);

  return module != NULL ? jank_report_shorten_path (module->path) : NULL;
}

gboolean
jank_report_is_own (JankReport *self, const JankReportCall *call, const JankReportInlined *inlined)
{
  JankCulpritStep step = jank_report_make_step (self, call);

  if (inlined != NULL)
    step.function = inlined->symbol;
  return inlined != NULL ? jank_culprit_is_own_inlined (&step, inlined->file) : jank_culprit_is_own (&step);
}

/* Returns: (nullable): the program's innermost function that was inlined into call */
static const JankReportInlined *
jank_report_find_own_inlined (JankReport *self, const JankReportCall *call)
{
  JANK_EACH (const JankReportInlined, inlined, call->inlined)
    if (inlined->symbol != NULL && jank_report_is_own (self, call, inlined))
      return inlined;
  return NULL;
}

static void
jank_report_set_place (JankReportThread *thread, char *function, const char *file, guint line)
{
  g_free (thread->function);
  thread->function = function;
  jank_set_text (&thread->file, file);
  thread->line = line;
}

/* What has a name comes first. */
static void
jank_report_name_thread (JankReport *self, JankReportThread *thread)
{
  const JankReportStack *stack = g_ptr_array_index (self->stacks, thread->stack);
  gboolean found = FALSE;

  for (guint i = 0; i < stack->calls->len; i++)
    {
      guint index = g_array_index (stack->calls, guint, i);
      const JankReportCall *call = g_ptr_array_index (self->calls, index);
      const JankReportInlined *inlined = jank_report_find_own_inlined (self, call);
      gboolean is_own = jank_report_is_own (self, call, NULL);

      if (inlined != NULL)
        jank_report_set_place (thread, g_strdup (inlined->symbol), inlined->file, inlined->line);
      else if (is_own && (call->symbol != NULL || !found))
        jank_report_set_place (thread, jank_report_call_to_text (self, index), call->file, call->line);
      if (inlined != NULL || (is_own && call->symbol != NULL))
        break;
      found |= is_own;
    }
}

void
jank_report_name_threads (JankReport *self)
{
  JANK_EACH (JankReportThread, thread, self->threads)
    if (thread->stack != JANK_REPORT_NO_INDEX)
      jank_report_name_thread (self, thread);
}

gboolean
jank_report_is_thread_of_platform (const char *name)
{
  static const char *const names[] = { "gmain", "gdbus", "dconf worker", "pool-spawner", NULL };

  return name != NULL && g_strv_contains (names, name);
}

const JankReportThread *
jank_report_find_thread (JankReport *report, gint tid)
{
  JANK_EACH (const JankReportThread, thread, report->threads)
    if (thread->tid == tid)
      return thread;
  return NULL;
}

gboolean
jank_report_is_owner_read (JankReport *report, const JankReportWait *wait)
{
  gboolean has_observed = FALSE;

  JANK_EACH (const JankReportThread, thread, report->threads)
    {
      if (thread->wait != NULL && thread->wait->lock.address == wait->lock.address &&
          thread->wait->lock.owner == wait->lock.owner)
        return TRUE;
      has_observed |= thread->observed;
    }
  return !has_observed;
}

gboolean
jank_report_same_function (JankReport *self, guint call_a, guint call_b)
{
  const JankReportCall *a = jank_report_get_call (self, (gint) call_a), *b = jank_report_get_call (self, (gint) call_b);

  return a == b || (a->module == b->module && a->offset - a->symbol_offset == b->offset - b->symbol_offset);
}

/* The start of a function without a name, not where it was interrupted: the same function always has the same text. */
char *
jank_report_call_to_text (JankReport *self, guint i)
{
  const JankReportCall *call = jank_report_get_call (self, (gint) i);
  const char *file = jank_report_get_file_name (self, call);

  if (call->symbol != NULL && call->name_from == JANK_NAME_FROM_TYPE_SYSTEM && strchr (call->symbol, ' ') == NULL)
    return g_strconcat (JANK_REPORT_SLOT, call->symbol, NULL);
  if (call->symbol != NULL)
    return g_strdup (call->symbol);
  return g_strdup_printf ("%s%s0x%" G_GINT64_MODIFIER "x", file != NULL ? file : "", file != NULL ? "+" : "",
                          call->offset - call->symbol_offset);
}

gboolean
jank_report_has_callback (JankReport *self, gint callback)
{
  return callback != JANK_REPORT_NO_INDEX
         && jank_report_get_call (self, callback)->name_from != JANK_NAME_FROM_CALLER;
}

gint64
jank_report_get_length_ns (JankReport *self)
{
  gint64 excluded_ns = self->stall.stopped_ns + self->stall.traced_ns; /* cannot overflow: JANK_JSON_MAX_COUNT */

  excluded_ns += MIN (self->stall.own_ns, G_MAXINT64 - excluded_ns);
  return self->stall.duration_ns + MIN (excluded_ns, G_MAXINT64 - self->stall.duration_ns);
}

/* A program's "sort" calls the library's "sort". */
static gboolean
jank_report_is_culprit_step (JankReport *self, gint step)
{
  const char *function = self->culprit.inlined_into != NULL ? self->culprit.inlined_into : self->culprit.function;
  const char *file = jank_report_get_file_name (self, jank_report_get_step_call (self, step));
  const char *culprit_file = jank_report_shorten_path (self->culprit.module);
  g_autofree char *text = jank_report_call_to_text (self, (guint) jank_report_get_step (self, step)->call);

  return g_strcmp0 (text, function) == 0 && (file == NULL || culprit_file == NULL || g_str_equal (file, culprit_file));
}

gint
jank_report_find_culprit_step (JankReport *self)
{
  gint step = (gint) self->heaviest.path->len - 1;

  while (step >= 0 && !jank_report_is_culprit_step (self, step))
    step--;
  return step >= 0 ? step : JANK_REPORT_NO_INDEX;
}

gint
jank_report_find_own_step (JankReport *self)
{
  gint culprit = jank_report_find_culprit_step (self);

  for (gint i = (gint) self->heaviest.path->len - 1; culprit >= 0 && i > culprit; i--)
    {
      const JankReportCall *call = jank_report_get_step_call (self, i);

      if (jank_report_is_own (self, call, NULL))
        return call->symbol == NULL ? i : culprit;
    }
  return culprit;
}

gboolean
jank_report_is_creation (const char *function)
{
  const char *dot = function != NULL && g_str_has_prefix (function, JANK_REPORT_SLOT) ? strrchr (function, '.') : NULL;

  return dot != NULL && (g_str_equal (dot, ".init") || g_str_has_prefix (dot, ".construct"));
}

/* 0 and NULL, where self is NULL, are the first value of every enumeration here. */
#define GETTER(type, name, value)            \
  type name (JankReport *self)           \
  {                                          \
    g_return_val_if_fail (self != NULL, 0);  \
    return value;                            \
  }

/**
 * jank_report_ref:
 * @self: a report
 *
 * Acquires a reference. Any thread.
 *
 * Returns: (transfer full): @self
 */
JankReport *
jank_report_ref (JankReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->n_refs);
  return self;
}

/**
 * jank_report_unref:
 * @self: (transfer full): a report
 *
 * Releases a reference; the last one frees the report. Any thread.
 */
void
jank_report_unref (JankReport *self)
{
  g_return_if_fail (self != NULL);

  if (g_atomic_ref_count_dec (&self->n_refs))
    jank_table_free (&jank_report_table, self);
}

/**
 * jank_report_get_id:
 * @self: a report
 *
 * The name of the report, unique in the store: `jankwatch show` accepts it.
 *
 * Returns: (transfer none): UTC time, process and number, as in `20261121-153012-4242-1`
 */
GETTER (const char *, jank_report_get_id, self->id)

/**
 * jank_report_get_kind:
 * @self: a report
 *
 * What the report is about.
 *
 * Returns: its kind
 */
GETTER (JankReportKind, jank_report_get_kind, self->kind)

/**
 * jank_report_get_duration_ns:
 * @self: a report
 *
 * How long the stall lasted, without the time for which the system was suspended, or the program stopped or held by a
 * debugger. Of a spin and of CPU use, how long that lasted.
 *
 * Returns: nanoseconds
 */
GETTER (gint64, jank_report_get_duration_ns, self->stall.duration_ns)

/**
 * jank_report_get_severity:
 * @self: a report
 *
 * How bad the stall was.
 *
 * Returns: the class of its duration
 */
GETTER (JankSeverity, jank_report_get_severity, self->stall.severity)

/**
 * jank_report_get_outcome:
 * @self: a report
 *
 * How the stall ended. Reports that a signal brings have recovered.
 *
 * Returns: the outcome
 */
GETTER (JankOutcome, jank_report_get_outcome, self->stall.outcome)

/**
 * jank_report_get_culprit:
 * @self: a report
 *
 * The function to look at first: the deepest one of the program itself on the heaviest path, else the deepest named
 * one of the platform.
 *
 * Returns: (transfer none) (nullable): its name, or file and offset, as in `libgtk-4.so.1+0x24cba8`, of a function
 *   without name; %NULL when no stack could be read
 */
GETTER (const char *, jank_report_get_culprit, self->culprit.function)

/**
 * jank_report_get_culprit_module:
 * @self: a report
 *
 * The file that holds the culprit: the program, a library or a script.
 *
 * Returns: (transfer none) (nullable): its path, or %NULL when it is not known
 */
GETTER (const char *, jank_report_get_culprit_module, self->culprit.module)

/**
 * jank_report_get_culprit_file:
 * @self: a report
 *
 * The source file of the culprit.
 *
 * Returns: (transfer none) (nullable): its path as debug information or the interpreter has it, or %NULL when it is not
 *   known
 */
GETTER (const char *, jank_report_get_culprit_file, self->culprit.file)

/**
 * jank_report_get_culprit_line:
 * @self: a report
 *
 * The line in [method@Report.get_culprit_file].
 *
 * Returns: the line, or 0 when it is not known
 */
GETTER (guint, jank_report_get_culprit_line, self->culprit.line)

/**
 * jank_report_get_culprit_reason:
 * @self: a report
 *
 * Why this function is the culprit.
 *
 * Returns: (transfer none) (nullable): a sentence in English, never translated; %NULL without a culprit
 */
GETTER (const char *, jank_report_get_culprit_reason, self->culprit.reason)
