/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GDK's frame clock class.
 *
 * No signal and no getter tells of requests, so we wrap three functions of the clock's class. The class structure is
 * private to GDK. Its size tells where they are, and we try it before we trust it: our functions stand in for a moment,
 * and each public call must arrive at the right one, which passes it on. If one does not, nothing is wrapped, and
 * whether a clock was running is guessed from its intervals. A class of another size is not even tried. What is wrapped
 * stays wrapped. */

#include "gtk/clock/jank-gtk-clock-private.h"

/* A part of the class, one after the other. From 4.24 on they are called for news only: a phase that was not requested
 * yet, the first animation, the end of the last. */
typedef struct
{
  void (*request_phase)  (GdkFrameClock *gdk, GdkFrameClockPhase phase);
  void (*begin_updating) (GdkFrameClock *gdk);
  void (*end_updating)   (GdkFrameClock *gdk);
} Requests;

/* In pointers behind GObjectClass. */
static const struct { guint8 n_functions, first; gboolean news_only; } layouts[] = {
  { 6, 1, FALSE }, /* GTK 3.8 to 4.18 at least */
  { 7, 2, TRUE },  /* 4.24 */
};

/* One per backend's class; today there is one. */
#define MAX_CLASSES 4

static struct
{
  gpointer klass;
  Requests own;   /* the functions before */
} classes[MAX_CLASSES];
static guint n_classes;

static const JankGtkClockRequestFuncs *funcs;
static guint probed; /* bits: which functions were reached; 8: a wrong one */

static const Requests *
jank_gtk_clock_requests_find_own (GdkFrameClock *gdk)
{
  gpointer klass = G_OBJECT_GET_CLASS (gdk);

  for (guint i = 0; i < n_classes; i++)
    if (classes[i].klass == klass)
      return &classes[i].own;
  return &classes[0].own;
}

static void
jank_gtk_clock_requests_wrapped_request_phase (GdkFrameClock *gdk, GdkFrameClockPhase phase)
{
  funcs->requested (gdk, phase);
  jank_gtk_clock_requests_find_own (gdk)->request_phase (gdk, phase);
}

static void
jank_gtk_clock_requests_wrapped_begin_updating (GdkFrameClock *gdk)
{
  funcs->updating (gdk, 1);
  jank_gtk_clock_requests_find_own (gdk)->begin_updating (gdk);
}

static void
jank_gtk_clock_requests_wrapped_end_updating (GdkFrameClock *gdk)
{
  funcs->updating (gdk, -1);
  jank_gtk_clock_requests_find_own (gdk)->end_updating (gdk);
}

static void
jank_gtk_clock_requests_probe_request_phase (GdkFrameClock *gdk, GdkFrameClockPhase phase)
{
  probed |= phase == GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS ? 1 : 8;
  jank_gtk_clock_requests_find_own (gdk)->request_phase (gdk, phase);
}

static void
jank_gtk_clock_requests_probe_begin_updating (GdkFrameClock *gdk)
{
  probed |= probed == 1 ? 2 : 8;
  jank_gtk_clock_requests_find_own (gdk)->begin_updating (gdk);
}

static void
jank_gtk_clock_requests_probe_end_updating (GdkFrameClock *gdk)
{
  probed |= probed == 3 ? 4 : 8;
  jank_gtk_clock_requests_find_own (gdk)->end_updating (gdk);
}

static Requests *
jank_gtk_clock_requests_find_requests (gpointer klass, gboolean *ret_news_only)
{
  GTypeQuery query;

  g_type_query (GDK_TYPE_FRAME_CLOCK, &query);
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    if (query.class_size == sizeof (GObjectClass) + layouts[i].n_functions * sizeof (gpointer))
      {
        *ret_news_only = layouts[i].news_only;
        return (Requests *) (void *) ((guint8 *) klass + sizeof (GObjectClass) + layouts[i].first * sizeof (gpointer));
      }
  return NULL;
}

/* Events are flushed once more for this; no frame is drawn. 1: an animation is under way, whose beginning is no news.
 * FALSE also where events are to be flushed anyway. */
static gboolean
jank_gtk_clock_requests_is_as_expected (GdkFrameClock *gdk, Requests *requests, gboolean news_only)
{
  Requests own = *requests;

  probed = 0;
  *requests = (Requests) { jank_gtk_clock_requests_probe_request_phase,
                          jank_gtk_clock_requests_probe_begin_updating, jank_gtk_clock_requests_probe_end_updating };
  gdk_frame_clock_request_phase (gdk, GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS);
  gdk_frame_clock_begin_updating (gdk);
  gdk_frame_clock_end_updating (gdk);
  *requests = own;
  return probed == 7 || (probed == 1 && news_only);
}

gboolean
jank_gtk_clock_requests_watch (GdkFrameClock *gdk, const JankGtkClockRequestFuncs *new_funcs)
{
  gpointer klass = G_OBJECT_GET_CLASS (gdk);
  gboolean news_only = FALSE;
  Requests *requests = jank_gtk_clock_requests_find_requests (klass, &news_only);

  if (requests == NULL)
    return FALSE;
  if (requests->request_phase == jank_gtk_clock_requests_wrapped_request_phase)
    return TRUE;
  if (n_classes == MAX_CLASSES)
    return FALSE;

  funcs = new_funcs;
  classes[n_classes].klass = klass;
  classes[n_classes++].own = *requests;
  if (jank_gtk_clock_requests_is_as_expected (gdk, requests, news_only))
    *requests = (Requests) { jank_gtk_clock_requests_wrapped_request_phase,
                            jank_gtk_clock_requests_wrapped_begin_updating,
                            jank_gtk_clock_requests_wrapped_end_updating };
  else
    n_classes--;
  return requests->request_phase == jank_gtk_clock_requests_wrapped_request_phase;
}
