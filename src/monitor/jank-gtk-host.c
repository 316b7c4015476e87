/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "monitor/jank-gtk-host-private.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "report/jank-report-private.h"

#define GTK4_LIBRARY "libgtk-4.so.1"
#define PLUGIN       "libjankwatch-gtk4.so"

struct _JankGtkHostState
{
  /* set at construction */
  JankBeat                    *beat;
  JankGtkHost                  host;
  gboolean                     wanted;
  char                        *toggle; /* (owned) */

  /* main thread only */
  JankBusyLog                  log;

  /* shared, atomic: written once, with release; read with acquire */
  _Atomic (const JankGtkPlugin *) plugin;

  /* any thread, under mutex */
  GMutex                       mutex;
  char                        *culprit; /* (owned) (nullable) */
  gint64                       duration_ns, ended_ns;
};

/* Main thread only: the host that has the plug-in. */
static JankGtkHostState *owner;

static gint64
host_get_busy_ns (gpointer data, gint64 from_ns, gint64 to_ns)
{
  return jank_busy_log_get (&((JankGtkHostState *) data)->log, from_ns, to_ns);
}

static gboolean
host_get_last_stall (gpointer data, char *culprit, gsize n_bytes, gint64 *ret_duration_ns, gint64 *ret_ended_ns)
{
  JankGtkHostState *self = data;

  g_mutex_lock (&self->mutex);
  g_strlcpy (culprit, self->culprit != NULL ? self->culprit : "", n_bytes);
  *ret_duration_ns = self->duration_ns;
  *ret_ended_ns = self->ended_ns;
  g_mutex_unlock (&self->mutex);
  return *ret_ended_ns != 0;
}

JankGtkHostState *
jank_gtk_host_new (const JankSettings *settings, JankBeat *beat)
{
  JankGtkHostState *self = g_new0 (JankGtkHostState, 1);

  self->beat = beat;
  self->wanted = settings->frames;
  self->toggle = g_strdup (settings->overlay_key);
  self->host = (JankGtkHost) {
    .overlay = settings->overlay,
    .corner = (JankCorner) settings->overlay_corner,
    .scale = settings->overlay_scale,
    .opacity = settings->overlay_opacity,
    .toggle = self->toggle,
    .get_busy_ns = host_get_busy_ns,
    .get_last_stall = host_get_last_stall,
    .data = self,
  };
  g_mutex_init (&self->mutex);
  return self;
}

void
jank_gtk_host_free (JankGtkHostState *self)
{
  const JankGtkPlugin *plugin = jank_gtk_host_get_plugin (self);

  if (plugin != NULL)
    plugin->stop ();
  jank_beat_set_log (self->beat, NULL);
  if (owner == self)
    owner = NULL;
  g_mutex_clear (&self->mutex);
  g_free (self->culprit);
  g_free (self->toggle);
  g_free (self);
}

static gboolean
is_gtk_up (void)
{
  void *gtk = dlopen (GTK4_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  gboolean (*is_initialized) (void) = gtk != NULL ? (gboolean (*) (void)) dlsym (gtk, "gtk_is_initialized") : NULL;
  gboolean is_up = is_initialized != NULL && is_initialized ();

  if (gtk != NULL)
    dlclose (gtk);
  return is_up;
}

/* In the library's own folder of plug-ins, or in the build tree. */
static char *
find_plugin (void)
{
  static const char *const folders[] = { "jankwatch-1", "gtk" };
  Dl_info library;
  g_autofree char *folder = NULL;

  if (dladdr ((void *) jank_gtk_host_new, &library) == 0)
    return NULL;
  folder = g_path_get_dirname (library.dli_fname);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (folder, folders[i], PLUGIN, NULL);

      if (access (path, R_OK) == 0)
        return g_steal_pointer (&path);
    }
  return NULL;
}

static const JankGtkPlugin *
open_plugin (GError **error)
{
  g_autofree char *path = find_plugin ();
  void *library = path != NULL ? dlopen (path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
  JankGtkPluginGetFunc get = library != NULL ? (JankGtkPluginGetFunc) dlsym (library, JANK_GTK_PLUGIN_SYMBOL) : NULL;

  if (get != NULL)
    return get ();
  g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
               _("Could not open “%s”, which watches the frames of GTK 4: %s. Stalls are watched all the same"),
               path != NULL ? path : PLUGIN, path != NULL ? dlerror () : g_strerror (ENOENT));
  return NULL;
}

gboolean
jank_gtk_host_start (JankGtkHostState *self, GError **error)
{
  const JankGtkPlugin *plugin;

  if (!self->wanted || owner != NULL || !is_gtk_up ())
    return FALSE;
  plugin = open_plugin (error);
  if (plugin == NULL)
    return FALSE;

  jank_beat_set_log (self->beat, &self->log);
  if (!plugin->start (&self->host, error))
    {
      jank_beat_set_log (self->beat, NULL);
      return FALSE;
    }
  owner = self;
  atomic_store_explicit (&self->plugin, plugin, memory_order_release);
  return TRUE;
}

const JankGtkPlugin *
jank_gtk_host_get_plugin (JankGtkHostState *self)
{
  return atomic_load_explicit (&self->plugin, memory_order_acquire);
}

void
jank_gtk_host_set_stall (JankGtkHostState *self, JankReport *report)
{
  g_mutex_lock (&self->mutex);
  g_free (self->culprit);
  self->culprit = g_strdup (report->culprit.function);
  self->duration_ns = report->stall.duration_ns;
  self->ended_ns = report->stall.began_monotonic_ns + report->stall.duration_ns
                   + report->stall.stopped_ns + report->stall.traced_ns;
  g_mutex_unlock (&self->mutex);
}
