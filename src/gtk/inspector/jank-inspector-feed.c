/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What all parts of the page read and look like. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include "gtk/inspector/jank-inspector-resources.h"

static const JankInspectorFeed nothing;
static const JankInspectorFeed *feed = &nothing;

void
jank_inspector_feed_set (const JankInspectorFeed *new_feed)
{
  feed = new_feed;
}

const JankInspectorFeed *
jank_inspector_feed_get (void)
{
  return feed;
}

void
jank_inspector_load_resource (void)
{
  static gboolean is_loaded;

  if (!is_loaded)
    jank_inspector_register_resource ();
  is_loaded = TRUE;
}

void
jank_inspector_load_style (GdkDisplay *display)
{
  GtkCssProvider *provider;

  if (g_object_get_data (G_OBJECT (display), "jankwatch-style") != NULL)
    return;
  provider = gtk_css_provider_new ();
  jank_inspector_load_resource ();
  gtk_css_provider_load_from_resource (provider, JANK_INSPECTOR_RESOURCES "jank-inspector.css");
  gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_set_data_full (G_OBJECT (display), "jankwatch-style", provider, g_object_unref);
}
