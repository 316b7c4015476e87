/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* jankwatch-demo: a GTK 4 program that freezes on request. It knows nothing of jankwatch and is not linked with
 * it: it stands for any unmodified program. */

#include "demo.h"

#include <glib/gi18n.h>
#include <locale.h>

/* Between the first frame and the first press, between presses, and before the end. */
#define AUTO_REST_MS 300

#define SECONDS_MIN 0.1
#define SECONDS_MAX 5.0

/* The command line. */
static char *option_auto;
static char *option_truth;
static double option_seconds = 1;
static int option_times = 1;
static gboolean option_list;

static const DemoStall *auto_stall;

static gboolean auto_press_cb (gpointer data);

/* One shot each: a repeating timeout would be due at once after a stall that is longer than the rest. */
static void
auto_press_later (GtkWindow *window)
{
  guint id = g_timeout_add (AUTO_REST_MS, auto_press_cb, window);

  g_source_set_name_by_id (id, "[jankwatch-demo] press");
}

static gboolean
auto_press_cb (gpointer data)
{
  if (option_times-- > 0)
    {
      demo_window_press (data, auto_stall);
      auto_press_later (data);
    }
  else
    gtk_window_destroy (data);
  return G_SOURCE_REMOVE;
}

static void
first_frame_cb (GdkFrameClock *clock, GtkWindow *window)
{
  auto_press_later (window);
  g_signal_handlers_disconnect_by_func (clock, first_frame_cb, window);
}

static void
map_cb (GtkWidget *window, gpointer data)
{
  g_signal_connect_object (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (first_frame_cb),
                           window, 0);
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  DemoWindow *window;

  demo_dbus_start ();
  window = demo_window_new (application, option_seconds, option_truth);
  if (auto_stall != NULL)
    g_signal_connect_after (window, "map", G_CALLBACK (map_cb), NULL);
  gtk_window_present (GTK_WINDOW (window));
}

/* Returns the exit status, or -1 to go on. */
static int
handle_local_options_cb (GApplication *application, GVariantDict *options, gpointer data)
{
  if (option_list)
    {
      for (gsize i = 0; i < n_demo_stalls; i++)
        g_print ("%-10s %s\n", demo_stalls[i].name, _(demo_stalls[i].description));
      return 0;
    }
  if (option_seconds < SECONDS_MIN || option_seconds > SECONDS_MAX)
    {
      g_printerr (_("--seconds must be from %.1f to %.1f.\n"), SECONDS_MIN, SECONDS_MAX);
      return 1;
    }
  if (option_times < 1)
    {
      g_printerr (_("--times must be at least 1.\n"));
      return 1;
    }
  if (option_auto == NULL)
    return -1;
  auto_stall = demo_stall_find (option_auto);
  if (auto_stall == NULL)
    {
      g_printerr (_("There is no stall ‘%s’; --list shows all.\n"), option_auto);
      return 1;
    }
  return -1;
}

static const GOptionEntry option_entries[] = {
  { "auto", 'a', G_OPTION_FLAG_NONE, G_OPTION_ARG_STRING, &option_auto,
    N_("Press this button, then quit"), N_("KIND") },
  { "seconds", 's', G_OPTION_FLAG_NONE, G_OPTION_ARG_DOUBLE, &option_seconds,
    N_("Length of each stall (default 1)"), N_("SECONDS") },
  { "times", 't', G_OPTION_FLAG_NONE, G_OPTION_ARG_INT, &option_times,
    N_("How often to press it (default 1)"), N_("N") },
  { "truth", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_FILENAME, &option_truth,
    N_("Append one JSON line per stall to this file"), N_("FILE") },
  { "list", 'l', G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE, &option_list,
    N_("List the kinds of stall"), NULL },
  { NULL }
};

int
main (int argc, char **argv)
{
  g_autoptr (GtkApplication) application = NULL;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, JANK_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  /* Not unique: a second one must freeze itself, not the first. */
  application = gtk_application_new ("org.jankwatch.Demo", G_APPLICATION_NON_UNIQUE);
  g_application_add_main_option_entries (G_APPLICATION (application), option_entries);
  g_application_set_option_context_summary (G_APPLICATION (application),
                                            _("A program that freezes on request, to try jankwatch on."));
  g_signal_connect (application, "handle-local-options", G_CALLBACK (handle_local_options_cb), NULL);
  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  return g_application_run (G_APPLICATION (application), argc, argv);
}
