/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every state of the page as a picture, in light and dark and in both directions of writing, in the language of the
 * environment: tests/gtk/pictures in the build folder has them, to be looked at. Here, a dark one must be dark, and no
 * two states may look the same. */

#include "page.h"

#include <libintl.h>

#include "pictures.h"

typedef struct { const char *name; gboolean is_dark; GtkTextDirection direction; } Look;

static const Look looks[] = {
  { "light", FALSE, GTK_TEXT_DIR_LTR }, { "dark", TRUE, GTK_TEXT_DIR_LTR }, { "rtl", FALSE, GTK_TEXT_DIR_RTL },
};
static const char *const details[] = { "flame", "heaviest", "samples", "threads", "tags" };

static GHashTable *seen; /* of the pictures of a look: checksums */

/* While a widget waits for its next frame, there is no picture of it. */
static GdkTexture *
take (GtkWidget *widget)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);
  g_autoptr (GskRenderNode) node = NULL;

  for (guint i = 0; i < 200 && node == NULL; i++)
    {
      GtkSnapshot *snapshot = gtk_snapshot_new ();

      gdk_paintable_snapshot (paintable, snapshot, gtk_widget_get_width (widget), gtk_widget_get_height (widget));
      node = gtk_snapshot_free_to_node (snapshot);
      if (node == NULL)
        run_ms (50);
    }
  g_assert_nonnull (node);
  return gsk_renderer_render_texture (gtk_native_get_renderer (gtk_widget_get_native (widget)), node, NULL);
}

static void
save (const char *state, const Look *look)
{
  g_autoptr (GdkTexture) texture = take (GTK_WIDGET (inspector_find ()));
  int width = gdk_texture_get_width (texture), height = gdk_texture_get_height (texture);
  g_autofree guint32 *pixels = g_new (guint32, (gsize) width * (gsize) height);
  g_autofree char *name = g_strdup_printf ("page-%s-%s", state, look->name), *path = pictures_path (name);
  g_autofree char *checksum = NULL;
  gsize n_bytes = (gsize) width * (gsize) height * sizeof *pixels;

  g_assert_true (gdk_texture_save_to_png (texture, path));
  gdk_texture_download (texture, (guchar *) pixels, (gsize) width * sizeof *pixels);
  g_test_message ("%s: %d × %d, %d %% light", path, width, height,
                  pictures_lightness (pixels, (gsize) width * (gsize) height));
  g_assert_cmpint (pictures_lightness (pixels, (gsize) width * (gsize) height) < 50, ==, look->is_dark);
  checksum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) pixels, n_bytes);
  g_assert_true (g_hash_table_add (seen, g_steal_pointer (&checksum)));
}

/* Taking a picture is a stall, too: that is not the one to be shown. */
static void
show_stall (const char *culprit)
{
  GListModel *stalls = inspector_get_stalls ();
  guint i = 0;

  for (; i < g_list_model_get_n_items (stalls); i++)
    {
      g_autofree char *text = inspector_get_text (i, "culprit");

      if (g_str_equal (text, culprit))
        break;
    }
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (stalls), i, TRUE);
  g_signal_emit_by_name (inspector_find_widget (inspector_get_page (), "GtkColumnView"), "activate", i);
}

static void
take_stalls (const Look *look)
{
  GtkStack *stack = page_get_part ("JankInspectorStallView", "stack");

  save ("stalls", look);
  show_stall ("stall_lock");
  for (guint i = 0; i < G_N_ELEMENTS (details); i++)
    {
      gtk_stack_set_visible_child_name (stack, details[i]);
      run_ms (500);
      save (details[i], look);
    }
  gtk_stack_set_visible_child_name (stack, "flame");
  g_signal_emit_by_name (page_get_part ("JankInspectorStalls", "back"), "clicked");
}

static void
take_look (const Look *look)
{
  seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gtk_widget_set_default_direction (look->direction);
  inspector_set_dark (look->is_dark);
  for (guint i = 0; i < N_TABS; i++)
    {
      inspector_show_tab (tabs[i]);
      /* Figures come after a second. */
      run_ms (i == 0 ? 2500 : 800);
      if (g_str_equal (tabs[i], "stalls"))
        take_stalls (look);
      else
        save (tabs[i], look);
    }
  g_clear_pointer (&seen, g_hash_table_unref);
}

static void
take_empty (const Look *look)
{
  seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  inspector_set_dark (look->is_dark);
  inspector_show_tab ("stalls");
  run_ms (500);
  save ("empty", look);
  inspector_show_tab ("frames");
  jank_monitor_stop (monitor);
  run_ms (1500);
  save ("stopped", look);
  g_assert_true (jank_monitor_start (monitor, NULL));
  g_clear_pointer (&seen, g_hash_table_unref);
}

TEST (states)
{
  g_autofree char *catalogues = g_test_build_filename (G_TEST_BUILT, "..", "po", NULL);
  /* Colours and directions do not depend on the language: of another one, one look shows all its words. */
  guint n_looks = g_getenv ("LANGUAGE") != NULL ? 1 : G_N_ELEMENTS (looks);

  /* Instead of the installed ones, which the library has named. */
  bindtextdomain ("jankwatch", catalogues);
  page_open ("stalls");
  for (guint i = 0; i < MIN (n_looks, 2); i++)
    take_empty (&looks[i]);
  page_stall (stall_sleep);
  page_stall (stall_lock);
  page_stall (stall_compute);
  for (guint i = 0; i < n_looks; i++)
    take_look (&looks[i]);
  inspector_set_dark (FALSE);
  inspector_close ();
}

PAGE_TESTS ("/inspector/pictures")
