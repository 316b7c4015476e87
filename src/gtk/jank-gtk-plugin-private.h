/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the library and the GTK plug-in know of each other. The library does not link GTK; where a program
 * has loaded it, the monitor opens the plug-in with dlopen (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), finds
 * JANK_GTK_PLUGIN_SYMBOL in it and starts it, from an ordinary source of the default main context and after
 * gtk_init(). Both come from one build: there is no other versioning.
 *
 * GTK's thread only, where a line does not say otherwise. */

#pragma once

#include <glib.h>

#include "frames/jank-frame-event-private.h"
#include "frames/jank-frame-clocks-private.h"
#include "gtk/jank-inspector-host-private.h"

#define JANK_GTK_PLUGIN_SYMBOL "jank_gtk_plugin_get"

/* Of a window; start and end as in its text direction. */
typedef enum
{
  JANK_CORNER_TOP_START,
  JANK_CORNER_TOP_END,
  JANK_CORNER_BOTTOM_START,
  JANK_CORNER_BOTTOM_END,
} JankCorner;

/* Copied by start(). */
typedef struct
{
  /* settings */
  gboolean    overlay; /* shown from the beginning */
  JankCorner  corner;
  double      scale;   /* 0.5..4 */
  double      opacity; /* of the overlay's background, 0.1..1 */
  const char *toggle;  /* accelerator that shows and hides the overlay; NULL or "": none */

  /* Busy time of the loop in [from_ns, to_ns]; the present busy period counts up to now. May be NULL: then
   * everything between two frames counts as waiting. Called for late frames only. */
  gint64   (*get_busy_ns)    (gpointer data, gint64 from_ns, gint64 to_ns);
  /* The last stall, FALSE for none so far; culprit: what to call it in a few words, maybe empty. May be NULL. */
  gboolean (*get_last_stall) (gpointer data, char *culprit, gsize n_bytes, gint64 *ret_duration_ns,
                              gint64 *ret_ended_ns);
  /* Every frame of the program, after it was counted, inside the frame clock's cycle. verdict (nullable): there was
   * nothing to measure it against; window: its title, may be NULL. May be NULL. */
  void     (*on_frame)       (gpointer data, const JankFrameEvent *event, const JankFrameVerdict *verdict,
                              const char *window);
  /* What a page in GTK's inspector shows; lives as long as the rest. May be NULL: then there is no page. */
  const JankInspectorHost *inspector;
  gpointer   data;
} JankGtkHost;

#define JANK_GTK_TEXT_BYTES 128

/* The program's state of the moment; empty where there is none. */
typedef struct
{
  char window[JANK_GTK_TEXT_BYTES];      /* title of the active window */
  char focus[JANK_GTK_TEXT_BYTES];       /* type of the focused widget, such as "GtkTextView" */
  char action[JANK_GTK_TEXT_BYTES];      /* the last one: "app.save" is "save", "GtkButton “Open”" */
  gint64 action_ns;                      /* when it began, 0: none yet */
} JankGtkTags;

typedef struct
{
  char renderer[JANK_GTK_TEXT_BYTES];    /* type of a window's, such as "GskNglRenderer" */
  char backend[JANK_GTK_TEXT_BYTES];     /* "x11", "wayland", "broadway" … */
  gboolean has_presentation;             /* the display tells when frames were shown */
} JankGtkToolkit;

typedef struct
{
  /* FALSE with JANK_ERROR_UNAVAILABLE: no display, or another toolkit than this was built for. */
  gboolean         (*start)        (const JankGtkHost *host, GError **error);
  void             (*stop)         (void);
  void             (*set_overlay)  (gboolean shown);
  /* Takes corner, scale, opacity and toggle over, and draws anew what is shown. */
  void             (*configure)    (const JankGtkHost *host);
  gboolean         (*get_overlay)  (void);

  /* From start() on and for good, also after stop(): read it with jank_frame_clocks_summarize(), on any thread. */
  JankFrameClocks *(*get_frames)   (void);

  /* Any thread: never wait, never call GTK. */
  gint64           (*get_own_ns)   (gint64 from_ns, gint64 to_ns); /* what of it the loop spent on GTK's inspector */
  void             (*get_tags)     (JankGtkTags *ret_tags);
  void             (*get_toolkit)  (JankGtkToolkit *ret_toolkit);
} JankGtkPlugin;

typedef const JankGtkPlugin *(*JankGtkPluginGetFunc) (void);
