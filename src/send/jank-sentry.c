/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-sentry-private.h"

#include <string.h>

#include "text/jank-text-report-private.h"

void
jank_protocol_sentry_text (JankOtlp *out, const char *name, const char *text)
{
  if (text != NULL && *text != '\0')
    jank_otlp_text (out, 0, name, text);
}

static void
jank_protocol_sentry_address (JankOtlp *out, const char *name, guint64 address)
{
  g_autofree char *text = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", address);

  TEXT (name, text);
}

char *
jank_protocol_sentry_make_id (const JankSendStyle *style, const char *key, const char *what)
{
  g_autofree char *both = g_strconcat (style->identity, "-", key, what, NULL);

  return g_compute_checksum_for_string (G_CHECKSUM_MD5, both, -1);
}

/* "editor@1.2" */
void
jank_protocol_sentry_release (JankOtlp *out, const char *app, const char *version)
{
  g_autofree char *release = g_strdup_printf ("%s@%s", jank_text_or_empty (app),
                                              version != NULL && *version != '\0' ? version : "unknown");

  TEXT ("release", release);
}

void
jank_protocol_sentry_sdk (JankOtlp *out, const char *name)
{
  BEGIN (name);
  TEXT ("name", "jankwatch");
  TEXT ("version", JANK_VERSION);
  END ();
}

/* A GUID of the first 16 bytes, three parts of which are little-endian, as symbol servers know a file. */
static void
jank_protocol_sentry_debug_id (JankOtlp *out, const char *build_id)
{
  static const guint order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
  g_autoptr (GString) text = g_string_new (NULL);

  if (strlen (build_id) < 2 * G_N_ELEMENTS (order))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    g_string_append_printf (text, "%s%.2s", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", build_id + 2 * order[i]);
  TEXT ("debug_id", text->str);
}

/* Whether one of the calls that a brief event has is in module. */
static gboolean
jank_protocol_sentry_shows (JankReport *report, const JankReportModule *module)
{
  const JankReportStack *stack = jank_report_get_stack (report, report->heaviest.stack);

  for (guint i = 0; stack != NULL && i < MIN (stack->calls->len, JANK_BRIEF_CALLS); i++)
    if (jank_report_get_module (report, jank_report_get_call (report, g_array_index (stack->calls, gint, i))) == module)
      return TRUE;
  return FALSE;
}

void
jank_protocol_sentry_images (JankOtlp *out, JankReport *report, gboolean brief)
{
  BEGIN ("debug_meta");
  jank_otlp_begin_list (out, "images");
  for (guint i = 0; i < report->modules->len; i++)
    {
      const JankReportModule *module = g_ptr_array_index (report->modules, i);

      if (module->build_id == NULL || (brief && !jank_protocol_sentry_shows (report, module)))
        continue;
      BEGIN (NULL);
      TEXT ("type", "elf");
      TEXT ("code_id", module->build_id);
      jank_protocol_sentry_debug_id (out, module->build_id);
      TEXT ("code_file", module->path);
      jank_protocol_sentry_address (out, "image_addr", module->base);
      END ();
    }
  jank_otlp_end_list (out);
  END ();
}

void
jank_protocol_sentry_frame (JankOtlp *out, JankReport *report, guint at)
{
  const JankReportCall *call = jank_report_get_call (report, (gint) at);
  const JankReportModule *module = jank_report_get_module (report, call);
  g_autofree char *name = jank_report_call_to_text (report, at);

  BEGIN (NULL);
  TEXT ("function", name);
  TEXT ("filename", call->file);
  if (call->line > 0)
    INT ("lineno", call->line);
  TEXT ("package", module != NULL ? module->path : NULL);
  if (call->language == NULL)
    {
      jank_protocol_sentry_address (out, "instruction_addr", (module != NULL ? module->base : 0) + call->offset);
      jank_protocol_sentry_address (out, "symbol_addr",
                                    (module != NULL ? module->base : 0) + call->offset - call->symbol_offset);
    }
  BOOL ("in_app", jank_report_is_own (report, call, NULL));
  END ();
}
