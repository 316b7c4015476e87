/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sample/jank-stack-ranges-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include "guest/jank-rest-private.h"

#define CHUNK_BYTES 16384

/* "7f12a000-7f12b000 rw-p 00000000 00:00 0 …" */
static void
jank_stack_ranges_add_line (GArray *ranges, const char *line)
{
  char *end = NULL;
  JankStackRange range = { .low = strtoull (line, &end, 16) };
  JankStackRange *last = ranges->len > 0 ? &g_array_index (ranges, JankStackRange, ranges->len - 1) : NULL;

  if (end == line || *end != '-')
    return;
  range.high = strtoull (end + 1, &end, 16);
  if (range.high <= range.low || strncmp (end, " rw", 3) != 0 || (last != NULL && range.low < last->high))
    return;
  g_array_append_val (ranges, range);
}

/* Adds whole lines, and moves the rest to the front. Returns: its length */
static gsize
jank_stack_ranges_add_lines (GArray *ranges, char *text, gsize n_bytes)
{
  char *line = text, *end;

  text[n_bytes] = '\0';
  while ((end = strchr (line, '\n')) != NULL)
    {
      *end = '\0';
      jank_stack_ranges_add_line (ranges, line);
      line = end + 1;
    }
  n_bytes -= (gsize) (line - text);
  memmove (text, line, n_bytes);
  return n_bytes < CHUNK_BYTES ? n_bytes : 0;
}

JankStackRanges *
jank_stack_ranges_new (const char *maps)
{
  JankStackRanges *self = g_new0 (JankStackRanges, 1);
  GArray *ranges = g_array_sized_new (FALSE, FALSE, sizeof (JankStackRange), 256);
  g_autofree char *text = g_malloc (CHUNK_BYTES + 1);
  int fd = open (maps, O_RDONLY | O_CLOEXEC);
  gsize n_left = 0;
  ssize_t n;

  while (fd >= 0)
    {
      jank_rest_begin ();
      n = read (fd, text + n_left, CHUNK_BYTES - n_left);
      jank_rest_end ();
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      n_left = jank_stack_ranges_add_lines (ranges, text, n_left + (gsize) n);
    }
  if (fd >= 0)
    close (fd);
  self->n_ranges = ranges->len;
  self->ranges = (JankStackRange *) (void *) g_array_free (ranges, FALSE);
  return self;
}

void
jank_stack_ranges_free (JankStackRanges *self)
{
  g_free (self->ranges);
  g_free (self);
}
