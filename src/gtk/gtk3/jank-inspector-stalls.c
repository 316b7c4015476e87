/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The list without columns, filters and sorting, which GTK 3 has no widget for: newest first, so item i of the log's n
 * is row n - 1 - i. GTK's thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include "gtk/inspector/jank-inspector-private.h"

#define ROW_STALL "jankwatch-stall"

struct _JankInspectorStalls
{
  GtkBox                  parent_instance;

  GtkListBox             *list;
  JankInspectorStallView *stall_view;
  JankInspectorFold       fold;
  JankInspectorLog       *log;  /* (owned) (nullable) */
  char                   *held; /* (owned) (nullable): ID of the selected report; NULL: whichever is newest */
};

G_DEFINE_FINAL_TYPE (JankInspectorStalls, jank_inspector_stalls, GTK_TYPE_BOX)

static void
jank_inspector_stalls_add_label (GtkWidget *box, JankInspectorStall *stall, const char *property, int n_chars)
{
  g_autofree char *text = NULL;
  GtkWidget *label;

  g_object_get (stall, property, &text, NULL);
  label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_width_chars (GTK_LABEL (label), n_chars);
  gtk_label_set_ellipsize (GTK_LABEL (label), n_chars < 0 ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
}

/* stall: (transfer full) */
static GtkWidget *
jank_inspector_stalls_make_row (JankInspectorStall *stall)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  jank_inspector_stalls_add_label (box, stall, "time", 9);
  jank_inspector_stalls_add_label (box, stall, "length", 8);
  jank_inspector_stalls_add_label (box, stall, "severity", 10);
  jank_inspector_stalls_add_label (box, stall, "culprit", -1);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_widget_show_all (row);
  g_object_set_data_full (G_OBJECT (row), ROW_STALL, stall, g_object_unref);
  return row;
}

static void
jank_inspector_stalls_items_changed_cb (JankInspectorStalls *self, guint position, guint n_removed,
                                        guint n_added, GListModel *model)
{
  int at = (int) (g_list_model_get_n_items (model) - n_added - position);

  for (guint i = 0; i < n_removed; i++)
    gtk_list_box_remove (self->list, GTK_WIDGET (gtk_list_box_get_row_at_index (self->list, at)));
  for (guint i = 0; i < n_added; i++)
    gtk_list_box_insert (self->list, jank_inspector_stalls_make_row (g_list_model_get_item (model, position + i)), at);
}

static JankInspectorStall *
jank_inspector_stalls_get_stall (GtkListBoxRow *row)
{
  return row != NULL ? g_object_get_data (G_OBJECT (row), ROW_STALL) : NULL;
}

static const char *
jank_inspector_stalls_id_of (JankInspectorStall *stall)
{
  return stall != NULL ? stall->report->id : NULL;
}

/* A row that is replaced is selected again by update(). */
static void
jank_inspector_stalls_row_selected_cb (JankInspectorStalls *self, GtkListBoxRow *row)
{
  if (row != NULL)
    jank_inspector_stall_view_set_stall (self->stall_view, jank_inspector_stalls_get_stall (row));
}

static void
jank_inspector_stalls_select_id (JankInspectorStalls *self, const char *id)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    if (g_strcmp0 (jank_inspector_stalls_id_of (jank_inspector_stalls_get_stall (row)), id) == 0)
      {
        gtk_list_box_select_row (self->list, row);
        return;
      }
}

static void
jank_inspector_stalls_activated_cb (JankInspectorStalls *self)
{
  jank_inspector_fold_open (&self->fold, TRUE);
}

static void
jank_inspector_stalls_back_cb (JankInspectorStalls *self)
{
  jank_inspector_fold_open (&self->fold, FALSE);
}

static void
jank_inspector_stalls_map (GtkWidget *widget)
{
  jank_inspector_stalls_look (JANK_INSPECTOR_STALLS (widget));
  GTK_WIDGET_CLASS (jank_inspector_stalls_parent_class)->map (widget);
}

static void
jank_inspector_stalls_dispose (GObject *object)
{
  JankInspectorStalls *self = JANK_INSPECTOR_STALLS (object);

  g_clear_object (&self->log);
  g_clear_pointer (&self->held, g_free);
  G_OBJECT_CLASS (jank_inspector_stalls_parent_class)->dispose (object);
}

static void
jank_inspector_stalls_class_init (JankInspectorStallsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (JANK_TYPE_INSPECTOR_STALL_VIEW);
  G_OBJECT_CLASS (klass)->dispose = jank_inspector_stalls_dispose;
  widget_class->map = jank_inspector_stalls_map;
  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-stalls.ui");
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, list);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, stall_view);
  gtk_widget_class_bind_template_child_full (widget_class, "list_pane", FALSE,
                                             G_STRUCT_OFFSET (JankInspectorStalls, fold.list));
  gtk_widget_class_bind_template_child_full (widget_class, "detail_pane", FALSE,
                                             G_STRUCT_OFFSET (JankInspectorStalls, fold.details));
  gtk_widget_class_bind_template_child_full (widget_class, "back", FALSE,
                                             G_STRUCT_OFFSET (JankInspectorStalls, fold.back));
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stalls_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stalls_back_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stalls_row_selected_cb);
}

static void
jank_inspector_stalls_init (JankInspectorStalls *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
jank_inspector_stalls_set_log (JankInspectorStalls *self, JankInspectorLog *log)
{
  GListModel *model = jank_inspector_log_get_model (log);

  self->log = g_object_ref (log);
  g_signal_connect_object (model, "items-changed", G_CALLBACK (jank_inspector_stalls_items_changed_cb), self,
                           G_CONNECT_SWAPPED);
  jank_inspector_stalls_items_changed_cb (self, 0, 0, g_list_model_get_n_items (model), model);
}

void
jank_inspector_stalls_look (JankInspectorStalls *self)
{
  jank_inspector_fold_look (&self->fold);
}

/* What is shown on a page of its own stays there. */
void
jank_inspector_stalls_hold (JankInspectorStalls *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);
  const char *shown = jank_inspector_stalls_id_of (jank_inspector_stalls_get_stall (row));
  gboolean is_newest = g_strcmp0 (shown, jank_inspector_stalls_id_of (jank_inspector_log_get_newest (self->log))) == 0;

  g_free (self->held);
  self->held = is_newest && gtk_widget_get_visible (self->fold.list) ? NULL : g_strdup (shown);
}

void
jank_inspector_stalls_update (JankInspectorStalls *self)
{
  const char *newest = jank_inspector_stalls_id_of (jank_inspector_log_get_newest (self->log));

  jank_inspector_stalls_select_id (self, self->held != NULL ? self->held : newest);
}

void
jank_inspector_stalls_select (JankInspectorStalls *self, JankInspectorStall *stall)
{
  jank_inspector_fold_open (&self->fold, TRUE);
  jank_inspector_stalls_select_id (self, jank_inspector_stalls_id_of (stall));
}
