/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/jank-fingerprint-private.h"

#include <string.h>

#include "blame/jank-platform-private.h"

/* Without the library's version: an update of the library is no other problem. */
static gsize
jank_fingerprint_get_name_length (const char *file)
{
  const char *so = strstr (file, ".so");

  return so != NULL ? (gsize) (so - file) : strlen (file);
}

/* Without what the compiler appends: "is_prime.constprop.0" is is_prime(). In a script's "Window.save" the dot is
 * part of the name. */
static gsize
jank_fingerprint_get_symbol_length (const JankReportCall *call, const char *symbol)
{
  return symbol[0] == '\0' || call->name_from == JANK_NAME_FROM_INTERPRETER ? strlen (symbol)
                                                                            : 1 + strcspn (symbol + 1, ".");
}

/* A class has its functions only once an object was made: descriptions come and go between reports. */
static const char *
jank_fingerprint_get_symbol (const JankReportCall *call)
{
  return !jank_name_from_is_description (call->name_from) ? call->symbol : NULL;
}

/* Returns: (transfer full): a function's text that is the same in every process */
static char *
jank_fingerprint_describe_function (JankReport *report, const JankReportCall *call)
{
  const JankReportModule *module = jank_report_get_module (report, call);
  const char *file = jank_report_get_file_name (report, call);
  const char *symbol = jank_fingerprint_get_symbol (call);

  if (file == NULL)
    return g_strdup (symbol != NULL ? symbol : "?");
  if (symbol != NULL)
    return g_strdup_printf ("%.*s!%.*s", (gint) jank_fingerprint_get_name_length (file), file,
                            (gint) jank_fingerprint_get_symbol_length (call, symbol), symbol);
  return g_strdup_printf ("%.*s!%s+%" G_GINT64_MODIFIER "x", (gint) jank_fingerprint_get_name_length (file), file,
                          module->build_id != NULL ? module->build_id : "", call->offset - call->symbol_offset);
}

/* The first step inside the dispatch, or of the whole path if there is none. */
static guint
jank_fingerprint_find_first (JankReport *report, guint n_steps)
{
  g_autofree JankCulpritStep *steps = jank_report_make_steps (report);
  guint first;

  for (guint i = 0; i < n_steps; i++)
    steps[i].function = jank_fingerprint_get_symbol (jank_report_get_step_call (report, (gint) i));
  first = jank_culprit_find_first (steps, n_steps, jank_report_kind_is_stall (report->kind));
  return first < n_steps ? first : 0;
}

static void
jank_fingerprint_add_text (GChecksum *checksum, const char *text)
{
  /* With the final NUL: "ab", "c" must differ from "a", "bc". */
  g_checksum_update (checksum, (const guchar *) text, (gssize) strlen (text) + 1);
}

/* Returns: the number of steps before a graphics driver's, or of all */
static guint
jank_fingerprint_find_driver (JankReport *report)
{
  for (guint i = 1; i < report->heaviest.path->len; i++)
    {
      const JankReportModule *module = jank_report_get_module (report, jank_report_get_step_call (report, (gint) i));

      if (module != NULL && module->path != NULL && jank_platform_is (module->path, JANK_PLATFORM_DRIVER))
        return i;
    }
  return report->heaviest.path->len;
}

/* Libraries between the program's functions change with their version, and of an interpreter's calls some may be
 * missing. Where a script's file begins is said where the loop's calls are missing, too. */
static gboolean
jank_fingerprint_tells (JankReport *report, const JankReportCall *call)
{
  gboolean is_file = call->name_from == JANK_NAME_FROM_INTERPRETER &&
                     (g_strcmp0 (call->symbol, "<TOP LEVEL>") == 0 || g_strcmp0 (call->symbol, "<module>") == 0);

  return !is_file && jank_report_is_own (report, call, NULL);
}

static void
jank_fingerprint_add_path (JankReport *report, GChecksum *checksum)
{
  gint culprit = jank_report_find_own_step (report);
  guint n_steps = culprit != JANK_REPORT_NO_INDEX ? (guint) culprit + 1 : jank_fingerprint_find_driver (report);
  g_autofree char *last = NULL;
  guint i = jank_fingerprint_find_first (report, n_steps);
  gboolean are_enough = culprit != JANK_REPORT_NO_INDEX;

  /* Wherever it begins. */
  if (n_steps > 0 && jank_report_get_step_call (report, (gint) n_steps - 1)->name_from == JANK_NAME_FROM_COLLECTOR)
    i = n_steps - 1;
  for (guint k = i; k < n_steps; k++)
    are_enough = are_enough || jank_fingerprint_tells (report, jank_report_get_step_call (report, (gint) k));
  for (; i < n_steps; i++)
    {
      const JankReportCall *call = jank_report_get_step_call (report, (gint) i);
      g_autofree char *function = jank_fingerprint_describe_function (report, call);

      if (g_strcmp0 (function, last) == 0 ||
          (are_enough && i + 1 < n_steps && !jank_fingerprint_tells (report, call)))
        continue;
      jank_fingerprint_add_text (checksum, function);
      g_free (last);
      last = g_steal_pointer (&function);
    }
}

static void
jank_fingerprint_add_source (JankReport *report, GChecksum *checksum)
{
  g_autofree char *callback = NULL;

  if (report->source.name != NULL)
    jank_fingerprint_add_text (checksum, report->source.name);
  if (report->source.callback == JANK_REPORT_NO_INDEX)
    return;
  callback = jank_fingerprint_describe_function (report, jank_report_get_call (report, report->source.callback));
  jank_fingerprint_add_text (checksum, callback);
}

char *
jank_fingerprint_new (JankReport *report)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const char *slash = report->app.exe != NULL ? strrchr (report->app.exe, '/') : NULL;

  jank_fingerprint_add_text (checksum, jank_report_kind_to_nick (report->kind));
  if (report->heaviest.path->len > 0)
    jank_fingerprint_add_path (report, checksum);
  else
    {
      /* Nothing is known of it but whose it is. */
      jank_fingerprint_add_text (checksum, report->app.id != NULL ? report->app.id : slash != NULL ? slash + 1 : "");
      jank_fingerprint_add_source (report, checksum);
    }
  return g_strndup (g_checksum_get_string (checksum), JANK_FINGERPRINT_LENGTH);
}
