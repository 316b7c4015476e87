/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The words for what a thread waits for: one row a reason. They follow "was" or "is". */

#include "text/jank-text-sentence-private.h"

#include <glib/gi18n-lib.h>

#include "descriptors/jank-mounts-private.h"

/* The first that fits says it: by kind, by a part of the syscall's name ("read" is in "preadv2"), and by whether the
 * target is known, which stands for %s. */
static const struct { const char *kind, *syscall, *known, *unknown; } phrases[] = {
  { "page", "", NC_("thread is", "waiting for the mapped file %s"), NC_("thread is", "waiting for memory from disk") },
  { "file", "sync", NC_("thread is", "syncing %s to disk"), NULL },
  { "file", "flock|fcntl", NC_("thread is", "waiting for a lock on %s"), NULL },
  { "file", "nanosleep", NC_("thread is", "waiting for the lock of the database %s"), NULL },
  { "file", "open|creat", NC_("thread is", "opening %s"), NULL },
  { "file", "sendfile|write|splice|truncate|fallocate|copy_file", NC_("thread is", "writing to %s"), NULL },
  { "file", "readlink", NC_("thread is", "waiting for %s"), NULL },
  { "file", "read|getdents", NC_("thread is", "reading %s"), NULL },
  { "pipe", "write", NC_("thread is", "writing to %s"), NC_("thread is", "waiting for the other end of a pipe") },
  { "pipe", "read", NC_("thread is", "reading %s"), NC_("thread is", "waiting for the other end of a pipe") },
  { "pipe", "open", NC_("thread is", "opening %s"), NULL },
  { "pipe", "", NC_("thread is", "waiting for %s"), NC_("thread is", "waiting for the other end of a pipe") },
  { "child output", "write", NC_("thread is", "waiting for the child %s to read"), NULL },
  { "child output", "", NC_("thread is", "waiting for output of the child %s"), NULL },
  { "socket", "poll|select", NC_("thread is", "waiting for %s"), NULL },
  { "socket", "connect", NC_("thread is", "connecting to %s"), NULL },
  { "socket", "accept", NC_("thread is", "waiting for a connection at %s"), NULL },
  { "socket", "send|write", NC_("thread is", "sending to %s"), NULL },
  { "socket", "", NC_("thread is", "waiting for data from %s"), NULL },
  { "child", "", NC_("thread is", "waiting for the process %s to end"),
    NC_("thread is", "waiting for a child process to end") },
  { "dbus", "", NC_("thread is", "waiting for the D-Bus reply to %s"),
    NC_("thread is", "waiting for the reply to a D-Bus call") },
  { "dbus proxy", "", NC_("thread is", "waiting to set up the D-Bus proxy %s"), NULL },
  { "dbus property", "", NC_("thread is", "waiting for the D-Bus property %s"), NULL },
  { "terminal", "write", NC_("thread is", "writing to the full terminal %s"), NULL },
  { "terminal", "", NC_("thread is", "waiting for input at the terminal %s"), NULL },
  { "device", "", NC_("thread is", "waiting for the device %s"), NULL },
  { "poll", "", NC_("thread is", "waiting for %s"), NC_("thread is", "waiting for any of several descriptors") },
};

char *
jank_text_thread (JankReport *report, gint tid)
{
  const JankReportThread *thread = jank_report_find_thread (report, tid);
  const char *name = jank_text_or_empty (thread != NULL ? thread->name : NULL);

  return *name != '\0' ? g_strdup_printf (_("%d “%s”"), tid, name) : g_strdup_printf ("%d", tid);
}

/* "upowerd [812]". Returns: (transfer full) (nullable) */
static char *
describe_peer (const JankReportWait *wait)
{
  return wait->peer != NULL && wait->peer_pid > 0 ? g_strdup_printf ("%s [%d]", wait->peer, wait->peer_pid) : NULL;
}

/* Else a property is set. */
static gboolean
asks_for_property (const JankReportWait *wait)
{
  return wait->dbus.property != NULL && !g_str_has_suffix (jank_text_or_empty (wait->dbus.method), ".Set");
}

/* "org.example.Slow.Wait of /org/example/Slow at org.example.Slow (slow-service [812])" */
static char *
describe_dbus (const JankReportWait *wait)
{
  gboolean asks = asks_for_property (wait), sets = wait->dbus.property != NULL && !asks;
  g_autofree char *call = jank_text_short_path (asks ? wait->dbus.property : wait->target);
  g_autofree char *path = jank_text_short_path (sets ? wait->dbus.property : wait->dbus.path);
  g_autofree char *name = jank_text_short_path (wait->dbus.name), *peer = describe_peer (wait), *at = NULL;
  /* Translators: a method, property or interface of D-Bus, and the path of an object that has it. */
  g_autofree char *of = *path != '\0' ? g_strdup_printf (C_("D-Bus", "%s of %s"), call, path) : g_steal_pointer (&call);

  /* Translators: an object of D-Bus, and the name of the service that has it. A unique name (":1.7") tells nobody
   * anything. */
  at = *name != '\0' && *name != ':' ? g_strdup_printf (C_("D-Bus", "%s at %s"), of, name) : g_steal_pointer (&of);
  return peer != NULL ? g_strdup_printf ("%s (%s)", at, peer) : g_steal_pointer (&at);
}

/* What of D-Bus it waits for decides on the phrase, and who is at the other end of a pipe. */
static const char *
find_kind (const JankReportWait *wait)
{
  if (g_strcmp0 (wait->kind, "pipe") == 0 && wait->peer_pid > 0)
    return "child output";
  if (g_strcmp0 (wait->kind, "device") == 0 && g_str_has_prefix (jank_text_or_empty (wait->target), "/dev/pts/"))
    return "terminal";
  if (g_strcmp0 (wait->kind, "dbus") != 0)
    return wait->kind;
  if (asks_for_property (wait))
    return "dbus property";
  return wait->dbus.interface != NULL && wait->dbus.method == NULL ? "dbus proxy" : "dbus";
}

/* Who holds the lock on a file. text: (transfer full), about the wait. Returns: (transfer full) */
static char *
add_holder (JankReport *report, const JankReportWait *wait, char *text)
{
  g_autofree char *before = text, *peer = describe_peer (wait);

  if (g_strcmp0 (wait->kind, "file") != 0 || peer == NULL)
    return g_steal_pointer (&before);
  /* Translators: “waiting for a lock on ‘a.db’” stands before it. */
  return wait->peer_pid == report->app.pid ? g_strdup_printf (_("%s, held by the program itself"), before)
                                           : g_strdup_printf (_("%s, held by %s"), before, peer);
}

/* Files in quotes; a file system that can take its time is named: "‘…/thumbs.db’ on nfs4". */
static char *
describe_target (const JankReportWait *wait)
{
  g_autofree char *target = jank_text_short_path (wait->target);

  if (g_strcmp0 (wait->kind, "dbus") == 0)
    return describe_dbus (wait);
  if (g_strcmp0 (wait->kind, "file") != 0 && g_strcmp0 (wait->kind, "pipe") != 0 && g_strcmp0 (wait->kind, "page") != 0)
    return g_steal_pointer (&target);
  if (wait->filesystem != NULL && jank_mounts_is_remote (wait->filesystem))
    return g_strdup_printf (_("‘%s’ on %s"), target, wait->filesystem);
  return g_strdup_printf ("‘%s’", target);
}

static const char *
find_phrase (const JankReportWait *wait, gboolean has_target)
{
  const char *kind = find_kind (wait);

  for (guint i = 0; i < G_N_ELEMENTS (phrases); i++)
    if (g_strcmp0 (kind, phrases[i].kind) == 0 &&
        g_regex_match_simple (phrases[i].syscall, jank_text_or_empty (wait->syscall), 0, 0))
      {
        const char *phrase = has_target ? phrases[i].known : phrases[i].unknown;

        return phrase != NULL ? g_dpgettext2 (GETTEXT_PACKAGE, "thread is", phrase) : NULL;
      }
  return has_target ? C_("thread is", "waiting for %s") : NULL;
}

/* What several calls on a file, or on the files of a mount, are merged to.
 * Returns: (transfer full) (nullable): it is one call */
static char *
describe_merged (const JankReportWait *wait)
{
  gboolean has_target = wait->target != NULL && *wait->target != '\0';
  g_autofree char *file = NULL, *what = NULL;

  if (g_strcmp0 (wait->kind, "page") == 0 && !has_target && wait->mount != NULL && wait->filesystem != NULL)
    return g_strdup_printf (C_("thread is", "waiting for a mapped file in ‘%s’ on %s"), wait->mount, wait->filesystem);
  if (g_strcmp0 (wait->kind, "file") != 0 || wait->syscall != NULL || (!has_target && wait->mount == NULL))
    return NULL;
  file = describe_target (wait);
  if (has_target)
    what = g_strdup_printf (C_("thread is", "waiting for %s"), file);
  else if (wait->filesystem != NULL)
    what = g_strdup_printf (C_("thread is", "waiting for files in ‘%s’ on %s"), wait->mount, wait->filesystem);
  else
    what = g_strdup_printf (C_("thread is", "waiting for files in ‘%s’"), wait->mount);
  if (wait->n_calls < 2)
    return g_steal_pointer (&what);
  /* Translators: “waiting for ‘a.db’” stands before the number of system calls. */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s (%d call)", "%s (%d calls)", (gulong) wait->n_calls), what,
                          wait->n_calls);
}

/* "save_database() (store.c:12)": the program's function in which the owner has the lock. Returns: (transfer full)
 * (nullable) */
static char *
describe_place (JankReport *report, const JankReportWait *wait)
{
  gboolean is_read = jank_report_is_owner_read (report, wait);
  const JankReportThread *thread = is_read ? jank_report_find_thread (report, wait->lock.owner) : NULL;

  /* Where the thread itself has it, it waits in its innermost function. */
  return thread != NULL && thread->function != NULL && !thread->observed
         ? jank_text_at (report, thread->function, thread->file, thread->line) : NULL;
}

/* Nobody holds a condition; a semaphore may be a lock or a signal. */
static char *
describe_lock_without_owner (const char *lock)
{
  static const struct { const char *kind, *phrase; } unowned[] = {
    { "cond", NC_("thread is", "waiting for another thread’s signal (%s)") },
    { "GCond", NC_("thread is", "waiting for another thread’s signal (%s)") },
    { "Condvar", NC_("thread is", "waiting for another thread’s signal (%s)") },
    { "Condition", NC_("thread is", "waiting for another thread’s signal (%s)") },
    { "barrier", NC_("thread is", "waiting for other threads at a barrier") },
    { "sem", NC_("thread is", "waiting for a semaphore") },
    { "unknown", NC_("thread is", "waiting for another thread (futex)") },
    { "atomic", NC_("thread is", "waiting for another thread to change an atomic variable") },
    { "queue", NC_("thread is", "waiting for an item of a queue") },
    { "full queue", NC_("thread is", "waiting for room in a queue") },
    { "channel", NC_("thread is", "waiting for a channel") },
    { "future", NC_("thread is", "waiting for a Future’s result") },
    { "event", NC_("thread is", "waiting for an Event") },
    { "start", NC_("thread is", "waiting for a new thread to begin") },
    { "join", NC_("thread is", "waiting for the end of a thread") },
    { "task", NC_("thread is", "waiting for a task in another thread") },
    { "pool", NC_("thread is", "waiting for other threads to finish their tasks") },
    { "resolver", NC_("thread is", "waiting for a host’s address") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (unowned); i++)
    if (g_str_equal (lock, unowned[i].kind))
      {
        g_autoptr (GString) text = g_string_new (g_dpgettext2 (GETTEXT_PACKAGE, "thread is", unowned[i].phrase));

        g_string_replace (text, "%s", lock, 1);
        return g_string_free (g_steal_pointer (&text), FALSE);
      }
  return g_strdup_printf (C_("thread is", "waiting for a lock (%s, owner unknown)"), lock);
}

static char *
describe_lock (JankReport *report, const JankReportWait *wait)
{
  const char *lock = jank_text_or_empty (wait->lock.kind);
  gboolean joins = g_str_equal (wait->lock.kind, "join");
  const JankReportVerdict *verdict = report->verdict;
  g_autofree char *owner = NULL, *place = jank_text_taker (report);

  if (place != NULL && verdict->waker.tid == wait->lock.owner)
    /* Translators: a kind of lock, and the function that took it. */
    return g_strdup_printf (C_("thread is", "waiting for a lock (%s) that it holds itself, probably since %s"), lock,
                            place);
  g_clear_pointer (&place, g_free);
  if (wait->lock.owner <= 0)
    return describe_lock_without_owner (lock);
  owner = jank_text_thread (report, wait->lock.owner);
  place = describe_place (report, wait);
  if (joins && place == NULL)
    return g_strdup_printf (C_("thread is", "waiting for the end of thread %s"), owner);
  if (joins)
    /* Translators: a thread, and the function that it is in. */
    return g_strdup_printf (C_("thread is", "waiting for the end of thread %s, which is in %s"), owner, place);
  if (place == NULL)
    return g_strdup_printf (C_("thread is", "waiting for a lock (%s) held by thread %s"), lock, owner);
  /* Translators: a kind of lock, a thread, and the function that it is in. */
  return g_strdup_printf (C_("thread is", "waiting for a lock (%s) that thread %s holds in %s"), lock, owner, place);
}

char *
jank_text_wait (JankReport *report, const JankReportWait *wait)
{
  gboolean has_target = wait->target != NULL && *wait->target != '\0';
  const char *phrase = find_phrase (wait, has_target);
  const char *syscall = jank_text_or_empty (wait->syscall);
  g_autofree char *length = jank_text_duration (wait->timeout_ns), *merged = describe_merged (wait);

  if (g_strcmp0 (wait->kind, "sleep") == 0)
    return wait->timeout_ns > 0 ? g_strdup_printf (C_("thread is", "sleeping, %s at a time"), length)
                                : g_strdup (C_("thread is", "sleeping"));
  if (g_strcmp0 (wait->kind, "wake") == 0)
    return wait->timeout_ns > 0
           ? g_strdup_printf (C_("thread is", "waiting for another thread to wake it, %s at most"), length)
                                : g_strdup (C_("thread is", "waiting for another thread to wake it"));
  if (g_strcmp0 (wait->kind, "lock") == 0 && wait->lock.kind != NULL)
    return describe_lock (report, wait);
  if (merged != NULL)
    return g_steal_pointer (&merged);
  if (phrase != NULL)
    {
      g_autofree char *target = describe_target (wait);
      g_autoptr (GString) text = g_string_new (phrase);

      g_string_replace (text, "%s", target, 1);
      return add_holder (report, wait, g_string_free (g_steal_pointer (&text), FALSE));
    }
  return *syscall != '\0' ? g_strdup_printf (C_("thread is", "blocked in %s"), syscall)
                          : g_strdup (C_("thread is", "blocked"));
}
