/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page in GTK 3's inspector: what happens now, and the stalls. While mapped, it listens for new stalls, and checks
 * twice a second whether the monitor is still there. All its work counts as the inspector's. GTK's thread only. */

#include "config.h"

#include "gtk/inspector/jank-inspector-page-private.h"

#include "gtk/clock/jank-own-time-private.h"
#include "gtk/gtk3/jank-inspector-resources.h"
#include "gtk/inspector/jank-inspector-log-private.h"
#include "gtk/inspector/jank-inspector-now-private.h"
#include "gtk/inspector/jank-inspector-private.h"
#include "gtk/inspector/jank-inspector-rows-private.h"
#include "gtk/overlay/jank-overlay-private.h"

#define LOOK_MS 500

struct _JankInspectorPage
{
  GtkBox            parent_instance;

  GtkWidget        *stopped, *pause, *overlay, *headline;
  GtkListBox       *list, *path, *samples, *threads, *tags;
  JankInspectorLog *log;    /* (owned) */
  GObject          *object; /* (weak) (nullable): what the inspector has selected */
  guint             timer;
};

G_DEFINE_FINAL_TYPE (JankInspectorPage, jank_inspector_page, GTK_TYPE_BOX)

enum { PROP_TITLE = 1, PROP_OBJECT };

static GtkWidget *
make_label (JankInspectorStall *stall, const char *property, int n_chars)
{
  g_autofree char *text = NULL;
  GtkWidget *label;

  g_object_get (stall, property, &text, NULL);
  label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_width_chars (GTK_LABEL (label), n_chars);
  gtk_label_set_ellipsize (GTK_LABEL (label), n_chars < 0 ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
  gtk_widget_add_css_class (label, "numeric");
  return label;
}

static GtkWidget *
make_row_cb (gpointer item, gpointer data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  gtk_box_append (box, make_label (item, "time", 9));
  gtk_box_append (box, make_label (item, "length", 8));
  gtk_box_append (box, make_label (item, "culprit", -1));
  gtk_widget_show_all (box);
  return box;
}

static void
show_report (JankInspectorPage *self, JankReport *report)
{
  static void (*const add[]) (GtkListBox *list, JankReport *report) = {
    jank_inspector_rows_add_path, jank_inspector_rows_add_samples, jank_inspector_rows_add_threads,
    jank_inspector_rows_add_tags,
  };
  GtkListBox *lists[G_N_ELEMENTS (add)] = { self->path, self->samples, self->threads, self->tags };

  for (guint i = 0; i < G_N_ELEMENTS (add); i++)
    {
      jank_inspector_rows_clear (lists[i]);
      add[i] (lists[i], report);
      gtk_widget_show_all (GTK_WIDGET (lists[i]));
    }
}

static void
row_selected_cb (JankInspectorPage *self, GtkListBoxRow *row)
{
  g_autoptr (JankInspectorStall) stall = NULL;

  if (row == NULL)
    return;
  stall = g_list_model_get_item (jank_inspector_log_get_model (self->log), (guint) gtk_list_box_row_get_index (row));
  if (stall == NULL)
    return;
  jank_own_time_begin ();
  gtk_label_set_text (GTK_LABEL (self->headline), jank_inspector_stall_get_headline (stall));
  show_report (self, jank_inspector_stall_get_report (stall));
  jank_own_time_end ();
}

static void
changed_cb (gpointer data)
{
  JankInspectorPage *self = data;
  GtkListBoxRow *last;
  int n;

  jank_own_time_begin ();
  if (jank_inspector_log_update (self->log, jank_inspector_get_host ()) > 0 &&
      gtk_list_box_get_selected_row (self->list) == NULL)
    {
      n = (int) g_list_model_get_n_items (jank_inspector_log_get_model (self->log));
      last = gtk_list_box_get_row_at_index (self->list, n - 1);
      gtk_list_box_select_row (self->list, last);
    }
  jank_own_time_end ();
}

static void
show_state (JankInspectorPage *self)
{
  const JankInspectorHost *host = jank_inspector_get_host ();

  gtk_widget_set_visible (self->stopped, host == NULL);
  gtk_widget_set_sensitive (self->pause, host != NULL);
  gtk_widget_set_sensitive (self->overlay, host != NULL);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->pause), host != NULL && host->get_paused (host->data));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->overlay), jank_overlay_get ());
}

static gboolean
look_cb (gpointer data)
{
  jank_own_time_begin ();
  changed_cb (data);
  show_state (data);
  jank_own_time_end ();
  return G_SOURCE_CONTINUE;
}

static void
pause_toggled_cb (JankInspectorPage *self)
{
  const JankInspectorHost *host = jank_inspector_get_host ();
  gboolean paused = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->pause));

  if (host != NULL && paused != host->get_paused (host->data))
    host->set_paused (host->data, paused);
}

static void
overlay_toggled_cb (JankInspectorPage *self)
{
  const JankInspectorHost *host = jank_inspector_get_host ();
  gboolean shown = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->overlay));

  if (host == NULL || shown == jank_overlay_get ())
    return;
  jank_overlay_set (shown);
  host->set_setting (host->data, "overlay", shown ? "yes" : "no", NULL);
}

/* The inspector's display is not the program's. */
static void
load_style (GdkScreen *screen)
{
  GtkCssProvider *provider;

  if (g_object_get_data (G_OBJECT (screen), "jankwatch-style") != NULL)
    return;
  provider = gtk_css_provider_new ();
  gtk_css_provider_load_from_resource (provider, JANK_INSPECTOR_RESOURCES "jank-inspector.css");
  gtk_style_context_add_provider_for_screen (screen, GTK_STYLE_PROVIDER (provider), GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_set_data_full (G_OBJECT (screen), "jankwatch-style", provider, g_object_unref);
}

static void
jank_inspector_page_map (GtkWidget *widget)
{
  JankInspectorPage *self = JANK_INSPECTOR_PAGE (widget);

  load_style (gtk_widget_get_screen (widget));
  jank_inspector_listen (changed_cb, self);
  look_cb (self);
  GTK_WIDGET_CLASS (jank_inspector_page_parent_class)->map (widget);
  self->timer = g_timeout_add (LOOK_MS, look_cb, self);
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

  g_clear_handle_id (&self->timer, g_source_remove);
  jank_inspector_unlisten (self);
  g_clear_weak_pointer (&self->object);
  g_clear_object (&self->log);
  G_OBJECT_CLASS (jank_inspector_page_parent_class)->dispose (object);
}

static void
jank_inspector_page_class_init (JankInspectorPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  jank_inspector_register_resource ();
  g_type_ensure (JANK_TYPE_INSPECTOR_NOW);

  object_class->get_property = jank_inspector_page_get_property;
  object_class->set_property = jank_inspector_page_set_property;
  object_class->dispose = jank_inspector_page_dispose;
  widget_class->map = jank_inspector_page_map;
  widget_class->unmap = jank_inspector_page_unmap;

  /* The inspector needs both. */
  g_object_class_install_property (object_class, PROP_TITLE,
                                   g_param_spec_string ("title", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_OBJECT,
                                   g_param_spec_object ("object", NULL, NULL, G_TYPE_OBJECT,
                                                        G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));

  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-page.ui");
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, stopped);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, pause);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, overlay);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, headline);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, list);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, path);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, samples);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, threads);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorPage, tags);
  gtk_widget_class_bind_template_callback (widget_class, pause_toggled_cb);
  gtk_widget_class_bind_template_callback (widget_class, overlay_toggled_cb);
  gtk_widget_class_bind_template_callback (widget_class, row_selected_cb);
}

static void
jank_inspector_page_init (JankInspectorPage *self)
{
  jank_own_time_confirm ();
  self->log = jank_inspector_log_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_box_bind_model (self->list, jank_inspector_log_get_model (self->log), make_row_cb, NULL, NULL);
  gtk_widget_show_all (GTK_WIDGET (self));
}
