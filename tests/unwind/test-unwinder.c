/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "deep.h"
#include "test.h"
#include "sample/jank-sampler-private.h"
#include "unwind/jank-page-cache-private.h"
#include "unwind/jank-processor-private.h"
#include "worker.h"

#define N_BLOCKED    20
#define MIN_COMPLETE 0.99

/* SAMPLES are fewer where each takes long. */
static guint n_running = 100;

/* What a busy machine may cost in tries. */
#define MAX_TRIES 50

typedef struct
{
  const DeepVariant *variant;
  DeepWait           what;   /* called by the variant's middle() */
  const DeepCall    *call;   /* (nullable): that what waits in */
} Case;

typedef struct
{
  DeepPlaces   places;
  JankSampler *sampler; /* (owned) */
  Case         now;
  gint         n_done;  /* (atomic): work after a call, so that it stays one */
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  deep_places_init (&fixture->places);
  fixture->sampler = jank_sampler_new (0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  jank_sampler_free (fixture->sampler);
  deep_places_clear (&fixture->places);
}

static void
worker_deep (Worker *self, gpointer data)
{
  Fixture *fixture = data;

  fixture->now.variant->root (&fixture->places, fixture->now.what);
  g_atomic_int_inc (&fixture->n_done);
}

static Worker *
start (Fixture *fixture, const Case *what)
{
  g_autoptr (GError) error = NULL;
  Worker *worker;

  fixture->now = *what;
  atomic_store (&fixture->places.stop, false);
  worker = worker_new (worker_deep, fixture);
  jank_sampler_set_thread (fixture->sampler, worker_get_info (worker), WORKER_TASKS, &error);
  g_assert_no_error (error);
  return worker;
}

static void
stop (Fixture *fixture, Worker *worker)
{
  atomic_store (&fixture->places.stop, true);
  worker_free (worker);
}

/* Index of function's frame, from `from` outward; the number of frames without one. */
static guint
find (const JankStack *stack, guint from, gconstpointer function)
{
  guint i = from;

  while (i < stack->n_calls && stack->calls[i].function != (guintptr) function)
    i++;
  return i;
}

#define FIND(stack, from, function) find (stack, from, (gconstpointer) (function))

/* root, outer and middle call each other directly. */
static gboolean
has_chain (const JankStack *stack, const DeepVariant *variant)
{
  guint middle = FIND (stack, 0, variant->middle);

  return middle + 2 < stack->n_calls && FIND (stack, middle, variant->outer) == middle + 1 &&
         FIND (stack, middle, variant->root) == middle + 2 &&
         FIND (stack, middle, worker_deep) == middle + 3;
}

/* From the thread's function inward as far as it has come. */
static gboolean
is_whole (const JankStack *stack, const DeepVariant *variant)
{
  guint root = FIND (stack, 0, variant->root);

  return stack->complete && root < stack->n_calls && FIND (stack, root, worker_deep) == root + 1 &&
         (FIND (stack, 0, variant->middle) == stack->n_calls || has_chain (stack, variant));
}

static void
print_stack (Fixture *fixture, const JankStack *stack)
{
  for (guint i = 0; i < stack->n_calls; i++)
    {
      const JankModule *module = jank_code_map_get (jank_sampler_get_map (fixture->sampler), stack->calls[i].module);

      g_test_message ("#%u %s+0x%" G_GINT64_MODIFIER "x", i, module != NULL ? module->path : "?",
                      stack->calls[i].function - (module != NULL ? module->base : 0));
    }
}

/* Stacks of a running thread: all but a few of them reach its base and show the whole chain. */
static void
check_running (Fixture *fixture, const Case *what, gconstpointer inner, gconstpointer through)
{
  Worker *worker;
  guint n_whole = 0, n_inner = 0, n = 0, n_shown = 0;

  /* Until the thread is where it is meant to be. */
  worker = start (fixture, what);
  g_usleep (10000);
  for (guint i = 0; n < n_running && i < n_running * MAX_TRIES; i++)
    {
      JankSample sample;

      g_usleep (100);
      if (!jank_sampler_take (fixture->sampler, &sample))
        continue;
      if (sample.method == JANK_SAMPLE_SIGNAL)
        {
          guint at = find (sample.stack, 0, inner);
          gboolean whole = is_whole (sample.stack, what->variant);

          n++;
          n_whole += whole;
          n_inner += at < sample.stack->n_calls &&
                     (through == NULL || find (sample.stack, at, through) < sample.stack->n_calls);
          if (!whole && n_shown++ < 3)
            print_stack (fixture, sample.stack);
        }
      jank_sample_clear (&sample);
    }
  stop (fixture, worker);

  g_test_message ("%u of %u whole, %u in the function", n_whole, n, n_inner);
  g_assert_cmpuint (n, ==, n_running);
  g_assert_cmpfloat (n_whole, >=, MIN_COMPLETE * n);
  /* Most of the time it is in its innermost function. */
  g_assert_cmpuint (n_inner, >, n / 4);
}

static void
test_running (Fixture *fixture, gconstpointer data)
{
  const DeepVariant *variant = data;
  Case what = { .variant = variant };

  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  deep_catch (variant, &fixture->places);
  what.what = variant->compute;
  check_running (fixture, &what, variant->compute, NULL);
  what.what = variant->recurse;
  check_running (fixture, &what, variant->compute, variant->recurse);
  what.what = variant->allocate;
  check_running (fixture, &what, variant->compute, variant->allocate);
  what.what = variant->sort;
  check_running (fixture, &what, variant->compute, variant->sort);
  what.what = variant->clock;
  check_running (fixture, &what, variant->clock, NULL);
  what.what = variant->handle;
  check_running (fixture, &what, variant->compute, variant->handle);
  signal (SIGUSR1, SIG_DFL);
}

static gboolean
is_own (const Fixture *fixture, const JankCall *frame)
{
  JankCodeMap *map = jank_sampler_get_map (fixture->sampler);

  return frame->module == jank_code_map_find (map, (guintptr) worker_deep);
}

/* The first function of ours on a whole stack, with its callers, is the one that waits: none in between is
 * missing, and none is invented. */
static gboolean
is_exact (const Fixture *fixture, const JankStack *stack, const Case *what)
{
  guint at = find (stack, 0, (gconstpointer) what->what);

  if (!stack->complete || at == stack->n_calls || find (stack, at, (gconstpointer) what->variant->middle) != at + 1)
    return FALSE;
  for (guint i = 0; i < at; i++)
    if (is_own (fixture, &stack->calls[i]))
      return FALSE;
  return has_chain (stack, what->variant);
}

static void
check_blocked (Fixture *fixture, const Case *what)
{
  Worker *worker = start (fixture, what);
  guint n = 0, n_exact = 0;

  for (guint i = 0; n < N_BLOCKED && i < N_BLOCKED * MAX_TRIES; i++)
    {
      JankSample sample;

      g_usleep (1000);
      if (!jank_sampler_take (fixture->sampler, &sample))
        continue;
      if (sample.method == JANK_SAMPLE_BLOCKED && sample.syscall == what->call->number)
        {
          gboolean exact = is_exact (fixture, sample.stack, what);

          n++;
          n_exact += exact;
          if (!exact && n - n_exact == 1)
            print_stack (fixture, sample.stack);
        }
      jank_sample_clear (&sample);
    }
  stop (fixture, worker);
  g_test_message ("%s: %u of %u exact", what->call->name, n_exact, n);
  g_assert_cmpuint (n, ==, N_BLOCKED);
  /* An interceptor needs registers that a blocked thread does not show, and leaves traces on the stack. */
  if (!HAS_INTERCEPTORS)
    g_assert_cmpuint (n_exact, ==, n);
}

static void
test_blocked (Fixture *fixture, gconstpointer data)
{
  const DeepVariant *variant = data;

  for (guint i = 0; i < DEEP_N_CALLS; i++)
    {
      Case what = { variant, variant->calls[i].wait, &variant->calls[i] };

      check_blocked (fixture, &what);
    }
}

/* The main thread's stack is of another kind than other threads'. */
typedef struct
{
  JankSampler *sampler;
  DeepPlaces  *places;
  guint        n, n_complete, n_blocked;
} OfMain;

static gpointer
sample_main_thread (gpointer data)
{
  OfMain *of_main = data;

  for (guint i = 0; of_main->n < n_running && i < n_running * MAX_TRIES; i++)
    {
      JankSample sample;

      g_usleep (200);
      if (!jank_sampler_take (of_main->sampler, &sample))
        continue;
      of_main->n++;
      of_main->n_complete += sample.stack->complete;
      of_main->n_blocked += sample.method == JANK_SAMPLE_BLOCKED;
      jank_sample_clear (&sample);
    }
  atomic_store (&of_main->places->stop, true);
  return NULL;
}

static void
check_main_thread (Fixture *fixture, DeepWait what, gboolean is_blocked)
{
  OfMain of_main = { fixture->sampler, &fixture->places, 0, 0, 0 };
  g_autoptr (GError) error = NULL;
  JankThreadInfo info;
  GThread *thread;

  jank_thread_describe_self (&info);
  jank_sampler_set_thread (fixture->sampler, &info, WORKER_TASKS, &error);
  g_assert_no_error (error);
  atomic_store (&fixture->places.stop, false);
  thread = g_thread_new ("watcher", sample_main_thread, &of_main);
  deep_o0.root (&fixture->places, what);
  g_thread_join (thread);

  g_assert_cmpuint (of_main.n, ==, n_running);
  g_assert_cmpfloat (of_main.n_complete, >=, MIN_COMPLETE * of_main.n);
  if (is_blocked)
    g_assert_cmpuint (of_main.n_blocked, >, of_main.n / 2);
  else
    g_assert_cmpuint (of_main.n_blocked, <, of_main.n / 2);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, main_thread)
{
  check_main_thread (fixture, deep_o0.calls[0].wait, TRUE);
  if (HAS_TSAN)
    g_test_skip ("a thread sanitizer delivers signals late; blocked ones are tested");
  else
    check_main_thread (fixture, deep_o0.recurse, FALSE);
}

#define N_COMPILED 100

static void
worker_match (Worker *self, gpointer data)
{
  Fixture *fixture = data;
  g_autoptr (GRegex) regex = g_regex_new ("(a|b|ab)*c(x+x+)+y", G_REGEX_OPTIMIZE, 0, NULL);
  g_autofree char *text = g_strnfill (2000, 'a');

  while (!atomic_load (&fixture->places.stop))
    g_regex_match (regex, text, 0, NULL);
  g_atomic_int_inc (&fixture->n_done);
}

/* PCRE compiles it, for GLib and GtkSourceView: without a frame pointer. */
TEST_WITH (Fixture, set_up, tear_down, fixture, regular_expression)
{
  g_autoptr (GError) error = NULL;
  guint n = 0, n_whole = 0;
  Worker *worker;

  if (HAS_TSAN || !JANK_CALL_PUSHES)
    {
      g_test_skip ("a thread sanitizer delivers signals late; only where calls push is a caller searched for");
      return;
    }
  atomic_store (&fixture->places.stop, false);
  worker = worker_new (worker_match, fixture);
  jank_sampler_set_thread (fixture->sampler, worker_get_info (worker), WORKER_TASKS, &error);
  g_assert_no_error (error);
  for (guint i = 0; n < N_COMPILED && i < N_COMPILED * MAX_TRIES; i++)
    {
      JankSample sample;

      g_usleep (1000);
      if (!jank_sampler_take (fixture->sampler, &sample))
        continue;
      if (sample.stack != NULL && sample.stack->calls[0].module == JANK_MODULE_NONE)
        {
          gboolean is_whole = sample.stack->complete && sample.stack->calls[0].function % JANK_MEMORY_PAGE_BYTES == 0 &&
                              FIND (sample.stack, 0, g_regex_match) < FIND (sample.stack, 0, worker_match);

          n++;
          n_whole += is_whole;
          if (!is_whole)
            print_stack (fixture, sample.stack);
        }
      jank_sample_clear (&sample);
    }
  stop (fixture, worker);
  g_assert_cmpuint (n, ==, N_COMPILED);
  g_assert_cmpuint (n_whole, ==, n);
}

/* In code that no file knows, called by this function: as if compiled at run time, with a frame pointer. entry: or, if
 * not 0, at an entry of the PLT, called by this function's caller. */
static G_GNUC_NO_INLINE JankStack *
unwind_from_nowhere (gboolean is_called, guint64 entry)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankUnwinder) unwinder = jank_unwinder_new (map);
  g_autofree JankStackCopy *copy = g_new0 (JankStackCopy, 1);
  guint64 frame = (guintptr) __builtin_frame_address (0), lie = (guintptr) deep_o0.compute;
  JankThreadInfo info;

  jank_thread_describe_self (&info);
  copy->known = JANK_REGS_ALL;
  copy->regs[JANK_REG_FP] = frame;
  frame += entry != 0 ? sizeof frame : 0;
  copy->regs[JANK_REG_PC] = entry != 0 ? entry : (guintptr) copy;
  copy->regs[JANK_REG_SP] = copy->address = frame;
  copy->base = info.stack_base;
  copy->n_bytes = (guint32) MIN (JANK_COPY_MAX_BYTES, info.stack_base - frame);
  g_assert_true (jank_memory_read_all (frame, copy->bytes, copy->n_bytes));
  if (!is_called)
    memcpy (copy->bytes + 8, &lie, sizeof lie);
  return jank_unwinder_run (unwinder, copy);
}

TEST (run_time_code)
{
  g_autoptr (JankStack) called = unwind_from_nowhere (TRUE, 0);
  g_autoptr (JankStack) jumped_to = unwind_from_nowhere (FALSE, 0);

  g_assert_true (called->complete);
  g_assert_cmpuint (called->calls[0].module, ==, JANK_MODULE_NONE);
  g_assert_cmpuint (FIND (called, 0, test_run_time_code), ==, 1);
  g_assert_cmpuint (FIND (jumped_to, 0, deep_o0.compute), ==, jumped_to->n_calls);
  g_assert_cmpuint (FIND (jumped_to, 0, test_run_time_code), ==, jumped_to->n_calls);
}

static G_GNUC_NO_INLINE pid_t
ask (void)
{
  return getppid () + 1;
}

/* On the way to a function in another file, before and in the jump: in that function. */
TEST (plt)
{
  JankPageCache *pages = jank_page_cache_new ();
  guint64 entry = 0;
  gint32 offset;

  if (!JANK_CALL_PUSHES)
    {
      jank_page_cache_free (pages);
      g_test_skip ("the return address is in a register");
      return;
    }
  g_assert_cmpint (ask (), ==, getppid () + 1);
  /* A thread sanitizer has calls of its own there. */
  for (const guint8 *code = (const guint8 *) ask; entry == 0; code++)
    if (code[0] == 0xe8)
      {
        memcpy (&offset, code + 1, sizeof offset);
        entry = (guintptr) code + 5 + (guint64) (gint64) offset;
        if (jank_processor_follow_plt (pages, entry) != (guintptr) getppid)
          entry = 0;
      }
  /* Entries are 8 or 16 bytes long, and some begin with endbr64. */
  for (guint i = 0; i <= (*(const guint8 *) entry == 0xf3 ? 4 : 0); i += 4)
    {
      g_autoptr (JankStack) stack = unwind_from_nowhere (TRUE, entry + i);

      g_assert_cmphex (stack->calls[0].function, ==, (guintptr) getppid);
      g_assert_cmpuint (FIND (stack, 0, test_plt), ==, 1);
    }
  jank_page_cache_free (pages);
}

/* Registers and stacks that make no sense: an answer, whatever it is, and no crash. */
TEST (garbage)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankUnwinder) unwinder = jank_unwinder_new (map);
  g_autoptr (GRand) random = g_rand_new_with_seed (64);
  g_autofree JankStackCopy *copy = g_new0 (JankStackCopy, 1);
  const guint64 code[] = { (guintptr) deep_o0.compute, (guintptr) deep_o2.root + 9, (guintptr) usleep + 20, 0, 1,
                           G_MAXUINT64 };

  for (guint round = 0; round < 3000; round++)
    {
      guint64 *words = (guint64 *) (void *) copy->bytes;
      g_autoptr (JankStack) stack = NULL;

      copy->address = round % 7 == 0 ? G_MAXUINT64 - 500 : 0x7ffc00000000;
      copy->n_bytes = (guint32) g_rand_int_range (random, 0, 1000) * 8;
      copy->base = round % 3 == 0 ? 0 : copy->address + copy->n_bytes;
      copy->known = round % 2 == 0 ? JANK_REGS_ALL : JANK_REG_BIT (JANK_REG_SP) | JANK_REG_BIT (JANK_REG_PC);
      for (guint i = 0; i < 1000; i++)
        words[i] = g_rand_boolean (random) ? code[g_rand_int_range (random, 0, G_N_ELEMENTS (code))]
                                           : copy->address + (guint64) g_rand_int_range (random, 0, 8000);
      for (guint i = 0; i < JANK_N_REGS; i++)
        copy->regs[i] = copy->address + (guint64) g_rand_int_range (random, -100, 8000);
      copy->regs[JANK_REG_PC] = code[g_rand_int_range (random, 0, G_N_ELEMENTS (code))];

      stack = jank_unwinder_run (unwinder, copy);
      g_assert_nonnull (stack);
      g_assert_cmpuint (stack->n_calls, >=, 1);
      g_assert_cmpuint (stack->n_calls, <=, JANK_STACK_MAX_CALLS);
      g_assert_cmpuint (stack->calls[0].pc, ==, copy->regs[JANK_REG_PC]);
    }
}

#define ADD(path, data, func) g_test_add ("/unwind/unwinder/" path, Fixture, data, set_up, func, tear_down)

static void
add (void)
{
  if (g_getenv ("SAMPLES") != NULL)
    n_running = (guint) g_ascii_strtoull (g_getenv ("SAMPLES"), NULL, 10);
  ADD ("running/O0", &deep_o0, test_running);
  ADD ("running/O2-frame-pointer", &deep_o2_fp, test_running);
  ADD ("running/O2", &deep_o2, test_running);
  ADD ("blocked/O0", &deep_o0, test_blocked);
  ADD ("blocked/O2-frame-pointer", &deep_o2_fp, test_blocked);
  ADD ("blocked/O2", &deep_o2, test_blocked);
}

TESTS_AND ("/unwind/unwinder", add, FALSE)
