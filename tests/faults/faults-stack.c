/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stacks with next to no room, and an address space with next to no mapping left. */

#include "faults.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define N_MAPPINGS 60000

/* Of a coroutine that computes in a call or two. */
#define CALLS_BYTES 1024
/* What is below a stack, and would be written to by what does not fit on it. */
#define GUARD_BYTES 4096
#define GUARD_BYTE  0x5a

static ucontext_t caller, callee;

static void
compute_only (void)
{
  for (;;)
    {
      faults_compute (1000);
      swapcontext (&callee, &caller);
    }
}

static guint
compute_on (gsize n_bytes)
{
  g_autofree guint8 *memory = g_malloc (GUARD_BYTES + n_bytes);
  guint n_damaged = 0;

  memset (memory, GUARD_BYTE, GUARD_BYTES);
  getcontext (&callee);
  callee.uc_stack.ss_sp = memory + GUARD_BYTES;
  callee.uc_stack.ss_size = n_bytes;
  makecontext (&callee, compute_only, 0);
  for (guint i = 0; i < faults_n_rounds; i++)
    swapcontext (&caller, &callee);
  for (guint i = 0; i < GUARD_BYTES; i++)
    n_damaged += memory[i] != GUARD_BYTE;
  return n_damaged;
}

/* The smallest on which this processor's signals can be taken at all, and more. */
static void
small_stacks (void)
{
  const gsize least = (gsize) sysconf (_SC_MINSIGSTKSZ) + CALLS_BYTES;
  const gsize sizes[] = { 32768, 16384, MAX (8192, least), least };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    printf ("%zu bytes: %u damaged\n", sizes[i], compute_on (sizes[i]));
}

static volatile sig_atomic_t n_ticks;

static void
tick_cb (int number)
{
  n_ticks++;
  for (volatile guint i = 0; i < 100000; i++)
    ;
}

/* A handler that computes on the least stack that the kernel promises to be enough, in the middle of a stall. */
static void
alternate_minimum (void)
{
  const gsize n_bytes = (gsize) sysconf (_SC_MINSIGSTKSZ);
  g_autofree guint8 *memory = g_malloc (GUARD_BYTES + n_bytes);
  const stack_t alternate = { .ss_sp = memory + GUARD_BYTES, .ss_size = n_bytes }, none = { .ss_flags = SS_DISABLE };
  struct sigaction action = { .sa_handler = tick_cb, .sa_flags = SA_ONSTACK };
  const struct itimerval every = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
  guint n_damaged = 0;

  memset (memory, GUARD_BYTE, GUARD_BYTES);
  printf ("%d ", sigaltstack (&alternate, NULL));
  sigfillset (&action.sa_mask);
  sigaction (SIGALRM, &action, NULL);
  setitimer (ITIMER_REAL, &every, NULL);
  faults_compute (10000 * (gint64) faults_n_rounds);
  setitimer (ITIMER_REAL, &never, NULL);
  signal (SIGALRM, SIG_IGN);
  printf ("%d ", sigaltstack (&none, NULL));
  for (guint i = 0; i < GUARD_BYTES; i++)
    n_damaged += memory[i] != GUARD_BYTE;
  printf ("%d, %u damaged\n", n_ticks > 0, n_damaged);
}

/* Each second page has another protection, so the kernel merges none. */
static void
mappings (void)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  guint8 *memory = mmap (NULL, N_MAPPINGS * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  guint n_failed = 0;

  for (guint i = 0; i < N_MAPPINGS; i += 2)
    n_failed += mprotect (memory + i * page, page, PROT_NONE) != 0;
  faults_compute (50000 * (gint64) faults_n_rounds);
  printf ("%u failed\n", n_failed);
  munmap (memory, N_MAPPINGS * page);
}

const FaultsCase faults_stacks[] = {
  { "small-stacks", small_stacks }, { "alternate-minimum", alternate_minimum }, { "mappings", mappings },
      { NULL, NULL },
};
