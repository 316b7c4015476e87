/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits for locks on files: in the kernel, and SQLite's, which sleeps and tries again. */

#include "wait/jank-wait-detail-private.h"

#include <string.h>

#include "proc/jank-proc-private.h"
#include "descriptors/jank-file-locks-private.h"
#include "elf/jank-known-functions-private.h"

#define SHARED_MEMORY_SUFFIX "-shm"

static void
jank_wait_file_lock_set_holder (JankWaitDraft *draft, pid_t holder)
{
  draft->wait->peer_pid = holder;
  if (holder == 0)
    return;
  jank_proc_get_name (holder, draft->wait->peer, sizeof draft->wait->peer);
  g_string_append_printf (draft->detail, ", held by %s[%d]", draft->wait->peer, (int) holder);
}

void
jank_wait_describe_file_lock (JankWaitDraft *draft)
{
  if (draft->wait->kind == JANK_WAIT_FILE)
    jank_wait_file_lock_set_holder (draft, jank_file_locks_find_holder ((int) draft->call->args[0]));
}

/* Whether SQLite itself sleeps, not a function of the program that it has called: around the C library's calls there
 * are only SQLite's own. */
static gboolean
jank_wait_file_lock_is_sqlite (const JankWaitDraft *draft)
{
  JankKnownFunction sleeping, known = { JANK_ROLE_NONE, 0 };
  guint64 library = 0;

  if (draft->n_calls != 0)
    jank_known_function_look (draft->calls[0].function, &sleeping);
  for (guint i = 1; i < draft->n_calls && known.role != JANK_ROLE_SQLITE; i++)
    {
      jank_known_function_look (draft->calls[i].function, &known);
      if (library == 0 && known.library != sleeping.library)
        library = known.library;
      if (library != 0 && known.library != library)
        return FALSE;
    }
  return known.role == JANK_ROLE_SQLITE;
}

void
jank_wait_describe_database (JankWaitDraft *draft)
{
  JankWait *wait = draft->wait;
  JankDescriptor descriptor;
  pid_t holder;
  int fd;

  if (!jank_wait_file_lock_is_sqlite (draft) || !jank_file_locks_find_database (&fd, &holder))
    return;
  jank_descriptor_look (fd, &descriptor);
  if (descriptor.kind != JANK_DESCRIPTOR_FILE)
    return;
  if (g_str_has_suffix (descriptor.name, SHARED_MEMORY_SUFFIX))
    descriptor.name[strlen (descriptor.name) - strlen (SHARED_MEMORY_SUFFIX)] = '\0';
  jank_wait_set_descriptor (wait, &descriptor);
  g_string_append (draft->detail, ", for the lock of the database ");
  jank_descriptor_append (&descriptor, fd, draft->detail);
  jank_wait_file_lock_set_holder (draft, holder);
}
