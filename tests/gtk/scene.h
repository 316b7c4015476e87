/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows that draw and are late on purpose, and what they know of it themselves. */

#pragma once

#include <gtk/gtk.h>

#include "frames/jank-frame-clocks-private.h"
#include "host.h"
#include "loop.h"
#include "test.h"

#define MAX_FRAMES_WAIT_MS 30000

/* What a frame of the animation is busy for, and then was. */
typedef struct
{
  int    busy_ms;          /* 0: not */
  gint64 began_ns, ended_ns;
} SceneWork;

/* One window, measured from outside of the plug-in: by handlers on its frame clock. */
typedef struct
{
  GtkWindow *window;       /* NULL once destroyed */
  GtkWidget *area;         /* what moves; goes with the window */
  GdkFrameClock *clock;
  guint      n_frames;     /* painted */
  guint      n_per_drawn;  /* ticks for which the animation paints once; 0: one */
  GArray    *begins_ns;    /* (owned) of gint64: every before-paint */
  GArray    *work;         /* (owned) of SceneWork: of each frame of the animation */
  guint      n_ticks;
  guint      tick_id;
} Scene;

extern const JankGtkPlugin *plugin;

/* Runs each TEST as path/…. Returns what g_test_run() does. */
int     scene_main         (int argc, char **argv, const char *path);

/* The rest of a program: its main(). */
#define SCENE_TESTS(path) \
  int \
  main (int argc, char **argv) \
  { \
    return scene_main (argc, argv, path); \
  }

gboolean scene_is_x11      (void);

/* A window that does nothing, and has been drawn; whose next frame is judged, too: past its start-up. */
Scene  *scene_new          (GType window_type);
Scene  *scene_new_started  (GType window_type);
void    scene_free         (Scene *self);
/* child (nullable): takes the place of what is there. */
void    scene_set_child    (Scene *self, GtkWidget *child);
void    scene_animate      (Scene *self);
/* Until nothing about its last frames is left open: one more after a pause. */
void    scene_rest         (Scene *self);

/* Runs the main loop until it has drawn so many more, however busy the machine is. */
void    scene_run_frames   (Scene *self, guint n_frames);

/* The frame that comes n_frames from now is busy for so long. */
void    scene_plan         (Scene *self, guint n_frames, int busy_ms);

void    be_busy_ms         (int ms);

/* Valid until the next call. */
const JankFrameSummary  *read_summary (void);
const JankFrameSnapshot *read_merged  (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Scene, scene_free)
