/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The samples of a stall, as a chunk of a profile in Sentry's sample format 2. */

#include "send/jank-sentry-private.h"

/* A server refuses a chunk of more than 66 s. */
#define MAX_NS (60 * JANK_NS_PER_S)

typedef struct
{
  JankOtlp   *out;
  JankReport *report;
  const char *thread;
  GArray     *stacks;  /* (owned): gint: into the report's, JANK_REPORT_NO_INDEX: of nothing */
  guint      *numbers; /* (owned): of the report's, + 1, one behind that of nothing; 0: it has none yet */
  gint        last;    /* of the last sample */
} Chunk;

/* Milliseconds: what a stack has is the time to the next sample. */
static void
jank_sentry_chunk_sample (Chunk *self, gint64 at_ns)
{
  JankOtlp *out = self->out;

  BEGIN (NULL);
  jank_otlp_double (out, 0, "timestamp",
                    (double) (self->report->stall.began_real_us / 1000 + at_ns / JANK_NS_PER_MS) / 1000);
  INT ("stack_id", self->numbers[self->last + 1] - 1);
  TEXT ("thread_id", self->thread);
  END ();
}

/* From at_ns on the thread had that stack. Samples in a row with the same one are one. */
static void
jank_sentry_chunk_enter (Chunk *self, gint64 at_ns, gint stack)
{
  if (self->stacks->len > 0 && stack == self->last)
    return;
  if (self->numbers[stack + 1] == 0)
    {
      g_array_append_val (self->stacks, stack);
      self->numbers[stack + 1] = self->stacks->len;
    }
  self->last = stack;
  jank_sentry_chunk_sample (self, at_ns);
}

/* The last one says when the stall was over. */
static void
jank_sentry_chunk_samples (Chunk *self)
{
  g_autoptr (GArray) spans = jank_report_get_sample_spans (self->report);
  gint64 end_ns = 0;

  for (guint i = 0; i < spans->len; i++)
    {
      const JankReportSpan *span = &g_array_index (spans, JankReportSpan, i);

      if (span->to_ns > MAX_NS)
        break;
      if (span->from_ns >= end_ns + JANK_NS_PER_MS)
        jank_sentry_chunk_enter (self, end_ns, JANK_REPORT_NO_INDEX);
      jank_sentry_chunk_enter (self, span->from_ns,
                               ((JankReportSample *) g_ptr_array_index (self->report->samples, i))->stack);
      end_ns = span->to_ns;
    }
  jank_sentry_chunk_sample (self, end_ns);
}

/* Stacks are numbers of frames, innermost first. */
static void
jank_sentry_chunk_profile (JankOtlp *out, JankReport *report, const char *thread)
{
  g_autoptr (GArray) stacks = g_array_new (FALSE, FALSE, sizeof (gint));
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint *stack_numbers = g_new0 (guint, report->stacks->len + 1);
  g_autofree guint *numbers = g_new0 (guint, report->calls->len + 1);
  Chunk self = { out, report, thread, stacks, stack_numbers, JANK_REPORT_NO_INDEX };

  jank_otlp_begin_list (out, "samples");
  jank_sentry_chunk_samples (&self);
  jank_otlp_end_list (out);
  jank_otlp_begin_list (out, "stacks");
  for (guint i = 0; i < stacks->len; i++)
    {
      const JankReportStack *stack = jank_report_get_stack (report, g_array_index (stacks, gint, i));

      jank_otlp_begin_list (out, NULL);
      for (guint j = 0; stack != NULL && j < stack->calls->len; j++)
        {
          guint at = g_array_index (stack->calls, guint, j);

          if (numbers[at] == 0)
            {
              g_array_append_val (frames, at);
              numbers[at] = frames->len;
            }
          INT (NULL, numbers[at] - 1);
        }
      jank_otlp_end_list (out);
    }
  jank_otlp_end_list (out);
  jank_otlp_begin_list (out, "frames");
  for (guint i = 0; i < frames->len; i++)
    jank_protocol_sentry_frame (out, report, g_array_index (frames, guint, i));
  jank_otlp_end_list (out);
}

gboolean
jank_sentry_chunk_is_possible (JankReport *report)
{
  g_autoptr (GArray) spans = jank_report_get_sample_spans (report);

  if (report->threads->len == 0 || !((JankReportThread *) g_ptr_array_index (report->threads, 0))->observed)
    return FALSE;
  for (guint i = 0; i < spans->len && g_array_index (spans, JankReportSpan, i).to_ns <= MAX_NS; i++)
    if (((JankReportSample *) g_ptr_array_index (report->samples, i))->stack != JANK_REPORT_NO_INDEX)
      return TRUE;
  return FALSE;
}

void
jank_sentry_chunk_write (JankOtlp *out, const JankSendStyle *style, JankReport *report)
{
  const JankReportThread *thread = g_ptr_array_index (report->threads, 0);
  g_autofree char *chunk_id = jank_protocol_sentry_make_id (style, report->id, "/chunk");
  g_autofree char *profiler_id = jank_protocol_sentry_make_id (style, report->id, "/profiler");
  g_autofree char *tid = g_strdup_printf ("%d", thread->tid);

  BEGIN (NULL);
  TEXT ("version", "2");
  TEXT ("platform", "native");
  TEXT ("chunk_id", chunk_id);
  TEXT ("profiler_id", profiler_id);
  jank_protocol_sentry_release (out, report->app.name, report->app.version);
  TEXT ("environment", JANK_SENTRY_ENVIRONMENT);
  jank_protocol_sentry_sdk (out, "client_sdk");
  BEGIN ("profile");
  jank_sentry_chunk_profile (out, report, tid);
  BEGIN ("thread_metadata");
  BEGIN (tid);
  TEXT ("name", thread->name);
  END ();
  END ();
  END ();
  jank_protocol_sentry_images (out, report, FALSE);
  END ();
}

void
jank_sentry_chunk_link (JankOtlp *out, const JankSendStyle *style, JankReport *report)
{
  const JankReportThread *thread = g_ptr_array_index (report->threads, 0);
  g_autofree char *profiler_id = jank_protocol_sentry_make_id (style, report->id, "/profiler");
  g_autofree char *trace_id = jank_protocol_sentry_make_id (style, report->id, "/trace");
  g_autofree char *span_id = g_strndup (trace_id, 16), *tid = g_strdup_printf ("%d", thread->tid);

  BEGIN ("contexts");
  BEGIN ("profile");
  TEXT ("profiler_id", profiler_id);
  END ();
  BEGIN ("trace");
  TEXT ("trace_id", trace_id);
  TEXT ("span_id", span_id);
  BEGIN ("data");
  TEXT ("thread.id", tid);
  TEXT ("thread.name", thread->name);
  END ();
  END ();
  END ();
}
