/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The watcher thread does this for each new report once the store is full. So of a file no more than its first bytes
 * are read, which name program and problem in the order of our writers; whatever they do not name is of one program. */

#include "store/jank-retention-private.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "guest/jank-rest-private.h"

/* 10 µs each. */
#define MAX_CONSIDERED 1000
#define HEAD_BYTES 512

#define PROGRAM_KEY "\"app\":{\"name\":\""
#define PROBLEM_KEY "\"fingerprint\":\""

typedef struct { guint64 n, n_bytes; } Amount;

typedef struct
{
  Amount *program; /* borrowed */
  Amount  amount;
  GQueue  entries; /* their numbers, the oldest first */
} Problem;

struct _JankRetention
{
  GPtrArray  *entries;  /* borrowed */
  GHashTable *programs; /* (owned): Amount by name */
  GHashTable *problems; /* (owned): Problem by program and fingerprint */
};

static void
jank_retention_problem_free (gpointer data)
{
  g_queue_clear (&((Problem *) data)->entries);
  g_free (data);
}

/* Returns: (transfer full): the text behind key, as JSON has it; "": there is none */
static char *
jank_retention_find (const char *head, const char *key)
{
  const char *found = strstr (head, key);

  found = found != NULL ? found + strlen (key) : "";
  return g_strndup (found, strcspn (found, "\""));
}

static void
jank_retention_add (JankRetention *self, gint dir, guint i)
{
  const JankFolderEntry *entry = g_ptr_array_index (self->entries, i);
  g_autofree char *file = g_strconcat (entry->name, JANK_FOLDER_SUFFIX, NULL), *program = NULL, *problem = NULL,
      *both = NULL;
  char head[HEAD_BYTES + 1] = "";
  gint fd = openat (dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  Amount *amount;
  Problem *of;

  if (fd >= 0 && read (fd, head, HEAD_BYTES) < 0)
    head[0] = '\0';
  if (fd >= 0)
    close (fd);
  program = jank_retention_find (head, PROGRAM_KEY);
  problem = jank_retention_find (head, PROBLEM_KEY);
  both = g_strconcat (problem, " ", program, NULL);

  amount = g_hash_table_lookup (self->programs, program);
  if (amount == NULL)
    g_hash_table_insert (self->programs, g_steal_pointer (&program), amount = g_new0 (Amount, 1));
  of = g_hash_table_lookup (self->problems, both);
  if (of == NULL)
    g_hash_table_insert (self->problems, g_steal_pointer (&both), of = g_new0 (Problem, 1));
  of->program = amount;
  of->amount.n++;
  of->amount.n_bytes += entry->n_bytes;
  amount->n++;
  amount->n_bytes += entry->n_bytes;
  g_queue_push_tail (&of->entries, GUINT_TO_POINTER (i));
}

JankRetention *
jank_retention_new (gint dir, GPtrArray *entries)
{
  JankRetention *self = g_new0 (JankRetention, 1);

  self->entries = entries;
  self->programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->problems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, jank_retention_problem_free);
  for (guint i = 0; i < MIN (entries->len, MAX_CONSIDERED); i++)
    {
      jank_retention_add (self, dir, i);
      jank_rest_yield ();
    }
  return self;
}

void
jank_retention_free (JankRetention *self)
{
  g_hash_table_unref (self->problems);
  g_hash_table_unref (self->programs);
  g_free (self);
}

/* Whether a goes before b. */
static gboolean
jank_retention_is_first (const Problem *a, const Problem *b, gboolean by_bytes)
{
  const guint64 of_a[] = { by_bytes ? a->program->n_bytes : a->program->n, by_bytes ? a->amount.n_bytes : a->amount.n };
  const guint64 of_b[] = { by_bytes ? b->program->n_bytes : b->program->n, by_bytes ? b->amount.n_bytes : b->amount.n };

  for (guint i = 0; i < G_N_ELEMENTS (of_a); i++)
    if (of_a[i] != of_b[i])
      return of_a[i] > of_b[i];
  return GPOINTER_TO_UINT (a->entries.head->data) < GPOINTER_TO_UINT (b->entries.head->data);
}

const JankFolderEntry *
jank_retention_next (JankRetention *self, gboolean by_bytes)
{
  Problem *first = NULL;
  GHashTableIter iter;
  gpointer problem;
  const JankFolderEntry *entry;

  g_hash_table_iter_init (&iter, self->problems);
  while (g_hash_table_iter_next (&iter, NULL, &problem))
    if (!g_queue_is_empty (&((Problem *) problem)->entries) &&
        (first == NULL || jank_retention_is_first (problem, first, by_bytes)))
      first = problem;
  if (first == NULL)
    return NULL;
  entry = g_ptr_array_index (self->entries, GPOINTER_TO_UINT (g_queue_pop_head (&first->entries)));
  first->amount.n--;
  first->amount.n_bytes -= entry->n_bytes;
  first->program->n--;
  first->program->n_bytes -= entry->n_bytes;
  return entry;
}
