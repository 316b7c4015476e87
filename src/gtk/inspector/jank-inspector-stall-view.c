/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tab is filled when it is first shown, so that stepping through stalls stays quick. GTK's thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "report/jank-report-json-private.h"
#include "symbols/jank-function-name-private.h"
#include "text/jank-text-chain-private.h"
#include "text/jank-text-report-private.h"
#include "gtk/charts/jank-flame-graph-private.h"
#include "gtk/inspector/jank-inspector-editor-private.h"
#include "gtk/charts/jank-sample-strip-private.h"
#include "verdict/jank-verdict-private.h"

/* The pages beside the flame graph. */
static const struct { const char *name, *title; void (*fill) (GtkListBox *list, JankReport *report); } pages[] = {
  { "heaviest", N_("Heaviest"), jank_inspector_rows_add_path },
  { "samples", N_("Samples"), jank_inspector_rows_add_samples },
  { "threads", N_("Threads"), jank_inspector_rows_add_threads },
  { "tags", N_("Tags"), jank_inspector_rows_add_tags },
};

struct _JankInspectorStallView
{
  GtkBox               parent_instance;

  GtkLabel            *headline, *facts, *readout, *message;
  JankSampleStrip     *strip;
  JankFlameGraph      *flame;
  GtkWidget           *stack, *search, *open, *copy, *save;

  GtkListBox          *lists[G_N_ELEMENTS (pages)];
  JankInspectorStall  *stall;           /* (owned) (nullable) */
  gboolean             has_flame, is_filled[G_N_ELEMENTS (pages)];
  GtkFileChooserNative *chooser;        /* (owned) (nullable) */
  GCancellable        *lookup;          /* (owned) (nullable): of what the command is asked */
};

G_DEFINE_FINAL_TYPE (JankInspectorStallView, jank_inspector_stall_view, GTK_TYPE_BOX)

static void
jank_inspector_stall_view_say (JankInspectorStallView *self, const char *text)
{
  gtk_label_set_text (self->message, text);
  gtk_widget_set_visible (GTK_WIDGET (self->message), text[0] != '\0');
}

static void
jank_inspector_stall_view_fill_visible (JankInspectorStallView *self)
{
  const char *name = gtk_stack_get_visible_child_name (GTK_STACK (self->stack));

  if (self->stall == NULL)
    return;
  if (!self->has_flame && g_strcmp0 (name, "flame") == 0)
    {
      jank_flame_graph_set_tree (self->flame, jank_flame_tree_from_report (self->stall->report));
      self->has_flame = TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    if (!self->is_filled[i] && g_strcmp0 (name, pages[i].name) == 0)
      {
        pages[i].fill (self->lists[i], self->stall->report);
        self->is_filled[i] = TRUE;
      }
}

static GtkListBox *
jank_inspector_stall_view_add_page (JankInspectorStallView *self, const char *name, const char *title)
{
  GtkWidget *list = g_object_new (GTK_TYPE_LIST_BOX, "selection-mode", GTK_SELECTION_NONE, "valign", GTK_ALIGN_START,
                                  "visible", TRUE, NULL);
  GtkWidget *page = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy", GTK_POLICY_NEVER,
                                  "min-content-height", 60, "child", list, "visible", TRUE, NULL);

  gtk_widget_add_css_class (list, "jank-list");
  jank_widget_describe (list, title, NULL);
  gtk_stack_add_titled (GTK_STACK (self->stack), page, name, title);
  return GTK_LIST_BOX (list);
}

static void
jank_inspector_stall_view_readout_cb (JankInspectorStallView *self)
{
  g_autofree char *text = NULL;

  g_object_get (self->flame, "readout", &text, NULL);
  gtk_label_set_text (self->readout, text[0] != '\0' ? text : _("Click a box to zoom in, press Escape to zoom out."));
}

static void
jank_inspector_stall_view_search_cb (JankInspectorStallView *self)
{
  jank_flame_graph_set_search (self->flame, gtk_editable_get_text (GTK_EDITABLE (self->search)));
}

/* callback: has a reference of self's */
static void
jank_inspector_stall_view_ask (JankInspectorStallView *self, const char *const *words, GAsyncReadyCallback callback)
{
  g_cancellable_cancel (self->lookup);
  g_clear_object (&self->lookup);
  self->lookup = g_cancellable_new ();
  jank_inspector_editor_ask (self->stall->report, words, self->lookup, callback, g_object_ref (self));
}

/* Returns: (transfer full) (nullable): there is none, which is said */
static char *
jank_inspector_stall_view_take_answer (JankInspectorStallView *self, GAsyncResult *result)
{
  g_autoptr (GError) error = NULL;
  char *text = g_task_propagate_pointer (G_TASK (result), &error);

  if (text == NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    jank_inspector_stall_view_say (self, error->message);
  return text;
}

static void
jank_inspector_stall_view_written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (JankInspectorStallView) self = data;
  g_autofree char *text = jank_inspector_stall_view_take_answer (self, result);

  if (text == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  jank_inspector_stall_view_say (self, _("The issue is on the clipboard, without paths and titles."));
}

/* The command prints what the browser has not got. */
static void
jank_inspector_stall_view_reported_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (JankInspectorStallView) self = data;
  g_autofree char *text = jank_inspector_stall_view_take_answer (self, result);

  if (text == NULL)
    return;
  if (*text != '\0')
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  jank_inspector_stall_view_say (self, *text == '\0' ? _("The issue is in your browser. Read it there, then send it.")
                                 : _("The issue is on the clipboard: the program names no bug tracker, or its page "
                                     "does not take all of the text."));
}

static void
jank_inspector_stall_view_write (JankInspectorStallView *self, const char *const *words, GAsyncReadyCallback callback)
{
  if (self->stall == NULL)
    return;
  jank_inspector_stall_view_say (self, _("Writing the issue…"));
  jank_inspector_stall_view_ask (self, words, callback);
}

void
jank_inspector_stall_view_copy (JankInspectorStallView *self)
{
  static const char *const words[] = { "export", "--format=markdown", NULL };

  jank_inspector_stall_view_write (self, words, jank_inspector_stall_view_written_cb);
}

void
jank_inspector_stall_view_report (JankInspectorStallView *self)
{
  static const char *const words[] = { "report-bug", NULL };

  jank_inspector_stall_view_write (self, words, jank_inspector_stall_view_reported_cb);
}

static void
jank_inspector_stall_view_save_to (JankInspectorStallView *self, GFile *file)
{
  g_autofree char *json = jank_report_to_json (self->stall->report);
  g_autofree char *path = g_file_get_parse_name (file);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (g_file_replace_contents (file, json, strlen (json), NULL, FALSE, G_FILE_CREATE_PRIVATE, NULL, NULL, &error))
    text = g_strdup_printf (_("Saved as “%s”."), path);
  else
    text = g_strdup_printf (_("Could not save the report as “%s”: %s. It is still in the store."), path,
                            error->message);
  jank_inspector_stall_view_say (self, text);
}

static void
jank_inspector_stall_view_chosen_cb (JankInspectorStallView *self, int response)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->chooser));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL && self->stall != NULL)
    jank_inspector_stall_view_save_to (self, file);
  g_clear_object (&self->chooser);
}

static void
jank_inspector_stall_view_save_cb (JankInspectorStallView *self)
{
  JankReport *report = self->stall->report;
  g_autofree char *name = g_strconcat (report->id != NULL ? report->id : "report", ".json", NULL);

  if (self->chooser != NULL)
    return;
  self->chooser = gtk_file_chooser_native_new (_("Save Report"), GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))),
                                               GTK_FILE_CHOOSER_ACTION_SAVE, NULL, NULL);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), name);
  g_signal_connect_swapped (self->chooser, "response", G_CALLBACK (jank_inspector_stall_view_chosen_cb), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

static void
jank_inspector_stall_view_open_source (JankInspectorStallView *self, JankReport *report)
{
  g_autofree char *function = jank_function_name (report->culprit.function);
  const char *file = jank_text_or_empty (report->culprit.file);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (*file == '\0')
    text = g_strdup_printf (_("Could not find “%s” in the source: there is no debug information for it."), function);
  else if (!g_file_test (report->culprit.file, G_FILE_TEST_EXISTS))
    text = g_strdup_printf (_("“%s” is in line %u of “%s”, which is not on this machine."), function,
                            report->culprit.line, file);
  else if (!jank_inspector_editor_open (report->culprit.file, report->culprit.line, &error))
    text = g_strdup (error->message);
  jank_inspector_stall_view_say (self, text != NULL ? text : "");
}

static void
jank_inspector_stall_view_found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (JankInspectorStallView) self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *json = jank_inspector_stall_view_take_answer (self, result);
  g_autoptr (JankReport) report = json != NULL ? jank_report_from_json (json, strlen (json), &error) : NULL;

  if (report != NULL)
    jank_inspector_stall_view_open_source (self, report);
  else if (json != NULL)
    jank_inspector_stall_view_say (self, error->message);
}

static void
jank_inspector_stall_view_open_cb (JankInspectorStallView *self)
{
  static const char *const words[] = { "show", "--json", NULL };
  JankReport *report = self->stall->report;

  if (report->culprit.file != NULL)
    {
      jank_inspector_stall_view_open_source (self, report);
      return;
    }
  jank_inspector_stall_view_say (self, _("Looking for the line…"));
  jank_inspector_stall_view_ask (self, words, jank_inspector_stall_view_found_cb);
}

/* What to call instead, and whom else the program waited for. */
static void
jank_inspector_stall_view_show_facts (JankInspectorStallView *self, JankReport *report)
{
  const JankInspectorHost *host = jank_inspector_feed_get ()->host;
  g_autofree char *advice = jank_verdict_get_advice (report), *fact = NULL, *text = NULL;
  g_autoptr (JankReportChain) loaded = NULL;

  if (report->chain == NULL && report->id != NULL && host != NULL && host->load_chain != NULL)
    loaded = host->load_chain (host->data, report->id);
  fact = jank_text_chain_fact (report, report->chain != NULL ? report->chain : loaded);
  text = advice != NULL ? g_strdup_printf (_("Use instead: %s\n%s"), advice, jank_text_or_empty (fact))
                        : g_steal_pointer (&fact);
  gtk_label_set_text (self->facts, jank_text_or_empty (text));
  gtk_widget_set_visible (GTK_WIDGET (self->facts), text != NULL);
}

void
jank_inspector_stall_view_set_stall (JankInspectorStallView *self, JankInspectorStall *stall)
{
  JankReport *report = stall != NULL ? stall->report : NULL;
  g_autofree char *function = NULL, *tip = NULL;

  if (stall == self->stall)
    return;
  jank_flame_graph_set_tree (self->flame, NULL);
  self->has_flame = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    jank_inspector_rows_clear (self->lists[i]);
  memset (self->is_filled, 0, sizeof self->is_filled);
  g_set_object (&self->stall, stall);
  jank_sample_strip_set_report (self->strip, report);
  jank_inspector_stall_view_say (self, "");
  if (stall == NULL)
    return;
  gtk_label_set_text (self->headline, jank_inspector_stall_get_headline (stall));
  jank_inspector_stall_view_show_facts (self, report);
  function = jank_function_name (report->culprit.function);
  tip = g_strdup_printf (_("Open the source of “%s” in the editor"), function);
  gtk_widget_set_visible (self->open, *function != '\0');
  gtk_widget_set_tooltip_text (self->open, tip);
  jank_inspector_stall_view_fill_visible (self);
}

static void
jank_inspector_stall_view_dispose (GObject *object)
{
  JankInspectorStallView *self = JANK_INSPECTOR_STALL_VIEW (object);

  if (self->chooser != NULL)
    g_signal_handlers_disconnect_by_data (self->chooser, self);
  g_clear_object (&self->chooser);
  g_cancellable_cancel (self->lookup);
  g_clear_object (&self->lookup);
  g_clear_object (&self->stall);
  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_INSPECTOR_STALL_VIEW);
  G_OBJECT_CLASS (jank_inspector_stall_view_parent_class)->dispose (object);
}

static void
jank_inspector_stall_view_bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, headline);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, facts);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, readout);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, message);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, strip);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, flame);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, stack);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, search);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, open);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, copy);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorStallView, save);
}

static void
jank_inspector_stall_view_class_init (JankInspectorStallViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (JANK_TYPE_FLAME_GRAPH);
  g_type_ensure (JANK_TYPE_INSPECTOR_SWATCH);
  g_type_ensure (JANK_TYPE_SAMPLE_STRIP);
  G_OBJECT_CLASS (klass)->dispose = jank_inspector_stall_view_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-stall-view.ui");
  jank_inspector_stall_view_bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stall_view_copy);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stall_view_open_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stall_view_readout_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stall_view_save_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_stall_view_search_cb);
}

static void
jank_inspector_stall_view_init (JankInspectorStallView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    self->lists[i] = jank_inspector_stall_view_add_page (self, pages[i].name, _(pages[i].title));
  g_signal_connect_object (self->stack, "notify::visible-child",
                           G_CALLBACK (jank_inspector_stall_view_fill_visible), self, G_CONNECT_SWAPPED);
  jank_inspector_stall_view_readout_cb (self);
}
