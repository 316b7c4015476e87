/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reports.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "report/jank-report-json-private.h"
#include "store/jank-chains-private.h"
#include "text/jank-text-report-private.h"
#include "verdict/jank-verdict-private.h"

#define STANDARD_INPUT "-"

/* Reads no more than a report may have. */
static JankReport *
read_report (FILE *stream, const char *name, GError **error)
{
  g_autofree char *text = g_malloc (JANK_JSON_MAX_BYTES + 1);
  gsize n_bytes = fread (text, 1, JANK_JSON_MAX_BYTES + 1, stream);

  if (ferror (stream))
    g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot read ‘%s’: %s"), name, g_strerror (errno));
  else if (n_bytes > JANK_JSON_MAX_BYTES)
    g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, 
                 _("Cannot read ‘%s’: it is not a file, or it is larger than %d MiB"), name,
                 JANK_JSON_MAX_BYTES / (1024 * 1024));
  else
    {
      JankReport *report = jank_verdict_load (text, n_bytes, error);

      if (report == NULL)
        g_prefix_error (error, _("Cannot read ‘%s’: "), name);
      return report;
    }
  return NULL;
}

/* That of a file in a store is beside it. */
static void
add_chain (const char *name, JankReport *report)
{
  g_autofree char *folder = g_path_get_dirname (name), *base = g_path_get_basename (name);
  g_autofree char *own = report != NULL ? g_strconcat (report->id, ".json", NULL) : NULL;

  if (report != NULL && report->chain == NULL && strcmp (base, own) == 0 && jank_store_is_id (report->id))
    report->chain = jank_chains_load (folder, report->id);
}

static JankReport *
load_file (const char *name, GError **error)
{
  FILE *file;
  JankReport *report;
  int fd;

  if (strcmp (name, STANDARD_INPUT) == 0)
    return read_report (stdin, name, error);
  /* Opening does not wait for a pipe's writer; reading does. */
  fd = open (name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  file = fd >= 0 && fcntl (fd, F_SETFL, 0) == 0 ? fdopen (fd, "r") : NULL;
  if (file == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("Cannot read ‘%s’: %s"), name, g_strerror (errno));
      if (fd >= 0)
        close (fd);
      return NULL;
    }
  report = read_report (file, name, error);
  fclose (file);
  add_chain (name, report);
  return report;
}

JankReport *
load_report (const char *folder, const char *name, GError **error)
{
  g_autoptr (JankStore) store = NULL;

  if (strcmp (name, STANDARD_INPUT) == 0 || strchr (name, '/') != NULL || g_str_has_suffix (name, ".json"))
    return load_file (name, error);
  store = cli_open_store (folder, "jankwatch");
  return jank_store_load (store, name, error);
}

void
print_report (JankReport *report, const ReportStyle *how)
{
  JankTextStyle style = cli_text_style (stdout, 80);
  g_autofree char *text = NULL;

  style.native = how->native;
  text = how->json ? jank_report_generate_json (report, TRUE) : jank_text_report (report, &style);
  if (how->json)
    puts (text);
  else
    g_print ("%s", text);
}
