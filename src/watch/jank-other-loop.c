/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A loop of the program's that is not the observed one: of a context that it has pushed, or in another thread. No
 * public function says which it is, so samples tell. */

#include "watch/jank-watch-post-private.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

/* Returns: the innermost of GLib's calls, or the number of all calls */
static guint
jank_other_loop_find_glib (JankWatchPost *self, const JankStack *stack)
{
  guint i = 0;

  while (i < stack->n_calls && !jank_code_map_is_glib (jank_sampler_get_map (self->sampler), stack->calls[i].module))
    i++;
  return i;
}

/* Whether these are GLib's calls in a loop that the program runs, from call i outward. A library runs a loop inside a
 * call that has to wait; bindings of languages and GNOME Shell's library run it for the program. */
static gboolean
jank_other_loop_is_run (JankWatchPost *self, const JankStack *stack, guint i)
{
  static const char *const runners[] = { "/libffi.so", "/libmutter-" };
  JankCodeMap *map = jank_sampler_get_map (self->sampler);
  const JankModule *caller;

  while (i < stack->n_calls && jank_code_map_is_glib (map, stack->calls[i].module))
    i++;
  caller = i > 0 && i < stack->n_calls ? jank_code_map_get (map, stack->calls[i].module) : NULL;
  if (caller == NULL || caller->path == NULL || (stack->calls[i - 1].function != (guintptr) g_main_loop_run &&
                                                 stack->calls[i - 1].function != (guintptr) g_main_context_iteration))
    return FALSE;
  for (guint k = 0; k < G_N_ELEMENTS (runners); k++)
    if (strstr (caller->path, runners[k]) != NULL)
      return TRUE;
  return getauxval (AT_ENTRY) - caller->start < caller->end - caller->start;
}

/* Whether the thread waits for a loop of the program's, which is another than the observed one as long as that has
 * not waited. */
static gboolean
jank_other_loop_is_awaited_in (JankWatchPost *self, const JankStack *stack)
{
  JankBeatState state = jank_beat_word_state (jank_beat_load (self->beat));
  guint i = jank_other_loop_find_glib (self, stack);

  /* Emacs asks GLib for the descriptors and polls them itself, outside of GLib. */
  self->polls_itself |= i == stack->n_calls && !self->has_followed;
  if (self->polls_itself)
    return i == stack->n_calls;
  return (state == JANK_BEAT_STARTUP || state == JANK_BEAT_STARTING) && jank_other_loop_is_run (self, stack, i);
}

/* Where GLib keeps what a thread dispatches can be asked by that thread alone. */
gboolean
jank_other_loop_is_awaited (JankWatchPost *self, const JankStallTracker *tracker, const JankSample *sample)
{
  return (self->has_followed || (self->slot.block != 0 && jank_stall_tracker_is_outside (tracker))) &&
         sample->wait != NULL && sample->wait->wakes_loops && sample->stack != NULL &&
         jank_other_loop_is_awaited_in (self, sample->stack);
}

/* Returns: whether a thread that sleeps polls in a loop of the program's; info: whose stack is set then */
static gboolean
jank_other_loop_is_polled (JankWatchPost *self, JankThread *thread, const JankStackRanges *ranges, JankThreadInfo *info)
{
  JankSample sample;
  JankStackRange range;
  JankSyscall call;
  gboolean is_found;

  jank_thread_read_syscall (thread, &call);
  if (call.kind != JANK_SYSCALL_BLOCKED || (call.number != SYS_poll && call.number != SYS_ppoll))
    return FALSE;
  range = jank_stack_ranges_find (ranges, call.sp);
  info->stack_low = range.low;
  info->stack_base = range.high;
  jank_sampler_take_other (self->sampler, thread, ranges, 0, &call, &sample);
  is_found = sample.stack != NULL &&
             jank_other_loop_is_run (self, sample.stack, jank_other_loop_find_glib (self, sample.stack));
  jank_sample_clear (&sample);
  return is_found;
}

gboolean
jank_other_loop_find (JankWatchPost *self, JankThreadInfo *ret_info)
{
  pid_t own = jank_thread_get_info (self->own)->tid;
  JankThread *observed = jank_sampler_get_thread (self->sampler);
  gboolean is_found = FALSE;
  JankStackRanges *ranges;
  JankSyscall call = { .kind = JANK_SYSCALL_UNKNOWN };
  guint n;
  g_autoptr (GArray) tasks = jank_task_list (self->task_folder, JANK_SNAPSHOT_MAX_THREADS, own, &n);

  if (observed != NULL)
    jank_thread_read_syscall (observed, &call);
  if (call.kind != JANK_SYSCALL_BLOCKED || tasks->len < 2)
    return FALSE;
  ranges = jank_stack_ranges_new ("/proc/self/maps");
  for (guint i = 0; i < tasks->len && !is_found; i++)
    {
      const JankTask *task = &g_array_index (tasks, JankTask, i);
      JankThread *thread;

      if (task->state != 'S' || task->tid == jank_thread_get_info (observed)->tid)
        continue;
      *ret_info = (JankThreadInfo) { .tid = task->tid, .cpu_clock = jank_cpu_clock_of (task->tid) };
      thread = jank_thread_new (ret_info, self->task_folder);
      is_found = jank_other_loop_is_polled (self, thread, ranges, ret_info);
      jank_thread_free (thread);
    }
  jank_sampler_free_ranges (self->sampler, ranges);
  return is_found;
}
