/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* application [VERB] LIBRARY: a GtkApplication of libgtk-3.so.0 or libgtk-4.so.1. It freezes for a second at its
 * “initialized”, “startup”, “activate” (as without a verb) or “presented”, or once it has turned the loop by hand
 * (“iterated”), shows a window and ends 700 ms later, or stays with STAY in its environment. As most programs do, it
 * leaves all else to g_application_run(). With “forked” it is a fork that does so. “first” instead stays, and freezes
 * when “second” has it handle a command line. */

#include <gio/gio.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static void *gtk;
static const char *verb;
static int n_stalls;

__attribute__ ((noinline)) static void
stall_here (void)
{
  usleep (1000000);
  n_stalls++; /* no tail call, which would leave this function off the stack */
}

static void
slow_at (const char *place)
{
  if (g_str_equal (verb, place))
    stall_here ();
}

static void
startup_cb (GApplication *application)
{
  slow_at ("startup");
}

static void
activate_cb (GApplication *application)
{
  void *(*new_window) (GApplication *) = (void *(*) (GApplication *)) dlsym (gtk, "gtk_application_window_new");
  void (*present) (void *) = (void (*) (void *)) dlsym (gtk, "gtk_window_present");

  slow_at ("activate");
  present (new_window (application));
  slow_at ("presented");
  if (!g_str_equal (verb, "first") && g_getenv ("STAY") == NULL)
    g_timeout_add_once (700, (GSourceOnceFunc) g_application_quit, application);
}

static int
command_line_cb (GApplication *application, GApplicationCommandLine *line)
{
  if (g_application_command_line_get_is_remote (line))
    stall_here ();
  else
    g_application_activate (application);
  return 0;
}

int
main (int argc, char **argv)
{
  GApplication *(*new_application) (const char *, GApplicationFlags);
  GApplication *application;
  int status;

  verb = argc > 2 ? argv[1] : "activate";
  if (g_str_equal (verb, "forked") && fork () > 0)
    {
      wait (&status);
      return WEXITSTATUS (status);
    }
  if (g_str_equal (verb, "forked"))
    verb = "activate";
  gtk = dlopen (argv[argc - 1], RTLD_NOW);
  g_assert_nonnull (gtk);
  /* GTK 4's has no arguments, and ignores these. */
  ((void (*) (int *, char ***)) dlsym (gtk, "gtk_init")) (NULL, NULL);
  slow_at ("initialized");
  if (g_str_equal (verb, "iterated"))
    g_main_context_iteration (NULL, FALSE);
  slow_at ("iterated");
  new_application = (GApplication *(*) (const char *, GApplicationFlags)) dlsym (gtk, "gtk_application_new");
  application = new_application ("org.example.Startup", g_str_equal (verb, "first") || g_str_equal (verb, "second")
                                                         ? G_APPLICATION_HANDLES_COMMAND_LINE
                                                         : G_APPLICATION_NON_UNIQUE);
  g_signal_connect (application, "command-line", G_CALLBACK (command_line_cb), NULL);
  g_signal_connect (application, "startup", G_CALLBACK (startup_cb), NULL);
  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  status = g_application_run (application, 1, argv);
  g_object_unref (application);
  return status;
}
