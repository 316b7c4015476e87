/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shows by how much each row of the ledger grew. Our own sources are left out, and the inspector's time is subtracted
 * from the frame clocks'. GTK's thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-text-clean-private.h"
#include "text/jank-text-private.h"
#include "gtk/inspector/jank-inspector-private.h"

#define N_SHOWN     10
#define OWN_PREFIX  "jankwatch"
#define CLOCK_PART  "gdk_frame_clock"

enum { CELL_NAME, CELL_BAR, CELL_SHARE, CELL_COUNT, CELL_LONGEST, N_CELLS };

typedef GtkWidget *Line[N_CELLS];

typedef struct
{
  const JankLedgerRow *row;
  gint64               grown_ns;
  guint64              count;
} Grown;

struct _JankInspectorSources
{
  GtkBox         parent_instance;

  GtkGrid       *grid;
  GtkWidget     *empty;
  Line           lines[N_SHOWN];
  JankLedgerRow *rows, *former; /* (owned) */
  guint          n_former;
  gboolean       has_former;
  GHashTable    *names;         /* (owned): guint64 address to (owned) text */
};

G_DEFINE_FINAL_TYPE (JankInspectorSources, jank_inspector_sources, GTK_TYPE_BOX)

static const JankLedgerRow *
jank_inspector_sources_find_former (JankInspectorSources *self, const JankLedgerRow *row)
{
  for (guint i = 0; i < self->n_former; i++)
    if (self->former[i].callback == row->callback && self->former[i].priority == row->priority &&
        strcmp (self->former[i].name, row->name) == 0)
      return &self->former[i];
  return NULL;
}

static int
jank_inspector_sources_compare_cb (gconstpointer a, gconstpointer b)
{
  const Grown *x = a, *y = b;

  return x->grown_ns != y->grown_ns ? (x->grown_ns > y->grown_ns ? -1 : 1) : strcmp (x->row->name, y->row->name);
}

static GArray *
jank_inspector_sources_find_grown (JankInspectorSources *self, guint n_rows, gint64 own_ns)
{
  GArray *grown = g_array_new (FALSE, FALSE, sizeof (Grown));

  for (guint i = 0; i < n_rows; i++)
    {
      const JankLedgerRow *row = &self->rows[i], *former = jank_inspector_sources_find_former (self, row);
      Grown item = { row, row->total_ns - (former != NULL ? former->total_ns : 0),
                     row->count - (former != NULL ? former->count : 0) };

      if (strstr (row->name, CLOCK_PART) != NULL)
        item.grown_ns -= MIN (own_ns, item.grown_ns);
      if (item.count > 0 && item.grown_ns > 0 && !g_str_has_prefix (row->name, OWN_PREFIX))
        g_array_append_val (grown, item);
    }
  g_array_sort (grown, jank_inspector_sources_compare_cb);
  return grown;
}

static const char *
jank_inspector_sources_name_of (JankInspectorSources *self, const JankLedgerRow *row, const JankInspectorHost *host)
{
  const char *known;
  guint64 *address;
  char *name;

  if (row->name[0] != '\0')
    return row->name;
  known = g_hash_table_lookup (self->names, &row->callback);
  if (known != NULL)
    return known;
  name = host->name_function (host->data, row->callback);
  if (name == NULL)
    name = g_strdup (_("without a name"));
  address = g_new (guint64, 1);
  *address = row->callback;
  g_hash_table_insert (self->names, address, name);
  return name;
}

static void
jank_inspector_sources_show_line (JankInspectorSources *self, GtkWidget **line, const Grown *grown,
                                  const JankInspectorHost *host, gint64 elapsed_ns)
{
  double share = (double) grown->grown_ns / (double) elapsed_ns;
  const char *name = jank_inspector_sources_name_of (self, grown->row, host);
  g_autofree char *clean = jank_text_clean (name);
  g_autofree char *share_text = g_strdup_printf (_("%.1f %%"), 100 * share);
  g_autofree char *count_text =
    g_strdup_printf (_("%.0f per s"), (double) grown->count * JANK_NS_PER_S / (double) elapsed_ns);
  g_autofree char *time_text = jank_text_duration (grown->row->longest_ns);
  g_autofree char *longest_text = g_strdup_printf (_("longest %s"), time_text);
  g_autofree char *p50 = jank_text_duration (grown->row->p50_ns), *p95 = jank_text_duration (grown->row->p95_ns);
  g_autofree char *p99 = jank_text_duration (grown->row->p99_ns);
  g_autofree char *parts_text = g_strdup_printf (_("Half of them up to %s, 95 %% up to %s, 99 %% up to %s"),
                                                 p50, p95, p99);

  gtk_label_set_text (GTK_LABEL (line[CELL_NAME]), clean);
  gtk_level_bar_set_value (GTK_LEVEL_BAR (line[CELL_BAR]), CLAMP (share, 0, 1));
  gtk_label_set_text (GTK_LABEL (line[CELL_SHARE]), share_text);
  gtk_label_set_text (GTK_LABEL (line[CELL_COUNT]), count_text);
  gtk_label_set_text (GTK_LABEL (line[CELL_LONGEST]), longest_text);
  gtk_widget_set_tooltip_text (line[CELL_LONGEST], parts_text);
}

void
jank_inspector_sources_update (JankInspectorSources *self, const JankInspectorHost *host, gint64 elapsed_ns,
                               gint64 own_ns)
{
  guint n_rows = host->read_sources (host->data, self->rows);
  g_autoptr (GArray) grown = jank_inspector_sources_find_grown (self, n_rows, own_ns);
  JankLedgerRow *rows = self->rows;
  guint n_shown = self->has_former ? MIN (grown->len, N_SHOWN) : 0;

  for (guint i = 0; i < N_SHOWN; i++)
    {
      for (guint cell = 0; cell < N_CELLS; cell++)
        gtk_widget_set_visible (self->lines[i][cell], i < n_shown);
      if (i < n_shown)
        jank_inspector_sources_show_line (self, self->lines[i], &g_array_index (grown, Grown, i), host, elapsed_ns);
    }
  gtk_widget_set_visible (self->empty, self->has_former && n_shown == 0);
  self->rows = self->former;
  self->former = rows;
  self->n_former = n_rows;
  self->has_former = TRUE;
}

void
jank_inspector_sources_reset (JankInspectorSources *self)
{
  self->has_former = FALSE;
  self->n_former = 0;
}

static void
jank_inspector_sources_finalize (GObject *object)
{
  JankInspectorSources *self = JANK_INSPECTOR_SOURCES (object);

  g_free (self->rows);
  g_free (self->former);
  g_hash_table_unref (self->names);
  G_OBJECT_CLASS (jank_inspector_sources_parent_class)->finalize (object);
}

static void
jank_inspector_sources_class_init (JankInspectorSourcesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = jank_inspector_sources_finalize;
  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-sources.ui");
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSources, grid);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorSources, empty);
}

static GtkWidget *
jank_inspector_sources_make_label (double xalign, int n_chars, gboolean is_dim)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), (float) xalign);
  gtk_label_set_width_chars (GTK_LABEL (label), n_chars);
  gtk_widget_add_css_class (label, "numeric");
  if (is_dim)
    gtk_widget_add_css_class (label, "dim-label");
  return label;
}

static void
jank_inspector_sources_add_line (JankInspectorSources *self, int i)
{
  GtkWidget **line = self->lines[i];

  line[CELL_NAME] = jank_inspector_sources_make_label (0, 12, FALSE);
  gtk_label_set_ellipsize (GTK_LABEL (line[CELL_NAME]), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (line[CELL_NAME]), 44);
  gtk_widget_set_hexpand (line[CELL_NAME], TRUE);
  line[CELL_BAR] = jank_inspector_rows_make_bar (90);
  line[CELL_SHARE] = jank_inspector_sources_make_label (1, 7, FALSE);
  line[CELL_COUNT] = jank_inspector_sources_make_label (1, 8, TRUE);
  line[CELL_LONGEST] = jank_inspector_sources_make_label (1, 15, TRUE);
  for (int cell = 0; cell < N_CELLS; cell++)
    {
      gtk_grid_attach (self->grid, line[cell], cell, i, 1, 1);
      gtk_widget_set_visible (line[cell], FALSE);
    }
}

static void
jank_inspector_sources_init (JankInspectorSources *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->rows = g_new0 (JankLedgerRow, JANK_LEDGER_SIZE + 1);
  self->former = g_new0 (JankLedgerRow, JANK_LEDGER_SIZE + 1);
  self->names = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  for (int i = 0; i < N_SHOWN; i++)
    jank_inspector_sources_add_line (self, i);
}
