/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

#define EVERY_MS 250

struct _JankViewLive
{
  JankViewSplit           parent_instance;

  GtkWidget              *list, *details, *none, *now;
  JankInspectorStallView *stall_view;
  JankViewCalls          *calls;
  JankInspectorHost       host;
  GListStore             *items;     /* (owned) of JankViewItem */
  GtkSingleSelection     *selection; /* (owned) */
  JankViewNow            *source;    /* (owned) (nullable) */
  GCancellable           *looking;   /* (owned) (nullable): a look is under way */
  guint                   timer;
  gint                    shown;     /* whose report is there, 0: nobody's */
};

G_DEFINE_FINAL_TYPE (JankViewLive, jank_view_live, JANK_TYPE_VIEW_SPLIT)

static gint
get_chosen (JankViewLive *self)
{
  JankViewItem *item = gtk_single_selection_get_selected_item (self->selection);

  return item != NULL ? item->pid : 0;
}

static void
fill_item (JankViewItem *item, const JankViewRunning *running)
{
  static const char *const classes[] = { "frozen", "hang", "minor" };

  g_free (item->details);
  item->details = g_strjoin ("\n", running->figures, running->says, NULL);
  g_free (item->state);
  item->badge = item->state = g_strdup (running->state);
  item->badge_class = classes[MIN (running->rank, G_N_ELEMENTS (classes) - 1)];
  jank_view_item_changed (item);
}

static const JankViewRunning *
find_running (GPtrArray *all, gint pid)
{
  for (guint i = 0; i < all->len; i++)
    if (((JankViewRunning *) g_ptr_array_index (all, i))->pid == pid)
      return g_ptr_array_index (all, i);
  return NULL;
}

/* In the order in which they came, so that nothing moves under the pointer. */
static void
update_items (JankViewLive *self, GPtrArray *all)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);

  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self->items)); i-- > 0; )
    {
      g_autoptr (JankViewItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), i);
      const JankViewRunning *running = find_running (all, item->pid);

      if (running == NULL)
        g_list_store_remove (self->items, i);
      else
        {
          fill_item (item, running);
          g_hash_table_add (known, GINT_TO_POINTER (item->pid));
        }
    }
  for (guint i = 0; i < all->len; i++)
    {
      const JankViewRunning *running = g_ptr_array_index (all, i);
      g_autoptr (JankViewItem) item = NULL;

      if (g_hash_table_contains (known, GINT_TO_POINTER (running->pid)))
        continue;
      item = g_object_new (JANK_TYPE_VIEW_ITEM, NULL);
      item->pid = running->pid;
      item->title = g_strdup (running->name);
      fill_item (item, running);
      g_list_store_append (self->items, item);
    }
}

static void
show_status (JankViewLive *self, const char *title, const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  self->shown = 0;
  jank_inspector_stall_view_set_stall (self->stall_view, NULL);
  jank_view_calls_set_report (self->calls, NULL);
  g_object_set (self->none, "title", title, "description", markup, NULL);
  gtk_stack_set_visible_child_name (GTK_STACK (self->details), "none");
}

static void
show_running (JankViewLive *self, const JankViewRunning *running)
{
  g_autofree char *title = g_strdup_printf (running->rank == 0 ? _("%s Hangs") : _("%s Responds"), running->name);
  g_autofree char *now = g_strjoin (running->says != NULL ? ": " : "", running->state,
                                    jank_text_or_empty (running->says), NULL);

  gtk_label_set_text (GTK_LABEL (self->now), now);
  if (running->report != NULL)
    {
      g_autoptr (JankInspectorStall) stall = jank_inspector_stall_new (jank_report_ref (running->report));

      self->shown = running->pid;
      jank_inspector_stall_view_set_stall (self->stall_view, stall);
      jank_view_calls_set_report (self->calls, running->report);
      gtk_stack_set_visible_child_name (GTK_STACK (self->details), "stall");
    }
  else if (self->shown != running->pid)
    show_status (self, title, running->rank == 0 ? now : running->figures);
}

static void
looked_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (JankViewLive) self = data;
  g_autoptr (GPtrArray) all = jank_view_now_finish (result);
  const JankViewRunning *running;

  g_clear_object (&self->looking);
  if (all == NULL || self->source == NULL)
    return;
  update_items (self, all);
  g_object_set (self, "empty", all->len == 0, NULL);
  running = find_running (all, get_chosen (self));
  if (running != NULL)
    show_running (self, running);
  else
    show_status (self, _("No Watched Program Runs"),
                 _("Start one with “jankwatch run PROGRAM”, or have all programs watched from the next login on by "
                   "“jankwatch session on”. It is here as soon as it runs."));
}

static gboolean
look_cb (gpointer data)
{
  JankViewLive *self = data;

  if (self->looking == NULL)
    {
      self->looking = g_cancellable_new ();
      jank_view_now_look (self->source, get_chosen (self), self->looking, looked_cb, g_object_ref (self));
    }
  return G_SOURCE_CONTINUE;
}

static void
activated_cb (JankViewLive *self)
{
  g_object_set (self, "open", TRUE, NULL);
}

static void
jank_view_live_map (GtkWidget *widget)
{
  JankViewLive *self = JANK_VIEW_LIVE (widget);

  GTK_WIDGET_CLASS (jank_view_live_parent_class)->map (widget);
  self->timer = g_timeout_add (EVERY_MS, look_cb, self);
  look_cb (self);
}

static void
jank_view_live_unmap (GtkWidget *widget)
{
  JankViewLive *self = JANK_VIEW_LIVE (widget);

  g_clear_handle_id (&self->timer, g_source_remove);
  GTK_WIDGET_CLASS (jank_view_live_parent_class)->unmap (widget);
}

static JankInspectorStallView *
jank_view_live_get_stall_view (JankViewSplit *split)
{
  return JANK_VIEW_LIVE (split)->stall_view;
}

static void
jank_view_live_dispose (GObject *object)
{
  JankViewLive *self = JANK_VIEW_LIVE (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_VIEW_LIVE);
  g_clear_object (&self->selection);
  g_clear_object (&self->items);
  g_clear_pointer (&self->source, jank_view_now_unref);
  G_OBJECT_CLASS (jank_view_live_parent_class)->dispose (object);
}

static void
jank_view_live_class_init (JankViewLiveClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (JANK_TYPE_INSPECTOR_STALL_VIEW);
  g_type_ensure (JANK_TYPE_VIEW_ITEM);
  G_OBJECT_CLASS (klass)->dispose = jank_view_live_dispose;
  widget_class->map = jank_view_live_map;
  widget_class->unmap = jank_view_live_unmap;
  JANK_VIEW_SPLIT_CLASS (klass)->get_stall_view = jank_view_live_get_stall_view;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/jankwatch/View/jank-view-live.ui");
  gtk_widget_class_bind_template_child (widget_class, JankViewLive, list);
  gtk_widget_class_bind_template_child (widget_class, JankViewLive, details);
  gtk_widget_class_bind_template_child (widget_class, JankViewLive, none);
  gtk_widget_class_bind_template_child (widget_class, JankViewLive, now);
  gtk_widget_class_bind_template_child (widget_class, JankViewLive, stall_view);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
}

static char *
find_command_cb (gpointer data)
{
  return g_find_program_in_path ("jankwatch");
}

static void
jank_view_live_init (JankViewLive *self)
{
  self->host = (JankInspectorHost) { .find_command = find_command_cb };
  gtk_widget_init_template (GTK_WIDGET (self));
  jank_inspector_stall_view_set_host (self->stall_view, &self->host);
  self->calls = jank_view_calls_new ();
  jank_inspector_stall_view_set_calls (self->stall_view, GTK_WIDGET (self->calls));
  self->items = g_list_store_new (JANK_TYPE_VIEW_ITEM);
  self->selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->items)));
  gtk_list_view_set_model (GTK_LIST_VIEW (self->list), GTK_SELECTION_MODEL (self->selection));
}

void
jank_view_live_set_folder (JankViewLive *self, const char *store_folder)
{
  self->source = jank_view_now_new (store_folder);
}
