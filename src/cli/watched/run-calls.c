/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watched.h"

#include <string.h>

#include <glib/gi18n.h>

#include "cli/cli.h"
#include "symbols/jank-function-name-private.h"
#include "blame/jank-advice-private.h"
#include "text/jank-text-report-private.h"

/* The debug information names the innermost function, which may be inlined. */
static void
find_place (WatchedRun *run, JankSessionCall *call)
{
  const JankSourcePlace *place = call->build_id != NULL && call->language == NULL
                                 ? jank_source_lines_find (run->lines, call->module, call->build_id,
                                                           (guint64) call->offset, FALSE)
                                 : NULL;
  const JankSourcePoint *point = place != NULL && place->points->len > 0
                                 ? &g_array_index (place->points, JankSourcePoint, 0)
                                                                         : NULL;

  if (point == NULL || point->file == NULL)
    return;
  jank_set_text (&call->file, point->file);
  call->line = point->line;
  if (point->function != NULL)
    jank_set_text (&call->function, point->function);
}

void
run_calls_resolve (WatchedRun *run)
{
  JANK_EACH (JankSessionCall, call, run->summary->calls)
    {
      find_place (run, call);
      if (call->advised != NULL)
        call->advice = jank_advice_find (call->advised, call->advised_file, call->language != NULL);
    }
}

/* Returns: (transfer full): “read_status() (a.py:12)” */
static char *
describe_place (const JankSessionCall *call)
{
  g_autofree char *name = jank_function_name (call->function);
  g_autofree char *named = strpbrk (name, "+(") == NULL ? g_strconcat (name, "()", NULL) : g_strdup (name);
  g_autofree char *file = call->file != NULL ? g_path_get_basename (call->file) : NULL;

  return file != NULL && call->line > 0 ? g_strdup_printf ("%s (%s:%u)", named, file, call->line)
                                        : g_steal_pointer (&named);
}

/* Returns: (transfer full) */
static char *
describe_call (const JankSessionCall *call)
{
  g_autofree char *place = describe_place (call);

  switch (call->kind)
    {
    /* Translators: %s is a function of the program, “read_status() (a.py:12)”. */
    case JANK_STRICT_DBUS:    return g_strdup_printf (_("%s calls D-Bus synchronously"), place);
    /* Translators: the second %s is a function of C, “fsync”. */
    case JANK_STRICT_SYNC:    return g_strdup_printf (_("%s waits for the disk, by %s()"), place, call->call);
    case JANK_STRICT_LOCK:    return g_strdup_printf (_("%s waits for the lock of a file, by %s()"), place, call->call);
    case JANK_STRICT_CONNECT: return g_strdup_printf (_("%s connects a socket"), place);
    case JANK_STRICT_DNS:     return g_strdup_printf (_("%s looks up a host, by %s()"), place, call->call);
    default:                  return g_strdup_printf (_("%s waits for a child process, by %s()"), place, call->call);
    }
}

static void
print_call (const JankSessionCall *call)
{
  g_autofree char *what = describe_call (call), *longest = jank_text_duration (call->longest_ns), *all = NULL;
  const char *target = call->target != NULL && *call->target != '\0' ? call->target : NULL;
  gulong n = (gulong) call->count;

  /* Translators: a sentence, and whom or what for: “read_status() calls D-Bus synchronously: org.example.Foo.Get”. */
  all = target != NULL ? g_strdup_printf (_("%s: %s"), what, target) : g_strdup (what);
  cli_warn (g_dngettext (GETTEXT_PACKAGE, "  %s, %lu time, %s", "  %s, %lu times, longest %s", n), all, n, longest);
  if (call->advice != NULL)
    cli_warn (_("    Use instead: %s"), call->advice);
}

void
run_calls_print (WatchedRun *run)
{
  const GPtrArray *calls = run->summary->calls;
  gulong n = calls->len;

  if (!run->is_strict)
    return;
  if (!run->summary->is_strict)
    {
      cli_warn (_("Blocking calls are unknown: the library that records them could not be preloaded"));
      return;
    }
  if (n == 0)
    {
      cli_warn (_("The program made no potentially blocking calls on its main thread"));
      return;
    }
  cli_warn (g_dngettext (GETTEXT_PACKAGE, "%lu call on the main thread that may block:",
                         "%lu calls on the main thread that may block:", n), n);
  for (guint i = 0; i < calls->len; i++)
    print_call (g_ptr_array_index (calls, i));
}
