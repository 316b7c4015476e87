/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "demo.h"

#include <glib/gi18n.h>

G_NO_INLINE void
stall_split (int64_t duration_ns)
{
  const int n_turns = 5;

  for (int i = 0; i < n_turns; i++)
    {
      split_heavy (duration_ns * 60 / 100 / n_turns);
      split_medium (duration_ns * 25 / 100 / n_turns);
      split_light (duration_ns * 15 / 100 / n_turns);
    }
  demo_sink++;
}

const DemoStall demo_stalls[] = {
  { "compute", N_("Compute"), N_("Counts prime numbers in a loop"), stall_compute },
  { "sleep", N_("Sleep"), N_("Calls usleep() and waits"), stall_sleep },
  { "file", N_("File"), N_("Writes a temporary file, over and over"), stall_file },
  { "lock", N_("Lock"), N_("Waits for a mutex that another thread holds"), stall_lock },
  { "deadlock", N_("Deadlock"), N_("Two threads wait for each other, until one gives up"), stall_deadlock },
  { "dbus", N_("D-Bus"), N_("Calls a slow service and waits for the answer"), stall_dbus },
  { "split", N_("Split"), N_("Three functions share the time, one takes most"), stall_split },
  { "list", N_("List"), N_("Scrolls a list; every tenth row takes half a second"), stall_list, TRUE },
  { "nested", N_("Nested loop"), N_("Runs a main loop inside: nothing freezes"), stall_nested, TRUE },
  { "spin", N_("Spin"), N_("An idle function that never ends: one CPU is busy for three seconds"), stall_spin, TRUE },
};
const gsize n_demo_stalls = G_N_ELEMENTS (demo_stalls);

const DemoStall *
demo_stall_find (const char *name)
{
  for (gsize i = 0; i < n_demo_stalls; i++)
    {
      if (g_str_equal (demo_stalls[i].name, name))
        return &demo_stalls[i];
    }
  return NULL;
}
