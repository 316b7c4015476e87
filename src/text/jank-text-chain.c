/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "text/jank-text-chain-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-text-clean-private.h"

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
  [JANK_HOP_IDLE] = { NULL, NC_("process", "is idle: waits for events") },
  [JANK_HOP_THREADS] = { NULL, NC_("process", "has several threads at work; which of them counts cannot be known") },
  [JANK_HOP_SEVERAL] = { NULL, NC_("process", "waits for any of several processes, which do different things") },
  [JANK_HOP_BUS] = { NULL, NC_("process", "may wait for a D-Bus message; from whom cannot be known from outside") },
  [JANK_HOP_SOCKET] = { NC_("process", "waits for the other end of the socket %s"),
                        NC_("process", "waits for the other end of a socket") },
  [JANK_HOP_DISPLAY] = { NC_("process", "waits for the display server at %s"),
                         NC_("process", "waits for the display server") },
  [JANK_HOP_PIPE] = { NC_("process", "waits for the other end of the pipe ‘%s’"),
                      NC_("process", "waits for the other end of a pipe") },
  [JANK_HOP_EVENT] = { NULL, NC_("process", "waits to be woken through an eventfd") },
  [JANK_HOP_FILE_LOCK] = { NC_("process", "waits for a lock on ‘%s’"), NC_("process", "waits for a lock on a file") },
  [JANK_HOP_LEASE] = { NC_("process", "waits for the lease on ‘%s’ to be given up"),
                       NC_("process", "waits for the lease on a file to be given up") },
  [JANK_HOP_CHILD] = { NULL, NC_("process", "waits for another process to end") },
  [JANK_HOP_LOCK] = { NULL, NC_("process", "waits for a lock that another thread holds") },
  [JANK_HOP_JOIN] = { NULL, NC_("process", "waits for a thread to end") },
  [JANK_HOP_FUSE] = { NC_("process", "waits for ‘%s’, which another process serves"),
                      NC_("process", "waits for a file system that another process serves") },
  [JANK_HOP_DBUS] = { NC_("process", "waits for the D-Bus reply to %s"), NC_("process", "waits for a D-Bus reply") },
};

/* Returns: (transfer full): "gedit [812]" */
static char *
name_link (const JankLink *link)
{
  const char *name = link->name[0] != '\0' ? link->name : "?";

  /* Translators: a process, its number, and that of one of its threads. */
  return link->look.tid == link->look.pid ? g_strdup_printf ("%s [%d]", name, (int) link->look.pid) :
         g_strdup_printf (_("%s [%d], thread %d"), name, (int) link->look.pid, (int) link->look.tid);
}

/* is_end: nothing follows that says for whom it waits. Returns: (transfer full): "sleeps for 60 s" */
static char *
describe (const JankLink *link, gboolean is_end)
{
  const JankHop *hop = &link->hop;
  g_autofree char *target = jank_text_clean (hop->target), *duration = NULL;
  g_autoptr (GString) text = NULL;
  const char *phrase = phrases[hop->kind].known;

  if (hop->kind == JANK_HOP_SLEEP && hop->timeout_ns >= 0)
    {
      duration = jank_text_duration (hop->timeout_ns);
      return g_strdup_printf (C_("process", "sleeps for %s"), duration);
    }
  if (hop->kind == JANK_HOP_COMPUTING && link->function != NULL)
    {
      g_autofree char *function = jank_text_clean (link->function);

      return g_strdup_printf (C_("process", "computes in %s"), function);
    }
  if (hop->kind == JANK_HOP_MOUNT && hop->mount[0] != '\0')
    return g_strdup_printf (C_("process", "waits for ‘%s’ on %s"), target[0] != '\0' ? target : hop->mount,
                            hop->filesystem);
  if (hop->kind == JANK_HOP_UNKNOWN && g_strcmp0 (link->syscall, "futex") == 0)
    return g_strdup (C_("process", "waits for another of its threads, for which cannot be known from outside"));
  if (phrase == NULL || target[0] == '\0')
    phrase = phrases[hop->kind].unknown;
  text = g_string_new (g_dpgettext2 (GETTEXT_PACKAGE, "process", phrase));
  g_string_replace (text, "%s", target, 1);
  for (guint i = 0; hop->kind == JANK_HOP_SEVERAL && i < hop->n_peers; i++)
    g_string_append_printf (text, "%s%d%s", i == 0 ? " (" : ", ", (int) hop->peers[i].pid,
                            i + 1 == hop->n_peers ? ")" : "");
  /* Translators: “waits for a lock on ‘a.db’” stands before it. */
  if (is_end && jank_hop_kind_has_peer (hop->kind))
    return g_strdup_printf (_("%s; who that is cannot be known"), text->str);
  return g_strdup (text->str);
}

static char *
describe_deadlock (const JankChain *chain)
{
  GString *text = g_string_new (NULL);

  for (guint i = chain->closes_at; i <= chain->links->len; i++)
    {
      const JankLink *link = g_ptr_array_index (chain->links, i < chain->links->len ? i : chain->closes_at);
      g_autofree char *name = name_link (link);

      g_string_append_printf (text, "%s%s", text->len != 0 ? " → " : "", name);
    }
  return g_string_free (text, FALSE);
}

char *
jank_text_chain_sentence (const JankChain *chain)
{
  const JankLink *first = g_ptr_array_index (chain->links, 0), *end = jank_chain_get_end (chain);
  g_autofree char *name = name_link (first), *end_name = name_link (end), *does = describe (end, TRUE), *text = NULL;

  if (jank_chain_is_deadlock (chain))
    {
      g_autofree char *circle = describe_deadlock (chain);

      text = g_strdup_printf (_("deadlock: %s"), circle);
    }
  else if (chain->links->len == 1)
    text = g_strdup_printf ("%s %s", name, does);
  else
    /* Translators: two processes, and what the second does: “gedit [812] waits for backup [9123], which sleeps”. */
    text = g_strdup_printf (_("%s waits for %s, which %s"), name, end_name, does);
  return chain->is_settled ? g_steal_pointer (&text) : g_strdup_printf (_("%s (it went on meanwhile)"), text);
}

static void
append_owner (GString *text, const JankLink *link)
{
  if (link->user[0] != '\0')
    g_string_append_printf (text, link->unit[0] != '\0' ? " (%s, %s)" : " (%s)", link->user, link->unit);
}

char *
jank_text_chain_lines (const JankChain *chain, const JankTextStyle *style)
{
  GString *text = g_string_new (NULL);
  gboolean is_deadlock = jank_chain_is_deadlock (chain);

  for (guint i = 0; i < chain->links->len; i++)
    {
      const JankLink *link = g_ptr_array_index (chain->links, i);
      g_autofree char *name = name_link (link), *does = describe (link, i + 1 == chain->links->len && !is_deadlock);

      g_string_append_printf (text, "%*s%s%s", (int) (2 * i), "", i == 0 ? "  " : style->ascii ? "> " : "└ ", name);
      append_owner (text, link);
      g_string_append_printf (text, "  %s\n", does);
    }
  if (is_deadlock)
    {
      g_autofree char *name = name_link (g_ptr_array_index (chain->links, chain->closes_at));

      g_string_append_printf (text, "%*s%s%s\n", (int) (2 * chain->links->len), "", style->ascii ? "> " : "└ ", name);
    }
  return g_string_free (text, FALSE);
}
