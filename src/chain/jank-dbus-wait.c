/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "chain/jank-dbus-wait-private.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/jank-memory-private.h"
#include "base/jank-order-private.h"
#include "elf/jank-elf-private.h"
#include "proc/jank-proc-private.h"

#define LIBRARY "/libgio-2.0.so"

/* A stack that is deeper cannot be searched whole. */
#define MAX_STACK_BYTES (256 << 10)

/* The only function of GIO's that an idle program is in. */
#define RUN "g_application_run"

/* Code of a library in a process. */
typedef struct
{
  guint64 start, end; /* of its mapping */
  guint64 offset;     /* in the file */
  char    path[PATH_MAX];
} Code;

/* FALSE: the process has not loaded it. ret_is_known: FALSE: its mappings cannot be read */
static gboolean
jank_dbus_wait_find_code (pid_t pid, Code *ret_code, gboolean *ret_is_known)
{
  char path[48];
  g_autofree char *maps = NULL;

  jank_proc_path (path, sizeof path, pid, "maps");
  maps = jank_proc_read_long (path);
  *ret_is_known = maps[0] != '\0';
  for (char *line = maps, *next; line != NULL && *line != '\0'; line = next)
    {
      int at = 0;

      next = strchr (line, '\n');
      if (next != NULL)
        *next++ = '\0';
      if (strstr (line, LIBRARY) != NULL &&
          sscanf (line, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x r-xp %" G_GINT64_MODIFIER "x %*s %*s %n",
                  &ret_code->start, &ret_code->end, &ret_code->offset, &at) == 3 && at != 0)
        {
          g_snprintf (ret_code->path, sizeof ret_code->path, "/proc/%d/root%s", (int) pid, line + at);
          return TRUE;
        }
    }
  return FALSE;
}

JANK_ORDER_RISING (jank_dbus_wait_compare, JankElfQuery, ->address)

/* Returns: (transfer full) (nullable) (element-type JankElfQuery): what on the thread's stack leads into that code;
 * NULL: the stack cannot be read whole */
static GArray *
jank_dbus_wait_find_addresses (const JankLook *look, const Code *code)
{
  g_autofree guint64 *words = g_malloc (MAX_STACK_BYTES);
  gsize n_bytes = jank_memory_read_of (look->pid, look->call.sp & ~G_GUINT64_CONSTANT (7), words, MAX_STACK_BYTES);
  GArray *queries;

  if (n_bytes == 0 || n_bytes == MAX_STACK_BYTES)
    return NULL;
  queries = g_array_new (FALSE, TRUE, sizeof (JankElfQuery));
  for (gsize i = 0; i < n_bytes / sizeof *words; i++)
    if (words[i] >= code->start && words[i] < code->end)
      g_array_append_vals (queries, &(JankElfQuery) { .address = words[i] - code->start + code->offset }, 1);
  g_array_sort (queries, jank_dbus_wait_compare);
  return queries;
}

gboolean
jank_dbus_wait_is_possible (const JankLook *look)
{
  g_autoptr (GArray) queries = NULL;
  g_autoptr (JankElf) elf = NULL;
  gboolean is_known, is_possible = FALSE;
  Code code;

  if (!jank_dbus_wait_find_code (look->pid, &code, &is_known))
    return !is_known;
  queries = jank_dbus_wait_find_addresses (look, &code);
  elf = jank_elf_new (code.path, NULL);
  if (queries == NULL || elf == NULL)
    return TRUE;
  is_possible = !jank_elf_resolve (elf, (JankElfQuery *) queries->data, queries->len, NULL);
  for (guint i = 0; i < queries->len; i++)
    {
      JankElfQuery *query = &g_array_index (queries, JankElfQuery, i);

      /* An address that begins a function is a pointer, no call. Functions without a name may be anything. */
      is_possible |= query->name == NULL || (query->address != query->start && strcmp (query->name, RUN) != 0);
      g_free (query->name);
    }
  return is_possible;
}
