/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gtk/inspector/jank-inspector-lines-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "gtk/inspector/jank-inspector-editor-private.h"
#include "report/jank-report-json-private.h"

static void
jank_inspector_lines_answered_cb (GObject *child, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  g_autofree char *json = NULL;
  GError *error = NULL;
  JankReport *report = NULL;

  if (g_subprocess_communicate_utf8_finish (G_SUBPROCESS (child), result, &json, NULL, &error))
    report = jank_report_from_json (json, strlen (json), &error);
  if (report != NULL)
    g_task_return_pointer (task, report, (GDestroyNotify) jank_report_unref);
  else
    g_task_return_error (task, error);
}

void
jank_inspector_lines_find (JankReport *report, const char *command, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer data)
{
  const char *argv[] = { command, "show", "--json", "-", NULL };
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  g_autofree char *json = jank_report_to_json (report);
  g_autoptr (GSubprocess) child = NULL;
  GError *error = NULL;

  if (command == NULL)
    {
      g_task_return_new_error (task, JANK_ERROR, JANK_ERROR_NOT_FOUND,
                               _("Could not look for the line: the command “jankwatch” is not installed"));
      return;
    }
  child = jank_inspector_editor_spawn (argv, G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                             | G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error);
  if (child != NULL)
    g_subprocess_communicate_utf8_async (child, json, cancellable, jank_inspector_lines_answered_cb,
                                         g_steal_pointer (&task));
  else
    g_task_return_error (task, error);
}

JankReport *
jank_inspector_lines_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
