/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch notify FILE`: a desktop notification of one report, with a button that opens it. `jankwatch run` and
 * `jankwatch watch` start it for the setting `notify`. At most one notification a minute is shown,
 * whoever starts the command: a file in the store has the time of the last one. */

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/jank-home-private.h"
#include "cli/programs/programs.h"
#include "reports.h"
#include "text/jank-report-lines-private.h"
#include "text/jank-text-report-private.h"

#define BUS_NAME   "org.freedesktop.Notifications"
#define OBJECT     "/org/freedesktop/Notifications"
#define STAMP      "last-notification"
#define EVERY_S    60
#define TIMEOUT_MS 5000 /* of the bus and the server together */
#define WAIT_S     600 /* for the button */

/* A click on the notification itself, and its button. */
static const char *const action_names[] = { "default", "open" };

/* Returns: TRUE if the last notification is a minute old or its time is unknown; marks this one as the last. Who holds
 * the file's lock shows one at this moment. */
static gboolean
take_turn (const char *folder)
{
  int dir = jank_home_open_folder (folder, NULL, JANK_HOME_MAKE_BELOW);
  int fd = dir >= 0 ? openat (dir, STAMP, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600) : -1;
  struct timespec now;
  struct stat status;
  gboolean is_due;

  if (dir >= 0)
    close (dir);
  if (fd < 0)
    return TRUE;
  if (flock (fd, LOCK_EX | LOCK_NB) != 0 || fstat (fd, &status) != 0 || !S_ISREG (status.st_mode) ||
      status.st_uid != geteuid () || status.st_nlink > 1)
    {
      close (fd);
      return FALSE;
    }
  clock_gettime (CLOCK_REALTIME, &now);
  is_due = status.st_size == 0 || now.tv_sec - status.st_mtim.tv_sec >= EVERY_S || now.tv_sec < status.st_mtim.tv_sec;
  is_due = is_due && pwrite (fd, "1", 1, 0) == 1 && futimens (fd, NULL) == 0;
  close (fd);
  return is_due;
}

static char *
make_summary (JankReport *report)
{
  g_autofree char *length = jank_text_duration (report->stall.duration_ns);
  const char *name = jank_text_or_empty (report->app.name);

  if (report->stall.outcome == JANK_OUTCOME_ONGOING)
    return g_strdup_printf (_("“%s” is not responding"), name);
  if (report->kind == JANK_REPORT_CPU || report->kind == JANK_REPORT_SPIN)
    return g_strdup_printf (_("“%s” kept computing for %s"), name, length);
  if (report->kind == JANK_REPORT_FRAME)
    return g_strdup_printf (_("“%s” drew too few frames for %s"), name, length);
  return g_strdup_printf (_("“%s” did not respond for %s"), name, length);
}

static char *
make_body (JankReport *report)
{
  g_autofree char *cause = jank_text_cause (report), *text = NULL;
  const char *id = jank_text_or_empty (report->id);

  if (cause != NULL)
    text = g_strdup_printf (_("%s. Details: jankwatch show %s"), cause, id);
  else
    text = g_strdup_printf (_("Details: jankwatch show %s"), id);
  /* The body may be read as markup. */
  return g_markup_escape_text (text, -1);
}

/* What is heard of the notification, until the person has done with it. */
typedef struct
{
  GDBusConnection *bus;   /* (owned) */
  GMainLoop       *loop;  /* (owned) */
  gint64           until_us; /* the notification is to be shown */
  guint            id;    /* as the server calls the notification */
  char            *token; /* (owned) (nullable): by which the window may come to the front */
  gboolean         opens; /* the report */
} Notification;

static void
notification_clear (Notification *self)
{
  g_clear_object (&self->bus);
  g_clear_pointer (&self->loop, g_main_loop_unref);
  g_free (self->token);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Notification, notification_clear)

static void
notification_signal_cb (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                        const char *name, GVariant *parameters, gpointer data)
{
  Notification *self = data;
  g_autoptr (GVariant) id = NULL, argument = NULL;

  if (!g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(us)")) &&
      !g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(uu)")))
    return;
  id = g_variant_get_child_value (parameters, 0);
  argument = g_variant_get_child_value (parameters, 1);
  if (g_variant_get_uint32 (id) != self->id)
    return;
  if (strcmp (name, "ActivationToken") == 0 && g_variant_is_of_type (argument, G_VARIANT_TYPE_STRING))
    {
      g_free (self->token);
      self->token = g_variant_dup_string (argument, NULL);
      return;
    }
  self->opens |= strcmp (name, "ActionInvoked") == 0;
  if (self->opens || strcmp (name, "NotificationClosed") == 0)
    g_main_loop_quit (self->loop);
}

static void
notification_vanished_cb (GDBusConnection *bus, const char *name, gpointer data)
{
  g_main_loop_quit (data);
}

static gboolean
notification_end_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

static int
notification_get_left_ms (const Notification *self)
{
  gint64 left_ms = (self->until_us - g_get_monotonic_time ()) / 1000;

  return (int) MAX (left_ms, 1);
}

/* Not every server has buttons. */
static gboolean
notification_can_open (const Notification *self)
{
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (self->bus, BUS_NAME, OBJECT, BUS_NAME, "GetCapabilities",
                                                             NULL, G_VARIANT_TYPE ("(as)"), G_DBUS_CALL_FLAGS_NONE,
                                                             notification_get_left_ms (self), NULL, NULL);
  g_autofree const char **capabilities = NULL;

  if (answer != NULL)
    g_variant_get (answer, "(^a&s)", &capabilities);
  return capabilities != NULL && g_strv_contains (capabilities, "actions");
}

static gboolean
notification_show (Notification *self, JankReport *report, gboolean can_open, GError **error)
{
  g_autofree char *summary = make_summary (report);
  g_autofree char *body = make_body (report);
  g_autoptr (GVariant) answer = NULL;
  GVariantBuilder actions, hints;

  g_variant_builder_init (&actions, G_VARIANT_TYPE ("as"));
  for (guint i = 0; can_open && i < G_N_ELEMENTS (action_names); i++)
    {
      g_variant_builder_add (&actions, "s", action_names[i]);
      g_variant_builder_add (&actions, "s", _("Open report"));
    }
  g_variant_builder_init (&hints, G_VARIANT_TYPE ("a{sv}"));
  g_variant_builder_add (&hints, "{sv}", "urgency", g_variant_new_byte (0));
  answer = g_dbus_connection_call_sync (
    self->bus, BUS_NAME, OBJECT, BUS_NAME, "Notify",
    g_variant_new ("(susssasa{sv}i)", "jankwatch", 0, "dialog-warning", summary, body, &actions, &hints, -1),
    G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, notification_get_left_ms (self), NULL, error);
  if (answer != NULL)
    g_variant_get (answer, "(u)", &self->id);
  return answer != NULL;
}

/* Signals that come before the answer has been read wait for the loop. */
static gboolean
notification_run (Notification *self, JankReport *report, GError **error)
{
  gboolean can_open;
  guint watch, timeout;

  self->loop = g_main_loop_new (NULL, FALSE);
  self->until_us = g_get_monotonic_time () + TIMEOUT_MS * 1000;
  self->bus = bus_names_connect (TIMEOUT_MS, error);
  if (self->bus == NULL)
    return FALSE;
  g_dbus_connection_signal_subscribe (self->bus, BUS_NAME, BUS_NAME, NULL, OBJECT, NULL, G_DBUS_SIGNAL_FLAGS_NONE,
                                      notification_signal_cb, self, NULL);
  can_open = notification_can_open (self);
  if (!notification_show (self, report, can_open, error))
    return FALSE;
  if (!can_open)
    return TRUE;
  watch = g_bus_watch_name_on_connection (self->bus, BUS_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE, NULL,
                                          notification_vanished_cb, self->loop, NULL);
  timeout = g_timeout_add_seconds (WAIT_S, notification_end_cb, self->loop);
  g_main_loop_run (self->loop);
  g_bus_unwatch_name (watch);
  if (g_main_context_find_source_by_id (NULL, timeout) != NULL)
    g_source_remove (timeout);
  return TRUE;
}

/* Becomes `jankwatch view`. */
static int
open_report (const Notification *notification, const char *path)
{
  char *argv[] = { (char *) "jankwatch", (char *) "view", (char *) path, NULL };

  if (notification->token != NULL)
    g_setenv ("XDG_ACTIVATION_TOKEN", notification->token, TRUE);
  execv ("/proc/self/exe", argv);
  cli_warn (_("Cannot run ‘%s’: %s"), "jankwatch", g_strerror (errno));
  return CLI_FAILED;
}

int
command_notify (int argc, char **argv)
{
  const GOptionEntry entries[] = { { NULL } };
  g_auto (Notification) notification = { NULL };
  g_autoptr (JankReport) report = NULL;
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = NULL;

  if (!cli_begin (&argc, &argv, _("FILE"), CLI_ANY_WORDS, entries, NULL,
                  _("Shows a desktop notification for the report in FILE, at most one a minute, and opens the "
                    "report when its button is pressed.")))
    return CLI_USAGE;
  if (argc != 2)
    return cli_fail_usage ("notify", _("Name one report file"));
  report = load_report (NULL, argv[1], &error);
  if (report == NULL)
    return cli_fail (error);
  folder = g_path_get_dirname (argv[1]);
  if (!take_turn (folder))
    return CLI_FINE;
  jank_report_fill_culprit_line (report, lines);
  if (!notification_run (&notification, report, &error))
    {
      cli_warn (_("Could not show a notification: %s"), error->message);
      return CLI_FAILED;
    }
  return notification.opens ? open_report (&notification, argv[1]) : CLI_FINE;
}
