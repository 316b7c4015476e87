/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers of an engine that is played here, before and after the stack that asked for them is looked at. */

#include "javascript/jank-javascript-private.h"

#include <dlfcn.h>
#include <string.h>

#include "base/jank-clock-private.h"
#include "javascript/jank-engine-private.h"
#include "unwind/jank-scripts-private.h"
#include "test.h"

#define TID    4711
#define TEXT   "0 readBattery() [\"/srv/app.js\":3:5]\n"
#define OUTER  "1 <TOP LEVEL> [\"/srv/app.js\":9:1]\n"
#define LATE   (JANK_NS_PER_S) /* far more than what belongs to a sample whatever else is going on */
#define CALL   0x1000

static guint32 asked;
static gint64 answered_ns /* 0: not yet */, cost_ns;
static gboolean is_in_loop; /* that JavaScript runs */
static gint depth, wanted_depth;

bool jank_engine_attach (JankEngineAsk *ask) { return true; }
pid_t jank_engine_get_tid (void) { return TID; }
const char *jank_engine_get_lack (void) { return NULL; }

bool
jank_engine_read (uint64_t low, uint64_t high, uint64_t compiled, JankEngineCallFunc func, void *data)
{
  return false;
}

uint32_t
jank_engine_begin (void)
{
  answered_ns = 0;
  return ++asked;
}

void
jank_engine_withdraw (uint32_t number)
{
}

bool jank_engine_has_outer (void) { return is_in_loop; }
void jank_engine_set_depth (uint32_t number, int wanted) { wanted_depth = wanted; }

gboolean
jank_engine_take (uint32_t number, JankEngineAnswer *ret_answer)
{
  if (number != asked || answered_ns == 0)
    return FALSE;
  *ret_answer = (JankEngineAnswer) { .at_ns = answered_ns, .cpu_ns = cost_ns, .n_outer = is_in_loop, .depth = depth };
  g_snprintf (ret_answer->text, sizeof ret_answer->text, TEXT "%s", is_in_loop ? OUTER : "");
  ret_answer->n_bytes = strlen (ret_answer->text);
  return TRUE;
}

/* Compiled JavaScript alone: calls in no module. */
static JankStack *
new_stack (void)
{
  const JankCall calls[] = { { .module = JANK_MODULE_NONE, .function = CALL },
                             { .module = JANK_MODULE_NONE, .function = 2 * CALL } };

  return jank_stack_new (calls, G_N_ELEMENTS (calls), TRUE);
}

static gboolean
is_named (JankCodeMap *map, const JankStack *stack)
{
  const JankScript *script = jank_call_get_script (map, &stack->calls[0]);

  return stack->n_calls == 1 && script != NULL && strcmp (script->name, "readBattery") == 0;
}

/* A thread that has no CPU between its sample and the look at it may answer in between. */
static void
check (gboolean is_before_look, gint64 late_ns)
{
  JankCodeMap *map = jank_code_map_new ();
  JankJavascript *javascript = jank_javascript_plugin.new (map);
  gint64 sampled_ns = jank_clock_now_ns ();
  guint32 number = jank_javascript_plugin.begin (javascript, TID);
  JankStack *stack = new_stack ();

  g_assert_cmpuint (number, !=, 0);
  if (is_before_look)
    answered_ns = sampled_ns + late_ns;
  stack = jank_javascript_plugin.mark (javascript, TID, stack, number, sampled_ns);
  g_assert_true (is_named (map, stack) == (is_before_look && late_ns == 0));
  answered_ns = sampled_ns + late_ns;
  if (late_ns > 0)
    {
      /* Not of this stack's time. */
      g_assert_false (jank_javascript_plugin.has_answers (javascript, sampled_ns + late_ns - 1));
      g_assert_true (jank_javascript_plugin.has_answers (javascript, sampled_ns + late_ns));
    }
  stack = jank_javascript_plugin.name (javascript, stack, sampled_ns + late_ns);
  g_assert_true (is_named (map, stack));
  jank_javascript_plugin.forget (javascript, sampled_ns + late_ns);
  g_assert_false (jank_javascript_plugin.has_answers (javascript, G_MAXINT64));
  jank_stack_unref (stack);
  jank_javascript_plugin.free (javascript);
  jank_code_map_free (map);
}

/* Of three answers of 1 ms one after another each has its stack; after one of a second the engine has peace. */
TEST (cost)
{
  JankCodeMap *map = jank_code_map_new ();
  JankJavascript *javascript = jank_javascript_plugin.new (map);

  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpuint (jank_javascript_plugin.begin (javascript, TID), !=, 0);
      cost_ns = i < 3 ? JANK_NS_PER_MS : JANK_NS_PER_S;
      answered_ns = jank_clock_now_ns ();
    }
  g_assert_cmpuint (jank_javascript_plugin.begin (javascript, TID), ==, 0);
  cost_ns = 0;
  jank_javascript_plugin.free (javascript);
  jank_code_map_free (map);
}

/* Returns: a call of a library's function, not of a sanitizer's stand-in for it */
static JankCall
new_call (JankCodeMap *map, const char *library, const char *function)
{
  void *handle = dlopen (library, RTLD_NOW | RTLD_NOLOAD);
  guint64 address = (guintptr) dlsym (handle, function);

  dlclose (handle);
  return (JankCall) { .pc = address, .function = address, .module = jank_code_map_find (map, address) };
}

/* The loop's thread is in its poll, called by as many loops as that; around it compiled JavaScript, whose answer comes
 * late. */
typedef struct
{
  const char *name;
  guint       n_loops;
  gboolean    is_in_loop;
  gint        depth; /* of loops, in the answer */
  gint        least_depth, most_depth; /* that is wanted */
  const char *expected; /* (nullable) */
} Case;

static const Case cases[] = {
  /* A loop that spins is in its poll now and then; what it dispatches next did not call the loop. */
  { "in-poll", 1, TRUE, 0, G_MININT, G_MAXINT, "<TOP LEVEL>" },
  /* JavaScript runs the watched loop, which is in its poll as it spins: what it dispatches next knows its callers. */
  { "own-loop", 1, TRUE, 1, 1, G_MAXINT, "<TOP LEVEL>" },
  /* What a private loop dispatches is not what runs the loop. */
  { "outer-loop", 2, FALSE, 1, 1, 1, "readBattery" },
  { "inner-loop", 2, FALSE, 2, 1, 1, NULL },
};

static void
check_case (gconstpointer data)
{
  const Case *row = data;
  JankCodeMap *map = jank_code_map_new ();
  JankJavascript *javascript = jank_javascript_plugin.new (map);
  const JankCall loop = new_call (map, "libglib-2.0.so.0", "g_main_loop_run");
  const JankCall calls[] = {
    new_call (map, "libc.so.6", "poll"), loop, { .module = JANK_MODULE_NONE, .function = CALL }, loop,
  };
  guint n_calls = 2 + row->n_loops;
  JankStack *stack = jank_stack_new (calls, n_calls, TRUE);
  gint64 sampled_ns = jank_clock_now_ns ();
  const JankScript *script;

  wanted_depth = -1;
  is_in_loop = row->is_in_loop;
  stack = jank_javascript_plugin.mark (javascript, TID, stack,
                                       jank_javascript_plugin.begin (javascript, TID), sampled_ns);
  g_assert_cmpint (wanted_depth, >=, row->least_depth);
  g_assert_cmpint (wanted_depth, <=, row->most_depth);
  depth = row->depth;
  answered_ns = sampled_ns + LATE;
  g_assert_true (jank_javascript_plugin.has_answers (javascript, answered_ns));
  stack = jank_javascript_plugin.name (javascript, stack, answered_ns);
  is_in_loop = FALSE;
  depth = 0;
  g_assert_cmpuint (stack->n_calls, ==, n_calls);
  script = jank_call_get_script (map, &stack->calls[2]);
  g_assert_cmpstr (script != NULL ? script->name : NULL, ==, row->expected);
  jank_stack_unref (stack);
  jank_javascript_plugin.free (javascript);
  jank_code_map_free (map);
}

TEST (soon)
{
  check (TRUE, 0);
}

TEST (after)
{
  check (FALSE, LATE);
}

TEST (before_look)
{
  check (TRUE, LATE);
}

TESTS_AND_ROWS ("/javascript/late", cases, check_case)
