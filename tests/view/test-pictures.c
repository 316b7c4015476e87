/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures of what a person sees, narrow and wide, in both directions of writing, with large text, in the theme of
 * argv[1]: light, dark or contrast. They are in the folder argv[2], to be looked at; what is checked is that
 * nothing needs more room than there is, and that a dark window is dark. */

#include <gtk/gtk.h>

#include "folder.h"
#include "loop.h"
#include "report-fixture.h"
#include "test.h"
#include "view-find.h"

static const char *theme, *pictures;

typedef struct
{
  const char      *name;
  int              width;
  GtkTextDirection direction;
  double           text_scale;
} Look;

static const Look looks[] = {
  { "narrow-rtl", 360, GTK_TEXT_DIR_RTL, 1 }, { "narrow-large-text", 360, GTK_TEXT_DIR_LTR, 1.25 },
  { "wide", 1200, GTK_TEXT_DIR_LTR, 1 },
};

static void
save (JankStore *store, const char *id, const char *culprit, const char *app)
{
  g_autoptr (JankReport) report = report_fixture_new (id);

  jank_set_text (&report->fingerprint, culprit);
  jank_set_text (&report->culprit.function, culprit);
  jank_set_text (&report->app.name, app);
  g_assert_true (jank_store_write (store, report, NULL));
}

/* Returns: how bright it is on average, of 255 */
static guint
take (GtkWidget *window, const Look *look, const char *page)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (window);
  g_autofree char *name = g_strdup_printf ("view-%s-%s-%s.png", theme, look->name, page);
  g_autofree char *path = g_build_filename (pictures, name, NULL);
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autofree guchar *pixels = NULL;
  int width, height;
  guint64 sum = 0;

  /* It is painted once more, for the picture. */
  for (guint i = 0; i < 200 && node == NULL; i++)
    {
      g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();

      gtk_widget_queue_draw (window);
      run_ms (200);
      gdk_paintable_snapshot (paintable, snapshot, gtk_widget_get_width (window), gtk_widget_get_height (window));
      node = gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
    }
  width = gtk_widget_get_width (window);
  height = gtk_widget_get_height (window);
  g_assert_cmpint (width, <=, look->width);
  texture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (window)), node,
                                         &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  g_assert_true (gdk_texture_save_to_png (texture, path));
  pixels = g_malloc ((gsize) 4 * (gsize) width * (gsize) height);
  gdk_texture_download (texture, pixels, (gsize) 4 * (gsize) width);
  for (const guchar *pixel = pixels, *end = pixel + (gsize) 4 * (gsize) width * (gsize) height; pixel < end; pixel += 4)
    sum += MAX (pixel[0], MAX (pixel[1], pixel[2]));
  return (guint) (sum / ((guint64) width * (guint64) height));
}

static void
activate (GtkWidget *window)
{
  g_signal_emit_by_name (view_find (window, view_has_type, "GtkListView"), "activate", 0);
}

static void
show (const Look *look, const char *folder, gboolean is_empty)
{
  g_autoptr (JankViewSource) source =
      jank_view_source_new_store (jank_store_new (folder, 100, 1 << 24), jank_filter_new ());
  GtkWidget *window;
  guint brightness;

  gtk_widget_set_default_direction (look->direction);
  g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", (int) (96 * 1024 * look->text_scale), NULL);
  window = view_open (source, look->width);
  view_wait_for_text (window, is_empty ? "No Reports Found" : "All Programs");
  brightness = take (window, look, is_empty ? "empty" : "programs");
  if (!is_empty)
    {
      activate (window);
      view_wait_for_text (window, "load_words");
      take (window, look, "problems");
      activate (window);
      view_wait_for_text (window, "was computing");
      take (window, look, "stall");
    }
  if (g_str_equal (theme, "dark"))
    g_assert_cmpuint (brightness, <, 100);
  else
    g_assert_cmpuint (brightness, >, 200);
  gtk_window_destroy (GTK_WINDOW (window));
}

TEST (looks)
{
  g_autofree char *folder = folder_new ("view"), *empty = folder_new ("view");
  JankStore *store = jank_store_new (folder, 100, 1 << 24);

  save (store, "20261121-153012-4242-1", "load_words", "editor");
  save (store, "20261121-153012-4242-2", "compute_primes", "calculator");
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    {
      show (&looks[i], folder, FALSE);
      show (&looks[i], empty, TRUE);
    }
  jank_store_free (store);
  folder_remove (folder);
  folder_remove (empty);
}

int
main (int argc, char **argv)
{
  gtk_init ();
  g_test_init (&argc, &argv, NULL);
  theme = argv[1];
  pictures = argv[2];
  tests_add_all ("/view/pictures");
  return g_test_run ();
}
