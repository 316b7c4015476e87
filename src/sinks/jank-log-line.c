/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The message is structured: where the program's log is the journal, its fields can be searched. It is an errand: it
 * goes to the program's standard error of that moment, and a log writer of the program's that waits holds up no
 * sampling. */

#define G_LOG_DOMAIN "jankwatch"

#include "sinks/jank-sinks-private.h"

#include <glib/gi18n-lib.h>

#include "guest/jank-errands-private.h"
#include "guest/jank-plugin-private.h"
#include "report/jank-report-private.h"
#include "text/jank-sentence-plugin-private.h"

/* The journal's name for “a main loop has stalled”. */
#define MESSAGE_ID "6f2d3c5b8f7a4b0c9c1be0d2a4a7e315"

struct _JankLogLine
{
  /* set at construction */
  JankSentenceFunc make;

  /* watcher thread only */
  gint64 logged_ns; /* when the stall that was logged last began; 0: none */
};

JankLogLine *
jank_log_line_new (void)
{
  g_autoptr (GError) error = NULL;
  JankSentenceFunc make = (JankSentenceFunc) jank_plugin_find (JANK_SENTENCE_LIBRARY, JANK_SENTENCE_SYMBOL, &error);
  JankLogLine *self;

  if (make == NULL)
    {
      jank_errands_say (_("Stalls are not written to the program's log: %s"), error->message);
      return NULL;
    }
  self = g_new0 (JankLogLine, 1);
  self->make = make;
  return self;
}

static void
jank_log_line_add (GVariantDict *fields, const char *name, const char *text)
{
  g_variant_dict_insert (fields, name, "s", text != NULL ? text : "");
}

/* data: (transfer full): the fields */
static void
jank_log_line_log_fields (gpointer data)
{
  GVariant *fields = data;

  g_log_variant (G_LOG_DOMAIN, G_LOG_LEVEL_MESSAGE, fields);
  g_variant_unref (fields);
}

static void
jank_log_line_ongoing (gpointer data, JankRecord *record, JankReport *report)
{
  JankLogLine *self = data;
  g_auto (GVariantDict) fields = G_VARIANT_DICT_INIT (NULL);
  g_autofree char *headline = NULL, *duration = NULL;

  if (self->logged_ns == report->stall.began_monotonic_ns)
    return;
  self->logged_ns = report->stall.began_monotonic_ns;
  headline = self->make (report);
  duration = g_strdup_printf ("%" G_GINT64_FORMAT, report->stall.duration_ns);
  jank_log_line_add (&fields, "MESSAGE_ID", MESSAGE_ID);
  jank_log_line_add (&fields, "JANKWATCH_KIND", jank_report_kind_to_nick (report->kind));
  jank_log_line_add (&fields, "JANKWATCH_REPORT", report->id);
  jank_log_line_add (&fields, "JANKWATCH_FINGERPRINT", report->fingerprint);
  jank_log_line_add (&fields, "JANKWATCH_CULPRIT", report->culprit.function);
  jank_log_line_add (&fields, "JANKWATCH_MODULE", report->culprit.module);
  jank_log_line_add (&fields, "JANKWATCH_DURATION_NS", duration);
  jank_log_line_add (&fields, "MESSAGE", headline);
  jank_errands_do (jank_log_line_log_fields, g_variant_ref_sink (g_variant_dict_end (&fields)));
}

static void
jank_log_line_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  jank_log_line_ongoing (data, record, report);
}

const JankSinkFuncs jank_log_line_sink = {
  .ongoing = jank_log_line_ongoing,
  .ended = jank_log_line_ended,
  .free = g_free,
};
