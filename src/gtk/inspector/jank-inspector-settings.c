/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include "settings/jank-settings-private.h"

struct _JankInspectorSettings
{
  GtkBox    parent_instance;

  GtkLabel *list;
};

G_DEFINE_FINAL_TYPE (JankInspectorSettings, jank_inspector_settings, GTK_TYPE_BOX)

/* As they are when the tab is opened: a few may be changed by the program meanwhile. */
static void
jank_inspector_settings_map (GtkWidget *widget)
{
  const JankInspectorHost *host = jank_inspector_feed_get ()->host;
  const char *const *names = jank_settings_get_names ();
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; host != NULL && names[i] != NULL; i++)
    {
      g_autofree char *value = host->get_setting (host->data, names[i]);

      g_string_append_printf (text, "%s%s=%s", i > 0 ? "\n" : "", names[i], value);
    }
  gtk_label_set_text (JANK_INSPECTOR_SETTINGS (widget)->list, text->str);
  GTK_WIDGET_CLASS (jank_inspector_settings_parent_class)->map (widget);
}

static void
jank_inspector_settings_class_init (JankInspectorSettingsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->map = jank_inspector_settings_map;
  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-settings.ui");
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSettings, list);
}

static void
jank_inspector_settings_init (JankInspectorSettings *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
