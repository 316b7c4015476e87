/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: SpiderMonkey's functions. No header of C declares them, nor their results. */

#include "javascript/jank-engine-private.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <glib-object.h>

#include "base/jank-clock-private.h"
#include "javascript/jank-javascript-private.h"

/* What is read from memory is held against this many texts of the engine's, this many calls of each. */
#define MAX_CHECKS        16
#define MAX_CHECKED_CALLS 8

/* So many turns of the loop wait for JavaScript's first call. */
#define MAX_LOOKS 16

/* So often the engine is asked for its next safe point at once; from then on as samples ask it. */
#define MAX_PUT_OFF 16

#define ABANDONED_NS JANK_NS_PER_S

enum { EMPTY, ASKED, WRITING, DONE };

/* Of what is read from the engine's memory. */
enum { UNCHECKED, RIGHT, WRONG };

typedef bool (*Interrupt) (void *context);

/* Stands for JS::UniqueChars. C++ returns an object with a destructor at an address that the caller passes; C does
 * so for large structs, so this one holds the text and is large. */
typedef struct
{
  char *text;
  void *never_written[2];
} Text;

/* Functions of libgjs and libmozjs, in the order of symbols. */
typedef struct
{
  void *(*get_current) (void);
  void *(*get_context) (void *gjs_context);
  void  (*request) (void *context);
  bool  (*add) (void *context, Interrupt callback);
  Text  (*format) (void *context, bool arguments, bool locals, bool this_properties);
  void  (*free) (void *context, void *text);
  bool  (*has_exception) (void *context);
  void  (*clear_exception) (void *context);
} Functions;

static const char *const symbols[] = {
  JANK_JAVASCRIPT_PROOF,
  "gjs_context_get_native_context",
  "_Z34JS_RequestInterruptCallbackCanWaitP9JSContext",
  "_Z23JS_AddInterruptCallbackP9JSContextPFbS0_E",
  "_ZN2JS15FormatStackDumpEP9JSContextbbb",
  "_Z7JS_freeP9JSContextPv",
  "_Z21JS_IsExceptionPendingP9JSContext",
  "_Z24JS_ClearPendingExceptionP9JSContext",
};

static struct
{
  /* engine's thread only */
  Functions            functions;
  JankEngineAsk       *asked;     /* stays set, for any thread */
  void                *added;     /* the context that has our callback; NULL: none */
  unsigned             n_checks, n_looks, n_put_off;

  /* shared, atomic */
  _Atomic uint32_t     state;
  _Atomic pid_t        tid;       /* of the engine's thread, 0: it has none */
  _Atomic bool         answers;   /* it has come to a safe point */
  _Atomic uint32_t     n_outer;
  _Atomic (const char *) lack;
  _Atomic uint32_t     reading;   /* released at the change to RIGHT, so layout is there */
  const JankEngineLayout *layout; /* (nullable) */
  const char          *library;   /* (nullable): the engine's path */

  /* watcher threads; owned by the one whose step from EMPTY to ASKED succeeded */
  _Atomic uint32_t     number, n_numbers;
  _Atomic int          depth;     /* in which the answer counts, and in lower ones */

  /* written before DONE */
  JankEngineAnswer     answer;
} engine;

typedef struct
{
  const char *text; /* of the calls to come */
  unsigned    n_calls;
  bool        differs;
} Check;

/* The engine's own function in JavaScript goes by another one's name while it stands for that: a bound one's. */
static bool
jank_engine_check_cb (const JankEngineCall *call, void *data)
{
  char expected[JANK_ENGINE_NAME_BYTES + JANK_ENGINE_FILE_BYTES];
  Check *self = data;
  const char *text = self->text + strspn (self->text, "0123456789"), *end = strchr (text, '\n');
  bool is_engines = strcmp (call->file, JANK_ENGINE_SELF_HOSTED) == 0;
  size_t n = (size_t) g_snprintf (expected, sizeof expected, "%s%s [\"%s\":", is_engines ? "" : " ",
                                  is_engines ? "" : call->name, call->file);

  if (is_engines && end != NULL)
    text = g_strstr_len (text, end - text, expected);
  self->differs = end == NULL || text == NULL || n >= sizeof expected || strncmp (text, expected, n) != 0;
  if (!self->differs)
    {
      uint64_t line = g_ascii_strtoull (text + n, NULL, 10);

      self->differs = call->is_exact ? line != call->line : line < call->line;
      self->text = end + 1;
      self->n_calls++;
    }
  return !self->differs && self->n_calls < MAX_CHECKED_CALLS;
}

/* Whether memory says the same as the engine's text of this moment. Once it does not, it is not read any more. */
static void
jank_engine_check (void *context, const char *text)
{
  JankEngineView view = { engine.layout, (uint64_t) (uintptr_t) context, (uint64_t) (uintptr_t) &view, UINT64_MAX, 0,
                          true };
  Check check = { .text = text };
  bool is_read;

  /* Without calls the text is a sentence. */
  if (engine.layout == NULL || engine.n_checks == MAX_CHECKS || !g_ascii_isdigit (*text) ||
      atomic_load_explicit (&engine.reading, memory_order_relaxed) == WRONG)
    return;
  is_read = jank_engine_frames_read (&view, jank_engine_check_cb, &check);
  engine.n_checks++;
  if (check.differs || (is_read && check.n_calls < MAX_CHECKED_CALLS && *check.text != '\0'))
    atomic_store_explicit (&engine.reading, WRONG, memory_order_relaxed);
  else if (check.n_calls > 0)
    atomic_store_explicit (&engine.reading, RIGHT, memory_order_release);
}

/* Returns: (transfer full) (nullable): to be freed by the engine */
static char *
jank_engine_format (void *context)
{
  char *text;

  if (engine.functions.has_exception (context))
    return NULL;
  text = engine.functions.format (context, false, false, false).text;
  /* Out of memory; the program must not see our failure as an exception. */
  if (engine.functions.has_exception (context))
    engine.functions.clear_exception (context);
  if (text != NULL)
    jank_engine_check (context, text);
  return text;
}

/* Whether what is asked for runs the loop that has dispatched what comes to this safe point. */
static bool
jank_engine_puts_off (void *context)
{
  if (atomic_load_explicit (&engine.state, memory_order_acquire) != ASKED ||
      g_main_depth () <= atomic_load_explicit (&engine.depth, memory_order_relaxed))
    return false;
  if (engine.n_put_off++ < MAX_PUT_OFF)
    engine.functions.request (context);
  return true;
}

/* The engine's thread, at a safe point. Returns: true, so that JavaScript continues */
static bool
jank_engine_interrupt_cb (void *context)
{
  JankEngineAnswer *answer = &engine.answer;
  uint32_t state = ASKED;
  int64_t cpu_ns;
  char *text;

  atomic_store_explicit (&engine.answers, true, memory_order_relaxed);
  if (jank_engine_puts_off (context))
    return true;
  if (!atomic_compare_exchange_strong_explicit (&engine.state, &state, WRITING, memory_order_acquire,
                                                memory_order_relaxed))
    {
      if (atomic_load_explicit (&engine.reading, memory_order_relaxed) == UNCHECKED)
        engine.functions.free (context, jank_engine_format (context));
      return true;
    }
  engine.n_put_off = 0;
  answer->depth = g_main_depth ();
  answer->at_ns = jank_clock_now_ns ();
  cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  answer->n_outer = atomic_load_explicit (&engine.n_outer, memory_order_relaxed);
  text = jank_engine_format (context);
  answer->n_bytes = text != NULL ? (uint32_t) strnlen (text, sizeof answer->text) : 0;
  if (text != NULL)
    memcpy (answer->text, text, answer->n_bytes);
  engine.functions.free (context, text);
  answer->cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
  atomic_store_explicit (&engine.state, DONE, memory_order_release);
  return true;
}

/* The engine's thread, before the context is destroyed. */
static void
jank_engine_destroyed_cb (gpointer data, GObject *gjs_context)
{
  atomic_store (&engine.asked->context, NULL);
  atomic_store_explicit (&engine.tid, 0, memory_order_relaxed);
  engine.added = NULL;
  while (atomic_load (&engine.asked->n_asking) != 0)
    sched_yield ();
}

/* The watcher, which may have been asking, does not exist in the child. */
static void
jank_engine_in_child_cb (void)
{
  atomic_store (&engine.asked->n_asking, 0);
  atomic_store (&engine.state, EMPTY);
}

static gboolean
jank_engine_find_functions (void)
{
  void *found[G_N_ELEMENTS (symbols)];
  Dl_info info;

  G_STATIC_ASSERT (sizeof found == sizeof engine.functions);
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    {
      found[i] = dlsym (RTLD_DEFAULT, symbols[i]);
      /* No gjs, or an unknown one. */
      if (found[i] == NULL)
        {
          atomic_store_explicit (&engine.lack, i > 0 ? symbols[i] : NULL, memory_order_relaxed);
          return FALSE;
        }
    }
  memcpy (&engine.functions, found, sizeof found);
  if (dladdr (found[2], &info) != 0)
    engine.library = g_strdup (info.dli_fname);
  engine.layout = jank_engine_layout_find (engine.library);
  if (engine.layout != NULL && engine.layout->activation == 0)
    engine.layout = NULL;
  return TRUE;
}

static uint32_t
jank_engine_count_calls (void *context)
{
  char *text = jank_engine_format (context);
  uint32_t n = 0;

  /* Without calls the text is a sentence. */
  for (const char *at = text; at != NULL && g_ascii_isdigit (*text) && (at = strchr (at, '\n')) != NULL; at++)
    n++;
  engine.functions.free (context, text);
  return n;
}

/* gjs turns the loop before its program begins. JavaScript that runs the loop, if any does, is there at the outermost
 * loop's next turns, and checks what is read: code without a loop of its own has no safe point. */
static bool
jank_engine_has_looked (void)
{
  bool is_checked = engine.layout == NULL || atomic_load_explicit (&engine.reading, memory_order_relaxed) != UNCHECKED;

  return engine.n_looks >= MAX_LOOKS ||
         (is_checked && jank_engine_has_outer ());
}

bool
jank_engine_attach (JankEngineAsk *asked)
{
  static gboolean is_known;
  void *gjs_context, *context;
  uint32_t n_calls;

  engine.asked = asked;
  if (!is_known && jank_engine_find_functions ())
    {
      is_known = TRUE;
      pthread_atfork (NULL, NULL, jank_engine_in_child_cb);
    }
  gjs_context = is_known ? engine.functions.get_current () : NULL;
  context = gjs_context != NULL ? engine.functions.get_context (gjs_context) : NULL;
  if (context == NULL)
    return true;
  if (context == engine.added && jank_engine_has_looked ())
    return true;
  n_calls = jank_engine_count_calls (context);
  if (g_main_depth () == 0)
    atomic_store_explicit (&engine.n_outer, n_calls, memory_order_relaxed);
  engine.n_looks++;
  if (context == engine.added)
    return jank_engine_has_looked ();
  if (!engine.functions.add (context, jank_engine_interrupt_cb))
    return true;
  engine.added = context;
  g_object_weak_ref (gjs_context, jank_engine_destroyed_cb, NULL);
  asked->request = engine.functions.request;
  atomic_store (&asked->context, context);
  atomic_store_explicit (&engine.tid, getpid (), memory_order_relaxed);
  /* A loop that is not run by JavaScript, as in GNOME Shell: its first call that reaches a safe point is to be
   * checked. */
  engine.functions.request (context);
  return jank_engine_has_looked ();
}

bool
jank_engine_read (uint64_t low, uint64_t high, uint64_t compiled, JankEngineCallFunc func, void *data)
{
  JankEngineView view = { NULL, 0, low, high, compiled, false };

  if (atomic_load_explicit (&engine.reading, memory_order_acquire) != RIGHT)
    return false;
  view.layout = engine.layout;
  view.context = (uint64_t) (uintptr_t) atomic_load (&engine.asked->context);
  return view.context != 0 && jank_engine_frames_read (&view, func, data);
}

pid_t
jank_engine_get_tid (void)
{
  return atomic_load_explicit (&engine.tid, memory_order_relaxed);
}

const char *
jank_engine_get_lack (void)
{
  return atomic_load_explicit (&engine.lack, memory_order_relaxed);
}

/* A watcher that ended during a callback has left the answer behind. */
static void
jank_engine_drop_abandoned (void)
{
  uint32_t state = DONE;

  if (atomic_load_explicit (&engine.state, memory_order_acquire) == DONE &&
      jank_clock_now_ns () - engine.answer.at_ns > ABANDONED_NS)
    atomic_compare_exchange_strong (&engine.state, &state, EMPTY);
}

uint32_t
jank_engine_begin (void)
{
  uint32_t state = EMPTY, number;

  /* A script's first safe point may come long after a sample, in another function. */
  if (!atomic_load_explicit (&engine.answers, memory_order_relaxed))
    return 0;
  jank_engine_drop_abandoned ();
  do
    number = atomic_fetch_add (&engine.n_numbers, 1) + 1;
  while (number == 0);
  /* Marked as WRITING, so that the callback, which takes only ASKED, leaves it alone. */
  if (!atomic_compare_exchange_strong (&engine.state, &state, WRITING))
    return 0;
  atomic_store_explicit (&engine.number, number, memory_order_relaxed);
  atomic_store_explicit (&engine.depth, INT_MAX, memory_order_relaxed);
  atomic_store_explicit (&engine.state, ASKED, memory_order_release);
  return number;
}

static gboolean
jank_engine_is_mine (uint32_t number)
{
  return number != 0 && atomic_load_explicit (&engine.number, memory_order_relaxed) == number;
}

bool
jank_engine_has_outer (void)
{
  return atomic_load_explicit (&engine.n_outer, memory_order_relaxed) > 0;
}

void
jank_engine_set_depth (uint32_t number, int depth)
{
  if (jank_engine_is_mine (number))
    atomic_store_explicit (&engine.depth, depth, memory_order_relaxed);
}

gboolean
jank_engine_take (uint32_t number, JankEngineAnswer *ret_answer)
{
  if (!jank_engine_is_mine (number) || atomic_load_explicit (&engine.state, memory_order_acquire) != DONE)
    return FALSE;
  *ret_answer = engine.answer;
  atomic_store_explicit (&engine.state, EMPTY, memory_order_release);
  return TRUE;
}

void
jank_engine_withdraw (uint32_t number)
{
  uint32_t state = ASKED;

  if (jank_engine_is_mine (number) && !atomic_compare_exchange_strong (&engine.state, &state, EMPTY) && state == DONE)
    atomic_store_explicit (&engine.state, EMPTY, memory_order_release);
}
