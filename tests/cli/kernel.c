/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A main loop whose first stall is inside one system call: the kernel clears 1 GB of memory, and lets no other
 * thread of the program have more meanwhile. */

#include <stdlib.h>
#include <sys/mman.h>
#include <glib.h>

#define N_BYTES ((size_t) 1 << 30)

static gboolean
open_image (gpointer loop)
{
  void *image = mmap (NULL, N_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

  if (image == MAP_FAILED)
    abort ();
  munmap (image, N_BYTES);
  g_timeout_add (50, G_SOURCE_FUNC (g_main_loop_quit), loop);
  return G_SOURCE_REMOVE;
}

int
main (void)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);

  g_timeout_add (300, open_image, loop);
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  return 0;
}
