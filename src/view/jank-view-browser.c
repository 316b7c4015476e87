/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* source ─▶ list store ─▶ filter ─▶ selection ─▶ list view. Alt with an arrow steps through the reports of a
 * problem. A list and what is chosen in it: side by side in a wide window, one after the other in a narrow one. */

#include "view/jank-view-private.h"

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

#define MAX_BAD   3
#define NARROW_PX 720

struct _JankViewBrowser
{
  GtkBox                  parent_instance;

  GtkWidget              *side, *search, *programs_view, *list, *no_row;
  GtkWidget              *details, *none, *source_box, *source_text, *about, *steps, *place, *bad;
  JankInspectorStallView *stall_view;
  GListStore             *programs, *problems; /* (owned) */
  JankViewItem           *program;   /* (owned) (nullable): whose problems are listed; NULL: all */
  GtkFilter              *filter;    /* (owned) */
  GtkSingleSelection     *selection; /* (owned) */
  char                   *needle;    /* (owned): case-folded */
  JankViewSource         *source;    /* (owned) */
  GCancellable           *listing, *loading; /* (owned) */
  JankViewItem           *chosen;    /* (owned) (nullable) */
  guint                   place_of_chosen; /* of its report among its rows, which are newest first */
  JankViewItem           *shown;     /* (owned) (nullable): whose report is there; the chosen one's may be on its way */
  gboolean                is_narrow;
  gboolean                is_open;   /* in a narrow window the report is shown */
  gboolean                is_deep;   /* the side shows the problems of a program */
  gboolean                is_empty;  /* there is no list */
};

G_DEFINE_FINAL_TYPE (JankViewBrowser, jank_view_browser, GTK_TYPE_BOX)

enum { PROP_NARROW = 1, PROP_CAN_GO_BACK, N_PROPS };
static GParamSpec *properties[N_PROPS];

static gboolean
filter_cb (gpointer item, gpointer data)
{
  JankViewBrowser *self = data;

  return jank_view_program_has (self->program, JANK_VIEW_ITEM (item)->problem) &&
         jank_view_problem_has_text (item, self->needle);
}

static void
filter_changed_cb (JankViewBrowser *self)
{
  g_free (self->needle);
  self->needle = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

/* In a list of GTK 4.8 Tab goes to the next row, through all of them. */
static gboolean
list_key_cb (JankViewBrowser *self, guint keyval)
{
  if (keyval == GDK_KEY_ISO_Left_Tab)
    return gtk_widget_grab_focus (self->search);
  if (keyval != GDK_KEY_Tab && keyval != GDK_KEY_KP_Tab)
    return GDK_EVENT_PROPAGATE;
  return gtk_widget_child_focus (self->details, GTK_DIR_TAB_FORWARD) || gtk_widget_grab_focus (self->search);
}

/* title, text: a sentence and the next step */
static void
show_text (JankViewBrowser *self, const char *title, const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  jank_inspector_stall_view_set_stall (self->stall_view, NULL);
  g_object_set (self->none, "title", title, "description", markup, NULL);
  gtk_stack_set_visible_child_name (GTK_STACK (self->details), "none");
}

static void
show_nothing (JankViewBrowser *self)
{
  if (g_list_model_get_n_items (G_LIST_MODEL (self->problems)) > 0)
    show_text (self, _("No Matching Problems"), _("Try a shorter search."));
  else
    show_text (self, _("No Reports Found"),
               _("Start a program with “jankwatch run PROGRAM” and use it until it stalls, or watch all programs from "
                 "the next login with “jankwatch session on”. Then reload (F5)."));
}

static void
show_report (JankViewBrowser *self, JankReport *report, const char *lines)
{
  g_autoptr (JankInspectorStall) stall = NULL;
  g_autofree char *about = jank_view_problem_describe (self->chosen);

  g_set_object (&self->shown, self->chosen);
  stall = jank_inspector_stall_new (report);
  jank_inspector_stall_view_set_stall (self->stall_view, stall);
  gtk_label_set_text (GTK_LABEL (self->about), about);
  if (lines != NULL)
    {
      g_autofree char *name = g_path_get_basename (report->culprit.file);
      g_autofree char *place = g_strdup_printf ("%s:%u", name, report->culprit.line);

      gtk_expander_set_label (GTK_EXPANDER (self->source_box), place);
      gtk_label_set_text (GTK_LABEL (self->source_text), lines);
    }
  gtk_widget_set_visible (self->source_box, lines != NULL);
  gtk_stack_set_visible_child_name (GTK_STACK (self->details), "stall");
}

static void
loaded_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (JankViewBrowser) self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *lines = NULL;
  JankReport *report = jank_view_source_load_finish (result, &lines, &error);

  if (report != NULL)
    show_report (self, report, lines);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    show_text (self, _("Reports Cannot Be Read"), error->message);
}

static void
cancel_task (GCancellable **cancellable)
{
  g_cancellable_cancel (*cancellable);
  g_clear_object (cancellable);
}

/* Loads the chosen report, and says which of how many it is. */
static void
load_chosen (JankViewBrowser *self)
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
  cancel_task (&self->loading);
  self->loading = g_cancellable_new ();
  jank_view_source_load (self->source, row->id, self->loading, loaded_cb, g_object_ref (self));
}

void
jank_view_browser_step (JankViewBrowser *self, gint n_newer)
{
  gint place = (gint) self->place_of_chosen - n_newer;

  if (self->chosen == NULL || place < 0 || place >= (gint) self->chosen->problem->rows->len)
    return;
  self->place_of_chosen = (guint) place;
  load_chosen (self);
}

static void
step_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  jank_view_browser_step (JANK_VIEW_BROWSER (widget), g_str_equal (action, "report.newer") ? 1 : -1);
}

/* With one program there is nothing to choose. */
static gboolean
has_many_programs (JankViewBrowser *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->programs)) > 2;
}

static void
show_level (JankViewBrowser *self)
{
  gtk_stack_set_visible_child_name (GTK_STACK (self->side),
                                    self->is_deep || !has_many_programs (self) ? "problems" : "programs");
  gtk_widget_set_visible (self->side, !self->is_empty && !(self->is_narrow && self->is_open));
  gtk_widget_set_visible (self->details, self->is_empty || !self->is_narrow || self->is_open);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_GO_BACK]);
}

static void
activated_cb (JankViewBrowser *self)
{
  self->is_open = TRUE;
  show_level (self);
}

static void
layout_cb (GdkSurface *surface, int width, int height, JankViewBrowser *self)
{
  if (self->is_narrow == (width < NARROW_PX))
    return;
  self->is_narrow = width < NARROW_PX;
  show_level (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NARROW]);
}

static void
program_activated_cb (JankViewBrowser *self, guint position)
{
  g_clear_object (&self->program);
  self->program = g_list_model_get_item (G_LIST_MODEL (self->programs), position);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  self->is_deep = TRUE;
  show_level (self);
  gtk_widget_grab_focus (self->list);
}

/* That of the chosen problem; the pointer moves the selection while it is above the list. */
static void
select_program (JankViewBrowser *self)
{
  guint at = 1; /* after all programs */

  if (self->chosen == NULL)
    return;
  for (; at < g_list_model_get_n_items (G_LIST_MODEL (self->programs)); at++)
    {
      g_autoptr (JankViewItem) program = g_list_model_get_item (G_LIST_MODEL (self->programs), at);

      if (jank_view_program_has (program, self->chosen->problem))
        break;
    }
  gtk_selection_model_select_item (gtk_list_view_get_model (GTK_LIST_VIEW (self->programs_view)), at, TRUE);
}

/* The longest report first. */
static void
selected_cb (JankViewBrowser *self)
{
  JankViewItem *item = gtk_single_selection_get_selected_item (self->selection);

  if (item == self->chosen)
    return;
  cancel_task (&self->loading);
  gtk_widget_set_visible (self->no_row, item == NULL);
  g_set_object (&self->chosen, item);
  select_program (self);
  if (item == NULL)
    {
      show_nothing (self);
      return;
    }
  if (!g_ptr_array_find (item->problem->rows, item->problem->longest, &self->place_of_chosen))
    self->place_of_chosen = 0;
  load_chosen (self);
}

static void
show_bad (JankViewBrowser *self, GPtrArray *bad)
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
replace_all (GListStore *store, GPtrArray *items)
{
  g_list_store_splice (store, 0, g_list_model_get_n_items (G_LIST_MODEL (store)), items->pdata, items->len);
}

static void
listed_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (JankViewBrowser) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (JankViewList) list = g_task_propagate_pointer (G_TASK (result), &error);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref), programs = NULL;

  if (list == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        show_text (self, _("Reports Cannot Be Read"), error->message);
      return;
    }
  for (guint i = 0; i < list->problems->len; i++)
    g_ptr_array_add (items, jank_view_problem_new (list, g_ptr_array_index (list->problems, i)));
  programs = jank_view_programs_new (list);
  show_bad (self, list->bad);
  replace_all (self->programs, programs);
  g_clear_object (&self->program);
  self->is_empty = items->len == 0;
  show_level (self);
  replace_all (self->problems, items);
  if (self->is_empty)
    show_nothing (self);
  else
    gtk_widget_grab_focus (has_many_programs (self) ? self->programs_view : self->list);
}

static void
jank_view_browser_dispose (GObject *object)
{
  JankViewBrowser *self = JANK_VIEW_BROWSER (object);

  cancel_task (&self->listing);
  cancel_task (&self->loading);
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_VIEW_BROWSER);
  g_clear_object (&self->selection);
  g_clear_object (&self->filter);
  g_clear_object (&self->problems);
  g_clear_object (&self->programs);
  g_clear_object (&self->program);
  g_clear_object (&self->chosen);
  g_clear_object (&self->shown);
  g_clear_pointer (&self->needle, g_free);
  g_clear_pointer (&self->source, jank_view_source_unref);
  G_OBJECT_CLASS (jank_view_browser_parent_class)->dispose (object);
}

static void
jank_view_browser_realize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (jank_view_browser_parent_class)->realize (widget);
  g_signal_connect_object (gtk_native_get_surface (gtk_widget_get_native (widget)), "layout", G_CALLBACK (layout_cb),
                           widget, 0);
}

static void
jank_view_browser_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const JankViewBrowser *self = JANK_VIEW_BROWSER (object);
  gboolean can_go_back = !self->is_empty && ((self->is_narrow && self->is_open) || self->is_deep);

  g_value_set_boolean (value, id == PROP_NARROW ? self->is_narrow : can_go_back);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, side);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, search);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, programs_view);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, list);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, details);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, none);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, about);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, steps);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, place);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, bad);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, no_row);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, source_box);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, source_text);
  gtk_widget_class_bind_template_child (widget_class, JankViewBrowser, stall_view);
}

static void
jank_view_browser_class_init (JankViewBrowserClass *klass)
{
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (JANK_TYPE_INSPECTOR_STALL_VIEW);
  g_type_ensure (JANK_TYPE_VIEW_ITEM);
  G_OBJECT_CLASS (klass)->dispose = jank_view_browser_dispose;
  G_OBJECT_CLASS (klass)->get_property = jank_view_browser_get_property;
  widget_class->realize = jank_view_browser_realize;
  properties[PROP_NARROW] = g_param_spec_boolean ("narrow", NULL, NULL, FALSE, read);
  properties[PROP_CAN_GO_BACK] = g_param_spec_boolean ("can-go-back", NULL, NULL, FALSE, read);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, properties);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/jankwatch/View/jank-view-browser.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, filter_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, list_key_cb);
  gtk_widget_class_bind_template_callback (widget_class, program_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, select_program);
  gtk_widget_class_install_action (widget_class, "report.older", NULL, step_cb);
  gtk_widget_class_install_action (widget_class, "report.newer", NULL, step_cb);
}

static void
jank_view_browser_init (JankViewBrowser *self)
{
  GListModel *filtered;
  GtkSelectionModel *programs;

  self->needle = g_strdup ("");
  gtk_widget_init_template (GTK_WIDGET (self));
  self->is_empty = TRUE;
  self->filter = GTK_FILTER (gtk_custom_filter_new (filter_cb, self, NULL));
  self->problems = g_list_store_new (JANK_TYPE_VIEW_ITEM);
  filtered = G_LIST_MODEL (gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (self->problems)),
                                                      g_object_ref (self->filter)));
  self->selection = gtk_single_selection_new (filtered);
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (selected_cb), self, G_CONNECT_SWAPPED);
  gtk_list_view_set_model (GTK_LIST_VIEW (self->list), GTK_SELECTION_MODEL (self->selection));
  self->programs = g_list_store_new (JANK_TYPE_VIEW_ITEM);
  programs = GTK_SELECTION_MODEL (gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->programs))));
  gtk_list_view_set_model (GTK_LIST_VIEW (self->programs_view), programs);
  g_object_unref (programs);
  show_level (self);
}

void
jank_view_browser_reload (JankViewBrowser *self)
{
  cancel_task (&self->listing);
  self->listing = g_cancellable_new ();
  jank_view_source_list (self->source, self->listing, listed_cb, g_object_ref (self));
}

void
jank_view_browser_set_source (JankViewBrowser *self, JankViewSource *source)
{
  self->source = jank_view_source_ref (source);
  jank_view_browser_reload (self);
}

void
jank_view_browser_search (JankViewBrowser *self)
{
  self->is_open = FALSE;
  self->is_deep = has_many_programs (self);
  show_level (self);
  gtk_widget_grab_focus (self->search);
}

void
jank_view_browser_back (JankViewBrowser *self)
{
  if (self->is_narrow && self->is_open)
    self->is_open = FALSE;
  else
    self->is_deep = FALSE;
  show_level (self);
}

JankInspectorStallView *
jank_view_browser_get_stall_view (JankViewBrowser *self)
{
  return self->stall_view;
}
