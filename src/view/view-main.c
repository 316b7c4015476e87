/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* jankwatch-view [--store DIR] [FILTERS | FILE…]: `jankwatch view` starts it, and has checked the options. */

#include <locale.h>

#include <adwaita.h>
#include <glib/gi18n.h>

#include "settings/jank-settings-private.h"
#include "base/jank-text-clean-private.h"
#include "view/jank-view-private.h"

#define APP_ID "org.jankwatch.View"

static int
fail (const char *message)
{
  g_autofree char *clean = jank_text_clean (message);

  g_printerr ("jankwatch: %s\n", clean);
  return 1;
}

static JankStore *
open_store (const char *folder)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JankSettings) settings = jank_settings_load ("jankwatch", warnings);
  g_autofree char *absolute = folder != NULL ? g_canonicalize_filename (folder, NULL) : NULL;

  return jank_store_new (absolute != NULL ? absolute : settings->store, settings->max_reports, settings->max_bytes);
}

static void
activate_cb (GtkApplication *app, JankViewSource *source)
{
  gtk_window_present (GTK_WINDOW (jank_view_window_new (app, source)));
}

int
main (int argc, char **argv)
{
  JankFilter *filter = jank_filter_new ();
  GOptionGroup *group = jank_filter_new_group (filter);
  g_autofree char *folder = NULL;
  const GOptionEntry entries[] = {
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GtkApplication) app = NULL;
  g_autoptr (JankViewSource) source = NULL;
  g_autoptr (GError) error = NULL;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, JANK_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  g_option_group_add_entries (group, entries);
  g_option_context_set_main_group (context, group);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    return fail (error->message);
  if (argc > 1)
    {
      jank_filter_free (filter);
      source = jank_view_source_new_files (argv + 1);
    }
  else
    source = jank_view_source_new_store (open_store (folder), filter);
  g_set_prgname (APP_ID);
  g_set_application_name ("jankwatch");
  if (!gtk_init_check ())
    return fail (_("Cannot open a window: there is no display"));
  gtk_window_set_default_icon_name (APP_ID);

  /* The application looks for the shortcuts among its resources when it starts. */
  g_type_class_unref (g_type_class_ref (JANK_TYPE_VIEW_WINDOW));
  app = GTK_APPLICATION (adw_application_new (APP_ID, G_APPLICATION_NON_UNIQUE));
  g_signal_connect (app, "activate", G_CALLBACK (activate_cb), source);
  return g_application_run (G_APPLICATION (app), 1, argv);
}
