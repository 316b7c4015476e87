/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the kernel says of one thread of this process, through files in /proc opened once. Nothing here
 * touches the thread. Watcher thread only, except jank_thread_describe_self(). */

#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Who the observed thread is; plain data, filled on that thread. */
typedef struct
{
  pid_t     tid;
  pthread_t pthread;
  clockid_t cpu_clock;
  uint64_t  stack_low;  /* lowest address that may be the thread's stack */
  uint64_t  stack_base; /* highest, exclusive */
} JankThreadInfo;

typedef enum
{
  JANK_SYSCALL_UNKNOWN, /* the kernel does not tell, or the thread is gone */
  JANK_SYSCALL_RUNNING, /* runs, or could */
  JANK_SYSCALL_BLOCKED,
} JankSyscallKind;

/* A line of /proc/self/task/TID/syscall. */
typedef struct
{
  JankSyscallKind kind;
  long         number; /* -1: blocked outside a system call, such as in a page fault */
  uint64_t     args[6];
  uint64_t     sp, pc;
  uint64_t     n_switches; /* how often the thread was given a CPU, 0 unknown; distinguishes one call from the next */
} JankSyscall;

/* What the scheduler has given a thread since it began; while it runs, the CPU time lags a tick behind. */
typedef struct
{
  int64_t  cpu_ns;
  int64_t  run_delay_ns; /* runnable without a CPU */
  uint64_t n_turns;      /* how often it was given a CPU; 0: nothing is known */
} JankThreadTurns;

/* What a thread did at a moment, or between two. */
typedef enum
{
  JANK_STATE_UNKNOWN,
  JANK_STATE_COMPUTING,
  JANK_STATE_PREEMPTED,  /* could run, had no CPU */
  JANK_STATE_PAGE_FAULT, /* waited for memory from disk */
  JANK_STATE_BLOCKED,
  JANK_N_STATES
} JankThreadState;

/* Counters of a thread since it began; differences of two readings tell what it did in between. */
typedef struct
{
  int64_t  at_ns;          /* CLOCK_MONOTONIC, when read */
  int64_t  cpu_ns;         /* on a CPU; -1 unknown */
  int64_t  run_delay_ns;   /* runnable without a CPU; -1 unknown */
  uint64_t n_turns;        /* how often it was given a CPU; 0 unknown */
  uint64_t n_major_faults;
  bool     known;          /* false: nothing could be read */
} JankThreadTimes;

typedef struct _JankThread JankThread;

/* The CPU clock of any thread of this process, which fails when it is gone: what pthread_getcpuclockid() makes. */
static inline clockid_t
jank_cpu_clock_of (pid_t tid)
{
  return (clockid_t) (~(unsigned) tid << 3 | 6);
}

/* Of any process: what clock_getcpuclockid() makes. */
static inline clockid_t
jank_cpu_clock_of_process (pid_t pid)
{
  return (clockid_t) (~(unsigned) pid << 3 | 2);
}

/* On the thread itself. */
void        jank_thread_describe_self (JankThreadInfo *ret_info);

/* task_folder: "/proc/self/task", or a stand-in. Never NULL. */
JankThread *jank_thread_new           (const JankThreadInfo *info, const char *task_folder);
void        jank_thread_free          (JankThread *self);
const JankThreadInfo *jank_thread_get_info (JankThread *self);

/* False when this kernel or sandbox does not tell calls; then ret_errno says why, if not NULL. */
bool        jank_thread_can_read_syscall (JankThread *self, int *ret_errno);

void        jank_thread_read_syscall     (JankThread *self, JankSyscall *ret_call);
/* The same, of a thread whose turns were read just before. */
void        jank_thread_read_syscall_after (JankThread *self, const JankThreadTurns *turns, JankSyscall *ret_call);
/* Whether the thread still sleeps in that call, and has all the time. */
bool        jank_thread_is_still_in   (JankThread *self, const JankSyscall *call);
bool        jank_thread_is_same_syscall  (const JankSyscall *a, const JankSyscall *b);
/* The same number, arguments and stack pointer; the thread may have woken and slept again in between. */
bool        jank_thread_is_same_place (const JankSyscall *a, const JankSyscall *b);

typedef struct
{
  uint64_t pending_signals; /* of this thread alone; bit n - 1: signal n */
  uint64_t blocked_signals;
  uint64_t n_sleeps;        /* how often the thread has gone to sleep */
  int      n_filters;       /* of seccomp, for its system calls; -1: unknown, or hardly any call is allowed */
} JankThreadStatus;

/* False when it cannot be told. */
bool        jank_thread_read_status   (JankThread *self, JankThreadStatus *ret_status);

/* CPU time, ns; -1 when the thread is gone. */
int64_t     jank_thread_read_cpu_ns   (JankThread *self);

/* Nothing on the thread; at most 25 µs. */
void        jank_thread_read_times    (JankThread *self, JankThreadTimes *ret_times);

/* The same, but counts faults only where there may have been some: a thread that waits for the disk sleeps, and is
 * given a CPU again. turns: of just now; unknown: all is read. */
void        jank_thread_read_times_since (JankThread *self, const JankThreadTimes *last, const JankThreadTurns *turns,
                                          JankThreadTimes *ret_times);

/* False when it cannot be told; then n_turns is 0. */
bool        jank_thread_read_turns      (JankThread *self, JankThreadTurns *ret_turns);

/* Time runnable without a CPU since the thread began, ns; -1 unknown. */
int64_t     jank_thread_read_run_delay_ns (JankThread *self);

/* Whether a debugger or tracer is attached to the process. */
bool        jank_thread_is_traced     (JankThread *self);

/* Parses one line of /proc/PID/syscall. False when it is none. */
bool        jank_syscall_parse           (const char *line, JankSyscall *ret_call);
