/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs that end, or begin, in a stall. */

#include "staller.h"

#include <stdlib.h>

extern void stall_forever (void);

typedef struct
{
  const char *command;
  gint64 duration_ns;
  void (*end) (void);
} End;

/* What follows does not return, so the line comes first. */
static void
print_truth (const char *command, gint64 began_ns, gint64 ended_ns)
{
  staller_print ("{\"command\": \"%s\", \"began_monotonic_ns\": %" G_GINT64_FORMAT
                 ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT "}",
                 command, began_ns, ended_ns);
}

static void
end_cb (gpointer data)
{
  End *end = data;
  gint64 began_ns = now_ns ();

  stall_compute (end->duration_ns);
  print_truth (end->command, began_ns, now_ns ());
  end->end ();
}

static void
exit_well (void)
{
  exit (0);
}

int
command_exit_in_stall (const StallerArgs *args)
{
  End end = { "exit-in-stall", staller_arg (args, 0, 1000) * NS_PER_MS, exit_well };

  staller_run (end_cb, &end);
  return 1;
}

int
command_abort_in_stall (const StallerArgs *args)
{
  End end = { "abort-in-stall", staller_arg (args, 0, 1000) * NS_PER_MS, abort };

  staller_run (end_cb, &end);
  return 1;
}

G_NO_INLINE void
stall_forever (void)
{
  for (guint64 x = 1;; x = x * 3 + 1)
    staller_sink += x;
}

/* The line has ended_monotonic_ns = began_monotonic_ns: there is no end. */
int
command_hang (const StallerArgs *args)
{
  End end = { "hang", 0, stall_forever };

  staller_run (end_cb, &end);
  return 1;
}

static gint64 first_prepare_ns;

static gboolean
note_first_prepare (GSource *source, int *timeout)
{
  if (first_prepare_ns == 0)
    first_prepare_ns = now_ns ();
  return FALSE;
}

/* Before the loop turns for the first time. A source of the program's own tells when it does, right after ours. */
int
command_startup (const StallerArgs *args)
{
  static GSourceFuncs funcs = { .prepare = note_first_prepare };
  g_autoptr (GSource) source = g_source_new (&funcs, sizeof (GSource));
  gint64 began_ns = now_ns ();
  gint64 ended_ns;

  g_source_attach (source, NULL);
  stall_compute (staller_arg (args, 0, 1000) * NS_PER_MS);
  ended_ns = now_ns ();
  staller_run_idle (500 * NS_PER_MS);
  staller_print ("{\"command\": \"startup\", \"began_monotonic_ns\": %" G_GINT64_FORMAT
                 ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT ", \"first_prepare_monotonic_ns\": %" G_GINT64_FORMAT
                 "}",
                 began_ns, ended_ns, first_prepare_ns);
  return 0;
}

int
command_no_loop (const StallerArgs *args)
{
  gint64 began_ns = now_ns ();

  stall_compute (staller_arg (args, 0, 1000) * NS_PER_MS);
  print_truth ("no-loop", began_ns, now_ns ());
  return 0;
}
