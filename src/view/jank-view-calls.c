/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

#include <glib/gi18n-lib.h>

#include "text/jank-flame-tree-private.h"
#include "text/jank-text-private.h"

struct _JankViewCalls
{
  GtkBox         parent_instance;

  GtkWidget     *bottom_up, *list;
  JankReport    *report;    /* (owned) (nullable) */
  JankFlameTree *tree;      /* (owned) (nullable): of report, if that was seen */
};

G_DEFINE_FINAL_TYPE (JankViewCalls, jank_view_calls, GTK_TYPE_BOX)

static JankViewItem *
make_item (JankViewCalls *self, guint node)
{
  const JankFlameNode *call = jank_flame_tree_get (self->tree, node);
  const JankFlameNode *root = jank_flame_tree_get (self->tree, JANK_FLAME_ROOT);
  JankViewItem *item = g_object_new (JANK_TYPE_VIEW_ITEM, NULL);

  item->node = node;
  item->title = g_strdup (call->label);
  item->details = g_strdup (call->module);
  item->dim = !call->own;
  item->state = jank_text_share (root->total_ns > 0 ? (double) call->total_ns / (double) root->total_ns : 0);
  item->badge = item->state;
  return item;
}

/* Returns: (transfer full) (nullable): the calls in one */
static GListModel *
list_calls (gpointer item, gpointer data)
{
  JankViewCalls *self = data;
  guint node = jank_flame_tree_get (self->tree, JANK_VIEW_ITEM (item)->node)->first_child;
  GListStore *store = node != JANK_FLAME_NONE ? g_list_store_new (JANK_TYPE_VIEW_ITEM) : NULL;

  for (; node != JANK_FLAME_NONE; node = jank_flame_tree_get (self->tree, node)->next_sibling)
    {
      g_autoptr (JankViewItem) call = make_item (self, node);

      g_list_store_append (store, call);
    }
  return G_LIST_MODEL (store);
}

/* Of siblings the first is the heaviest. */
static void
unfold_heaviest (GtkTreeListModel *model)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (model)); i++)
    {
      g_autoptr (GtkTreeListRow) row = g_list_model_get_item (G_LIST_MODEL (model), i);

      if (gtk_tree_list_row_get_depth (row) != i)
        return;
      gtk_tree_list_row_set_expanded (row, TRUE);
    }
}

static void
clear_lists (JankViewCalls *self)
{
  gtk_list_view_set_model (GTK_LIST_VIEW (self->list), NULL);
  g_clear_pointer (&self->tree, jank_flame_tree_free);
}

static void
fill_visible (JankViewCalls *self)
{
  gboolean bottom_up = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->bottom_up));
  g_autoptr (GtkSelectionModel) selection = NULL;
  g_autoptr (JankViewItem) root = NULL;
  GtkTreeListModel *model;

  clear_lists (self);
  if (self->report == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->tree = jank_flame_tree_new (_("All samples"));
  jank_flame_tree_add_report (self->tree, self->report, bottom_up ? JANK_FLAME_BOTTOM_UP : JANK_FLAME_TOP_DOWN);
  jank_flame_tree_finish (self->tree);
  root = make_item (self, JANK_FLAME_ROOT);
  model = gtk_tree_list_model_new (list_calls (root, self), FALSE, FALSE, list_calls, self, NULL);
  unfold_heaviest (model);
  selection = GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (model)));
  gtk_list_view_set_model (GTK_LIST_VIEW (self->list), selection);
}

static void
jank_view_calls_map (GtkWidget *widget)
{
  JankViewCalls *self = JANK_VIEW_CALLS (widget);

  GTK_WIDGET_CLASS (jank_view_calls_parent_class)->map (widget);
  if (self->tree == NULL)
    fill_visible (self);
}

static void
jank_view_calls_dispose (GObject *object)
{
  JankViewCalls *self = JANK_VIEW_CALLS (object);

  if (self->list != NULL)
    clear_lists (self);
  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_VIEW_CALLS);
  g_clear_pointer (&self->report, jank_report_unref);
  G_OBJECT_CLASS (jank_view_calls_parent_class)->dispose (object);
}

static void
jank_view_calls_class_init (JankViewCallsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = jank_view_calls_dispose;
  widget_class->map = jank_view_calls_map;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/jankwatch/View/jank-view-calls.ui");
  gtk_widget_class_bind_template_child (widget_class, JankViewCalls, bottom_up);
  gtk_widget_class_bind_template_child (widget_class, JankViewCalls, list);
  gtk_widget_class_bind_template_callback (widget_class, fill_visible);
}

static void
jank_view_calls_init (JankViewCalls *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

JankViewCalls *
jank_view_calls_new (void)
{
  return g_object_new (JANK_TYPE_VIEW_CALLS, NULL);
}

void
jank_view_calls_set_report (JankViewCalls *self, JankReport *report)
{
  g_clear_pointer (&self->report, jank_report_unref);
  self->report = report != NULL ? jank_report_ref (report) : NULL;
  fill_visible (self);
}
