/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* is_updating is set while we, not the user, change a control. GTK's thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include <glib/gi18n-lib.h>

#include "settings/jank-preset-private.h"
#include "gtk/charts/jank-toolkit-private.h"
#include "gtk/inspector/jank-inspector-private.h"
#include "gtk/overlay/jank-overlay-private.h"

struct _JankInspectorSettings
{
  GtkBox     parent_instance;

  GtkWidget *threshold, *interval, *preset, *overlay, *watching, *message, *save;
  gboolean   is_updating;
};

G_DEFINE_FINAL_TYPE (JankInspectorSettings, jank_inspector_settings, GTK_TYPE_BOX)

static guint changed_signal;

static void
jank_inspector_settings_say (JankInspectorSettings *self, const char *text, gboolean is_error)
{
  gtk_label_set_text (GTK_LABEL (self->message), text);
  if (is_error)
    gtk_widget_add_css_class (self->message, "error");
  else
    gtk_widget_remove_css_class (self->message, "error");
}

static void
jank_inspector_settings_set (JankInspectorSettings *self, const char *key, const char *value)
{
  const JankInspectorHost *host = jank_inspector_get_host ();
  g_autoptr (GError) error = NULL;

  if (self->is_updating || host == NULL)
    return;
  if (host->set_setting (host->data, key, value, &error))
    jank_inspector_settings_say (self, _("Changes take effect at once and last until the program ends."), FALSE);
  else
    jank_inspector_settings_say (self, error->message, TRUE);
  jank_inspector_settings_update (self);
  g_signal_emit (self, changed_signal, 0);
}

static void
jank_inspector_settings_number_cb (GtkSpinButton *button, JankInspectorSettings *self)
{
  g_autofree char *value = g_strdup_printf ("%dms", gtk_spin_button_get_value_as_int (button));

  jank_inspector_settings_set (self, GTK_WIDGET (button) == self->threshold ? "threshold" : "interval", value);
}

static void
jank_inspector_settings_preset_cb (JankInspectorSettings *self)
{
  guint i = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->preset));

  if (jank_preset_get (i) != NULL)
    jank_inspector_settings_set (self, "preset", jank_preset_get (i)->nick);
}

static void
jank_inspector_settings_overlay_cb (JankInspectorSettings *self)
{
  gboolean shown = gtk_switch_get_active (GTK_SWITCH (self->overlay));

  if (self->is_updating)
    return;
  jank_overlay_set (shown);
  jank_inspector_settings_set (self, "overlay", shown ? "yes" : "no");
}

static void
jank_inspector_settings_watching_cb (JankInspectorSettings *self)
{
  const JankInspectorHost *host = jank_inspector_get_host ();

  if (self->is_updating || host == NULL)
    return;
  host->set_paused (host->data, !gtk_switch_get_active (GTK_SWITCH (self->watching)));
  g_signal_emit (self, changed_signal, 0);
}

static void
jank_inspector_settings_save_cb (JankInspectorSettings *self)
{
  const JankInspectorHost *host = jank_inspector_get_host ();
  g_autoptr (GError) error = NULL;

  if (host == NULL)
    return;
  if (host->save_settings (host->data, &error))
    jank_inspector_settings_say (self, _("Kept: this program uses these settings from now on."), FALSE);
  else
    jank_inspector_settings_say (self, error->message, TRUE);
}

static void
jank_inspector_settings_show_number (GtkWidget *button, const JankInspectorHost *host, const char *key)
{
  g_autofree char *text = host->get_setting (host->data, key);
  char *end = NULL;
  double value = text != NULL ? g_ascii_strtod (text, &end) : 0;

  if (text != NULL && g_strcmp0 (end, "s") == 0)
    value *= 1000;
  gtk_widget_set_sensitive (button, text != NULL);
  if (text != NULL)
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (button), value);
}

static void
jank_inspector_settings_show_preset (JankInspectorSettings *self, const JankInspectorHost *host)
{
  g_autofree char *text = host->get_setting (host->data, "preset");
  gint selected = text != NULL ? jank_preset_find (text) : 0;

  gtk_widget_set_sensitive (self->preset, text != NULL);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->preset), (guint) MAX (selected, 0));
}

void
jank_inspector_settings_update (JankInspectorSettings *self)
{
  const JankInspectorHost *host = jank_inspector_get_host ();

  gtk_widget_set_sensitive (GTK_WIDGET (self), host != NULL);
  if (host == NULL)
    return;
  self->is_updating = TRUE;
  jank_inspector_settings_show_number (self->threshold, host, "threshold");
  jank_inspector_settings_show_number (self->interval, host, "interval");
  jank_inspector_settings_show_preset (self, host);
  gtk_switch_set_active (GTK_SWITCH (self->overlay), jank_overlay_get ());
  gtk_switch_set_active (GTK_SWITCH (self->watching), !host->get_paused (host->data));
  self->is_updating = FALSE;
}

static void
jank_inspector_settings_map (GtkWidget *widget)
{
  jank_inspector_settings_update (JANK_INSPECTOR_SETTINGS (widget));
  GTK_WIDGET_CLASS (jank_inspector_settings_parent_class)->map (widget);
}

static void
jank_inspector_settings_class_init (JankInspectorSettingsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->map = jank_inspector_settings_map;
  changed_signal = g_signal_new ("changed", JANK_TYPE_INSPECTOR_SETTINGS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-settings.ui");
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSettings, threshold);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSettings, interval);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSettings, preset);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSettings, overlay);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSettings, watching);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSettings, message);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSettings, save);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_settings_number_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_settings_preset_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_settings_overlay_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_settings_watching_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_settings_save_cb);
}

static void
jank_inspector_settings_add_presets (JankInspectorSettings *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (jank_preset_get_nicks ());

  gtk_drop_down_set_model (GTK_DROP_DOWN (self->preset), G_LIST_MODEL (names));
}

static void
jank_inspector_settings_add_label (GtkWidget *box, const char *text, gboolean is_title)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  if (!is_title)
    {
      gtk_widget_add_css_class (label, "caption");
      gtk_widget_add_css_class (label, "dim-label");
    }
  gtk_box_append (GTK_BOX (box), label);
}

/* What a control is for, in the row that has it. */
static void
jank_inspector_settings_explain (GtkWidget *control, const char *title, const char *text)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  gtk_widget_set_hexpand (box, TRUE);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  jank_inspector_settings_add_label (box, title, TRUE);
  jank_inspector_settings_add_label (box, text, FALSE);
  gtk_box_prepend (GTK_BOX (gtk_widget_get_parent (control)), box);
  jank_widget_describe (control, title, text);
}

static void
jank_inspector_settings_init (JankInspectorSettings *self)
{
  self->is_updating = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  jank_inspector_settings_explain (self->threshold, _("Stall threshold, in milliseconds"),
                                   _("A loop that is busy for this long without a pause has stalled."));
  jank_inspector_settings_explain (self->interval, _("Sample interval, in milliseconds"),
                                   _("Time between two stacks of a stall."));
  jank_inspector_settings_explain (self->preset, _("Preset"), _("Watches by the rule of another stall detector."));
  jank_inspector_settings_explain (self->overlay, _("Overlay"),
                                   _("Frame rate and frame times in a corner of every window."));
  jank_inspector_settings_explain (self->watching, _("Watch for stalls"),
                                   _("Off: nothing is sampled and no stall is reported."));
  gtk_spin_button_set_range (GTK_SPIN_BUTTON (self->threshold), 20, 60000);
  gtk_spin_button_set_increments (GTK_SPIN_BUTTON (self->threshold), 10, 100);
  gtk_spin_button_set_range (GTK_SPIN_BUTTON (self->interval), 1, 10000);
  gtk_spin_button_set_increments (GTK_SPIN_BUTTON (self->interval), 1, 10);
  jank_inspector_settings_add_presets (self);
  self->is_updating = FALSE;
}
