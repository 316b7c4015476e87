/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proc/jank-thread-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <glib.h>

#include "base/jank-clock-private.h"
#include "proc/jank-proc-private.h"

/* Below the main thread's stack the kernel leaves at least this much of address space unused. */
#define MAIN_STACK_GAP_BYTES (UINT64_C (128) << 20)

/* Where the kernel entered the program on the main thread's stack: arguments and environment lie above it, no calls.
 * pthread_getattr_np() rounds it up to a page. */
extern void *__libc_stack_end __attribute__ ((weak));
#define ENTRY_BYTES 64

/* As a share of the time between two looks: growth below it is not worth another read. */
#define NOISE_PART 50

enum { FILE_SYSCALL, FILE_STATUS, FILE_SCHEDSTAT, FILE_STAT, N_FILES };

static const char *const file_names[N_FILES] = { "syscall", "status", "schedstat", "stat" };

struct _JankThread
{
  JankThreadInfo info;
  char          *folder; /* (owned) of this thread in /proc */
  int            fds[N_FILES];
  int            call_errno;
};

static uint64_t
jank_thread_find_main_base (uint64_t low, uint64_t base)
{
  uint64_t entry = &__libc_stack_end != NULL ? (uintptr_t) __libc_stack_end : 0;

  return entry > low && entry < base - ENTRY_BYTES ? entry + ENTRY_BYTES : base;
}

static void
jank_thread_find_stack (JankThreadInfo *info)
{
  pthread_attr_t attributes;
  void *low = NULL;
  size_t n_bytes = 0;

  if (pthread_getattr_np (info->pthread, &attributes) != 0)
    return;
  pthread_attr_getstack (&attributes, &low, &n_bytes);
  pthread_attr_destroy (&attributes);
  info->stack_base = (uintptr_t) low + n_bytes;
  info->stack_low = (uintptr_t) low;
}

/* The C library reads /proc/self/maps for the main thread's stack: 60,000 mappings take 20 ms, and a thread is
 * described each time it takes over a context. Its stack does not end at RLIMIT_STACK, which may be "unlimited". */
static void
jank_thread_find_main_stack (JankThreadInfo *info)
{
  /* main thread only, which after fork() is another one */
  static JankThreadInfo main_thread;

  if (main_thread.stack_base == 0 || main_thread.tid != info->tid)
    {
      main_thread = *info;
      jank_thread_find_stack (&main_thread);
      if (main_thread.stack_base == 0)
        return;
      main_thread.stack_low = main_thread.stack_base - MAIN_STACK_GAP_BYTES;
      main_thread.stack_base = jank_thread_find_main_base (main_thread.stack_low, main_thread.stack_base);
    }
  info->stack_low = main_thread.stack_low;
  info->stack_base = main_thread.stack_base;
}

void
jank_thread_describe_self (JankThreadInfo *ret_info)
{
  *ret_info = (JankThreadInfo) { .tid = (pid_t) syscall (SYS_gettid), .pthread = pthread_self () };
  if (pthread_getcpuclockid (ret_info->pthread, &ret_info->cpu_clock) != 0)
    ret_info->cpu_clock = CLOCK_THREAD_CPUTIME_ID;
  if (ret_info->tid == getpid ())
    jank_thread_find_main_stack (ret_info);
  else
    jank_thread_find_stack (ret_info);
}

/* NUL-terminated text of one of the files; 0 when it has none. */
static size_t
jank_thread_read_file (JankThread *self, guint file, char *buffer, size_t n_bytes)
{
  ssize_t n = self->fds[file] >= 0 ? pread (self->fds[file], buffer, n_bytes - 1, 0) : self->fds[file];

  if (self->fds[file] >= 0 && n < 0)
    n = -errno;
  buffer[MAX (n, 0)] = '\0';
  if (file == FILE_SYSCALL && n < 0)
    self->call_errno = (int) -n;
  return n > 0 ? (size_t) n : 0;
}

JankThread *
jank_thread_new (const JankThreadInfo *info, const char *task_folder)
{
  JankThread *self = g_new0 (JankThread, 1);
  char line[256];

  self->info = *info;
  self->folder = g_strdup_printf ("%s/%d", task_folder, (int) info->tid);
  for (guint i = 0; i < N_FILES; i++)
    {
      g_autofree char *path = g_build_filename (self->folder, file_names[i], NULL);

      self->fds[i] = jank_proc_open (path);
    }
  jank_thread_read_file (self, FILE_SYSCALL, line, sizeof line);
  return self;
}

void
jank_thread_free (JankThread *self)
{
  for (guint i = 0; i < N_FILES; i++)
    if (self->fds[i] >= 0)
      close (self->fds[i]);
  g_free (self->folder);
  g_free (self);
}

const JankThreadInfo *
jank_thread_get_info (JankThread *self)
{
  return &self->info;
}

bool
jank_thread_can_read_syscall (JankThread *self, int *ret_errno)
{
  if (ret_errno != NULL)
    *ret_errno = self->call_errno;
  return self->call_errno == 0;
}

bool
jank_syscall_parse (const char *line, JankSyscall *ret_call)
{
  JankSyscall call = { .kind = JANK_SYSCALL_BLOCKED };
  uint64_t words[8];
  guint n_words = 0;
  char *end = NULL;

  if (g_str_has_prefix (line, "running"))
    {
      *ret_call = (JankSyscall) { .kind = JANK_SYSCALL_RUNNING };
      return true;
    }

  call.number = strtol (line, &end, 10);
  if (end == line || call.number < -1)
    return false;
  while (n_words < G_N_ELEMENTS (words) && g_str_has_prefix (end, " 0x"))
    words[n_words++] = strtoull (end + 1, &end, 16);
  if (*end != '\n' || n_words != (call.number == -1 ? 2 : 8))
    return false;

  if (call.number != -1)
    memcpy (call.args, words, sizeof call.args);
  call.sp = words[n_words - 2];
  call.pc = words[n_words - 1];
  *ret_call = call;
  return true;
}

void
jank_thread_read_syscall_after (JankThread *self, const JankThreadTurns *turns, JankSyscall *ret_call)
{
  char line[256];

  *ret_call = (JankSyscall) { .kind = JANK_SYSCALL_UNKNOWN };
  if (jank_thread_read_file (self, FILE_SYSCALL, line, sizeof line) > 0 && jank_syscall_parse (line, ret_call) &&
      ret_call->kind == JANK_SYSCALL_BLOCKED)
    ret_call->n_switches = turns->n_turns;
}

/* The turns first: a thread that had none since, and slept in the call, sleeps in that call. */
void
jank_thread_read_syscall (JankThread *self, JankSyscall *ret_call)
{
  JankThreadTurns turns;

  jank_thread_read_turns (self, &turns);
  jank_thread_read_syscall_after (self, &turns, ret_call);
}

bool
jank_thread_is_still_in (JankThread *self, const JankSyscall *call)
{
  JankThreadTurns turns;
  JankSyscall now;

  if (jank_thread_read_turns (self, &turns))
    return turns.n_turns == call->n_switches;
  jank_thread_read_syscall (self, &now);
  return jank_thread_is_same_syscall (call, &now);
}

bool
jank_thread_is_same_syscall (const JankSyscall *a, const JankSyscall *b)
{
  return jank_thread_is_same_place (a, b) && a->n_switches == b->n_switches;
}

bool
jank_thread_is_same_place (const JankSyscall *a, const JankSyscall *b)
{
  return a->kind == b->kind && a->number == b->number && a->sp == b->sp && a->pc == b->pc &&
         memcmp (a->args, b->args, sizeof a->args) == 0;
}

/* Behind "NAME:\t" in the text of status. (nullable) */
static const char *
jank_thread_find_in_status (const char *text, const char *name)
{
  const char *line = strstr (text, name);

  return line != NULL ? line + strlen (name) : NULL;
}

static int
jank_thread_find_n_filters (const char *text)
{
  const char *mode = jank_thread_find_in_status (text, "\nSeccomp:\t");
  const char *n_filters = mode != NULL ? jank_thread_find_in_status (mode, "\nSeccomp_filters:\t") : NULL;

  return n_filters == NULL || *mode == '1' ? -1 : atoi (n_filters);
}

bool
jank_thread_read_status (JankThread *self, JankThreadStatus *ret_status)
{
  char text[4096];
  const char *pending, *signals, *n_sleeps;

  jank_thread_read_file (self, FILE_STATUS, text, sizeof text);
  /* In the order in which the kernel writes them. */
  pending = jank_thread_find_in_status (text, "\nSigPnd:\t");
  signals = pending != NULL ? jank_thread_find_in_status (pending, "\nSigBlk:\t") : NULL;
  n_sleeps = signals != NULL ? jank_thread_find_in_status (signals, "\nvoluntary_ctxt_switches:\t") : NULL;
  if (n_sleeps == NULL)
    return false;
  ret_status->pending_signals = strtoull (pending, NULL, 16);
  ret_status->blocked_signals = strtoull (signals, NULL, 16);
  ret_status->n_sleeps = strtoull (n_sleeps, NULL, 10);
  ret_status->n_filters = jank_thread_find_n_filters (signals);
  return true;
}

bool
jank_thread_is_traced (JankThread *self)
{
  char text[4096];
  const char *tracer;

  jank_thread_read_file (self, FILE_STATUS, text, sizeof text);
  tracer = jank_thread_find_in_status (text, "\nTracerPid:\t");
  return tracer != NULL && atoi (tracer) != 0;
}

int64_t
jank_thread_read_cpu_ns (JankThread *self)
{
  int64_t cpu_ns = jank_clock_read_ns (self->info.cpu_clock);

  return cpu_ns > 0 ? cpu_ns : -1;
}

bool
jank_thread_read_turns (JankThread *self, JankThreadTurns *ret_turns)
{
  uint64_t words[3];
  char line[96], *end = line;

  *ret_turns = (JankThreadTurns) { .n_turns = 0 };
  jank_thread_read_file (self, FILE_SCHEDSTAT, line, sizeof line);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      const char *word = end;

      words[i] = strtoull (word, &end, 10); /* 860 instructions in all, sscanf() 2,880 */
      if (end == word)
        return false;
    }
  *ret_turns = (JankThreadTurns) { (int64_t) words[0], (int64_t) words[1], words[2] };
  return words[2] > 0;
}

int64_t
jank_thread_read_run_delay_ns (JankThread *self)
{
  JankThreadTurns turns;

  return jank_thread_read_turns (self, &turns) ? turns.run_delay_ns : -1;
}

/* The twelfth field of stat; the second, the name, may hold anything, also spaces and parentheses. */
static bool
jank_thread_read_n_major_faults (JankThread *self, uint64_t *ret_n)
{
  char line[512];
  const char *field;
  char *end;

  if (jank_thread_read_file (self, FILE_STAT, line, sizeof line) == 0)
    return false;
  field = strrchr (line, ')');
  for (unsigned i = 2; i < 12 && field != NULL; i++)
    field = strchr (field + 1, ' ');
  if (field == NULL)
    return false;
  *ret_n = strtoull (field, &end, 10);
  return end > field;
}

void
jank_thread_read_times (JankThread *self, JankThreadTimes *ret_times)
{
  JankThreadTimes times = { .at_ns = jank_clock_now_ns (), .cpu_ns = jank_thread_read_cpu_ns (self) };
  bool has_faults = jank_thread_read_n_major_faults (self, &times.n_major_faults);
  JankThreadTurns turns;

  times.run_delay_ns = jank_thread_read_turns (self, &turns) ? turns.run_delay_ns : -1;
  times.n_turns = turns.n_turns;
  times.known = times.cpu_ns >= 0 || times.run_delay_ns >= 0 || has_faults;
  *ret_times = times;
}

/* Whether these two took all the time since, but for what is not worth another read: the thread did not sleep. */
static bool
jank_thread_fills_time_since (const JankThreadTimes *times, const JankThreadTimes *last)
{
  int64_t elapsed_ns = times->at_ns - last->at_ns;

  return times->cpu_ns - last->cpu_ns +
      times->run_delay_ns - last->run_delay_ns >= elapsed_ns - elapsed_ns / NOISE_PART;
}

void
jank_thread_read_times_since (JankThread *self, const JankThreadTimes *last, const JankThreadTurns *turns,
                              JankThreadTimes *ret_times)
{
  JankThreadTimes times = *last;

  if (!last->known || last->n_turns == 0 || turns->n_turns == 0)
    {
      jank_thread_read_times (self, ret_times);
      return;
    }
  times.at_ns = jank_clock_now_ns ();
  times.cpu_ns = turns->cpu_ns;
  times.run_delay_ns = turns->run_delay_ns;
  times.n_turns = turns->n_turns;
  if (times.n_turns != last->n_turns && !jank_thread_fills_time_since (&times, last))
    jank_thread_read_n_major_faults (self, &times.n_major_faults);
  *ret_times = times;
}
