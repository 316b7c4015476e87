/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* While mapped, a page listens for new stalls; twice a second it checks whether the monitor is still there, or another
 * one is, and has the shown tab look. All its work counts as the inspector's. GTK's thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include "gtk/inspector/jank-inspector-briefs-private.h"
#include "settings/jank-settings-private.h"

#define LOOK_MS 500

struct _JankInspectorTabs
{
  GtkBox                   parent_instance;

  GtkWidget               *stack, *stopped, *pause, *frames, *stalls, *settings;
  JankInspectorLog        *log; /* (owned) */
  guint                    timer;
};

G_DEFINE_FINAL_TYPE (JankInspectorTabs, jank_inspector_tabs, GTK_TYPE_BOX)

/* (owned): the mapped ones: there may be one in the inspector of each display */
static GList *mapped;

static JankSpans *
jank_inspector_tabs_get_spans (void)
{
  return &jank_inspector_feed_get ()->get_own ()->spans;
}

static void
jank_inspector_tabs_update (gpointer tabs, gpointer data)
{
  JankInspectorTabs *self = tabs;

  jank_inspector_stalls_hold (JANK_INSPECTOR_STALLS (self->stalls));
  if (jank_inspector_log_update (self->log, jank_inspector_feed_get ()->host) > 0)
    {
      jank_inspector_frames_update_stalls (JANK_INSPECTOR_FRAMES (self->frames));
      jank_inspector_stalls_update (JANK_INSPECTOR_STALLS (self->stalls));
    }
}

static void
jank_inspector_tabs_changed_cb (void)
{
  jank_spans_begin (jank_inspector_tabs_get_spans ());
  g_list_foreach (mapped, jank_inspector_tabs_update, NULL);
  jank_spans_end (jank_inspector_tabs_get_spans ());
}

static void
jank_inspector_tabs_listen (void)
{
  static const JankInspectorListener listener = { jank_inspector_tabs_changed_cb, jank_inspector_briefs_add };
  const JankInspectorHost *host = jank_inspector_feed_get ()->host;

  if (host != NULL)
    host->set_listener (host->data, mapped != NULL ? &listener : NULL);
}

static void
jank_inspector_tabs_show_paused (JankInspectorTabs *self)
{
  const JankInspectorHost *host = jank_inspector_feed_get ()->host;
  gboolean paused = host != NULL && host->get_paused (host->data);

  gtk_widget_set_visible (self->stopped, host == NULL);
  gtk_widget_set_sensitive (self->pause, host != NULL);
  if (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->pause)) != paused)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->pause), paused);
}

static gboolean
jank_inspector_tabs_look_cb (gpointer data)
{
  JankInspectorTabs *self = data;

  jank_spans_begin (jank_inspector_tabs_get_spans ());
  jank_inspector_tabs_listen ();
  jank_inspector_tabs_update (self, NULL);
  jank_inspector_tabs_show_paused (self);
  if (gtk_widget_get_mapped (self->frames))
    jank_inspector_frames_look (JANK_INSPECTOR_FRAMES (self->frames));
  if (gtk_widget_get_mapped (self->stalls))
    jank_inspector_stalls_look (JANK_INSPECTOR_STALLS (self->stalls));
  jank_spans_end (jank_inspector_tabs_get_spans ());
  return G_SOURCE_CONTINUE;
}

static void
jank_inspector_tabs_pause_toggled_cb (JankInspectorTabs *self)
{
  const JankInspectorHost *host = jank_inspector_feed_get ()->host;
  gboolean paused = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->pause));

  if (host != NULL && paused != host->get_paused (host->data))
    host->set_paused (host->data, paused);
}

static void
jank_inspector_tabs_stall_wanted_cb (JankInspectorTabs *self, JankInspectorStall *stall)
{
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "stalls");
  jank_inspector_stalls_select (JANK_INSPECTOR_STALLS (self->stalls), stall);
}

/* As they are when the tab is opened: a few may be changed by the program meanwhile. */
static void
jank_inspector_tabs_settings_shown_cb (JankInspectorTabs *self)
{
  const JankInspectorHost *host = jank_inspector_feed_get ()->host;
  const char *const *names = jank_settings_get_names ();
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; host != NULL && names[i] != NULL; i++)
    {
      g_autofree char *value = host->get_setting (host->data, names[i]);

      g_string_append_printf (text, "%s%s=%s", i > 0 ? "\n" : "", names[i], value);
    }
  gtk_label_set_text (GTK_LABEL (self->settings), text->str);
}

static void
jank_inspector_tabs_root (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (jank_inspector_tabs_parent_class)->root (widget);
  /* The inspector's display is not the program's. */
  jank_inspector_load_style (gtk_widget_get_display (widget));
}

static void
jank_inspector_tabs_map (GtkWidget *widget)
{
  JankInspectorTabs *self = JANK_INSPECTOR_TABS (widget);

  jank_frame_history_grow (jank_inspector_feed_get ()->history, JANK_FRAME_HISTORY_LONG);
  mapped = g_list_prepend (mapped, self);
  jank_inspector_tabs_listen ();
  jank_inspector_tabs_changed_cb ();
  jank_inspector_tabs_show_paused (self);
  GTK_WIDGET_CLASS (jank_inspector_tabs_parent_class)->map (widget);
  self->timer = g_timeout_add (LOOK_MS, jank_inspector_tabs_look_cb, self);
  g_source_set_name_by_id (self->timer, "jankwatch: inspector");
}

static void
jank_inspector_tabs_unmap (GtkWidget *widget)
{
  JankInspectorTabs *self = JANK_INSPECTOR_TABS (widget);

  g_clear_handle_id (&self->timer, g_source_remove);
  mapped = g_list_remove (mapped, self);
  jank_inspector_tabs_listen ();
  GTK_WIDGET_CLASS (jank_inspector_tabs_parent_class)->unmap (widget);
}

static void
jank_inspector_tabs_dispose (GObject *object)
{
  JankInspectorTabs *self = JANK_INSPECTOR_TABS (object);

  g_clear_object (&self->log);
  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_INSPECTOR_TABS);
  G_OBJECT_CLASS (jank_inspector_tabs_parent_class)->dispose (object);
}

static void
jank_inspector_tabs_class_init (JankInspectorTabsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  jank_inspector_load_resource ();
  g_type_ensure (JANK_TYPE_INSPECTOR_FRAMES);
  g_type_ensure (JANK_TYPE_INSPECTOR_STALLS);

  G_OBJECT_CLASS (klass)->dispose = jank_inspector_tabs_dispose;
  widget_class->root = jank_inspector_tabs_root;
  widget_class->map = jank_inspector_tabs_map;
  widget_class->unmap = jank_inspector_tabs_unmap;

  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-tabs.ui");
  gtk_widget_class_bind_template_child (widget_class, JankInspectorTabs, stack);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorTabs, stopped);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorTabs, pause);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorTabs, frames);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorTabs, stalls);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorTabs, settings);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_tabs_pause_toggled_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_tabs_settings_shown_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_tabs_stall_wanted_cb);
}

static void
jank_inspector_tabs_init (JankInspectorTabs *self)
{
  self->log = g_object_new (JANK_TYPE_INSPECTOR_LOG, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  jank_inspector_stalls_set_log (JANK_INSPECTOR_STALLS (self->stalls), self->log);
  jank_inspector_frames_set_log (JANK_INSPECTOR_FRAMES (self->frames), self->log);
}

GtkWidget *
jank_inspector_tabs_new (const JankInspectorFeed *feed)
{
  jank_inspector_feed_set (feed);
  return g_object_new (JANK_TYPE_INSPECTOR_TABS, NULL);
}
