/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* source ─▶ list store ─▶ filter ─▶ selection ─▶ list view. Below NARROW_PX the report is under the list instead of
 * beside it, and the frames are folded. Alt with an arrow steps through the reports of a problem. */

#include "config.h"

#include "view/jank-view-window-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-text-clean-private.h"
#include "gtk/inspector/jank-inspector-private.h"
#include "gtk/inspector/jank-inspector-stall-view-private.h"
#include "text/jank-text-report-private.h"
#include "view/jank-view-compare-private.h"
#include "view/jank-view-frames-private.h"
#include "view/jank-view-problem-private.h"
#include "view/jank-view-resources.h"

#define NARROW_PX  720
#define BESIDE_PX  330
#define ABOVE_PX   160
#define MAX_BAD    3

struct _JankViewWindow
{
  GtkApplicationWindow    parent_instance;

  GtkPaned               *paned;
  GtkWidget              *switcher, *pages, *search, *hide_resolved, *list, *details, *none, *about, *steps, *place, *bad;
  JankViewFrames         *frames;
  JankViewCompare        *compare;
  JankInspectorStallView *stall_view;
  JankInspectorHost       host;      /* of the report's widgets, which ask no more of one */
  GListStore             *problems;  /* (owned) */
  GtkFilter              *filter;    /* (owned) */
  GtkSingleSelection     *selection; /* (owned) */
  char                   *needle;    /* (owned): case-folded */
  JankViewSource         *source;    /* (owned) */
  GCancellable           *listing, *loading; /* (owned) */
  JankViewItem           *chosen;    /* (owned) (nullable) */
  guint                   place_of_chosen; /* of its report among its rows, which are newest first */
  JankViewItem           *shown;     /* (owned) (nullable): whose report is there; the chosen one's may be on its way */
};

G_DEFINE_FINAL_TYPE (JankViewWindow, jank_view_window, GTK_TYPE_APPLICATION_WINDOW)

static gboolean
set_resolved_cb (gpointer data, const char *fingerprint, gboolean resolved, GError **error)
{
  JankViewWindow *self = data;
  g_autoptr (GPtrArray) versions = g_ptr_array_new ();
  const JankProblem *problem;

  if (self->shown == NULL)
    return TRUE;
  problem = self->shown->problem;
  for (guint i = 0; i < problem->versions->len; i++)
    g_ptr_array_add (versions, g_ptr_array_index (problem->versions, i));
  g_ptr_array_add (versions, NULL);
  if (!jank_view_source_set_resolved (self->source, problem->key, resolved, (const char *const *) versions->pdata,
                                      error))
    return FALSE;
  jank_view_problem_set_resolved (self->shown, resolved);
  return TRUE;
}

static char *
find_command_cb (gpointer data)
{
  return g_find_program_in_path ("jankwatch");
}

static gboolean
filter_cb (gpointer item, gpointer data)
{
  JankViewWindow *self = data;

  if (gtk_check_button_get_active (GTK_CHECK_BUTTON (self->hide_resolved)) && JANK_VIEW_ITEM (item)->resolved)
    return FALSE;
  return jank_view_problem_has_text (item, self->needle);
}

static void
filter_changed_cb (JankViewWindow *self)
{
  g_free (self->needle);
  self->needle = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

/* In a list of GTK 4.8 Tab goes to the next row, through all of them. */
static gboolean
list_key_cb (JankViewWindow *self, guint keyval)
{
  if (keyval == GDK_KEY_ISO_Left_Tab)
    return gtk_widget_grab_focus (self->hide_resolved);
  if (keyval != GDK_KEY_Tab && keyval != GDK_KEY_KP_Tab)
    return GDK_EVENT_PROPAGATE;
  return gtk_widget_child_focus (self->details, GTK_DIR_TAB_FORWARD) || gtk_widget_grab_focus (self->search);
}

static void
show_text (JankViewWindow *self, const char *text)
{
  g_autofree char *clean = jank_text_clean (text);

  jank_inspector_stall_view_set_stall (self->stall_view, NULL);
  gtk_label_set_text (GTK_LABEL (self->none), clean);
  gtk_stack_set_visible_child_name (GTK_STACK (self->details), "none");
}

static void
show_report (JankViewWindow *self, JankReport *report)
{
  g_autoptr (JankInspectorStall) stall = NULL;
  g_autofree char *about = jank_view_problem_describe (self->chosen);

  g_set_object (&self->shown, self->chosen);
  stall = jank_inspector_stall_new (report, self->shown->resolved);
  jank_inspector_stall_view_set_stall (self->stall_view, stall);
  gtk_label_set_text (GTK_LABEL (self->about), about);
  jank_view_frames_set (self->frames, report,
                        jank_view_list_find_file (self->shown->list, report->session, report->app.pid));
  gtk_stack_set_visible_child_name (GTK_STACK (self->details), "stall");
}

static void
loaded_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (JankViewWindow) self = data;
  g_autoptr (GError) error = NULL;
  JankReport *report = jank_view_source_load_finish (result, &error);

  if (report != NULL)
    show_report (self, report);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    show_text (self, error->message);
}

static void
cancel (GCancellable **cancellable)
{
  g_cancellable_cancel (*cancellable);
  g_clear_object (cancellable);
}

/* Loads the chosen report, and says which of how many it is. */
static void
load (JankViewWindow *self)
{
  GPtrArray *rows = self->chosen->problem->rows;
  const JankRow *row = g_ptr_array_index (rows, self->place_of_chosen);
  guint place = rows->len - self->place_of_chosen;
  g_autofree char *when = jank_text_time (row->began_us);
  g_autofree char *text = g_strdup_printf (_("%u of %u"), place, rows->len);

  gtk_label_set_text (GTK_LABEL (self->place), text);
  gtk_widget_set_tooltip_text (self->place, when);
  gtk_widget_set_visible (self->steps, rows->len > 1);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "report.older", place > 1);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "report.newer", place < rows->len);
  cancel (&self->loading);
  self->loading = g_cancellable_new ();
  jank_view_source_load (self->source, row->id, self->loading, loaded_cb, g_object_ref (self));
}

static void
step (JankViewWindow *self, gint n_newer)
{
  gint place = (gint) self->place_of_chosen - n_newer;

  if (self->chosen == NULL || place < 0 || place >= (gint) self->chosen->problem->rows->len)
    return;
  self->place_of_chosen = (guint) place;
  load (self);
}

static void
step_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  step (JANK_VIEW_WINDOW (widget), g_str_equal (action, "report.newer") ? 1 : -1);
}

static gboolean
step_key_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  gint n_right = g_variant_get_int32 (arguments);

  step (JANK_VIEW_WINDOW (widget), gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL ? -n_right : n_right);
  return GDK_EVENT_STOP;
}

/* The longest report first. */
static void
selected_cb (JankViewWindow *self)
{
  JankViewItem *item = gtk_single_selection_get_selected_item (self->selection);

  if (item == self->chosen)
    return;
  cancel (&self->loading);
  g_set_object (&self->chosen, item);
  if (item == NULL)
    {
      show_text (self, g_list_model_get_n_items (G_LIST_MODEL (self->problems)) == 0 ? _("No report was found.")
                                                                                      : _("No problem passes the filter."));
      return;
    }
  if (!g_ptr_array_find (item->problem->rows, item->problem->longest, &self->place_of_chosen))
    self->place_of_chosen = 0;
  load (self);
}

/* From the comparison. What is filtered out cannot be shown. */
static void
problem_wanted_cb (JankViewWindow *self, const char *fingerprint)
{
  GListModel *shown = G_LIST_MODEL (self->selection);

  for (guint i = 0; i < g_list_model_get_n_items (shown); i++)
    {
      g_autoptr (JankViewItem) item = g_list_model_get_item (shown, i);

      if (!g_str_equal (item->problem->key, fingerprint))
        continue;
      gtk_single_selection_set_selected (self->selection, i);
      gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "problems");
      gtk_widget_activate_action (self->list, "list.scroll-to-item", "u", i);
      return;
    }
  gtk_widget_error_bell (GTK_WIDGET (self));
}

static void
show_bad (JankViewWindow *self, GPtrArray *bad)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < MIN (bad->len, MAX_BAD); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", (char *) g_ptr_array_index (bad, i));
  if (bad->len > MAX_BAD)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, ngettext ("%u more file is not a report.", "%u more files are not reports.",
                                              bad->len - MAX_BAD), bad->len - MAX_BAD);
    }
  gtk_label_set_text (GTK_LABEL (self->bad), text->str);
  gtk_widget_set_visible (self->bad, bad->len > 0);
}

static void
listed_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (JankViewWindow) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (JankViewList) list = jank_view_source_list_finish (result, &error);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  if (list == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        show_text (self, error->message);
      return;
    }
  for (guint i = 0; i < list->problems->len; i++)
    g_ptr_array_add (items, jank_view_problem_new (list, g_ptr_array_index (list->problems, i)));
  show_text (self, _("No report was found."));
  show_bad (self, list->bad);
  gtk_widget_set_visible (self->switcher, jank_view_source_has_store (self->source));
  if (jank_view_source_has_store (self->source))
    jank_view_compare_set_source (self->compare, self->source, list->sets);
  g_list_store_splice (self->problems, 0, g_list_model_get_n_items (G_LIST_MODEL (self->problems)), items->pdata, items->len);
}

static void
layout_cb (GdkSurface *surface, int width, int height, JankViewWindow *self)
{
  GtkOrientation orientation = width < NARROW_PX ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL;

  if (gtk_orientable_get_orientation (GTK_ORIENTABLE (self->paned)) == orientation)
    return;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->paned), orientation);
  gtk_paned_set_position (self->paned, orientation == GTK_ORIENTATION_VERTICAL ? ABOVE_PX : BESIDE_PX);
  jank_view_frames_unfold (self->frames, orientation == GTK_ORIENTATION_HORIZONTAL);
}

static void
jank_view_window_realize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (jank_view_window_parent_class)->realize (widget);
  g_signal_connect_object (gtk_native_get_surface (GTK_NATIVE (widget)), "layout", G_CALLBACK (layout_cb), widget, 0);
}

static void
jank_view_window_dispose (GObject *object)
{
  JankViewWindow *self = JANK_VIEW_WINDOW (object);

  cancel (&self->listing);
  cancel (&self->loading);
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_VIEW_WINDOW);
  g_clear_object (&self->selection);
  g_clear_object (&self->filter);
  g_clear_object (&self->problems);
  g_clear_object (&self->chosen);
  g_clear_object (&self->shown);
  g_clear_pointer (&self->needle, g_free);
  g_clear_pointer (&self->source, jank_view_source_unref);
  G_OBJECT_CLASS (jank_view_window_parent_class)->dispose (object);
}

static void
load_style (GdkDisplay *display)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  jank_inspector_load_style (display);
  gtk_css_provider_load_from_resource (provider, "/org/jankwatch/view/jank-view.css");
  gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, paned);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, switcher);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, pages);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, search);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, hide_resolved);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, list);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, details);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, none);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, about);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, steps);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, place);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, frames);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, compare);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, bad);
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, stall_view);
}

static void
jank_view_window_class_init (JankViewWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  jank_view_register_resource ();
  load_style (gdk_display_get_default ());
  g_type_ensure (JANK_TYPE_VIEW_FRAMES);
  g_type_ensure (JANK_TYPE_INSPECTOR_STALL_VIEW);
  g_type_ensure (JANK_TYPE_VIEW_COMPARE);
  g_type_ensure (JANK_TYPE_VIEW_ITEM);
  G_OBJECT_CLASS (klass)->dispose = jank_view_window_dispose;
  widget_class->realize = jank_view_window_realize;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/jankwatch/view/jank-view-window.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, filter_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, list_key_cb);
  gtk_widget_class_bind_template_callback (widget_class, problem_wanted_cb);
  gtk_widget_class_install_action (widget_class, "report.older", NULL, step_cb);
  gtk_widget_class_install_action (widget_class, "report.newer", NULL, step_cb);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Left, GDK_ALT_MASK, step_key_cb, "i", -1);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Right, GDK_ALT_MASK, step_key_cb, "i", 1);
}

static void
jank_view_window_init (JankViewWindow *self)
{
  GListModel *filtered;

  self->needle = g_strdup ("");
  self->host = (JankInspectorHost) { .set_resolved = set_resolved_cb, .find_command = find_command_cb, .data = self };
  gtk_widget_init_template (GTK_WIDGET (self));
  jank_inspector_stall_view_set_host (self->stall_view, &self->host);
  self->filter = GTK_FILTER (gtk_custom_filter_new (filter_cb, self, NULL));
  self->problems = g_list_store_new (JANK_TYPE_VIEW_ITEM);
  filtered = G_LIST_MODEL (gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (self->problems)),
                                                      g_object_ref (self->filter)));
  self->selection = gtk_single_selection_new (filtered);
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (selected_cb), self, G_CONNECT_SWAPPED);
  gtk_list_view_set_model (GTK_LIST_VIEW (self->list), GTK_SELECTION_MODEL (self->selection));
}

JankViewWindow *
jank_view_window_new (GtkApplication *app, JankViewSource *source)
{
  JankViewWindow *self = g_object_new (JANK_TYPE_VIEW_WINDOW, "application", app, NULL);

  self->source = jank_view_source_ref (source);
  self->listing = g_cancellable_new ();
  jank_view_source_list (source, self->listing, listed_cb, g_object_ref (self));
  return self;
}
