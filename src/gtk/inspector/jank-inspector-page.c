/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* While mapped, the page listens for new stalls; twice a second it checks whether the monitor is still there, and
 * has the shown tab look. All its work counts as the inspector's. GTK's thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include "gtk/inspector/jank-inspector-log-private.h"
#include "gtk/inspector/jank-inspector-private.h"
#include "gtk/clock/jank-inspector-time-private.h"

#define LOOK_MS 500

struct _JankInspectorPage
{
  GtkBox                   parent_instance;

  GtkWidget               *stack, *stopped, *pause, *frames, *stalls;
  JankInspectorLog        *log;    /* (owned) */
  GObject                 *object; /* (weak) (nullable): what the inspector has selected */
  guint                    timer;
};

G_DEFINE_FINAL_TYPE (JankInspectorPage, jank_inspector_page, GTK_TYPE_BOX)

enum { PROP_TITLE = 1, PROP_OBJECT, N_PROPS };

static void
jank_inspector_page_changed_cb (gpointer data)
{
  JankInspectorPage *self = data;

  jank_spans_begin (&jank_inspector_time_get ()->spans);
  jank_inspector_stalls_hold (JANK_INSPECTOR_STALLS (self->stalls));
  if (jank_inspector_log_update (self->log, jank_inspector_get_host ()) > 0)
    {
      jank_inspector_frames_update_stalls (JANK_INSPECTOR_FRAMES (self->frames));
      jank_inspector_stalls_update (JANK_INSPECTOR_STALLS (self->stalls));
    }
  jank_spans_end (&jank_inspector_time_get ()->spans);
}

static void
jank_inspector_page_show_paused (JankInspectorPage *self)
{
  const JankInspectorHost *host = jank_inspector_get_host ();
  gboolean paused = host != NULL && host->get_paused (host->data);

  gtk_widget_set_visible (self->stopped, host == NULL);
  gtk_widget_set_sensitive (self->pause, host != NULL);
  if (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->pause)) != paused)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->pause), paused);
}

static gboolean
jank_inspector_page_look_cb (gpointer data)
{
  JankInspectorPage *self = data;

  jank_spans_begin (&jank_inspector_time_get ()->spans);
  jank_inspector_page_changed_cb (self);
  jank_inspector_page_show_paused (self);
  if (gtk_widget_get_mapped (self->frames))
    jank_inspector_frames_look (JANK_INSPECTOR_FRAMES (self->frames));
  if (gtk_widget_get_mapped (self->stalls))
    jank_inspector_stalls_look (JANK_INSPECTOR_STALLS (self->stalls));
  jank_spans_end (&jank_inspector_time_get ()->spans);
  return G_SOURCE_CONTINUE;
}

static void
jank_inspector_page_pause_toggled_cb (JankInspectorPage *self)
{
  const JankInspectorHost *host = jank_inspector_get_host ();
  gboolean paused = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->pause));

  if (host != NULL && paused != host->get_paused (host->data))
    host->set_paused (host->data, paused);
}

static void
jank_inspector_page_stall_wanted_cb (JankInspectorPage *self, JankInspectorStall *stall)
{
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "stalls");
  jank_inspector_stalls_select (JANK_INSPECTOR_STALLS (self->stalls), stall);
}

static void
jank_inspector_page_root (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (jank_inspector_page_parent_class)->root (widget);
  /* The inspector's display is not the program's. */
  jank_inspector_load_style (gtk_widget_get_display (widget));
  jank_inspector_time_watch (GTK_WIDGET (gtk_widget_get_root (widget)));
}

static void
jank_inspector_page_map (GtkWidget *widget)
{
  JankInspectorPage *self = JANK_INSPECTOR_PAGE (widget);

  jank_frame_history_grow (jank_inspector_get_history (), JANK_FRAME_HISTORY_LONG);
  jank_inspector_listen (jank_inspector_page_changed_cb, self);
  jank_inspector_page_changed_cb (self);
  jank_inspector_page_show_paused (self);
  GTK_WIDGET_CLASS (jank_inspector_page_parent_class)->map (widget);
  self->timer = g_timeout_add (LOOK_MS, jank_inspector_page_look_cb, self);
  g_source_set_name_by_id (self->timer, "jankwatch: inspector");
}

static void
jank_inspector_page_unmap (GtkWidget *widget)
{
  JankInspectorPage *self = JANK_INSPECTOR_PAGE (widget);

  g_clear_handle_id (&self->timer, g_source_remove);
  jank_inspector_unlisten (self);
  GTK_WIDGET_CLASS (jank_inspector_page_parent_class)->unmap (widget);
}

static void
jank_inspector_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_TITLE:  g_value_set_static_string (value, "Jank"); break;
    case PROP_OBJECT: g_value_set_object (value, JANK_INSPECTOR_PAGE (object)->object); break;
    default:          G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
jank_inspector_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_OBJECT)
    g_set_weak_pointer (&JANK_INSPECTOR_PAGE (object)->object, g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
jank_inspector_page_dispose (GObject *object)
{
  JankInspectorPage *self = JANK_INSPECTOR_PAGE (object);

  jank_inspector_unlisten (self);
  g_clear_weak_pointer (&self->object);
  g_clear_object (&self->log);
  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_INSPECTOR_PAGE);
  G_OBJECT_CLASS (jank_inspector_page_parent_class)->dispose (object);
}

static void
jank_inspector_page_class_init (JankInspectorPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  jank_inspector_load_resource ();
  g_type_ensure (JANK_TYPE_INSPECTOR_FRAMES);
  g_type_ensure (JANK_TYPE_INSPECTOR_SETTINGS);
  g_type_ensure (JANK_TYPE_INSPECTOR_STALLS);

  object_class->get_property = jank_inspector_page_get_property;
  object_class->set_property = jank_inspector_page_set_property;
  object_class->dispose = jank_inspector_page_dispose;
  widget_class->root = jank_inspector_page_root;
  widget_class->map = jank_inspector_page_map;
  widget_class->unmap = jank_inspector_page_unmap;

  /* The inspector needs both. */
  g_object_class_install_property (object_class, PROP_TITLE,
                                   g_param_spec_string ("title", NULL, NULL, NULL,
                                                        G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_OBJECT,
                                   g_param_spec_object ("object", NULL, NULL, G_TYPE_OBJECT,
                                                        G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));

  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-page.ui");
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, stack);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, stopped);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, pause);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, frames);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, stalls);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_page_pause_toggled_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_page_stall_wanted_cb);
}

static void
jank_inspector_page_init (JankInspectorPage *self)
{
  jank_inspector_time_confirm ();
  self->log = jank_inspector_log_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  jank_inspector_stalls_set_log (JANK_INSPECTOR_STALLS (self->stalls), self->log);
  jank_inspector_frames_set_log (JANK_INSPECTOR_FRAMES (self->frames), self->log);
}
