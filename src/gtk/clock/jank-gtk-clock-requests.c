/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GDK's frame clock class.
 *
 * No signal and no getter tells of requests, so we wrap three functions of the clock's class. The class structure is
 * private to GDK. It was the same from GTK 3.8 to 4.18 at least, and we try it before we trust it: our functions stand in for
 * a moment, and each public call must arrive at the right one. If one does not, nothing is wrapped, and whether a
 * clock was running is guessed from its intervals. A class of another size is not even tried: a stand-in at the wrong
 * place could swallow a request and stop an animation. What is wrapped stays wrapped. */

#include "config.h"

#include "gtk/clock/jank-gtk-clock-requests-private.h"

typedef struct
{
  GObjectClass parent_class;
  gint64     (*get_frame_time) (GdkFrameClock *gdk);
  void       (*request_phase)  (GdkFrameClock *gdk, GdkFrameClockPhase phase);
  void       (*begin_updating) (GdkFrameClock *gdk);
  void       (*end_updating)   (GdkFrameClock *gdk);
  void       (*freeze)         (GdkFrameClock *gdk);
  void       (*thaw)           (GdkFrameClock *gdk);
} ClockClass;

/* One per backend's class; today there is one. */
#define MAX_CLASSES 4

static struct
{
  ClockClass *klass;
  ClockClass  own;   /* the functions before */
  gboolean    is_wrapped;
} classes[MAX_CLASSES];
static guint n_classes;

static const JankGtkClockRequestFuncs *funcs;
static guint probed; /* bits: which functions were reached; 8: a wrong one */

static const ClockClass *
find_own (GdkFrameClock *gdk)
{
  gpointer klass = G_OBJECT_GET_CLASS (gdk);

  for (guint i = 0; i < n_classes; i++)
    if (classes[i].klass == klass)
      return &classes[i].own;
  return &classes[0].own;
}

static void
wrapped_request_phase (GdkFrameClock *gdk, GdkFrameClockPhase phase)
{
  funcs->requested (gdk, phase);
  find_own (gdk)->request_phase (gdk, phase);
}

static void
wrapped_begin_updating (GdkFrameClock *gdk)
{
  funcs->updating (gdk, 1);
  find_own (gdk)->begin_updating (gdk);
}

static void
wrapped_end_updating (GdkFrameClock *gdk)
{
  funcs->updating (gdk, -1);
  find_own (gdk)->end_updating (gdk);
}

static void
probe_request_phase (GdkFrameClock *gdk, GdkFrameClockPhase phase)
{
  probed |= phase == GDK_FRAME_CLOCK_PHASE_LAYOUT ? 1 : 8;
}

static void
probe_begin_updating (GdkFrameClock *gdk)
{
  probed |= probed == 1 ? 2 : 8;
}

static void
probe_end_updating (GdkFrameClock *gdk)
{
  probed |= probed == 3 ? 4 : 8;
}

/* The stand-ins pass nothing on to the clock. */
static gboolean
is_as_expected (GdkFrameClock *gdk, ClockClass *klass)
{
  ClockClass own = *klass;
  GTypeQuery query;

  g_type_query (GDK_TYPE_FRAME_CLOCK, &query);
  if (query.class_size != sizeof (ClockClass))
    return FALSE;

  probed = 0;
  klass->request_phase = probe_request_phase;
  klass->begin_updating = probe_begin_updating;
  klass->end_updating = probe_end_updating;
  gdk_frame_clock_request_phase (gdk, GDK_FRAME_CLOCK_PHASE_LAYOUT);
  gdk_frame_clock_begin_updating (gdk);
  gdk_frame_clock_end_updating (gdk);
  klass->request_phase = own.request_phase;
  klass->begin_updating = own.begin_updating;
  klass->end_updating = own.end_updating;
  return probed == 7;
}

gboolean
jank_gtk_clock_requests_watch (GdkFrameClock *gdk, const JankGtkClockRequestFuncs *new_funcs)
{
  ClockClass *klass = (ClockClass *) G_OBJECT_GET_CLASS (gdk);

  for (guint i = 0; i < n_classes; i++)
    if (classes[i].klass == klass)
      return classes[i].is_wrapped;
  if (klass->request_phase == wrapped_request_phase) /* inherited */
    return TRUE;
  if (n_classes == MAX_CLASSES)
    return FALSE;

  funcs = new_funcs;
  classes[n_classes].klass = klass;
  classes[n_classes].own = *klass;
  classes[n_classes].is_wrapped = is_as_expected (gdk, klass);
  n_classes++;
  if (!classes[n_classes - 1].is_wrapped)
    return FALSE;

  klass->request_phase = wrapped_request_phase;
  klass->begin_updating = wrapped_begin_updating;
  klass->end_updating = wrapped_end_updating;
  return TRUE;
}
