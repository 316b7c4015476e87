/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "javascript/jank-javascript-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-each-private.h"
#include "base/jank-error.h"
#include "base/jank-memory-private.h"
#include "javascript/jank-engine-private.h"
#include "elf/jank-exports-private.h"

/* An answer that comes this soon after a sample belongs to it, whatever else is going on. */
#define SOON_NS JANK_NS_PER_MS

/* Answers may take at most one part in this many of the engine thread's time, and what it has not given for so long may
 * be made up for: a thread without a CPU has few samples, each of which stands for much time. Deep recursion makes
 * answers long. */
#define COST_SHARE 100
#define SPARE_NS   (400 * JANK_NS_PER_MS)

#define MAX_CALLS   (JANK_STACK_MAX_CALLS / 2)
#define MAX_ANSWERS 16

/* Functions in which a loop runs its sources: calls outside them belong to the loop's caller. */
static const char *const loop_functions[] = { "g_main_context_dispatch", "g_main_context_iteration",
                                             "g_main_loop_run" };
static const char *const poll_functions[] = { "poll", "ppoll" };
/* Entered through these, the engine collects garbage and runs no JavaScript. */
static const char *const collectors[] = { "_Z5JS_GCP9JSContextN2JS8GCReasonE", "_Z10JS_MaybeGCP9JSContext" };

/* What these are on a stack. */
#define COLLECTION "JS_GC"

#define MAX_VERSIONS 4 /* of one symbol */
#define MAX_READS    (1 << 16) /* of memory, for a sample */

typedef struct
{
  guint32  number;
  gint64   at_ns;
  guint    n_marked; /* stacks that were waiting for it */
  gint     depth;
  guint    n_calls, n_outer;
  JankCall calls[MAX_CALLS];
} Answer;

struct _JankJavascript
{
  JankCodeMap      *map;
  guint             n_seen;     /* modules of the map that have been looked at */
  guint32           engine, glib, libc; /* in the map, or JANK_MODULE_NONE */
  GArray           *loops, *polls; /* (owned) guint64: where loop_functions and poll_functions begin */
  GArray           *collectors; /* (owned) guint64 */
  guint32           number;     /* of the request that is under way, 0: none */
  guint             n_marked;   /* stacks that wait for it */
  gint              depth;      /* the least of theirs */
  gint64            next_ns;    /* the earliest time for the next */
  GArray           *answers;    /* (owned) Answer */
  JankEngineAnswer *answer;     /* (owned) */
  gboolean          has_other_loops; /* the first loop was nested, so the outer loop's callers are not always on the
                                        stack */
  gboolean          was_said;
};

static JankJavascript *
jank_javascript_new (JankCodeMap *map)
{
  JankJavascript *self = g_new0 (JankJavascript, 1);

  self->map = map;
  self->engine = self->glib = self->libc = JANK_MODULE_NONE;
  self->loops = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->polls = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->collectors = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->answers = g_array_new (FALSE, FALSE, sizeof (Answer));
  self->answer = g_new (JankEngineAnswer, 1);
  return self;
}

static void
jank_javascript_rest (JankJavascript *self)
{
  jank_engine_withdraw (self->number);
  self->number = 0;
  g_array_set_size (self->answers, 0);
}

static void
jank_javascript_free (JankJavascript *self)
{
  jank_javascript_rest (self);
  g_array_unref (self->loops);
  g_array_unref (self->polls);
  g_array_unref (self->collectors);
  g_array_unref (self->answers);
  g_free (self->answer);
  g_free (self);
}

/* And where they jump to, if with_jumps. */
static void
jank_javascript_add_functions (GArray *functions, guint64 link_map, const char *const *names, guint n_names,
                               gboolean with_jumps)
{
  JankExport found[MAX_VERSIONS];
  guint64 jumps[JANK_EXPORTS_MAX_JUMPS];
  JankExports exports;

  if (link_map == 0 || !jank_exports_open (link_map, &exports))
    return;
  for (guint i = 0; i < n_names; i++)
    {
      guint n = jank_exports_find (&exports, names[i], found, MAX_VERSIONS);

      for (guint k = 0; k < n; k++)
        {
          g_array_append_val (functions, found[k].address);
          if (with_jumps)
            g_array_append_vals (functions, jumps, jank_exports_find_jumps (&found[k], jumps, JANK_EXPORTS_MAX_JUMPS));
        }
    }
}

static gboolean
jank_javascript_has_function (const GArray *functions, guint64 function)
{
  for (guint i = 0; i < functions->len; i++)
    if (g_array_index (functions, guint64, i) == function)
      return TRUE;
  return FALSE;
}

/* Looks at the modules added to the map since the last call. */
static void
jank_javascript_look (JankJavascript *self)
{
  for (; self->n_seen < jank_code_map_get_n_modules (self->map); self->n_seen++)
    {
      const JankModule *module = jank_code_map_get (self->map, self->n_seen);
      const char *slash = module->path != NULL ? strrchr (module->path, '/') : NULL;
      const char *file = slash != NULL ? slash + 1 : "";

      if (!module->loaded)
        continue;
      if (g_str_has_prefix (file, "libglib-2.0.so"))
        {
          self->glib = self->n_seen;
          jank_javascript_add_functions (self->loops, module->link_map, loop_functions, G_N_ELEMENTS (loop_functions),
                                         FALSE);
        }
      else if (g_str_has_prefix (file, "libc.so"))
        {
          self->libc = self->n_seen;
          jank_javascript_add_functions (self->polls, module->link_map, poll_functions, G_N_ELEMENTS (poll_functions),
                                         FALSE);
        }
      else if (g_str_has_prefix (file, "libmozjs-"))
        {
          self->engine = self->n_seen;
          jank_javascript_add_functions (self->collectors, module->link_map, collectors, G_N_ELEMENTS (collectors),
                                         TRUE);
        }
    }
}

/* Whether the call is the engine's or compiled by it. */
static gboolean
jank_javascript_is_engine (const JankJavascript *self, const JankCall *call)
{
  return call->module == self->engine || call->module == JANK_MODULE_NONE;
}

/* i: one of the engine's calls. Returns: index of the outermost in the same unbroken series */
static guint
jank_javascript_find_end (const JankJavascript *self, const JankStack *stack, guint i)
{
  while (i + 1 < stack->n_calls && jank_javascript_is_engine (self, &stack->calls[i + 1]))
    i++;
  return i;
}

/* Returns: index of the call that runs the innermost loop, if that loop is in its poll; else 0. In a stall that is
 * somebody's private loop, as GIO's synchronous calls run one: the watched loop does not stall in its own poll. */
static guint
jank_javascript_skip_polling_loop (const JankJavascript *self, const JankStack *stack)
{
  gboolean polls = FALSE, runs = FALSE;
  guint i = 0;

  for (; i < stack->n_calls && stack->calls[i].module == self->libc; i++)
    polls = polls || jank_javascript_has_function (self->polls, stack->calls[i].function);
  for (; i < stack->n_calls && stack->calls[i].module == self->glib; i++)
    runs = runs || jank_javascript_has_function (self->loops, stack->calls[i].function);
  return polls && runs ? i : 0;
}

/* The current source's calls, from the engine's innermost to its outermost. Native calls may lie between, for
 * example where a signal is emitted; which JavaScript calls belong on which side of them is unknown. FALSE: the
 * source runs no JavaScript */
static gboolean
jank_javascript_find_run (const JankJavascript *self, const JankStack *stack, guint *ret_first, guint *ret_last)
{
  gboolean found = FALSE;

  for (guint i = jank_javascript_skip_polling_loop (self, stack);
       i < stack->n_calls && !jank_javascript_has_function (self->loops, stack->calls[i].function); i++)
    if (jank_javascript_is_engine (self, &stack->calls[i]))
      {
        guint last = jank_javascript_find_end (self, stack, i);

        if (!found && !jank_javascript_has_function (self->collectors, stack->calls[last].function))
          {
            *ret_first = i;
            found = TRUE;
          }
        *ret_last = i = last;
      }
  return found;
}

/* Returns: index of the engine's outermost call if the engine's calls run the loop; -1: they do not */
static gint
jank_javascript_find_outer (const JankJavascript *self, const JankStack *stack)
{
  gint outer = -1;

  for (guint i = stack->n_calls; i > 0; i--)
    if (jank_javascript_has_function (self->loops, stack->calls[i - 1].function))
      return outer;
    else if (outer < 0 && jank_javascript_is_engine (self, &stack->calls[i - 1]))
      outer = (gint) i - 1;
  return -1;
}

static void
jank_javascript_collect (JankJavascript *self)
{
  Answer answer = { .number = self->number, .n_marked = self->n_marked };

  if (!jank_engine_take (self->number, self->answer))
    return;
  self->number = 0;
  self->next_ns = MAX (self->next_ns, self->answer->at_ns - SPARE_NS) + COST_SHARE * self->answer->cpu_ns;
  answer.at_ns = self->answer->at_ns;
  answer.depth = self->answer->depth;
  answer.n_calls = jank_javascript_text_read (self->answer->text, self->answer->n_bytes,
                                              jank_code_map_get_scripts (self->map), answer.calls, MAX_CALLS);
  /* If the text or the array was full, the outermost calls are missing. */
  if (self->answer->n_bytes < JANK_ENGINE_TEXT_BYTES && answer.n_calls < MAX_CALLS && !self->has_other_loops)
    {
      self->has_other_loops = self->answer->n_outer >= answer.n_calls;
      answer.n_outer = self->has_other_loops ? 0 : self->answer->n_outer;
    }
  if (self->answers->len == MAX_ANSWERS)
    g_array_remove_index (self->answers, 0);
  g_array_append_val (self->answers, answer);
}

static void
jank_javascript_copy_calls (JankCall *to, guint *n, const JankCall *from, guint n_from)
{
  memcpy (to + *n, from, n_from * sizeof *from);
  *n += n_from;
}

typedef struct
{
  JankScripts *scripts;
  guint        n_calls;
  JankCall     calls[MAX_CALLS];
  guint64      places[MAX_CALLS];
} Reading;

/* A full table of scripts ends it. */
static bool
jank_javascript_read_cb (const JankEngineCall *call, void *data)
{
  Reading *self = data;

  self->places[self->n_calls] = call->place;
  return jank_javascript_text_add (self->scripts, call->name, call->file, call->line, &self->calls[self->n_calls]) &&
         ++self->n_calls < MAX_CALLS;
}

/* Of the current source's calls, from first to last, an answer has JavaScript's alone. Native ones between them are set
 * aside: else a function that now computes, now waits would stand in the tree twice. Returns: (nullable): NULL if not
 * all of the calls have a place in the stack or outside the part that is known */
static JankStack *
jank_javascript_place (const JankJavascript *self, JankStack *stack, guint first, guint last, guint64 low,
                       const Reading *reading)
{
  g_autofree JankCall *merged = g_new (JankCall, JANK_STACK_MAX_CALLS + MAX_CALLS);
  gboolean is_known = reading->n_calls > 0 && reading->places[0] < stack->calls[last].cfa;
  guint n = 0, k = 0;
  JankStack *placed;

  for (guint i = 0, end; i < stack->n_calls; low = MAX (low, stack->calls[end].cfa), i = end + 1)
    {
      guint from = k;

      end = i;
      if (jank_javascript_is_engine (self, &stack->calls[i]))
        for (end = jank_javascript_find_end (self, stack, i);
             k < reading->n_calls && reading->places[k] >= low && reading->places[k] < stack->calls[end].cfa; k++)
          merged[n++] = reading->calls[k];
      if (k == from)
        jank_javascript_copy_calls (merged, &n, &stack->calls[i], end - i + 1);
      for (guint added = n - (end - i + 1); is_known && k == from && i >= first && end <= last && added < n; added++)
        merged[added].is_aside = TRUE;
    }
  if (k == 0 || (k < reading->n_calls && reading->places[k] < low))
    return NULL;
  placed = jank_stack_new (merged, MIN (n, JANK_STACK_MAX_CALLS), stack->complete && n <= JANK_STACK_MAX_CALLS);
  placed->notes = g_steal_pointer (&stack->notes);
  return placed;
}

/* Where the engine's compiled code has called native code. Returns: 0 if it is not on the stack */
static guint64
jank_javascript_find_exit (const JankStack *stack)
{
  for (guint i = 1; i < stack->n_calls; i++)
    if (stack->calls[i].module == JANK_MODULE_NONE)
      return stack->calls[i - 1].cfa;
  return 0;
}

/* Returns: (transfer full) (nullable) */
static JankStack *
jank_javascript_replace (JankStack *stack, guint first, guint n_replaced, const JankCall *calls, guint n_calls)
{
  g_autofree JankCall *merged = g_new (JankCall, stack->n_calls + n_calls);
  guint n = 0;

  jank_javascript_copy_calls (merged, &n, stack->calls, first);
  jank_javascript_copy_calls (merged, &n, calls, n_calls);
  jank_javascript_copy_calls (merged, &n, stack->calls + first + n_replaced, stack->n_calls - first - n_replaced);
  return jank_stack_set_calls (stack, merged, n);
}

/* stack: (transfer full) (nullable). Returns: (transfer full) (nullable) */
static JankStack *
jank_javascript_add_collector (JankJavascript *self, pid_t tid, JankStack *stack)
{
  JankScripts *scripts = jank_code_map_get_scripts (self->map);
  JankScript collector = { .language = "javascript", .is_collector = TRUE,
                           .name = (char *) N_("JavaScript's garbage collector") };
  JankScript asked = { .language = "javascript", .name = (char *) COLLECTION };
  JankCall calls[2];
  guint first = 0, end;

  if (stack == NULL || tid != jank_engine_get_tid ())
    return stack;
  jank_javascript_look (self);
  while (first < stack->n_calls && (self->engine == JANK_MODULE_NONE || stack->calls[first].module != self->engine))
    first++;
  if (first == stack->n_calls)
    return stack;
  end = jank_javascript_find_end (self, stack, first);
  collector.file = asked.file = jank_code_map_get (self->map, self->engine)->path;
  if (!jank_javascript_has_function (self->collectors, stack->calls[end].function) ||
      !jank_scripts_add (scripts, &collector, 0, &calls[0]) || !jank_scripts_add (scripts, &asked, 0, &calls[1]))
    return stack;
  return jank_javascript_replace (stack, first, end - first + 1, calls, 2);
}

static JankStack *
jank_javascript_read (JankJavascript *self, pid_t tid, JankStack *stack, guint64 sp, guint64 base)
{
  g_autofree Reading *reading = NULL;
  guint first, last;
  JankStack *placed;
  JANK_MEMORY_BUDGET (MAX_READS);

  if (stack == NULL || tid != jank_engine_get_tid ())
    return NULL;
  jank_javascript_look (self);
  if (!jank_javascript_find_run (self, stack, &first, &last))
    return NULL;
  reading = g_new (Reading, 1);
  reading->scripts = jank_code_map_get_scripts (self->map);
  reading->n_calls = 0;
  if (!jank_engine_read (sp, base != 0 ? base : G_MAXUINT64, jank_javascript_find_exit (stack),
                         jank_javascript_read_cb, reading))
    return NULL;
  placed = jank_javascript_place (self, stack, first, last, sp, reading);
  return jank_javascript_add_collector (self, tid, placed);
}

static guint32
jank_javascript_begin (JankJavascript *self, pid_t tid)
{
  if (tid != jank_engine_get_tid ())
    return 0;
  jank_javascript_collect (self);
  if (self->number == 0 && jank_clock_now_ns () >= self->next_ns)
    {
      self->number = jank_engine_begin ();
      self->n_marked = 0;
      self->depth = G_MAXINT;
    }
  return self->number;
}

static Answer *
jank_javascript_find_answer (const JankJavascript *self, guint32 number, gint64 until_ns)
{
  JANK_EACH_IN (Answer, answer, self->answers)
    if (answer->number == number && answer->at_ns <= until_ns)
      return answer;
  return NULL;
}

/* Replaces the engine's calls from first to last by the answer's. The answer's outermost calls lie outside the loop.
 * stack: (transfer full). Returns: (transfer full) */
static JankStack *
jank_javascript_insert (const JankJavascript *self, JankStack *stack, guint first, guint last, const Answer *answer)
{
  g_autofree JankCall *merged = g_new (JankCall, JANK_STACK_MAX_CALLS + MAX_CALLS);
  gint outer = answer->n_outer > 0 ? jank_javascript_find_outer (self, stack) : -1;
  guint n_inner = answer->n_calls - (outer >= 0 ? answer->n_outer : 0), n = 0;

  jank_javascript_copy_calls (merged, &n, stack->calls, first);
  /* A loop that spins was in its poll, and answered when it dispatched something. */
  if (outer == (gint) last)
    jank_javascript_copy_calls (merged, &n, answer->calls + n_inner, answer->n_outer);
  else
    jank_javascript_copy_calls (merged, &n, answer->calls, n_inner);
  for (guint i = last + 1; i < stack->n_calls; i++)
    if (outer >= 0 && jank_javascript_is_engine (self, &stack->calls[i]) &&
        jank_javascript_find_end (self, stack, i) == (guint) outer)
      {
        jank_javascript_copy_calls (merged, &n, answer->calls + n_inner, answer->n_outer);
        i = (guint) outer;
      }
    else
      merged[n++] = stack->calls[i];
  return jank_stack_set_calls (stack, merged, n);
}

/* last: the outermost of the current source's calls. Returns: at least as many callbacks of main loops as those calls
 * are in; of the calls that run the watched loop, which is in its poll, any answer will do: it has them, too */
static gint
jank_javascript_get_depth (const JankJavascript *self, const JankStack *stack, guint last)
{
  gint depth = 0;

  if (!stack->complete || (jank_engine_has_outer () && !self->has_other_loops &&
                           jank_javascript_find_outer (self, stack) == (gint) last))
    return G_MAXINT;
  for (guint i = jank_javascript_skip_polling_loop (self, stack); i < stack->n_calls; i++)
    if (jank_javascript_has_function (self->loops, stack->calls[i].function))
      {
        depth++;
        while (i + 1 < stack->n_calls && stack->calls[i + 1].module == self->glib)
          i++;
      }
  return depth;
}

static JankStack *
jank_javascript_mark (JankJavascript *self, pid_t tid, JankStack *stack, guint32 number, gint64 at_ns)
{
  Answer *answer;
  guint first, last;
  gint depth;

  stack = jank_javascript_add_collector (self, tid, stack);
  if (number == 0)
    return stack;
  jank_javascript_look (self);
  if (stack == NULL || !jank_javascript_find_run (self, stack, &first, &last))
    {
      if (number == self->number && self->n_marked == 0)
        {
          jank_engine_withdraw (number);
          self->number = 0;
        }
      return stack;
    }
  jank_javascript_collect (self);
  answer = jank_javascript_find_answer (self, number, G_MAXINT64);
  depth = jank_javascript_get_depth (self, stack, last);
  if (answer != NULL && answer->depth > depth)
    return stack;
  if (answer != NULL && answer->at_ns <= at_ns + SOON_NS)
    return jank_javascript_insert (self, stack, first, last, answer);
  stack = jank_stack_set_calls (stack, stack->calls, stack->n_calls);
  stack->calls[last].script_request = number;
  /* A thread that had no CPU after its sample may have answered before that is looked at. */
  if (answer != NULL)
    answer->n_marked++;
  else if (number == self->number)
    {
      self->n_marked++;
      self->depth = MIN (self->depth, depth);
      jank_engine_set_depth (number, self->depth);
    }
  return stack;
}

static gboolean
jank_javascript_awaits (const JankJavascript *self, guint32 number)
{
  return number != 0 && number == self->number;
}

static gboolean
jank_javascript_has_answers (JankJavascript *self, gint64 until_ns)
{
  if (self->number != 0)
    jank_javascript_collect (self);
  JANK_EACH_IN (const Answer, answer, self->answers)
    if (answer->n_marked > 0 && answer->at_ns <= until_ns)
      return TRUE;
  return FALSE;
}

static JankStack *
jank_javascript_name (JankJavascript *self, JankStack *stack, gint64 until_ns)
{
  const Answer *answer = NULL;
  guint first, last;

  for (guint i = 0; i < stack->n_calls && answer == NULL; i++)
    if (stack->calls[i].script_request != 0)
      answer = jank_javascript_find_answer (self, stack->calls[i].script_request, until_ns);
  if (answer == NULL || !jank_javascript_find_run (self, stack, &first, &last) ||
      answer->depth > jank_javascript_get_depth (self, stack, last))
    return stack;
  return jank_javascript_insert (self, stack, first, last, answer);
}

static void
jank_javascript_forget (JankJavascript *self, gint64 until_ns)
{
  for (guint i = self->answers->len; i > 0; i--)
    if (g_array_index (self->answers, Answer, i - 1).at_ns <= until_ns)
      g_array_remove_index (self->answers, i - 1);
}

static GError *
jank_javascript_take_error (JankJavascript *self)
{
  const char *lack = jank_engine_get_lack ();

  if (lack == NULL || self->was_said)
    return NULL;
  self->was_said = TRUE;
  return g_error_new (JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                      _("Cannot read the calls of this JavaScript engine: it does not export %s. Stacks show the "
                        "engine's own functions"), lack);
}

const JankJavascriptPlugin jank_javascript_plugin = {
  .attach = jank_engine_attach,
  .new = jank_javascript_new,
  .free = jank_javascript_free,
  .read = jank_javascript_read,
  .begin = jank_javascript_begin,
  .mark = jank_javascript_mark,
  .awaits = jank_javascript_awaits,
  .has_answers = jank_javascript_has_answers,
  .name = jank_javascript_name,
  .forget = jank_javascript_forget,
  .rest = jank_javascript_rest,
  .take_error = jank_javascript_take_error,
};
