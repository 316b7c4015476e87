/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The window: an animation that shows the freeze, how long it shall last, and a button per kind of stall.
 * Main thread only. */

#include "demo.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#define STALL_DATA "demo-stall"

struct _DemoWindow
{
  GtkApplicationWindow parent_instance;

  char *truth_path;    /* (owned) (nullable) */
  GHashTable *buttons; /* (owned) const DemoStall → GtkButton (borrowed); NULL once disposed */

  /* (borrowed) */
  GtkScale *length; /* in seconds */
  GtkListBox *list;
  GtkLabel *status;
};

G_DEFINE_FINAL_TYPE (DemoWindow, demo_window, GTK_TYPE_APPLICATION_WINDOW)

static void
demo_window_write_truth (DemoWindow *self, const DemoStall *stall, int64_t began_ns, int64_t ended_ns)
{
  FILE *file = g_fopen (self->truth_path, "ae");

  if (file == NULL)
    {
      g_printerr (_("Cannot write to ‘%s’: %s\n"), self->truth_path, g_strerror (errno));
      return;
    }
  fprintf (file,
           "{\"kind\": \"%s\", \"began_monotonic_ns\": %" G_GINT64_FORMAT
           ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT "}\n",
           stall->name, (gint64) began_ns, (gint64) ended_ns);
  fclose (file);
}

static void
demo_window_clicked_cb (GtkButton *button, DemoWindow *self)
{
  const DemoStall *stall = g_object_get_data (G_OBJECT (button), STALL_DATA);
  int64_t duration_ns = (int64_t) (gtk_range_get_value (GTK_RANGE (self->length)) * 1e9);
  int64_t began_ns, ended_ns;
  g_autofree char *text = NULL;

  /* The window can be closed while a nested loop runs. */
  g_object_ref (self);

  began_ns = demo_now_ns ();
  stall->stall (duration_ns);
  ended_ns = demo_now_ns ();

  if (self->truth_path != NULL)
    demo_window_write_truth (self, stall, began_ns, ended_ns);
  if (self->buttons != NULL)
    {
      text = g_strdup_printf (_("The handler of “%s” took %.2f seconds."), _(stall->title),
                              (double) (ended_ns - began_ns) / 1e9);
      gtk_label_set_text (self->status, text);
    }
  g_object_unref (self);
}

static void
demo_window_add_row (DemoWindow *self, const DemoStall *stall)
{
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource ("/org/jankwatch/Demo/demo-row.ui");
  GObject *button = gtk_builder_get_object (builder, "button"), *title = gtk_builder_get_object (builder, "title"),
      *description = gtk_builder_get_object (builder, "description");

  gtk_label_set_label (GTK_LABEL (title), _(stall->title));
  gtk_label_set_label (GTK_LABEL (description), _(stall->description));
  gtk_accessible_update_relation (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_RELATION_LABELLED_BY, button, title, NULL,
                                  GTK_ACCESSIBLE_RELATION_DESCRIBED_BY, description, NULL, -1);
  if (stall->stays_alive)
    gtk_button_set_label (GTK_BUTTON (button), _("Run"));
  g_object_set_data (button, STALL_DATA, (gpointer) stall);
  g_signal_connect (button, "clicked", G_CALLBACK (demo_window_clicked_cb), self);
  g_hash_table_insert (self->buttons, (gpointer) stall, button);
  gtk_list_box_append (self->list, GTK_WIDGET (gtk_builder_get_object (builder, "row")));
}

static char *
demo_window_format_length_cb (GtkScale *scale, double value, gpointer data)
{
  /* Translators: a time in seconds. */
  return g_strdup_printf (_("%.1f s"), value);
}

static void
demo_window_dispose (GObject *object)
{
  DemoWindow *self = DEMO_WINDOW (object);

  g_clear_pointer (&self->buttons, g_hash_table_unref);
  g_clear_pointer (&self->truth_path, g_free);
  G_OBJECT_CLASS (demo_window_parent_class)->dispose (object);
}

static void
demo_window_class_init (DemoWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  G_OBJECT_CLASS (klass)->dispose = demo_window_dispose;
  gtk_css_provider_load_from_resource (provider, "/org/jankwatch/Demo/demo.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (), GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_type_ensure (DEMO_TYPE_ANIMATION);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/jankwatch/Demo/demo-window.ui");
  gtk_widget_class_bind_template_child (widget_class, DemoWindow, length);
  gtk_widget_class_bind_template_child (widget_class, DemoWindow, list);
  gtk_widget_class_bind_template_child (widget_class, DemoWindow, status);
}

static void
demo_window_init (DemoWindow *self)
{
  self->buttons = g_hash_table_new (NULL, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_scale_set_format_value_func (self->length, demo_window_format_length_cb, NULL, NULL);
  for (gsize i = 0; i < n_demo_stalls; i++)
    demo_window_add_row (self, &demo_stalls[i]);
}

DemoWindow *
demo_window_new (GtkApplication *application, double seconds, const char *truth_path)
{
  DemoWindow *self = g_object_new (DEMO_TYPE_WINDOW, "application", application, NULL);

  self->truth_path = g_strdup (truth_path);
  gtk_range_set_value (GTK_RANGE (self->length), seconds);
  return self;
}

void
demo_window_press (DemoWindow *self, const DemoStall *stall)
{
  g_signal_emit_by_name (g_hash_table_lookup (self->buttons, stall), "clicked");
}
