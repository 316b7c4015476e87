/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* log ─▶ filter ─▶ sort ─▶ selection ─▶ column view. A cell shows one property, and need not follow it: a row that
 * changes is a new object. GTK's thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

/* For the sort arrow, bold letters and the theme's padding. */
#define TITLE_EXTRA_PX 32
/* From this height of the window on, a flame graph has ten rows below a list. */
#define ROOM_PX        640

struct _JankInspectorStalls
{
  GtkBox                parent_instance;

  GtkWidget            *search, *level, *details, *none;
  GtkColumnView        *view;
  JankInspectorStallView *stall_view;
  GtkFilter            *filter;    /* (owned) */
  GtkSingleSelection   *selection; /* (owned) (nullable) */
  /* Both panes, where the window is high enough, else one at a time, with a button that leads back to the list. */
  GtkWidget            *list_pane, *detail_pane, *back;
  gboolean              is_open;   /* the details, where there is no room for both */
  JankInspectorLog     *log;       /* (owned) (nullable) */
  char                 *held;      /* (owned) (nullable): ID of the selected report; NULL: whichever is newest */
  char                 *needle;    /* (owned): case-folded */
};

G_DEFINE_FINAL_TYPE (JankInspectorStalls, jank_inspector_stalls, GTK_TYPE_BOX)

typedef struct
{
  const char *title, *property;
  int         width; /* 0: the rest */
  gboolean    is_number, sorts_by_number;
  const char *sort_by;
} ColumnInfo;

static const ColumnInfo columns[] = {
  { N_("Time"), "time", 80, FALSE, TRUE, "began-ns" },
  { N_("Length"), "length", 80, TRUE, TRUE, "duration-ns" },
  { N_("Severity"), "severity", 104, FALSE, TRUE, "level" },
  { N_("Culprit"), "culprit", 0, FALSE, FALSE, "culprit" },
  { N_("Cause"), "wait", 0, FALSE, FALSE, "wait" },
  { N_("Count"), "count", 60, TRUE, TRUE, "count" },
};

static gboolean
jank_inspector_stalls_filter_cb (gpointer item, gpointer data)
{
  JankInspectorStalls *self = data;
  const JankInspectorStall *stall = item;

  if (stall->report->stall.severity < gtk_drop_down_get_selected (GTK_DROP_DOWN (self->level)))
    return FALSE;
  return self->needle[0] == '\0' ||
         jank_text_contains (stall->culprit, self->needle) || jank_text_contains (stall->wait, self->needle) ||
         jank_text_contains (stall->report->source.name, self->needle);
}

static void
jank_inspector_stalls_filter_changed_cb (JankInspectorStalls *self)
{
  g_free (self->needle);
  self->needle = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void
jank_inspector_stalls_selected_cb (JankInspectorStalls *self)
{
  JankInspectorStall *stall = gtk_single_selection_get_selected_item (self->selection);

  jank_inspector_stall_view_set_stall (self->stall_view, stall);
  gtk_stack_set_visible_child_name (GTK_STACK (self->details), stall != NULL ? "stall" : "none");
}

void
jank_inspector_stalls_look (JankInspectorStalls *self)
{
  GtkWidget *window = GTK_WIDGET (gtk_widget_get_root (self->list_pane));
  gboolean is_empty = g_list_model_get_n_items (G_LIST_MODEL (self->selection)) == 0; /* which the details say */
  gboolean is_low = !is_empty && (window == NULL || gtk_widget_get_height (window) < ROOM_PX);

  gtk_widget_set_visible (self->list_pane, !is_low || !self->is_open);
  gtk_widget_set_visible (self->detail_pane, !is_low || self->is_open);
  gtk_widget_set_visible (self->back, is_low);
}

static void
jank_inspector_stalls_open (JankInspectorStalls *self, gboolean is_open)
{
  self->is_open = is_open;
  jank_inspector_stalls_look (self);
}

static void
jank_inspector_stalls_shown_changed_cb (JankInspectorStalls *self)
{
  gboolean is_filtered = self->needle[0] != '\0' || gtk_drop_down_get_selected (GTK_DROP_DOWN (self->level)) > 0;

  gtk_label_set_text (GTK_LABEL (self->none), is_filtered ? _("No stall matches the filter.") : _("No stalls so far."));
  if (g_list_model_get_n_items (G_LIST_MODEL (self->selection)) == 0)
    jank_inspector_stalls_selected_cb (self);
  jank_inspector_stalls_look (self);
}

static void
jank_inspector_stalls_setup_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  const ColumnInfo *info = data;
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), info->is_number ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), info->width == 0 ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "numeric");
  /* With the theme's padding, as wide as the scrollbar that lies over it. */
  if (info == &columns[G_N_ELEMENTS (columns) - 1])
    gtk_widget_set_margin_end (label, 10);
  if (strcmp (info->property, "severity") == 0)
    {
      gtk_widget_add_css_class (label, "jank-badge");
      gtk_widget_set_halign (label, GTK_ALIGN_START);
    }
  gtk_list_item_set_child (item, label);
}

static void
jank_inspector_stalls_show_severity (GtkWidget *label, JankSeverity severity)
{
  for (JankSeverity other = JANK_SEVERITY_MINOR; other <= JANK_SEVERITY_FROZEN; other++)
    gtk_widget_remove_css_class (label, jank_severity_to_nick (other));
  gtk_widget_add_css_class (label, jank_severity_to_nick (severity));
  gtk_label_set_text (GTK_LABEL (label), jank_text_severity (severity));
}

static void
jank_inspector_stalls_bind_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  const ColumnInfo *info = data;
  GtkWidget *label = gtk_list_item_get_child (item);
  JankInspectorStall *stall = gtk_list_item_get_item (item);
  g_auto (GValue) value = G_VALUE_INIT, text = G_VALUE_INIT;

  if (strcmp (info->property, "severity") == 0)
    {
      jank_inspector_stalls_show_severity (label, stall->report->stall.severity);
      return;
    }
  g_value_init (&text, G_TYPE_STRING);
  g_object_get_property (G_OBJECT (stall), info->property, &value);
  g_value_transform (&value, &text);
  gtk_label_set_text (GTK_LABEL (label), g_value_get_string (&text) != NULL ? g_value_get_string (&text) : "");
  if (info->width == 0)
    gtk_widget_set_tooltip_text (label, g_value_get_string (&text));
}

static GtkColumnViewColumn *
jank_inspector_stalls_add_column (JankInspectorStalls *self, const ColumnInfo *info)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *column = gtk_column_view_column_new (_(info->title), factory);
  GtkExpression *by = gtk_property_expression_new (JANK_TYPE_INSPECTOR_STALL, NULL, info->sort_by);
  g_autoptr (GtkSorter) sorter = info->sorts_by_number ? GTK_SORTER (gtk_numeric_sorter_new (by))
                                                       : GTK_SORTER (gtk_string_sorter_new (by));
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self->view), _(info->title));
  int width;

  g_signal_connect (factory, "setup", G_CALLBACK (jank_inspector_stalls_setup_cb), (gpointer) info);
  g_signal_connect (factory, "bind", G_CALLBACK (jank_inspector_stalls_bind_cb), (gpointer) info);
  gtk_column_view_column_set_sorter (column, sorter);
  gtk_column_view_column_set_resizable (column, TRUE);
  /* GTK does not shorten a title: in a narrower column, it would stick out. */
  pango_layout_get_pixel_size (layout, &width, NULL);
  if (info->width > 0)
    gtk_column_view_column_set_fixed_width (column, MAX (info->width, width * 9 / 8 + TITLE_EXTRA_PX));
  gtk_column_view_column_set_expand (column, info->width == 0);
  gtk_column_view_append_column (self->view, column);
  return column;
}

static void
jank_inspector_stalls_activated_cb (JankInspectorStalls *self)
{
  jank_inspector_stalls_open (self, TRUE);
}

/* The list inside the column view, below its titles. */
static GtkWidget *
jank_inspector_stalls_get_list (JankInspectorStalls *self)
{
  GtkWidget *list = gtk_widget_get_last_child (GTK_WIDGET (self->view));

  while (!GTK_IS_LIST_VIEW (list))
    list = gtk_widget_get_prev_sibling (list);
  return list;
}

/* GTK's own activation by one click selects whatever row the pointer passes. */
static void
jank_inspector_stalls_released_cb (JankInspectorStalls *self, int n_pressed, double x, double y, GtkGesture *click)
{
  GtkWidget *list = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (click));

  if (gtk_widget_pick (list, x, y, GTK_PICK_DEFAULT) != list)
    jank_inspector_stalls_open (self, TRUE);
}

static void
jank_inspector_stalls_back_cb (JankInspectorStalls *self)
{
  jank_inspector_stalls_open (self, FALSE);
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

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_INSPECTOR_STALLS);
  g_clear_object (&self->selection);
  g_clear_object (&self->log);
  g_clear_object (&self->filter);
  g_clear_pointer (&self->held, g_free);
  g_clear_pointer (&self->needle, g_free);
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
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, search);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, level);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, details);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, none);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, view);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, stall_view);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, list_pane);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, detail_pane);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStalls, back);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stalls_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stalls_back_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stalls_filter_changed_cb);
}

static void
jank_inspector_stalls_init (JankInspectorStalls *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  self->needle = g_strdup ("");
  self->filter = GTK_FILTER (gtk_custom_filter_new (NULL, NULL, NULL));
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (click, "released", G_CALLBACK (jank_inspector_stalls_released_cb), self);
  gtk_widget_add_controller (jank_inspector_stalls_get_list (self), GTK_EVENT_CONTROLLER (click));
  gtk_custom_filter_set_filter_func (GTK_CUSTOM_FILTER (self->filter), jank_inspector_stalls_filter_cb, self, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = jank_inspector_stalls_add_column (self, &columns[i]);

      if (i == 0)
        gtk_column_view_sort_by_column (self->view, column, GTK_SORT_DESCENDING);
    }
}

void
jank_inspector_stalls_set_log (JankInspectorStalls *self, JankInspectorLog *log)
{
  GListModel *filtered = G_LIST_MODEL (gtk_filter_list_model_new (g_object_ref (jank_inspector_log_get_model (log)),
                                                                  g_object_ref (self->filter)));
  GListModel *sorted = G_LIST_MODEL (gtk_sort_list_model_new (filtered,
                                                              g_object_ref (gtk_column_view_get_sorter (self->view))));

  self->log = g_object_ref (log);
  self->selection = gtk_single_selection_new (sorted);
  g_signal_connect_object (self->selection, "notify::selected-item",
                           G_CALLBACK (jank_inspector_stalls_selected_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->selection, "items-changed",
                           G_CALLBACK (jank_inspector_stalls_shown_changed_cb), self, G_CONNECT_SWAPPED);
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (self->selection));
  jank_inspector_stalls_shown_changed_cb (self);
}

static const char *
jank_inspector_stalls_id_of (JankInspectorStall *stall)
{
  return stall != NULL ? stall->report->id : NULL;
}

/* What is shown on a page of its own stays there. */
void
jank_inspector_stalls_hold (JankInspectorStalls *self)
{
  const char *shown = jank_inspector_stalls_id_of (gtk_single_selection_get_selected_item (self->selection));
  gboolean is_newest = g_strcmp0 (shown, jank_inspector_stalls_id_of (jank_inspector_log_get_newest (self->log))) == 0;

  g_free (self->held);
  self->held = is_newest && gtk_widget_get_visible (self->list_pane) ? NULL : g_strdup (shown);
}

static gboolean
jank_inspector_stalls_has_id (JankInspectorStalls *self, guint i, const char *id)
{
  g_autoptr (JankInspectorStall) stall = g_list_model_get_item (G_LIST_MODEL (self->selection), i);

  return g_strcmp0 (jank_inspector_stalls_id_of (stall), id) == 0;
}

static gboolean
jank_inspector_stalls_select_id (JankInspectorStalls *self, const char *id)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->selection)), i = 0;

  while (i < n && !jank_inspector_stalls_has_id (self, i, id))
    i++;
  if (i == n)
    return FALSE;
  gtk_single_selection_set_selected (self->selection, i);
  gtk_widget_activate_action (jank_inspector_stalls_get_list (self), "list.scroll-to-item", "u", i);
  return TRUE;
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
  jank_inspector_stalls_open (self, TRUE);
  if (jank_inspector_stalls_select_id (self, jank_inspector_stalls_id_of (stall)))
    return;
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->level), 0);
  jank_inspector_stalls_filter_changed_cb (self);
  jank_inspector_stalls_select_id (self, jank_inspector_stalls_id_of (stall));
}
