/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "view/jank-view-compare-private.h"

#include <glib/gi18n-lib.h>

#include "text/jank-text-private.h"
#include "view/jank-view-claim-private.h"
#include "view/jank-view-comparison-private.h"

struct _JankViewCompare
{
  GtkBox              parent_instance;

  GtkComboBoxText    *a, *b;
  GtkWidget          *list, *about;
  GListStore         *claims;     /* (owned) */
  JankViewSource     *source;     /* (owned) (nullable) */
  GCancellable       *comparing;  /* (owned) (nullable) */
  JankViewComparison *comparison; /* (owned) (nullable): which the claims are of */
};

G_DEFINE_FINAL_TYPE (JankViewCompare, jank_view_compare, GTK_TYPE_BOX)

static guint problem_wanted_signal;

static void
cancel (JankViewCompare *self)
{
  g_cancellable_cancel (self->comparing);
  g_clear_object (&self->comparing);
}

static void
say (JankViewCompare *self, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  gtk_label_set_text (GTK_LABEL (self->about), valid);
}

/* Returns: (transfer full) */
static char *
describe_side (const JankComparison *comparison, guint at)
{
  g_autofree char *watched = jank_text_duration (comparison->watched_ns[at]);
  guint n = comparison->n_sessions[at];

  return at == 0 ? g_strdup_printf (ngettext ("A: %u session, watched for %s.", "A: %u sessions, watched for %s.", n), n, watched)
                 : g_strdup_printf (ngettext ("B: %u session, watched for %s.", "B: %u sessions, watched for %s.", n), n, watched);
}

static void
describe (JankViewCompare *self, const JankComparison *comparison)
{
  g_autofree char *a = describe_side (comparison, 0), *b = describe_side (comparison, 1);
  g_autoptr (GPtrArray) left_out = jank_comparison_list_left_out (comparison, "A", "B");
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "%s %s %s", a, b, _("A change is the interval that holds in 95 of 100 cases."));
  for (guint i = 0; i < left_out->len; i++)
    g_string_append_printf (text, "\n%s", (char *) g_ptr_array_index (left_out, i));
  say (self, text->str);
}

static void
compared_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (JankViewCompare) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (JankViewComparison) comparison = jank_view_compare_sets_finish (result, &error);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  if (comparison == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        say (self, error->message);
      return;
    }
  for (guint i = 0; i < JANK_N_METRICS + comparison->comparison->differences->len; i++)
    g_ptr_array_add (items, jank_view_claim_new (comparison->comparison, i));
  g_list_store_splice (self->claims, 0, g_list_model_get_n_items (G_LIST_MODEL (self->claims)), items->pdata, items->len);
  describe (self, comparison->comparison);
  g_clear_pointer (&self->comparison, jank_view_comparison_free);
  self->comparison = g_steal_pointer (&comparison);
}

static void
compare_cb (JankViewCompare *self)
{
  g_autofree char *a = gtk_combo_box_text_get_active_text (self->a), *b = gtk_combo_box_text_get_active_text (self->b);

  cancel (self);
  g_list_store_remove_all (self->claims);
  if (*a == '\0' || *b == '\0')
    {
      say (self, _("Choose two versions, or write filters as in “app=gedit,app-version=1.2”."));
      return;
    }
  say (self, _("Comparing…"));
  self->comparing = g_cancellable_new ();
  jank_view_compare_sets (self->source, a, b, self->comparing, compared_cb, g_object_ref (self));
}

/* Not while somebody writes. */
static void
changed_cb (JankViewCompare *self, GtkComboBox *box)
{
  if (self->source != NULL && gtk_combo_box_get_active (box) >= 0)
    compare_cb (self);
}

static void
activated_cb (JankViewCompare *self, guint i)
{
  const char *fingerprint = jank_view_claim_get_fingerprint (self->comparison->comparison, i);

  if (fingerprint != NULL)
    g_signal_emit (self, problem_wanted_signal, 0, fingerprint);
}

static void
jank_view_compare_dispose (GObject *object)
{
  JankViewCompare *self = JANK_VIEW_COMPARE (object);

  cancel (self);
  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_VIEW_COMPARE);
  g_clear_object (&self->claims);
  g_clear_pointer (&self->source, jank_view_source_unref);
  g_clear_pointer (&self->comparison, jank_view_comparison_free);
  G_OBJECT_CLASS (jank_view_compare_parent_class)->dispose (object);
}

static void
jank_view_compare_class_init (JankViewCompareClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = jank_view_compare_dispose;
  problem_wanted_signal = g_signal_new ("problem-wanted", JANK_TYPE_VIEW_COMPARE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/jankwatch/view/jank-view-compare.ui");
  gtk_widget_class_bind_template_child (widget_class, JankViewCompare, a);
  gtk_widget_class_bind_template_child (widget_class, JankViewCompare, b);
  gtk_widget_class_bind_template_child (widget_class, JankViewCompare, list);
  gtk_widget_class_bind_template_child (widget_class, JankViewCompare, about);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
}

static void
make_editable (JankViewCompare *self, GtkComboBoxText *box, const char *name)
{
  GtkWidget *entry = gtk_combo_box_get_child (GTK_COMBO_BOX (box));

  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 8);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_object (entry, "activate", G_CALLBACK (compare_cb), self, G_CONNECT_SWAPPED);
}

static void
jank_view_compare_init (JankViewCompare *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  make_editable (self, self->a, _("What is compared: A"));
  make_editable (self, self->b, _("What it is compared with: B"));
  self->claims = g_list_store_new (JANK_TYPE_VIEW_ITEM);
  gtk_list_view_set_model (GTK_LIST_VIEW (self->list),
                           GTK_SELECTION_MODEL (gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->claims)))));
}

void
jank_view_compare_set_source (JankViewCompare *self, JankViewSource *source, GPtrArray *sets)
{
  for (guint i = 0; i < sets->len; i++)
    {
      gtk_combo_box_text_append_text (self->a, g_ptr_array_index (sets, i));
      gtk_combo_box_text_append_text (self->b, g_ptr_array_index (sets, i));
    }
  gtk_combo_box_set_active (GTK_COMBO_BOX (self->a), sets->len > 1 ? 1 : -1);
  gtk_combo_box_set_active (GTK_COMBO_BOX (self->b), sets->len > 0 ? 0 : -1);
  self->source = jank_view_source_ref (source);
  compare_cb (self);
}
