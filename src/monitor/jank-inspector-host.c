/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two threads share only the list of reports, under a mutex that is held for a few assignments, never while memory is
 * allocated or freed or a file is written. The watcher wakes the loop only while a page is open. */

#include "monitor/jank-inspector-host-private.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "guest/jank-errands-private.h"
#include "base/jank-error.h"
#include "base/jank-home-private.h"
#include "base/jank-whole-file-private.h"
#include "settings/jank-settings-private.h"
#include "report/jank-brief-stacks-private.h"
#include "sinks/jank-sinks-private.h"
#include "sinks/jank-program-private.h"
#include "store/jank-chains-private.h"
#include "store/jank-resolved-private.h"

struct _JankInspectorHostState
{
  /* set at construction */
  JankInspectorOwner owner;
  JankInspectorHost  host;

  /* the loop's thread only */
  JankInspectorFunc  func;    /* (nullable) */
  gpointer           func_data;
  guint              restart_id;
  char              *preset;  /* (owned) (nullable): to be in force after the restart */
  GHashTable        *changed; /* (owned): keys set by the page */
  GHashTable        *resolved; /* (owned) (nullable): fingerprints, once they were asked for */
  gboolean           had_sources, watches_sources;

  /* shared, atomic; orders nothing */
  _Atomic gboolean   is_open;
  _Atomic guint64    n_samples, n_lost;
  _Atomic gint64     watcher_clock; /* clockid_t + 1, 0: unknown; negative ones are other threads' */

  /* any thread, under mutex */
  GMutex             mutex;
  JankReport        *reports[JANK_INSPECTOR_MAX_REPORTS]; /* (owned): number n at n % MAX */
  guint64            n_reports;                           /* ever */
  guint64            n_stalls;                            /* of them */
  gboolean           is_woken;

  JankInspectorBriefs *briefs;                            /* (owned) has a mutex of its own */
};

static void
jank_inspector_host_get_loop (gpointer data, JankInspectorLoop *ret_loop)
{
  JankInspectorHostState *self = data;
  JankWatchedLoop *watch = *self->owner.watch;
  JankGtkHostState *gtk = watch != NULL ? jank_watched_loop_get_gtk (watch) : NULL;
  const JankTurns *turns = watch != NULL ? jank_watched_loop_get_turns (watch) : NULL;
  gint64 clock = atomic_load_explicit (&self->watcher_clock, memory_order_relaxed);

  *ret_loop = (JankInspectorLoop) {
    .now_ns = jank_clock_now_ns (),
    .watcher_cpu_ns = clock != 0 ? jank_clock_read_ns ((clockid_t) (clock - 1)) : -1,
    .n_samples = atomic_load_explicit (&self->n_samples, memory_order_relaxed),
    .n_lost_samples = atomic_load_explicit (&self->n_lost, memory_order_relaxed),
  };
  if (gtk != NULL)
    jank_gtk_host_get_loop (gtk, &ret_loop->n_turns, &ret_loop->busy_ns);
  if (turns != NULL)
    jank_times_read (&turns->times, &ret_loop->turns);
  g_mutex_lock (&self->mutex);
  ret_loop->n_stalls = self->n_stalls;
  g_mutex_unlock (&self->mutex);
}

/* The user's own choice comes back when the page is closed. */
static void
jank_inspector_host_watch_sources (gpointer data, gboolean wanted)
{
  JankInspectorHostState *self = data;

  if (self->watches_sources == wanted)
    return;
  if (wanted)
    self->had_sources = (*self->owner.settings)->sources;
  self->watches_sources = wanted;
  self->owner.set_setting (self->owner.monitor, "sources", wanted || self->had_sources ? "yes" : "no", NULL);
}

static guint
jank_inspector_host_read_sources (gpointer data, JankLedgerRow *rows)
{
  JankInspectorHostState *self = data;
  JankWatchedLoop *watch = *self->owner.watch;
  const JankSourceLedger *ledger = watch != NULL ? jank_watched_loop_get_ledger (watch) : NULL;

  return ledger != NULL ? jank_source_ledger_read (ledger, rows) : 0;
}

/* The loop's thread holds no lock of the loader here, so dladdr1() is safe. Its nearest symbol counts only if it holds
 * the address. */
static char *
jank_inspector_host_name_function (gpointer data, guint64 address)
{
  const ElfW (Sym) *symbol = NULL;
  g_autofree char *file = NULL;
  Dl_info info;

  if (address == 0 || dladdr1 ((void *) (gsize) address, &info, (void **) &symbol, RTLD_DL_SYMENT) == 0)
    return NULL;
  if (info.dli_sname != NULL && symbol != NULL && address < (guint64) (gsize) info.dli_saddr + symbol->st_size)
    return g_strdup (info.dli_sname);
  file = g_path_get_basename (info.dli_fname);
  return g_strdup_printf ("%s+0x%" G_GINT64_MODIFIER "x", file, address - (guint64) (gsize) info.dli_fbase);
}

static char *
jank_inspector_host_find_brief (gpointer data, gint64 began_ns, gint64 ended_ns, gint64 *ret_busy_ns)
{
  JankInspectorHostState *self = data;

  return jank_inspector_briefs_find (self->briefs, began_ns, ended_ns, ret_busy_ns);
}

static guint64
jank_inspector_host_get_reports (gpointer data, guint64 from, GPtrArray *reports)
{
  JankInspectorHostState *self = data;
  JankReport *copies[JANK_INSPECTOR_MAX_REPORTS];
  guint64 next, first;

  g_mutex_lock (&self->mutex);
  next = self->n_reports;
  first = MAX (from, next > JANK_INSPECTOR_MAX_REPORTS ? next - JANK_INSPECTOR_MAX_REPORTS : 0);
  for (guint64 i = first; i < next; i++)
    copies[i - first] = jank_report_ref (self->reports[i % JANK_INSPECTOR_MAX_REPORTS]);
  g_mutex_unlock (&self->mutex);
  for (guint64 i = first; i < next; i++)
    g_ptr_array_add (reports, copies[i - first]);
  return next;
}

static void
jank_inspector_host_set_changed (gpointer data, JankInspectorFunc func, gpointer func_data)
{
  JankInspectorHostState *self = data;

  self->func = func;
  self->func_data = func_data;
  atomic_store_explicit (&self->is_open, func != NULL, memory_order_relaxed);
}

static gboolean
jank_inspector_host_wake_cb (gpointer data)
{
  JankInspectorHostState *self = data;

  g_mutex_lock (&self->mutex);
  self->is_woken = FALSE;
  g_mutex_unlock (&self->mutex);
  if (self->func != NULL)
    self->func (self->func_data);
  return G_SOURCE_REMOVE;
}

static gboolean
jank_inspector_host_get_paused (gpointer data)
{
  JankInspectorHostState *self = data;

  return self->owner.get_paused (self->owner.monitor);
}

static void
jank_inspector_host_set_paused (gpointer data, gboolean paused)
{
  JankInspectorHostState *self = data;

  self->owner.set_paused (self->owner.monitor, paused);
}

static char *
jank_inspector_host_get_setting (gpointer data, const char *key)
{
  JankInspectorHostState *self = data;

  if (self->preset != NULL && strcmp (key, "preset") == 0)
    return g_strdup (self->preset);
  return jank_settings_get (*self->owner.settings, key);
}

/* A preset takes effect at a start: the monitor is stopped and started, after the page's call has returned. */
static gboolean
jank_inspector_host_restart_cb (gpointer data)
{
  JankInspectorHostState *self = data;
  g_autofree char *preset = g_steal_pointer (&self->preset);
  g_autoptr (GError) error = NULL;

  self->restart_id = 0;
  self->owner.stop (self->owner.monitor);
  self->owner.set_setting (self->owner.monitor, "preset", preset, NULL);
  if (!self->owner.start (self->owner.monitor, &error))
    jank_errands_say ("%s", error->message);
  return G_SOURCE_REMOVE;
}

static gboolean
jank_inspector_host_restart_with_preset (JankInspectorHostState *self, const char *preset, GError **error)
{
  g_autoptr (JankSettings) settings = jank_settings_copy (*self->owner.settings);

  if (!jank_settings_set (settings, "preset", preset, error))
    return FALSE;
  jank_set_text (&self->preset, preset);
  if (self->restart_id == 0)
    {
      self->restart_id = g_idle_add (jank_inspector_host_restart_cb, self);
      g_source_set_name_by_id (self->restart_id, "jankwatch: inspector");
    }
  return TRUE;
}

static gboolean
jank_inspector_host_set_setting (gpointer data, const char *key, const char *value, GError **error)
{
  JankInspectorHostState *self = data;
  gboolean is_set;

  if (strcmp (key, "preset") == 0 && *self->owner.watch != NULL)
    is_set = jank_inspector_host_restart_with_preset (self, value, error);
  else
    is_set = self->owner.set_setting (self->owner.monitor, key, value, error);
  if (is_set)
    g_hash_table_add (self->changed, g_strdup (key));
  return is_set;
}

/* GLib takes any other for a mistake of the program's. */
static gboolean
jank_inspector_host_is_group_name (const char *name)
{
  if (*name == '\0')
    return FALSE;
  for (; *name != '\0'; name++)
    if (*name == '[' || *name == ']' || g_ascii_iscntrl (*name))
      return FALSE;
  return TRUE;
}

/* keys that the page set, into the program's group of $XDG_CONFIG_HOME/jankwatch/settings.conf; the rest of that file
 * stays. It is written under another name and renamed; only the user can read it. */
static gboolean
jank_inspector_host_save_settings (gpointer data, GError **error)
{
  JankInspectorHostState *self = data;
  g_autofree char *path = jank_home_get_settings ();
  g_autoptr (JankProgram) program = jank_program_new ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) failure = NULL;
  g_autofree char *text = NULL;
  GHashTableIter iter;
  gpointer key;

  if (path == NULL || !jank_inspector_host_is_group_name (program->name))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Could not write the settings: %s"),
                   path == NULL ? jank_home_explain (NULL, 0)
                                : _("a key file can have no group of the program's name"));
      return FALSE;
    }
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_KEEP_COMMENTS | G_KEY_FILE_KEEP_TRANSLATIONS, &failure) &&
      !g_error_matches (failure, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED,
                   _("Could not read “%s”: %s. The settings were not written, so as not to lose what is in it"), path,
                   failure->message);
      return FALSE;
    }
  g_hash_table_iter_init (&iter, self->changed);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      g_autofree char *value = jank_settings_get (*self->owner.settings, key);

      g_key_file_set_string (file, program->name, key, value != NULL ? value : "");
    }
  text = g_key_file_to_data (file, NULL, NULL);
  return jank_whole_file_write_own (path, text, error);
}

static const char *
jank_inspector_host_get_store (JankInspectorHostState *self)
{
  return (*self->owner.settings)->store;
}

static gboolean
jank_inspector_host_get_resolved (gpointer data, const char *fingerprint)
{
  JankInspectorHostState *self = data;

  if (self->resolved == NULL)
    self->resolved = jank_resolved_load (jank_inspector_host_get_store (self));
  return g_hash_table_contains (self->resolved, fingerprint);
}

static gboolean
jank_inspector_host_set_resolved (gpointer data, const char *fingerprint, gboolean resolved, GError **error)
{
  JankInspectorHostState *self = data;
  g_autoptr (JankProgram) program = jank_program_new_full ();
  const char *versions[] = { jank_program_get_version (program, *self->owner.settings), NULL };

  g_clear_pointer (&self->resolved, g_hash_table_unref);
  return jank_resolved_set (jank_inspector_host_get_store (self), fingerprint, resolved, versions, error);
}

static JankReportChain *
jank_inspector_host_load_chain (gpointer data, const char *id)
{
  return jank_chains_load (jank_inspector_host_get_store (data), id);
}

/* The command `jankwatch`: beside this library in the build folder, else installed, else in the PATH. */
static char *
jank_inspector_host_find_command (gpointer data)
{
  g_autofree char *installed = g_build_filename (JANK_BIN_DIR, "jankwatch", NULL);
  Dl_info library;

  if (dladdr ((void *) jank_inspector_host_new, &library) != 0)
    {
      g_autofree char *folder = g_path_get_dirname (library.dli_fname);
      g_autofree char *built = g_build_filename (folder, "cli", "jankwatch", NULL);

      if (g_file_test (built, G_FILE_TEST_IS_EXECUTABLE))
        return g_canonicalize_filename (built, NULL);
    }
  if (g_file_test (installed, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer (&installed);
  return g_find_program_in_path ("jankwatch");
}

JankInspectorHostState *
jank_inspector_host_new (const JankInspectorOwner *owner)
{
  JankInspectorHostState *self = g_new0 (JankInspectorHostState, 1);

  self->owner = *owner;
  self->host = (JankInspectorHost) {
    .get_loop = jank_inspector_host_get_loop,
    .watch_sources = jank_inspector_host_watch_sources,
    .read_sources = jank_inspector_host_read_sources,
    .name_function = jank_inspector_host_name_function,
    .get_reports = jank_inspector_host_get_reports,
    .set_changed = jank_inspector_host_set_changed,
    .find_brief = jank_inspector_host_find_brief,
    .get_paused = jank_inspector_host_get_paused,
    .set_paused = jank_inspector_host_set_paused,
    .get_setting = jank_inspector_host_get_setting,
    .set_setting = jank_inspector_host_set_setting,
    .save_settings = jank_inspector_host_save_settings,
    .get_resolved = jank_inspector_host_get_resolved,
    .set_resolved = jank_inspector_host_set_resolved,
    .load_chain = jank_inspector_host_load_chain,
    .find_command = jank_inspector_host_find_command,
    .data = self,
  };
  self->briefs = jank_inspector_briefs_new ();
  self->changed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_mutex_init (&self->mutex);
  return self;
}

void
jank_inspector_host_free (JankInspectorHostState *self)
{
  g_clear_handle_id (&self->restart_id, g_source_remove);
  while (g_source_remove_by_user_data (self))
    ;
  for (guint i = 0; i < JANK_INSPECTOR_MAX_REPORTS; i++)
    g_clear_pointer (&self->reports[i], jank_report_unref);
  g_clear_pointer (&self->resolved, g_hash_table_unref);
  g_hash_table_unref (self->changed);
  jank_inspector_briefs_free (self->briefs);
  g_mutex_clear (&self->mutex);
  g_free (self->preset);
  g_free (self);
}

const JankInspectorHost *
jank_inspector_host_get (JankInspectorHostState *self)
{
  return &self->host;
}

static void
jank_inspector_host_started (gpointer data, JankRecord *record)
{
  JankInspectorHostState *self = data;
  clockid_t clock;

  if (pthread_getcpuclockid (pthread_self (), &clock) == 0)
    atomic_store_explicit (&self->watcher_clock, (gint64) clock + 1, memory_order_relaxed);
}

/* Only while the page is open: names cost more than the stack did. */
static void
jank_inspector_host_brief (gpointer data, JankRecord *record, const JankStall *stall)
{
  JankInspectorHostState *self = data;
  gboolean is_open = atomic_load_explicit (&self->is_open, memory_order_relaxed);
  JankStack *stack = is_open ? jank_brief_stacks_find (record->briefs, stall->began_ns, stall->ended_ns) : NULL;
  g_autofree char *culprit = NULL, *innermost = NULL;

  if (stack == NULL)
    return;
  culprit = jank_brief_stacks_blame (record->briefs, record->map, stack, &innermost);
  jank_inspector_briefs_add (self->briefs, stall->began_ns, stall->ended_ns, culprit, innermost);
}

static void
jank_inspector_host_wake (JankInspectorHostState *self)
{
  GSource *source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "jankwatch: inspector");
  g_source_set_callback (source, jank_inspector_host_wake_cb, self, NULL);
  jank_errands_attach (source, NULL);
}

static void
jank_inspector_host_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankInspectorHostState *self = data;
  JankReport *old, *mine = jank_report_ref (report);
  gboolean needs_wake;

  atomic_fetch_add_explicit (&self->n_samples, report->self.samples, memory_order_relaxed);
  atomic_fetch_add_explicit (&self->n_lost, report->self.lost_samples, memory_order_relaxed);
  g_mutex_lock (&self->mutex);
  old = self->reports[self->n_reports % JANK_INSPECTOR_MAX_REPORTS];
  self->reports[self->n_reports++ % JANK_INSPECTOR_MAX_REPORTS] = mine;
  if (jank_report_kind_is_stall (report->kind))
    self->n_stalls++;
  needs_wake = !self->is_woken && atomic_load_explicit (&self->is_open, memory_order_relaxed);
  self->is_woken |= needs_wake;
  g_mutex_unlock (&self->mutex);
  if (old != NULL)
    jank_report_unref (old);
  if (needs_wake)
    jank_inspector_host_wake (self);
}

const JankSinkFuncs jank_inspector_host_sink = {
  .started = jank_inspector_host_started,
  .brief = jank_inspector_host_brief,
  .ended = jank_inspector_host_ended,
};
