/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* starter VERB MS: a GtkApplication that is slow at one place of its start-up. Its siblings in other languages take the
 * same words: main, initialized, startup, activate and presented sleep there; dbus calls a service that does not
 * answer; second hands its command line to a first instance, “first”, which sleeps before it answers. */

#include <gtk/gtk.h>

static const char *verb;
static guint ms;

static __attribute__ ((noinline)) void
load_things (void)
{
  g_usleep (ms * 1000);
  g_atomic_int_add (&ms, 0);
}

static __attribute__ ((noinline)) void
slow_at (const char *place)
{
  if (g_str_equal (verb, place))
    load_things ();
}

static void
startup_cb (GApplication *application)
{
  slow_at ("startup");
}

static __attribute__ ((noinline)) void
call_service (void)
{
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_autoptr (GVariant) reply = NULL;

  reply = g_dbus_connection_call_sync (bus, "org.example.Mute", "/org/example/Mute", "org.example.Mute", "ListAll",
                                       NULL, NULL, G_DBUS_CALL_FLAGS_NONE, (int) ms, NULL, NULL);
}

static void
activate_cb (GApplication *application)
{
  GtkWidget *window;

  slow_at ("activate");
  if (g_str_equal (verb, "dbus"))
    call_service ();
  window = gtk_application_window_new (GTK_APPLICATION (application));
  gtk_window_present (GTK_WINDOW (window));
  slow_at ("presented");
  if (!g_str_equal (verb, "first"))
    g_timeout_add_once (700, (GSourceOnceFunc) g_application_quit, application);
}

static int
command_line_cb (GApplication *application, GApplicationCommandLine *line)
{
  if (g_application_command_line_get_is_remote (line))
    load_things ();
  g_application_activate (application);
  return 0;
}

int
main (int argc, char **argv)
{
  g_autoptr (GtkApplication) application = NULL;
  GApplicationFlags flags = G_APPLICATION_NON_UNIQUE;

  verb = argv[1];
  ms = (guint) atoi (argv[2]);
  slow_at ("main");
  if (g_str_equal (verb, "first") || g_str_equal (verb, "second"))
    flags = G_APPLICATION_HANDLES_COMMAND_LINE;
#if GTK_MAJOR_VERSION == 4
  gtk_init ();
#else
  gtk_init (NULL, NULL);
#endif
  slow_at ("initialized");
  application = gtk_application_new ("org.example.Starter", flags);
  g_signal_connect (application, "startup", G_CALLBACK (startup_cb), NULL);
  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  g_signal_connect (application, "command-line", G_CALLBACK (command_line_cb), NULL);
  return g_application_run (G_APPLICATION (application), 1, argv);
}
