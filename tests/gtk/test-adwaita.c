/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program of libadwaita, whose toplevels are its own class below AdwApplicationWindow: are its frames seen and is
 * the overlay drawn in it? */

#include "scene.h"

#include <adwaita.h>

#include "overlay-check.h"

#define APPLICATION_TYPE_WINDOW (application_window_get_type ())
G_DECLARE_FINAL_TYPE (ApplicationWindow, application_window, APPLICATION, WINDOW, AdwApplicationWindow)

struct _ApplicationWindow
{
  AdwApplicationWindow parent;
};

G_DEFINE_FINAL_TYPE (ApplicationWindow, application_window, ADW_TYPE_APPLICATION_WINDOW)

static guint n_snapshots;

static void
application_window_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  n_snapshots++;
  GTK_WIDGET_CLASS (application_window_parent_class)->snapshot (widget, snapshot);
}

static void
application_window_class_init (ApplicationWindowClass *klass)
{
  GTK_WIDGET_CLASS (klass)->snapshot = application_window_snapshot;
}

static void
application_window_init (ApplicationWindow *self)
{
}

static void
check_window (GType type)
{
  Scene *scene = scene_new (type);
  guint64 frames;
  guint own;

  check_shown_and_gone (scene);
  plugin->set_overlay (TRUE);
  scene_animate (scene);
  run_ms (100);
  frames = read_summary ()->total.frames;
  own = scene->n_frames;
  scene_run_frames (scene, 20);
  g_test_message ("%u frames of %s", scene->n_frames - own, g_type_name (type));
  g_assert_cmpuint (read_summary ()->total.frames - frames, ==, scene->n_frames - own);
  plugin->set_overlay (FALSE);
  scene_free (scene);
}

/* The first: libadwaita may find a program that is watched already. */
TEST (window)
{
  adw_init ();
  check_window (ADW_TYPE_APPLICATION_WINDOW);
}

TEST (subclass)
{
  n_snapshots = 0;
  check_window (APPLICATION_TYPE_WINDOW);
  g_assert_cmpuint (n_snapshots, >=, 20);
}

SCENE_TESTS ("/gtk/adwaita")
