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
  GtkRange *length;    /* (borrowed) in seconds */
  GtkLabel *status;    /* (borrowed) */
};

G_DEFINE_FINAL_TYPE (DemoWindow, demo_window, GTK_TYPE_APPLICATION_WINDOW)

static const char demo_css[] =
  ".demo-card { border: 1px solid @borders; border-radius: 12px; background: @theme_base_color; }"
  ".demo-card > row { padding: 8px 12px; background: none; }"
  ".demo-card > row:not(:last-child) { border-bottom: 1px solid @borders; }"
  ".demo-card > row:first-child { border-radius: 12px 12px 0 0; }"
  ".demo-card > row:last-child { border-radius: 0 0 12px 12px; }";

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
  int64_t duration_ns = (int64_t) (gtk_range_get_value (self->length) * 1e9);
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

static GtkWidget *
demo_label_new (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static GtkWidget *
demo_window_create_row (DemoWindow *self, const DemoStall *stall)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *title = demo_label_new (_(stall->title), "heading");
  GtkWidget *description = demo_label_new (_(stall->description), "dim-label");
  GtkWidget *button = gtk_button_new_with_label (stall->stays_alive ? _("Run") : _("Freeze"));

  gtk_box_append (GTK_BOX (text), title);
  gtk_box_append (GTK_BOX (text), description);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_size_request (button, 84, -1);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (button),
                                  GTK_ACCESSIBLE_RELATION_LABELLED_BY, button, title, NULL,
                                  GTK_ACCESSIBLE_RELATION_DESCRIBED_BY, description, NULL, -1);
  g_object_set_data (G_OBJECT (button), STALL_DATA, (gpointer) stall);
  g_signal_connect (button, "clicked", G_CALLBACK (demo_window_clicked_cb), self);
  g_hash_table_insert (self->buttons, (gpointer) stall, button);

  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), button);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_widget_set_focusable (row, FALSE);
  return row;
}

static GtkWidget *
demo_window_create_list (DemoWindow *self)
{
  GtkWidget *list = gtk_list_box_new ();

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "demo-card");
  for (gsize i = 0; i < n_demo_stalls; i++)
    gtk_list_box_append (GTK_LIST_BOX (list), demo_window_create_row (self, &demo_stalls[i]));
  return list;
}

static char *
demo_window_format_length_cb (GtkScale *scale, double value, gpointer data)
{
  /* Translators: a time in seconds. */
  return g_strdup_printf (_("%.1f s"), value);
}

static GtkWidget *
demo_window_create_length (DemoWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = gtk_label_new_with_mnemonic (_("_Length"));
  GtkWidget *scale = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0.1, 5.0, 0.1);

  gtk_scale_set_draw_value (GTK_SCALE (scale), TRUE);
  gtk_scale_set_value_pos (GTK_SCALE (scale), GTK_POS_RIGHT);
  gtk_scale_set_format_value_func (GTK_SCALE (scale), demo_window_format_length_cb, NULL, NULL);
  gtk_widget_set_hexpand (scale, TRUE);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), scale);
  gtk_widget_add_css_class (label, "heading");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), scale);
  self->length = GTK_RANGE (scale);
  return box;
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
  G_OBJECT_CLASS (klass)->dispose = demo_window_dispose;
}

static void
demo_window_init (DemoWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  self->buttons = g_hash_table_new (NULL, NULL);
  gtk_css_provider_load_from_data (provider, demo_css, -1);
  gtk_style_context_add_provider_for_display (gdk_display_get_default (), GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);

  gtk_box_append (GTK_BOX (box), g_object_new (DEMO_TYPE_ANIMATION, NULL));
  gtk_box_append (GTK_BOX (box),
                  demo_label_new (_("Each button keeps this program from answering for a while. The dots stand still "
                                    "as long as it is frozen."), NULL));
  gtk_box_append (GTK_BOX (box), demo_window_create_length (self));
  gtk_box_append (GTK_BOX (box), demo_window_create_list (self));
  self->status = GTK_LABEL (demo_label_new (_("Nothing has frozen yet."), "dim-label"));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->status));

  gtk_widget_set_margin_top (box, 18);
  gtk_widget_set_margin_bottom (box, 18);
  gtk_widget_set_margin_start (box, 18);
  gtk_widget_set_margin_end (box, 18);
  gtk_window_set_child (GTK_WINDOW (self), box);
  gtk_window_set_titlebar (GTK_WINDOW (self), gtk_header_bar_new ());
  gtk_window_set_title (GTK_WINDOW (self), _("Stall Demo"));
  gtk_window_set_default_size (GTK_WINDOW (self), 500, -1);
}

DemoWindow *
demo_window_new (GtkApplication *application, double seconds, const char *truth_path)
{
  DemoWindow *self = g_object_new (DEMO_TYPE_WINDOW, "application", application, NULL);

  self->truth_path = g_strdup (truth_path);
  gtk_range_set_value (self->length, seconds);
  return self;
}

void
demo_window_press (DemoWindow *self, const DemoStall *stall)
{
  g_signal_emit_by_name (g_hash_table_lookup (self->buttons, stall), "clicked");
}
