/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cases that the overlays of GTK 4 and GTK 3 have in common. */

#pragma once

#include "scene.h"

/* The toolkit's part, which the test has: a toplevel that draws itself, one that does so after its parent, which it
 * calls, and how often each was drawn. */
GType  painted_window_get_type (void);
GType  framed_window_get_type  (void);
extern guint n_painted, n_framed;

/* A class of toplevels, whose class_init is the test's. */
#define TOPLEVEL(Name, name, parent) \
  typedef GtkWindow Name; \
  typedef GtkWindowClass Name##Class; \
  G_DEFINE_TYPE (Name, name, parent) \
  static void \
  name##_init (Name *self) \
  { \
  }

/* What another look at the window finds, as text. */
char  *describe_window   (GtkWidget *window);
/* Counts the keys J that the window gets. */
void   count_keys        (GtkWindow *window, guint *n_seen);

void   check_subclass    (GType type);
/* A framed window is drawn as often as its parent's part. */
void   check_framed      (void);
