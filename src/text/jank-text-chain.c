/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "text/jank-text-chain-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

/* What a process does, behind its name. %s in known: the target. */
static const struct { const char *known, *unknown; } phrases[JANK_N_HOPS] = {
  [JANK_HOP_UNKNOWN] = { NULL, NC_("process", "waits, for what cannot be known from outside") },
  [JANK_HOP_HIDDEN] = { NULL, NC_("process", "waits, and may not be looked into") },
  [JANK_HOP_ENDED] = { NULL, NC_("process", "has ended") },
  [JANK_HOP_COMPUTING] = { NULL, NC_("process", "computes") },
  [JANK_HOP_STOPPED] = { NULL, NC_("process", "is stopped by a signal") },
  [JANK_HOP_TRACED] = { NULL, NC_("process", "is stopped by a debugger") },
  [JANK_HOP_SLEEP] = { NULL, NC_("process", "sleeps") },
  [JANK_HOP_DISK] = { NC_("process", "waits for the disk: ‘%s’"), NC_("process", "waits for the disk") },
  [JANK_HOP_MOUNT] = { NC_("process", "waits for ‘%s’ on another machine or process"),
                       NC_("process", "waits for a file system of another machine or process") },
  [JANK_HOP_DEVICE] = { NC_("process", "waits for the device %s"), NC_("process", "waits for a device") },
  [JANK_HOP_HOST] = { NC_("process", "waits for the host %s"), NC_("process", "waits for another host") },
  [JANK_HOP_PERSON] = { NC_("process", "waits for input at the terminal %s"),
                        NC_("process", "waits for input at a terminal") },
  [JANK_HOP_IDLE] = { NC_("process", "is idle: its main loop waits for events"),
                      NC_("process", "is idle: waits for events") },
  [JANK_HOP_THREADS] = { NULL, NC_("process", "has several threads at work; which of them counts cannot be known") },
  [JANK_HOP_SEVERAL] = { NULL, NC_("process", "waits for any of several processes, which do different things") },
  [JANK_HOP_BUS] = { NULL, NC_("process", "may wait for a D-Bus message; from whom cannot be known from outside") },
  [JANK_HOP_WAKE] = { NC_("process", "waits for another of its threads to wake it (%s)"),
                      NC_("process", "waits for another of its threads to wake it") },
  [JANK_HOP_SOCKET] = { NC_("process", "waits for the other end of the socket %s"),
                        NC_("process", "waits for the other end of a socket") },
  [JANK_HOP_DISPLAY] = { NC_("process", "waits for the display server at %s"),
                         NC_("process", "waits for the display server") },
  [JANK_HOP_PIPE] = { NC_("process", "waits for the other end of the pipe ‘%s’"),
                      NC_("process", "waits for the other end of a pipe") },
  [JANK_HOP_TERMINAL] = { NC_("process", "waits for the other end of the terminal %s to read"), NULL },
  [JANK_HOP_EVENT] = { NULL, NC_("process", "waits to be woken through an eventfd") },
  [JANK_HOP_FILE_LOCK] = { NC_("process", "waits for a lock on ‘%s’"), NC_("process", "waits for a lock on a file") },
  [JANK_HOP_LEASE] = { NC_("process", "waits for the lease on ‘%s’ to be given up"),
                       NC_("process", "waits for the lease on a file to be given up") },
  [JANK_HOP_CHILD] = { NULL, NC_("process", "waits for another process to end") },
  [JANK_HOP_LOCK] = { NC_("process", "waits for a lock (%s) that another thread holds"),
                      NC_("process", "waits for a lock that another thread holds") },
  [JANK_HOP_JOIN] = { NULL, NC_("process", "waits for a thread to end") },
  [JANK_HOP_FUSE] = { NC_("process", "waits for ‘%s’, which another process serves"),
                      NC_("process", "waits for a file system that another process serves") },
  [JANK_HOP_DBUS] = { NC_("process", "waits for the D-Bus reply to %s"), NC_("process", "waits for a D-Bus reply") },
};

/* Returns: (transfer full): "gedit [812]" */
static char *
name_link (const JankReportLink *link)
{
  const char *name = link->name != NULL ? link->name : "?";

  /* Translators: a process, its number, and that of one of its threads. */
  return link->tid == link->pid ? g_strdup_printf ("%s [%d]", name, link->pid) :
         g_strdup_printf (_("%s [%d], thread %d"), name, link->pid, link->tid);
}

/* What is no plain name stands as it is: "creating EditorPage", "app+0x4012". Returns: (transfer full) (nullable):
 * "computes in parse_ledger() (ledger.py:7)" */
static char *
describe_function (const JankReportLink *link)
{
  g_autofree char *file = link->file != NULL ? jank_text_file_name (link->file) : NULL, *function = NULL;

  if (link->kind != JANK_HOP_COMPUTING || link->function == NULL)
    return NULL;
  function = g_strconcat (link->function, strpbrk (link->function, " (+") == NULL ? "()" : NULL, NULL);
  return file != NULL ? g_strdup_printf (C_("process", "computes in %s (%s:%u)"), function, file, link->line)
                      : g_strdup_printf (C_("process", "computes in %s"), function);
}

/* is_end: nothing follows that says for whom it waits. Returns: (transfer full): "sleeps for 60 s" */
static char *
describe_link (const JankReportLink *link, gboolean is_end)
{
  g_autofree char *duration = NULL, *function = describe_function (link);
  g_autoptr (GString) text = NULL;
  const char *phrase = phrases[link->kind].known;

  if (link->kind == JANK_HOP_SLEEP && link->timeout_ns >= 0)
    {
      duration = jank_text_duration (link->timeout_ns);
      return link->is_rest ? g_strdup_printf (C_("process", "sleeps, %s left"), duration)
                           : g_strdup_printf (C_("process", "sleeps for %s"), duration);
    }
  if (function != NULL)
    return g_steal_pointer (&function);
  if (link->kind == JANK_HOP_MOUNT && link->mount != NULL && link->filesystem != NULL)
    return g_strdup_printf (C_("process", "waits for ‘%s’ on %s"), link->target != NULL ? link->target : link->mount,
                            link->filesystem);
  if (link->kind == JANK_HOP_UNKNOWN && g_strcmp0 (link->syscall, "futex") == 0)
    return g_strdup (C_("process", "waits for another of its threads; which one is not known from outside"));
  if (phrase == NULL || link->target == NULL)
    phrase = phrases[link->kind].unknown;
  text = g_string_new (g_dpgettext2 (GETTEXT_PACKAGE, "process", phrase));
  g_string_replace (text, "%s", jank_text_or_empty (link->target), 1);
  for (guint i = 0; link->kind == JANK_HOP_SEVERAL && i < link->peers->len; i++)
    g_string_append_printf (text, "%s%d%s", i == 0 ? " (" : ", ", g_array_index (link->peers, gint, i),
                            i + 1 == link->peers->len ? ")" : "");
  /* Translators: “waits for a lock on ‘a.db’” stands before it. */
  if (is_end && jank_hop_kind_has_peer (link->kind))
    return g_strdup_printf (_("%s (process unknown)"), text->str);
  return g_strdup (text->str);
}

static char *
describe_deadlock (const JankReportChain *chain)
{
  GString *text = g_string_new (NULL);

  for (guint i = (guint) chain->closes_at; i <= chain->links->len; i++)
    {
      const JankReportLink *link = g_ptr_array_index (chain->links, i < chain->links->len ? i : chain->closes_at);
      g_autofree char *name = name_link (link);

      g_string_append_printf (text, "%s%s", text->len != 0 ? " → " : "", name);
    }
  return g_string_free (text, FALSE);
}

char *
jank_text_chain_sentence (const JankReportChain *chain)
{
  const JankReportLink *first = g_ptr_array_index (chain->links, 0), *end = jank_report_chain_get_end (chain);
  g_autofree char *name = name_link (first), *end_name = name_link (end), *does = describe_link (end, TRUE),
      *text = NULL;

  if (jank_report_chain_is_deadlock (chain))
    {
      g_autofree char *circle = describe_deadlock (chain);

      text = g_strdup_printf (_("deadlock: %s"), circle);
    }
  else if (chain->links->len == 1)
    text = g_strdup_printf ("%s %s", name, does);
  else if (first->is_poll && end->kind != JANK_HOP_IDLE)
    /* Translators: two processes, and what the second does: the first may only wait for events that have yet to
     * happen. */
    text = g_strdup_printf (_("%s is idle, or waits for %s, which %s"), name, end_name, does);
  else
    /* Translators: two processes, and what the second does: “gedit [812] waits for backup [9123], which sleeps”. */
    text = g_strdup_printf (_("%s waits for %s, which %s"), name, end_name, does);
  return chain->is_settled ? g_steal_pointer (&text) : g_strdup_printf (_("%s (it went on meanwhile)"), text);
}

/* What follows what the program waits for: " → backup [9123] waits for a lock on ‘a.db’ → rsync [9200] computes", or
 * ", deadlock: …"; is_short: the cause alone. Returns: (transfer full) (nullable): the wait does not leave the
 * program */
static char *
describe_rest (const JankReportChain *chain, gboolean is_short)
{
  GString *text;
  guint first = is_short ? chain->links->len - 1 : 1;

  if (!jank_report_chain_leaves (chain))
    return NULL;
  if (jank_report_chain_is_deadlock (chain))
    {
      g_autofree char *circle = describe_deadlock (chain), *deadlock = g_strdup_printf (_("deadlock: %s"), circle);

      return g_strconcat (", ", deadlock, NULL);
    }
  text = g_string_new (first > 1 ? " → …" : NULL);
  for (guint i = first; i < chain->links->len; i++)
    {
      const JankReportLink *link = g_ptr_array_index (chain->links, i);
      g_autofree char *name = name_link (link), *does = describe_link (link, i + 1 == chain->links->len);

      g_string_append_printf (text, " → %s %s", name, does);
    }
  return g_string_free (text, FALSE);
}

char *
jank_text_chain_fact (const JankReport *report, const JankReportChain *chain)
{
  g_autofree char *rest = chain != NULL ? describe_rest (chain, FALSE) : NULL, *after = NULL, *does = NULL;

  if (rest == NULL || report->stall.state_ns[JANK_STATE_COMPUTING] > report->stall.duration_ns / 2)
    return NULL;
  does = describe_link (g_ptr_array_index (chain->links, 0), FALSE);
  /* Where stalls of one problem share a report, it is of the longest. */
  if (chain->began_monotonic_ns != report->stall.began_monotonic_ns)
    return g_strdup_printf (_("%s%s (seen in another of these stalls)"), does, rest);
  if (chain->at_ns == 0)
    return g_strconcat (does, rest, NULL);
  after = jank_text_duration (chain->at_ns);
  return g_strdup_printf (_("%s%s (seen after %s)"), does, rest, after);
}

char *
jank_text_chain_lines (const JankReportChain *chain, const JankTextStyle *style)
{
  GString *text = g_string_new (NULL);
  gboolean is_deadlock = jank_report_chain_is_deadlock (chain);

  for (guint i = 0; i < chain->links->len; i++)
    {
      const JankReportLink *link = g_ptr_array_index (chain->links, i);
      g_autofree char *name = name_link (link),
          *does = describe_link (link, i + 1 == chain->links->len && !is_deadlock);

      g_string_append_printf (text, "%*s%s%s", (int) (2 * i), "", i == 0 ? "  " : style->ascii ? "> " : "└ ", name);
      if (link->user != NULL && link->unit != NULL)
        g_string_append_printf (text, " (%s, %s)", link->user, link->unit);
      else if (link->user != NULL)
        g_string_append_printf (text, " (%s)", link->user);
      g_string_append_printf (text, "  %s\n", does);
    }
  if (is_deadlock)
    {
      g_autofree char *name = name_link (g_ptr_array_index (chain->links, chain->closes_at));

      g_string_append_printf (text, "%*s%s%s\n", (int) (2 * chain->links->len), "", style->ascii ? "> " : "└ ", name);
    }
  return g_string_free (text, FALSE);
}

/* Calls on a file, or on files of one mount, are one wait; any other is one call. */
static gboolean
is_of_wait (const JankReportLink *link, const JankReportWait *wait)
{
  return g_strcmp0 (wait->kind, "file") != 0
           ? g_strcmp0 (wait->syscall, link->syscall) == 0
           : link->kind == JANK_HOP_FILE_LOCK || link->kind == JANK_HOP_LEASE || link->kind == JANK_HOP_FUSE;
}

/* A chain is of the wait that the thread was in when it was read, be that a short one. */
char *
jank_text_doing_rest (JankReport *report, const JankReportChain *chain, gboolean is_short)
{
  const JankReportVerdict *verdict = report->verdict;
  gboolean waits = verdict != NULL && verdict->wait >= 0 &&
                   (verdict->doing == JANK_VERDICT_WAITING || verdict->doing == JANK_VERDICT_LOCK);

  return chain != NULL && waits && is_of_wait (g_ptr_array_index (chain->links, 0),
                                               jank_report_verdict_get_wait (verdict, verdict->wait))
           ? describe_rest (chain, is_short) : NULL;
}
