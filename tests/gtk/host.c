/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "host.h"

#include <dlfcn.h>

#include "base/jank-clock-private.h"

#define N_PERIODS 256

static struct { gint64 began_ns, ended_ns; } periods[N_PERIODS];
static guint n_periods; /* that ended, ever */
static gint64 busy_since_ns;
static void (*ended_func) (gint64 ended_ns);

static gboolean
edge_prepare (GSource *source, int *timeout)
{
  void (*func) (gint64 ended_ns) = ended_func;

  if (busy_since_ns != 0)
    {
      periods[n_periods % N_PERIODS].began_ns = busy_since_ns;
      periods[n_periods % N_PERIODS].ended_ns = jank_clock_now_ns ();
      n_periods++;
    }
  busy_since_ns = 0;
  ended_func = NULL;
  if (func != NULL)
    func (jank_clock_now_ns ());
  *timeout = -1;
  return FALSE;
}

static gboolean
edge_check (GSource *source)
{
  busy_since_ns = jank_clock_now_ns ();
  return FALSE;
}

static gboolean
edge_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs edge_funcs = { edge_prepare, edge_check, edge_dispatch, NULL };

static gint64
get_busy_ns (gpointer data, gint64 from_ns, gint64 to_ns)
{
  gint64 busy_ns = busy_since_ns != 0 ? MAX (to_ns - MAX (busy_since_ns, from_ns), 0) : 0;

  for (guint i = 0; i < MIN (n_periods, N_PERIODS); i++)
    busy_ns += MAX (MIN (periods[i].ended_ns, to_ns) - MAX (periods[i].began_ns, from_ns), 0);
  return busy_ns;
}

static void
call_at_end (gpointer data, void (*func) (gint64 ended_ns))
{
  ended_func = func;
}

static gboolean
get_last_stall (gpointer data, JankGtkStall *ret_stall)
{
  return FALSE;
}

static JankSettings settings = {
  .overlay_preset = 3, .overlay_corner = JANK_OVERLAY_TOP_END, .overlay_scale = 1, .overlay_opacity = 0.9,
      .overlay_key = "<Control><Shift>j",
};

JankGtkHost host = {
  .settings = &settings,
  .get_busy_ns = get_busy_ns,
  .call_at_end = call_at_end,
  .get_last_stall = get_last_stall,
};

void
host_watch_loop (void)
{
  GSource *source = g_source_new (&edge_funcs, sizeof (GSource));

  g_source_set_priority (source, G_MININT);
  g_source_attach (source, NULL);
  g_source_unref (source);
  busy_since_ns = jank_clock_now_ns ();
}

const JankGtkPlugin *
host_open_plugin (const char *path)
{
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  JankGtkPluginGetFunc get;

  if (library == NULL)
    g_error ("%s", dlerror ());
  get = (JankGtkPluginGetFunc) dlsym (library, JANK_GTK_PLUGIN_SYMBOL);
  g_assert_nonnull (get);
  return get ();
}
