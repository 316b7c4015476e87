/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch notify FILE`: a desktop notification of one report. `jankwatch run` and `jankwatch watch`
 * start it for the setting `notify`. At most one notification a minute is shown,
 * whoever starts the command: a file in the store has the time of the last one. */

#include "config.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "load-report.h"
#include "symbols/jank-function-name-private.h"
#include "text/jank-text-report-private.h"

#define BUS_NAME   "org.freedesktop.Notifications"
#define OBJECT     "/org/freedesktop/Notifications"
#define STAMP      "last-notification"
#define EVERY_S    60
#define TIMEOUT_MS 5000

/* Returns: TRUE if the last notification is a minute old or its time is unknown; marks this one as the last */
static gboolean
take_turn (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, STAMP, NULL);
  int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct timespec now;
  struct stat status;
  gboolean is_due;

  if (fd < 0 || flock (fd, LOCK_EX) != 0 || fstat (fd, &status) != 0)
    {
      if (fd >= 0)
        close (fd);
      return TRUE;
    }
  clock_gettime (CLOCK_REALTIME, &now);
  is_due = status.st_size == 0 || now.tv_sec - status.st_mtim.tv_sec >= EVERY_S || now.tv_sec < status.st_mtim.tv_sec;
  if (is_due)
    is_due = pwrite (fd, "1", 1, 0) == 1 && futimens (fd, NULL) == 0;
  close (fd);
  return is_due;
}

static char *
make_summary (JankReport *report)
{
  g_autofree char *length = jank_text_duration (report->stall.duration_ns);
  const char *name = jank_text_or_empty (report->app.name);

  if (report->kind == JANK_REPORT_CPU || report->kind == JANK_REPORT_SPIN)
    return g_strdup_printf (_("“%s” kept computing for %s"), name, length);
  if (report->kind == JANK_REPORT_FRAME)
    return g_strdup_printf (_("“%s” drew too few frames for %s"), name, length);
  return g_strdup_printf (_("“%s” did not respond for %s"), name, length);
}

static char *
make_body (JankReport *report)
{
  g_autofree char *culprit = jank_function_name (report->culprit.function);
  const char *id = jank_text_or_empty (report->id);
  g_autofree char *text = NULL;

  if (*culprit != '\0')
    text = g_strdup_printf (_("Culprit: %s. Details: jankwatch show %s"), culprit, id);
  else
    text = g_strdup_printf (_("Details: jankwatch show %s"), id);
  /* The body may be read as markup. */
  return g_markup_escape_text (text, -1);
}

static gboolean
show (JankReport *report, GError **error)
{
  g_autofree char *summary = make_summary (report);
  g_autofree char *body = make_body (report);
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, error);
  g_autoptr (GVariant) answer = NULL;
  GVariantBuilder actions, hints;

  if (bus == NULL)
    return FALSE;
  g_variant_builder_init (&actions, G_VARIANT_TYPE ("as"));
  g_variant_builder_init (&hints, G_VARIANT_TYPE ("a{sv}"));
  g_variant_builder_add (&hints, "{sv}", "urgency", g_variant_new_byte (0));
  answer = g_dbus_connection_call_sync (
    bus, BUS_NAME, OBJECT, BUS_NAME, "Notify",
    g_variant_new ("(susssasa{sv}i)", "jankwatch", 0, "dialog-warning", summary, body, &actions, &hints, -1),
    G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, TIMEOUT_MS, NULL, error);
  return answer != NULL;
}

int
command_notify (int argc, char **argv)
{
  const GOptionEntry entries[] = { { NULL } };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "notify", _("FILE"),
    _("Shows a desktop notification of the report in FILE, if there was none in the last minute."), entries);
  g_autoptr (JankReport) report = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = NULL;

  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (argc != 2)
    return cli_fail_usage ("notify", _("Name one report, as a file"));
  report = load_report (NULL, argv[1], &error);
  if (report == NULL)
    return cli_fail (error);
  folder = g_path_get_dirname (argv[1]);
  if (!take_turn (folder))
    return CLI_FINE;
  if (show (report, &error))
    return CLI_FINE;
  cli_warn (_("Could not show a notification: %s"), error->message);
  return CLI_FAILED;
}
