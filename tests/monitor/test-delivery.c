/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Commands and notifications for reports: `jankwatch watch` beside a watched program, with a real bus and a
 * notification service that the test is itself. */

#include <signal.h>
#include <string.h>
#include <gio/gio.h>
#include <glib/gstdio.h>

#include "fixture.h"
#include "sanitizer.h"
#include "test.h"

/* Returns: (transfer full): the next that it says */
static char *
read_line (GSubprocess *watch)
{
  GString *line = g_string_new (NULL);
  char byte = 0;

  for (; byte != '\n'; g_string_append_c (line, byte))
    g_assert_cmpint (g_input_stream_read (g_subprocess_get_stderr_pipe (watch), &byte, 1, NULL, NULL), ==, 1);
  return g_string_free (line, FALSE);
}

/* `jankwatch watch`, once it waits for reports; config: its settings. */
static GSubprocess *
start_watch (Fixture *fixture, const char *config)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GError) error = NULL;
  GSubprocess *watch;

  g_subprocess_launcher_setenv (launcher, "JANKWATCH_CONFIG", config, TRUE);
  watch = g_subprocess_launcher_spawn (launcher, &error, "jankwatch", "watch", "--store", fixture->store, NULL);
  g_assert_no_error (error);
  g_free (read_line (watch));
  return watch;
}

/* Returns: (transfer full): what else it said */
static char *
end_watch (GSubprocess *watch)
{
  g_autoptr (GError) error = NULL;
  char *said = NULL;

  g_subprocess_send_signal (watch, SIGTERM);
  g_assert_true (g_subprocess_communicate_utf8 (watch, NULL, NULL, NULL, &said, &error));
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_successful (watch));
  g_object_unref (watch);
  return said;
}

/* Writes a script that appends its arguments and its environment to a log. Returns: (transfer full): its path */
static char *
write_script (const char *folder, const char *log)
{
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\n{ echo \"$# $1 $2\"; env; } >>'%s.new'\n"
                                           "grep -c '' \"$2\" >>'%s.new'; mv '%s.new' '%s'\n", log, log, log, log);
  char *path = g_build_filename (folder, "tell", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  return path;
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, command)
{
  g_autofree char *folder = folder_new ("jank-delivery");
  g_autofree char *log = g_build_filename (folder, "log", NULL);
  g_autofree char *script = write_script (folder, log);
  g_autofree char *config = g_strconcat ("on-report=", script, " 'two words'", NULL);
  g_autofree char *text = NULL, *wanted = NULL, *said = NULL;
  Work work = { monitor_sleep, 150 * MS };
  GSubprocess *watch;

  g_setenv ("GTK_MODULES", "jankwatch:other", TRUE);
  watch = start_watch (fixture, config);
  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &work);
  fixture_await (fixture, 0);
  text = fixture_await_file (log);

  /* Its own words, then the file, which is there by then. */
  wanted = g_strdup_printf ("2 two words %s/%s.json\n", fixture->store,
                            jank_report_get_id (fixture->reports->pdata[0]));
  g_assert_true (g_str_has_prefix (text, wanted));
  g_assert_true (g_str_has_suffix (text, "\n1\n"));
  g_assert_null (strstr (text, "JANKWATCH"));
  g_assert_nonnull (strstr (text, "GTK_MODULES=other\n"));

  jank_monitor_stop (fixture->monitor);
  said = end_watch (watch);
  g_assert_cmpstr (said, ==, "");
  g_unsetenv ("GTK_MODULES");
  folder_remove (folder);
}

static void
stall_otherwise (gint64 duration_ns)
{
  monitor_compute (duration_ns);
}

/* Two problems in one second: the second is only counted, and that is said. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, rate)
{
  g_autofree char *folder = folder_new ("jank-delivery");
  g_autofree char *log = g_build_filename (folder, "log", NULL);
  g_autofree char *script = write_script (folder, log);
  g_autofree char *config = g_strconcat ("on-report=", script, NULL);
  g_autofree char *text = NULL, *said = NULL;
  Work sleep = { monitor_sleep, 100 * MS }, compute = { stall_otherwise, 100 * MS };
  GSubprocess *watch = start_watch (fixture, config);

  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &sleep);
  fixture_run_work (fixture, &compute);
  fixture_await (fixture, 1);
  jank_monitor_stop (fixture->monitor);
  text = fixture_await_file (log);
  g_usleep (200000);
  said = end_watch (watch);

  g_assert_nonnull (strstr (said, script));
  g_clear_pointer (&text, g_free);
  text = fixture_await_file (log);
  g_assert_nonnull (strstr (text, jank_report_get_id (fixture->reports->pdata[0])));
  g_assert_null (strstr (text, jank_report_get_id (fixture->reports->pdata[1])));
  folder_remove (folder);
}

/* Said once; reports are kept all the same. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, missing_command)
{
  g_autofree char *said = NULL, *rest = NULL;
  Work sleep = { monitor_sleep, 100 * MS };
  GSubprocess *watch = start_watch (fixture, "on-report=no-such-command-anywhere");

  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &sleep);
  fixture_await (fixture, 0);
  jank_monitor_stop (fixture->monitor);
  said = read_line (watch);
  rest = end_watch (watch);
  g_assert_cmpstr (rest, ==, "");
  g_assert_nonnull (strstr (said, "no-such-command-anywhere"));
  g_assert_cmpuint (folder_clear (fixture->store), ==, 1);
}

/* A notification service, on a thread of its own. */
typedef struct
{
  GMainContext *context;
  GMainLoop    *loop;
  gboolean      is_up;      /* (atomic) */
  gint          n_notified; /* (atomic) */
  char         *summary, *body; /* (owned): of the last one */
} Service;

static const char introspection[] =
  "<node><interface name='org.freedesktop.Notifications'><method name='Notify'>"
  "<arg type='s' direction='in'/><arg type='u' direction='in'/><arg type='s' direction='in'/>"
  "<arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='as' direction='in'/>"
  "<arg type='a{sv}' direction='in'/><arg type='i' direction='in'/><arg type='u' direction='out'/>"
  "</method></interface></node>";

static void
notify_cb (GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *method,
           GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  Service *service = data;

  g_free (service->summary);
  g_free (service->body);
  g_variant_get_child (parameters, 3, "s", &service->summary);
  g_variant_get_child (parameters, 4, "s", &service->body);
  g_dbus_method_invocation_return_value (invocation, g_variant_new ("(u)", 1));
  g_atomic_int_inc (&service->n_notified);
}

static void
owned_cb (GDBusConnection *bus, const char *name, gpointer data)
{
  g_atomic_int_set (&((Service *) data)->is_up, TRUE);
}

static gpointer
service_thread (gpointer data)
{
  static const GDBusInterfaceVTable vtable = { notify_cb, NULL, NULL, { NULL } };
  Service *service = data;
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (introspection, NULL);
  g_autoptr (GDBusConnection) bus = NULL;
  g_autoptr (GError) error = NULL;
  guint name, object;

  g_main_context_push_thread_default (service->context);
  bus = g_dbus_connection_new_for_address_sync (
    g_getenv ("DBUS_SESSION_BUS_ADDRESS"),
    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
  g_assert_no_error (error);
  object = g_dbus_connection_register_object (bus, "/org/freedesktop/Notifications", node->interfaces[0], &vtable,
                                              service, NULL, &error);
  g_assert_no_error (error);
  name = g_bus_own_name_on_connection (bus, "org.freedesktop.Notifications", G_BUS_NAME_OWNER_FLAGS_NONE, owned_cb,
                                       NULL, service, NULL);
  g_main_loop_run (service->loop);
  g_bus_unown_name (name);
  g_dbus_connection_unregister_object (bus, object);
  g_dbus_connection_close_sync (bus, NULL, NULL);
  g_main_context_pop_thread_default (service->context);
  return NULL;
}

static void
await (gint *flag)
{
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;

  while (!g_atomic_int_get (flag))
    {
      g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
      g_usleep (2000);
    }
}

/* One for the first problem, none for the second in the same minute. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, notify)
{
  g_autoptr (GTestDBus) bus = g_test_dbus_new (G_TEST_DBUS_NONE);
  Service service = { 0 };
  Work sleep = { monitor_sleep, 300 * MS }, compute = { stall_otherwise, 300 * MS };
  g_autofree char *stamp = g_build_filename (fixture->store, "last-notification", NULL);
  g_autofree char *said = NULL;
  GSubprocess *watch;
  GThread *thread;

  service.context = g_main_context_new ();
  g_test_dbus_up (bus);
  service.loop = g_main_loop_new (service.context, FALSE);
  thread = g_thread_new ("service", service_thread, &service);
  await (&service.is_up);

  watch = start_watch (fixture, "notify=yes");
  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &sleep);
  fixture_await (fixture, 0);
  await (&service.n_notified);
  fixture_run_work (fixture, &compute);
  fixture_await (fixture, 1);
  g_assert_cmpstr (jank_report_get_id (fixture->reports->pdata[0]), !=,
                   jank_report_get_id (fixture->reports->pdata[1]));
  g_usleep (500000);

  g_assert_cmpint (g_atomic_int_get (&service.n_notified), ==, 1);
  said = end_watch (watch);
  g_test_message ("%s: %s", service.summary, service.body);
  g_assert_nonnull (strstr (service.summary, "test-delivery"));
  g_assert_nonnull (strstr (service.body, jank_report_get_id (fixture->reports->pdata[0])));

  g_main_loop_quit (service.loop);
  g_thread_join (thread);
  g_main_loop_unref (service.loop);
  g_main_context_unref (service.context);
  g_free (service.summary);
  g_free (service.body);
  jank_monitor_stop (fixture->monitor);
  g_unlink (stamp);
  g_test_dbus_down (bus);
}

static void
test_none (void)
{
  g_test_skip ("GIO's threads, of a GLib that is not built for it, are all races to a thread sanitizer");
}

/* The command of this build is found in PATH, as an installed one would be. */
int
main (int argc, char **argv)
{
  g_autofree char *path = g_strconcat (g_getenv ("JANK_COMMAND_FOLDER"), ":", g_getenv ("PATH"), NULL);

  g_setenv ("PATH", path, TRUE);
  home_isolate ();
  g_test_init (&argc, &argv, NULL);
  if (HAS_TSAN)
    g_test_add_func ("/monitor/delivery/none", test_none);
  else
    tests_add_all ("/monitor/delivery");
  return home_run ();
}
