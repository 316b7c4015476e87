/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a thread did in its time, and what it waited for: words and the two sections that use them. */

#include "config.h"

#include "text/jank-text-report-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "wait/jank-mounts-private.h"

#define LABEL_COLUMNS 13
#define TIME_COLUMNS 10
#define SHARE_COLUMNS 7
#define BAR_COLUMNS 24
/* Of the waits of a stall. */
#define MAX_WAITS 8

const JankReportThread *
jank_text_find_thread (JankReport *report, gint tid)
{
  for (guint i = 0; i < report->threads->len; i++)
    {
      const JankReportThread *thread = g_ptr_array_index (report->threads, i);

      if (thread->tid == tid)
        return thread;
    }
  return NULL;
}

char *
jank_text_thread (JankReport *report, gint tid)
{
  const JankReportThread *thread = jank_text_find_thread (report, tid);
  g_autofree char *name = jank_text_clean (thread != NULL ? thread->name : NULL);

  return *name != '\0' ? g_strdup_printf (_("%d “%s”"), tid, name) : g_strdup_printf ("%d", tid);
}

const char *
jank_text_state (JankThreadState state)
{
  switch (state)
    {
    case JANK_STATE_COMPUTING:  return C_("state", "computing");
    case JANK_STATE_PREEMPTED:  return C_("state", "without CPU");
    case JANK_STATE_PAGE_FAULT: return C_("state", "page faults");
    case JANK_STATE_BLOCKED:    return C_("state", "waiting");
    case JANK_STATE_UNKNOWN:
    default:                    return C_("state", "unknown");
    }
}

const char *
jank_text_state_sgr (JankThreadState state)
{
  switch (state)
    {
    case JANK_STATE_COMPUTING:  return JANK_TEXT_YELLOW;
    case JANK_STATE_PREEMPTED:  return JANK_TEXT_RED;
    case JANK_STATE_PAGE_FAULT: return JANK_TEXT_RED;
    case JANK_STATE_BLOCKED:    return JANK_TEXT_BLUE;
    case JANK_STATE_UNKNOWN:
    default:                    return JANK_TEXT_DIM;
    }
}

gboolean
jank_text_same_wait (const JankReportWait *a, const JankReportWait *b)
{
  return g_strcmp0 (a->kind, b->kind) == 0 && g_strcmp0 (a->syscall, b->syscall) == 0 &&
         g_strcmp0 (a->target, b->target) == 0 && g_strcmp0 (a->lock.kind, b->lock.kind) == 0 &&
         a->lock.address == b->lock.address;
}

char *
jank_text_file (const JankReportWait *wait)
{
  g_autofree char *path = jank_text_short_path (wait->target);
  g_autofree char *filesystem = jank_text_clean (wait->filesystem);

  if (wait->filesystem != NULL && jank_mounts_is_remote (wait->filesystem))
    return g_strdup_printf (_("‘%s’ on %s"), path, filesystem);
  return g_strdup_printf (_("‘%s’"), path);
}

/* The first that fits, by a part of the name: "read" is in "preadv2". */
static const struct { const char *part; JankTextSyscall call; } calls[] = {
  { "sync", JANK_TEXT_SYSCALL_SYNC },         { "flock", JANK_TEXT_SYSCALL_LOCK },        { "fcntl", JANK_TEXT_SYSCALL_LOCK },
  { "open", JANK_TEXT_SYSCALL_OPEN },         { "creat", JANK_TEXT_SYSCALL_OPEN },        { "connect", JANK_TEXT_SYSCALL_CONNECT },
  { "accept", JANK_TEXT_SYSCALL_ACCEPT },     { "sendfile", JANK_TEXT_SYSCALL_WRITE },    { "send", JANK_TEXT_SYSCALL_SEND },
  { "write", JANK_TEXT_SYSCALL_WRITE },       { "splice", JANK_TEXT_SYSCALL_WRITE },      { "truncate", JANK_TEXT_SYSCALL_WRITE },
  { "fallocate", JANK_TEXT_SYSCALL_WRITE },   { "copy_file", JANK_TEXT_SYSCALL_WRITE },   { "readlink", JANK_TEXT_SYSCALL_OTHER },
  { "read", JANK_TEXT_SYSCALL_READ },         { "getdents", JANK_TEXT_SYSCALL_READ },
};

JankTextSyscall
jank_text_syscall (const JankReportWait *wait)
{
  for (guint i = 0; wait->syscall != NULL && i < G_N_ELEMENTS (calls); i++)
    if (strstr (wait->syscall, calls[i].part) != NULL)
      return calls[i].call;
  return JANK_TEXT_SYSCALL_OTHER;
}

static char *
file_text (const JankReportWait *wait)
{
  g_autofree char *file = jank_text_file (wait);

  switch (jank_text_syscall (wait))
    {
    case JANK_TEXT_SYSCALL_SYNC:  return g_strdup_printf (C_("thread is", "syncing %s to disk"), file);
    case JANK_TEXT_SYSCALL_LOCK:  return g_strdup_printf (C_("thread is", "waiting for a lock on %s"), file);
    case JANK_TEXT_SYSCALL_OPEN:  return g_strdup_printf (C_("thread is", "opening %s"), file);
    case JANK_TEXT_SYSCALL_READ:  return g_strdup_printf (C_("thread is", "reading %s"), file);
    case JANK_TEXT_SYSCALL_WRITE: return g_strdup_printf (C_("thread is", "writing to %s"), file);
    case JANK_TEXT_SYSCALL_OTHER:
    case JANK_TEXT_SYSCALL_CONNECT:
    case JANK_TEXT_SYSCALL_ACCEPT:
    case JANK_TEXT_SYSCALL_SEND:
    default:                   return g_strdup_printf (C_("thread is", "waiting for %s"), file);
    }
}

static char *
socket_text (const JankReportWait *wait, const char *peer)
{
  switch (jank_text_syscall (wait))
    {
    case JANK_TEXT_SYSCALL_CONNECT: return g_strdup_printf (C_("thread is", "connecting to %s"), peer);
    case JANK_TEXT_SYSCALL_ACCEPT:  return g_strdup_printf (C_("thread is", "waiting for a connection at %s"), peer);
    case JANK_TEXT_SYSCALL_WRITE:
    case JANK_TEXT_SYSCALL_SEND:    return g_strdup_printf (C_("thread is", "sending to %s"), peer);
    case JANK_TEXT_SYSCALL_OTHER:
    case JANK_TEXT_SYSCALL_SYNC:
    case JANK_TEXT_SYSCALL_LOCK:
    case JANK_TEXT_SYSCALL_OPEN:
    case JANK_TEXT_SYSCALL_READ:
    default:                     return g_strdup_printf (C_("thread is", "waiting for data from %s"), peer);
    }
}

static char *
lock_text (JankReport *report, const JankReportWait *wait)
{
  g_autofree char *lock = jank_text_clean (wait->lock.kind);
  g_autofree char *owner = NULL;

  if (wait->lock.owner <= 0)
    return g_strdup_printf (C_("thread is", "waiting for a lock (%s)"), lock);
  owner = jank_text_thread (report, wait->lock.owner);
  return g_str_equal (wait->lock.kind, "join")
    ? g_strdup_printf (C_("thread is", "waiting for the end of thread %s"), owner)
    : g_strdup_printf (C_("thread is", "waiting for a lock (%s) of thread %s"), lock, owner);
}

static char *
target_text (const JankReportWait *wait, const char *kind)
{
  g_autofree char *target = jank_text_short_path (wait->target);

  if (g_str_equal (kind, "file"))
    return file_text (wait);
  if (g_str_equal (kind, "socket"))
    return socket_text (wait, target);
  if (g_str_equal (kind, "dbus"))
    return g_strdup_printf (C_("thread is", "waiting for the D-Bus reply to %s"), target);
  if (g_str_equal (kind, "child"))
    return g_strdup_printf (C_("thread is", "waiting for the process %s to end"), target);
  return g_strdup_printf (C_("thread is", "waiting for %s"), target);
}

char *
jank_text_wait (JankReport *report, const JankReportWait *wait)
{
  const char *kind = wait->kind != NULL ? wait->kind : "";
  g_autofree char *syscall = jank_text_clean (wait->syscall);
  g_autofree char *length = jank_text_duration (wait->timeout_ns);

  if (g_str_equal (kind, "sleep"))
    return wait->timeout_ns > 0 ? g_strdup_printf (C_("thread is", "sleeping, %s at a time"), length)
                                : g_strdup (C_("thread is", "sleeping"));
  if (g_str_equal (kind, "lock") && wait->lock.kind != NULL)
    return lock_text (report, wait);
  if (wait->target != NULL && *wait->target != '\0')
    return target_text (wait, kind);
  if (g_str_equal (kind, "pipe"))
    return g_strdup (C_("thread is", "waiting for the other end of a pipe"));
  if (g_str_equal (kind, "poll"))
    return g_strdup (C_("thread is", "waiting for any of several descriptors"));
  if (g_str_equal (kind, "dbus"))
    return g_strdup (C_("thread is", "waiting for the reply to a D-Bus call"));
  return *syscall != '\0' ? g_strdup_printf (C_("thread is", "blocked in %s"), syscall)
                          : g_strdup (C_("thread is", "blocked"));
}

static void
add_title (GString *out, const JankTextStyle *style, const char *title)
{
  g_string_append_c (out, '\n');
  jank_text_append (out, style, title, JANK_TEXT_BOLD);
  g_string_append_c (out, '\n');
}

static void
add_time (GString *out, const JankTextStyle *style, JankThreadState state, gint64 state_ns, double share)
{
  g_autofree char *length = jank_text_duration (state_ns);
  g_autofree char *percent = jank_text_share (share);

  g_string_append (out, "  ");
  jank_text_append_left (out, style, jank_text_state (state), LABEL_COLUMNS, NULL);
  jank_text_append_right (out, style, length, TIME_COLUMNS, NULL);
  jank_text_append_right (out, style, percent, SHARE_COLUMNS, NULL);
  g_string_append (out, "  ");
  jank_text_append_bar (out, style, share, BAR_COLUMNS, jank_text_state_sgr (state));
  jank_text_end_line (out);
}

void
jank_text_add_times (GString *out, JankReport *report, const JankTextStyle *style)
{
  double sum_ns = 0.0;

  for (guint i = JANK_STATE_UNKNOWN + 1; i < JANK_N_STATES; i++)
    sum_ns += (double) report->stall.state_ns[i];
  if (sum_ns <= 0.0)
    return;
  sum_ns = MAX (sum_ns, (double) report->stall.duration_ns);
  add_title (out, style, _("Where the time went"));
  for (guint i = JANK_STATE_UNKNOWN + 1; i < JANK_N_STATES; i++)
    if ((double) report->stall.state_ns[i] >= 0.005 * sum_ns)
      add_time (out, style, (JankThreadState) i, report->stall.state_ns[i], (double) report->stall.state_ns[i] / sum_ns);
}

typedef struct
{
  const JankReportWait *wait;
  gint64                length_ns;
} Wait;

static gint
compare_waits_cb (gconstpointer a, gconstpointer b)
{
  const Wait *x = a, *y = b;

  return (x->length_ns < y->length_ns) - (x->length_ns > y->length_ns);
}

/* Heaviest first. Returns: (transfer full) of Wait */
static GArray *
find_waits (JankReport *report)
{
  GArray *waits = g_array_new (FALSE, FALSE, sizeof (Wait));

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);
      Wait wait = { sample->wait, sample->weight_ns };
      guint k = 0;

      if (sample->wait == NULL)
        continue;
      while (k < waits->len && !jank_text_same_wait (g_array_index (waits, Wait, k).wait, sample->wait))
        k++;
      if (k == waits->len)
        g_array_append_val (waits, wait);
      else
        g_array_index (waits, Wait, k).length_ns += MIN (wait.length_ns, G_MAXINT64 - g_array_index (waits, Wait, k).length_ns);
    }
  g_array_sort (waits, compare_waits_cb);
  return waits;
}

void
jank_text_add_waits (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autoptr (GArray) waits = find_waits (report);
  double duration_ns = (double) MAX (report->stall.duration_ns, 1);

  if (waits->len == 0)
    return;
  add_title (out, style, _("What it waited for"));
  for (guint i = 0; i < MIN (waits->len, MAX_WAITS); i++)
    {
      const Wait *wait = &g_array_index (waits, Wait, i);
      g_autofree char *what = jank_text_wait (report, wait->wait);
      g_autofree char *length = jank_text_duration (wait->length_ns);
      g_autofree char *share = jank_text_share (MIN ((double) wait->length_ns / duration_ns, 1.0));

      jank_text_append_right (out, style, length, TIME_COLUMNS, NULL);
      jank_text_append_right (out, style, share, SHARE_COLUMNS, NULL);
      g_string_append (out, "  ");
      jank_text_append_wrapped (out, style, what, TIME_COLUMNS + SHARE_COLUMNS + 2, TIME_COLUMNS + SHARE_COLUMNS + 4, NULL);
    }
}
