/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What people and busy programs do all the time. Each act takes a moment and is done again and again; what goes on
 * after it returned (an animation, a read, a window) ends by itself. */

#pragma once

#include <gtk/gtk.h>

#define BUSY_MIN_BURST_NS (1 * JANK_NS_PER_MS)
#define BUSY_MAX_BURST_NS (60 * JANK_NS_PER_MS)

/* How much more of this turn of the loop may be taken without a stall; of the program's main file. */
gint64 busy_get_room_ns (void);

typedef struct
{
  GtkWidget *window, *paned, *text, *list, *stack, *button, *popover; /* those that acts act on */
  GtkWidget *other;                     /* (nullable): a second window */
  GDBusConnection *server, *client;     /* (owned): two ends of one connection */
  gint64     scroll_end_ns, resize_end_ns;
  double     scroll_step;
  guint      n_pages, n_modal;
} BusyStage;

typedef struct
{
  const char *name;
  guint       shortest_ms, longest_ms; /* from one to the next */
  gint        priority;
  void      (*run) (BusyStage *stage, GRand *random);
} BusyAct;

void           busy_stage_build (BusyStage *self, GtkApplication *application, guint32 seed);
void           busy_stage_free  (BusyStage *self);
const BusyAct *busy_get_acts    (guint *ret_n_acts);
