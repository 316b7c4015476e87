/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loaded into a Python program by ctypes. Its thread samples the program's, which keeps on its stack which Python
 * calls it has made: calls_truth_work() is told so, and computes. A copied stack thus holds the truth of its own
 * moment. */

#include <string.h>

#include "base/jank-clock-private.h"
#include "sample/jank-sampler-private.h"
#include "sample/jank-signal-sigsafe-private.h"
#include "unwind/jank-scripts-private.h"
#include "unwind/jank-unwinder-private.h"

#define EXPORTED __attribute__ ((visibility ("default"), noinline))
#define MAGIC G_GUINT64_CONSTANT (0x6a616e6b74727574)
#define MAX_TRUTH 240
#define MAX_SHOWN 10
#define LATE_US   (3 * G_USEC_PER_SEC / 2) /* code seen since then is known */

EXPORTED void calls_truth_work  (const char *truth, gint64 length_us);
EXPORTED void calls_truth_begin (gint64 interval_us);
EXPORTED void calls_truth_wait_for_sample (void);
EXPORTED gint calls_truth_count (void);
EXPORTED void calls_truth_end   (guint64 *ret_counts);

typedef struct
{
  guint64 magic;
  char    text[MAX_TRUTH];
} Truth;

static gint stopping;
static GThread *thread;
static _Atomic gint n_samples;
static guint64 n_with_truth, n_right, n_wrong, n_without;
static guint64 n_late, n_read_late; /* samples, and code objects that they read */
static gint64 handler_ns[1 << 16];
static JankThreadInfo observed;

/* truth: names of Python calls, innermost first, each with ';' behind it. */
EXPORTED void
calls_truth_work (const char *truth, gint64 length_us)
{
  G_GNUC_UNUSED volatile Truth here = { .magic = MAGIC };
  gint64 until_us = g_get_monotonic_time () + length_us;

  for (gsize i = 0; i + 1 < MAX_TRUTH && truth[i] != '\0'; i++)
    here.text[i] = truth[i];
  while (g_get_monotonic_time () < until_us)
    ;
  here.magic = here.text[0] != '\0';
}

/* Computes until one is taken, or a second has passed. */
EXPORTED void
calls_truth_wait_for_sample (void)
{
  gint64 until_us = g_get_monotonic_time () + G_USEC_PER_SEC;
  gint n = n_samples;

  while (n_samples == n && g_get_monotonic_time () < until_us)
    ;
}

static gboolean
find_truth (const JankStackCopy *copy, Truth *ret_truth)
{
  for (gsize at = 0; at + sizeof *ret_truth <= copy->n_bytes; at += sizeof (guint64))
    {
      memcpy (ret_truth, copy->bytes + at, sizeof *ret_truth);
      if (ret_truth->magic == MAGIC && copy->address + at >= copy->regs[JANK_REG_SP])
        return TRUE;
    }
  return FALSE;
}

/* Without a script's own code: it is gone when the script has run. Returns: (transfer full): as the truth is written */
static char *
get_names (JankSampler *sampler, const JankStack *stack)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < stack->n_calls; i++)
    {
      const JankScript *script = jank_call_get_script (jank_sampler_get_map (sampler), &stack->calls[i]);

      if (script != NULL && !g_str_equal (script->name, "<module>"))
        g_string_append_printf (names, "%s;", script->name);
    }
  return g_string_free (names, FALSE);
}

static void
compare (JankSampler *sampler, const JankStack *stack)
{
  g_autofree char *names = get_names (sampler, stack);
  Truth truth;

  n_samples++;
  if (!find_truth (&jank_signal_slot.copy, &truth))
    return;
  n_with_truth++;
  if (names[0] == '\0')
    n_without++;
  else if (g_str_has_prefix (names, truth.text))
    n_right++;
  else if (++n_wrong <= MAX_SHOWN)
    g_printerr ("# was: %s\n# read: %s\n", truth.text, names);
}

static gpointer
sample_cb (gpointer data)
{
  gint64 interval_us = *(gint64 *) data, late_us = g_get_monotonic_time () + LATE_US;
  JankSampler *sampler = jank_sampler_new (SIGURG);

  g_assert_true (jank_sampler_set_thread (sampler, &observed, "/proc/self/task", NULL));
  while (!g_atomic_int_get (&stopping))
    {
      JankSample sample;

      if (jank_sampler_take (sampler, &sample) && sample.method == JANK_SAMPLE_SIGNAL)
        {
          handler_ns[n_samples % G_N_ELEMENTS (handler_ns)] = sample.handler_ns;
          if (g_get_monotonic_time () >= late_us)
            {
              n_late++;
              n_read_late += jank_signal_slot.python_calls.n_identities;
            }
          compare (sampler, sample.stack);
        }
      jank_sample_clear (&sample);
      g_usleep ((gulong) interval_us);
    }
  jank_sampler_free (sampler);
  return NULL;
}

EXPORTED void
calls_truth_begin (gint64 interval_us)
{
  static gint64 interval;

  interval = interval_us;
  stopping = n_samples = 0;
  n_with_truth = n_right = n_wrong = n_without = n_late = n_read_late = 0;
  jank_unwinder_prepare ();
  jank_thread_describe_self (&observed);
  thread = g_thread_new ("sampler", sample_cb, &interval);
}

EXPORTED gint
calls_truth_count (void)
{
  return n_samples;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  return (*(const gint64 *) a > *(const gint64 *) b) - (*(const gint64 *) a < *(const gint64 *) b);
}

/* ret_counts: samples, with truth, right, wrong, without calls; median and 99th percentile of the handler, in ns; late
 * samples, code objects read by these */
EXPORTED void
calls_truth_end (guint64 *ret_counts)
{
  guint n;

  g_atomic_int_set (&stopping, 1);
  g_thread_join (thread);
  n = (guint) MIN (n_samples, G_N_ELEMENTS (handler_ns));
  qsort (handler_ns, n, sizeof *handler_ns, compare_times);
  memcpy (ret_counts, (guint64[]) { (guint64) n_samples, n_with_truth, n_right, n_wrong, n_without, n > 0
                                    ? (guint64) handler_ns[n / 2] : 0,
                                    n > 0 ? (guint64) handler_ns[n * 99 / 100] : 0, n_late, n_read_late },
                                    9 * sizeof *ret_counts);
}
