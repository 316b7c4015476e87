/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "chain/jank-hop-private.h"

#include <stdlib.h>

#include "proc/jank-proc-private.h"
#include "proc/jank-syscalls-private.h"

void
jank_look_at (pid_t pid, pid_t tid, JankLook *ret_look)
{
  JankThreadInfo info = { .tid = tid };
  char folder[48], path[64];
  JankThread *thread;
  JankTask task;

  jank_proc_path (folder, sizeof folder, pid, "task");
  *ret_look = (JankLook) { .pid = pid, .tid = tid };
  thread = jank_thread_new (&info, folder);
  jank_thread_read_syscall (thread, &ret_look->call);
  jank_thread_free (thread);
  if (jank_task_read (folder, tid, &task))
    ret_look->state = task.state;
  ret_look->shape = jank_syscall_shape_find (ret_look->call.kind == JANK_SYSCALL_BLOCKED ?
                                             jank_syscall_get_name ((gint) ret_look->call.number) : NULL);
  jank_proc_path (path, sizeof path, pid, "task/%d/wchan", (int) tid);
  if (!jank_proc_read (path, ret_look->wchan, sizeof ret_look->wchan) || ret_look->wchan[0] == '0')
    ret_look->wchan[0] = '\0';
}

gboolean
jank_look_is_the_same (const JankLook *look, gboolean is_idle)
{
  JankLook now;

  jank_look_at (look->pid, look->tid, &now);
  if (look->call.kind != JANK_SYSCALL_BLOCKED || now.call.kind != JANK_SYSCALL_BLOCKED)
    return now.call.kind == look->call.kind && (now.state == 0) == (look->state == 0);
  return is_idle ? now.call.number == look->call.number : jank_thread_is_same_syscall (&look->call, &now.call);
}

/* From the reader's namespace to the innermost. Returns: (transfer full): numbers of a process or thread, maybe none */
static char **
jank_look_read_numbers (pid_t pid)
{
  g_autofree char *numbers = jank_proc_read_field (pid, "NSpid:", "status");

  return g_strsplit (numbers != NULL ? numbers : "", "\t", -1);
}

/* A process sees others by their numbers in its own namespace, which is as deep as it has numbers. */
gboolean
jank_look_is_known_as (pid_t pid, pid_t other, pid_t number)
{
  g_auto (GStrv) own = jank_look_read_numbers (pid), numbers = jank_look_read_numbers (other);
  guint depth = g_strv_length (own);

  if (depth == 0)
    return other == number;
  return g_strv_length (numbers) >= depth && atoi (numbers[depth - 1]) == number;
}
