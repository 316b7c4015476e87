/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK's inspector opens a display connection of its own. When a window's signal asks for it, or a display is opened,
 * assume that the inspector is opening; confirmed if our page exists by the next turn. From then on, time each
 * dispatch of that display's source: that source alone gets a copy of its function table with ours in it. */

#include "config.h"

#include "gtk/clock/jank-own-time-private.h"

#include <stdatomic.h>

#include "base/jank-clock-private.h"
#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-toplevels-private.h"

#define N_SPANS 256

/* The longest busy time before the inspector opens that counts as part of the opening. */
#define MAX_BEFORE_NS (10 * JANK_NS_PER_S)

static struct { _Atomic gint64 began_ns, ended_ns; } spans[N_SPANS];
static _Atomic guint n_spans; /* ever begun */

/* observed thread only */
static const JankGtkHost *host;
static guint depth;
static gint64 total_ns;
static gulong opened_handler;
static gulong event_hook, debugging_hook;
static GSourceFuncs wrapped_funcs, own_funcs;
static gboolean is_opening, is_confirmed;

void
jank_own_time_begin (void)
{
  guint i = atomic_load_explicit (&n_spans, memory_order_relaxed);

  if (depth++ > 0)
    return;
  atomic_store_explicit (&spans[i % N_SPANS].ended_ns, 0, memory_order_relaxed);
  atomic_store_explicit (&spans[i % N_SPANS].began_ns, jank_clock_now_ns (), memory_order_relaxed);
  atomic_store_explicit (&n_spans, i + 1, memory_order_release); /* (A) */
}

void
jank_own_time_end (void)
{
  guint i = atomic_load_explicit (&n_spans, memory_order_relaxed) - 1;
  gint64 now_ns = jank_clock_now_ns ();

  if (depth == 0 || --depth > 0)
    return;
  total_ns += now_ns - atomic_load_explicit (&spans[i % N_SPANS].began_ns, memory_order_relaxed);
  atomic_store_explicit (&spans[i % N_SPANS].ended_ns, now_ns, memory_order_release); /* (B) */
}

gint64
jank_own_time_get_total (void)
{
  return total_ns;
}

gint64
jank_own_time_get (gint64 from_ns, gint64 to_ns)
{
  guint n = atomic_load_explicit (&n_spans, memory_order_acquire); /* (A) */
  gint64 sum_ns = 0;

  for (guint back = 1; back <= MIN (n, N_SPANS); back++)
    {
      guint i = (n - back) % N_SPANS;
      gint64 ended_ns = atomic_load_explicit (&spans[i].ended_ns, memory_order_acquire); /* (B) */
      gint64 began_ns = atomic_load_explicit (&spans[i].began_ns, memory_order_relaxed);

      if (ended_ns == 0)
        ended_ns = jank_clock_now_ns ();
      if (ended_ns <= from_ns)
        break;
      sum_ns += MAX (MIN (ended_ns, to_ns) - MAX (began_ns, from_ns), 0);
    }
  return sum_ns;
}

/* The display is the program's own: the span under way begins only now. */
static void
take_back (void)
{
  guint i = atomic_load_explicit (&n_spans, memory_order_relaxed) - 1;

  if (depth == 1)
    atomic_store_explicit (&spans[i % N_SPANS].began_ns, jank_clock_now_ns (), memory_order_relaxed);
}

static gboolean
opened_over_cb (gpointer data)
{
  if (!is_confirmed)
    take_back ();
  jank_own_time_end ();
  is_opening = FALSE;
  return G_SOURCE_REMOVE;
}

static void
begin_opening (void)
{
  GSource *source;

  if (is_opening)
    return;
  is_opening = TRUE;
  is_confirmed = FALSE;
  jank_own_time_begin ();
  source = g_idle_source_new ();
  g_source_set_priority (source, G_MININT);
  g_source_set_static_name (source, "jankwatch: inspector");
  g_source_set_callback (source, opened_over_cb, NULL, NULL);
  g_source_attach (source, NULL);
  g_source_unref (source);
}

static void
opened_cb (GdkDisplayManager *manager, GdkDisplay *display, gpointer data)
{
  if (gdk_display_get_default () != NULL && display != gdk_display_get_default ())
    begin_opening ();
}

static gboolean
debugging_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  begin_opening ();
  is_confirmed = TRUE;
  return TRUE;
}

/* When the loop last waited, by bisection: it has been busy since. */
static gint64
find_busy_since (gint64 now_ns)
{
  gint64 early_ns = now_ns - MAX_BEFORE_NS, late_ns = now_ns;

  while (host->get_busy_ns != NULL && late_ns - early_ns > JANK_NS_PER_US)
    {
      gint64 middle_ns = early_ns + (late_ns - early_ns) / 2;

      if (host->get_busy_ns (host->data, middle_ns, now_ns) >= now_ns - middle_ns)
        late_ns = middle_ns;
      else
        early_ns = middle_ns;
    }
  return late_ns;
}

void
jank_own_time_confirm (void)
{
  guint i = atomic_load_explicit (&n_spans, memory_order_relaxed);

  is_confirmed = TRUE;
  if (!is_opening)
    begin_opening ();
  else if (depth == 1)
    atomic_store_explicit (&spans[(i - 1) % N_SPANS].began_ns, find_busy_since (jank_clock_now_ns ()), memory_order_relaxed);
}

static gboolean
wrapped_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  gboolean keep;

  jank_own_time_begin ();
  keep = own_funcs.dispatch (source, callback, data);
  jank_own_time_end ();
  return keep;
}

#if GTK_MAJOR_VERSION >= 4

#define EVENT_TYPE GDK_TYPE_SURFACE

static GdkDisplay *
get_display (gpointer surface)
{
  return gdk_surface_get_display (surface);
}

static GtkWidget *
get_widget (gpointer surface)
{
  GtkNative *native = gtk_native_get_for_surface (surface);

  return native != NULL ? GTK_WIDGET (native) : NULL;
}

#else

#define EVENT_TYPE GTK_TYPE_WIDGET

static GdkDisplay *
get_display (gpointer widget)
{
  return gtk_widget_get_display (widget);
}

static GtkWidget *
get_widget (gpointer widget)
{
  return widget;
}

#endif

static gboolean
is_inspectors (gpointer receiver)
{
  GtkWidget *widget = get_widget (receiver);
  GtkRoot *root = widget != NULL ? gtk_widget_get_root (widget) : NULL;

  return get_display (receiver) != gdk_display_get_default () && GTK_IS_WINDOW (root) &&
         jank_toplevels_is_inspector (GTK_WINDOW (root));
}

/* The first event on the inspector's display shows which source is the display's. */
static gboolean
event_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GSource *source = g_main_current_source ();

  if (G_LIKELY (get_display (g_value_get_object (values)) == gdk_display_get_default ()) ||
      source == NULL || source->source_funcs == &wrapped_funcs || !is_inspectors (g_value_get_object (values)) ||
      (own_funcs.dispatch != NULL && source->source_funcs->dispatch != own_funcs.dispatch))
    return TRUE;
  own_funcs = *source->source_funcs;
  wrapped_funcs = own_funcs;
  wrapped_funcs.dispatch = wrapped_dispatch;
  source->source_funcs = &wrapped_funcs;
  return TRUE;
}

void
jank_own_time_start (const JankGtkHost *new_host)
{
  gpointer klass = g_type_class_ref (EVENT_TYPE), window_class = g_type_class_ref (GTK_TYPE_WINDOW);

  host = new_host;

  opened_handler = g_signal_connect (gdk_display_manager_get (), "display-opened", G_CALLBACK (opened_cb), NULL);
  debugging_hook = g_signal_add_emission_hook (g_signal_lookup ("enable-debugging", GTK_TYPE_WINDOW), 0, debugging_cb, NULL,
                                               NULL);
  g_type_class_unref (window_class);
  event_hook = g_signal_add_emission_hook (g_signal_lookup ("event", EVENT_TYPE), 0, event_cb, NULL, NULL);
  g_type_class_unref (klass);
}

void
jank_own_time_stop (void)
{
  g_clear_signal_handler (&opened_handler, gdk_display_manager_get ());
  g_signal_remove_emission_hook (g_signal_lookup ("event", EVENT_TYPE), event_hook);
  g_signal_remove_emission_hook (g_signal_lookup ("enable-debugging", GTK_TYPE_WINDOW), debugging_hook);
}
