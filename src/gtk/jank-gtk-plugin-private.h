/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interface between the library, which does not link GTK, and the GTK plug-in. In a program that has GTK, the
 * monitor opens the plug-in with dlopen (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) and starts it once there is a display,
 * between two turns of the default main context. Both come from one build, so there is no versioning.
 *
 * GTK's thread only, unless a line says otherwise. */

#pragma once

#include <stdatomic.h>

#include <glib.h>

#include "settings/jank-settings-private.h"
#include "frames/jank-frame-event-private.h"
#include "frames/jank-frame-clocks-private.h"
#include "gtk/jank-inspector-host-private.h"
#include "input/jank-input-board-private.h"
#include "observe/jank-own-time-private.h"

#define JANK_GTK_PLUGIN_SYMBOL "jank_gtk_plugin_get"

/* The program's last one, as the overlay shows it. */
typedef struct
{
  gint64 duration_ns, ended_ns;
  char   ended_at[9];   /* by the clock on the wall: the program's thread reads no time zone for us */
  char   culprit[128];  /* its short name, maybe empty */
} JankGtkStall;

/* Stays where it is from start() to stop(). */
typedef struct
{
  JankSettings *settings; /* (owned): of the overlay; configure() tells when they are others */
  JankOwnTime  *own;      /* (nullable): where work of the plug-in, and of GTK's inspector, is marked */
  _Atomic int64_t *frame_wanted_ns; /* (nullable): where it is kept since when the program wants a frame */
  /* (nullable): busy time of the loop in [from_ns, to_ns], the present busy period included. Called for late frames
   * only. NULL: the time between two frames counts as waiting. */
  gint64   (*get_busy_ns)    (gpointer data, gint64 from_ns, gint64 to_ns);
  /* (nullable): has func called once, when the loop's present turn, also of a nested loop, has ended: between two
   * turns. */
  void     (*call_at_end)    (gpointer data, void (*func) (gint64 ended_ns));
  /* (nullable): FALSE: there was none so far */
  gboolean (*get_last_stall) (gpointer data, JankGtkStall *ret_stall);
  /* (nullable): the last figure of a rule that counts frames, which the overlay then shows; -1: there is none. */
  double   (*get_fps)        (gpointer data);
  /* (nullable): a frame begins. */
  void     (*on_begin)       (gpointer data, gint64 began_ns);
  /* (nullable): every frame of the program, after it was counted, inside the clock's cycle. verdict (nullable): NULL
   * when nothing came before. */
  void     (*on_frame)       (gpointer data, const JankFrameEvent *event, const JankFrameVerdict *verdict);
  /* (nullable), both: since when the oldest interaction without an answer waits, 0: there is none; one that the loop
   * kept waiting for long has been answered: before that. */
  void     (*on_waits)       (gpointer data, gint64 since_ns);
  void     (*on_slow)        (gpointer data, gint64 stamp_ns, gint64 answered_ns);
  /* (nullable): one line for standard error. */
  void     (*say)            (const char *text);
  /* (nullable): for the page in GTK's inspector; NULL: there is no page. */
  const JankInspectorHost *inspector;
  gpointer   data;
} JankGtkHost;

#define JANK_GTK_TEXT_BYTES 128

/* What the program is doing; empty where unknown. */
typedef struct
{
  char window[JANK_GTK_TEXT_BYTES];      /* title of the active window */
  char focus[JANK_GTK_TEXT_BYTES];       /* type of the focused widget, such as "GtkTextView" */
  char action[JANK_GTK_TEXT_BYTES];      /* the last one, such as "save" for "app.save", or "GtkButton “Open”" */
} JankGtkTags;

typedef struct
{
  char renderer[JANK_GTK_TEXT_BYTES];    /* its type, such as "GskNglRenderer" */
  guint64 has_presentation;              /* boolean: the display tells when frames were shown */
} JankGtkToolkit;

typedef struct
{
  /* There is a default display. */
  void             (*start)        (const JankGtkHost *host);
  void             (*stop)         (void);
  /* (nullable), both: show or hide the overlay; take over how it looks, and redraw. */
  void             (*set_overlay)  (gboolean shown);
  void             (*configure)    (void);
  gboolean         (*get_overlay)  (void);

  /* Whether the display holds back each frame that the program wants, or none is wanted. */
  gboolean         (*is_held)      (void);

  /* Valid from start() on, also after stop(). Any thread may call jank_frame_clocks_summarize() on it. */
  JankFrameClocks *(*get_frames)   (void);
  /* The same: any thread may read it. */
  JankInputBoard  *(*get_input)    (void);

  /* Any thread; they never wait and never call GTK. */
  void             (*get_tags)     (JankGtkTags *ret_tags);
  void             (*get_toolkit)  (JankGtkToolkit *ret_toolkit);
} JankGtkPlugin;

typedef const JankGtkPlugin *(*JankGtkPluginGetFunc) (void);

JANK_API const JankGtkPlugin *jank_gtk_plugin_get (void);
