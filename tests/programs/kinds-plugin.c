/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A plug-in that has much to do when it is loaded, for KINDS_PLUGIN_MS milliseconds, and that opens files. */

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

extern uint64_t kinds_plugin_sum;
extern void kinds_plugin_prepare_tables (void);
extern int kinds_plugin_opens (const char *path);

uint64_t kinds_plugin_sum;

static int64_t
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__ ((constructor, noinline)) void
kinds_plugin_prepare_tables (void)
{
  const char *text = getenv ("KINDS_PLUGIN_MS");
  int64_t until_ns = now_ns () + (text != NULL ? atoi (text) : 0) * INT64_C (1000000);

  while (now_ns () < until_ns)
    {
      for (int i = 0; i < 2000; i++)
        kinds_plugin_sum = kinds_plugin_sum * 33 + (uint64_t) i;
    }
}

int
kinds_plugin_opens (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  kinds_plugin_sum++;
  return fd;
}
