/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* staller hostile, the stacks that are not the usual one: very deep, a signal handler's own, a coroutine's. */

#include "staller-hostile.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define N_FRAMES 1200
#define FRAME_BYTES 256 /* at least 300 KB in all */
#define TURN_NS (200 * INT64_C (1000))
#define PAGE_BYTES 4096

extern guint64 hostile_recurse (guint n_left, guint64 *outer);

static atomic_llong n_handled;
static ucontext_t main_context, coroutine_context;
static gboolean coroutine_must_end;
static gint64 n_resumed;

/* A stack as small as the kernel's signal frames allow, between two pages that must not be touched. */
static void *
map_guarded_stack (gsize *ret_n_bytes)
{
  gsize n_bytes = (gsize) sysconf (_SC_MINSIGSTKSZ) + 12 * 1024;
  char *pages;

  n_bytes = (n_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  pages = mmap (NULL, n_bytes + 2 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect (pages + PAGE_BYTES, n_bytes, PROT_READ | PROT_WRITE) != 0)
    return NULL;
  *ret_n_bytes = n_bytes;
  return pages + PAGE_BYTES;
}

static void
unmap_guarded_stack (void *stack, gsize n_bytes)
{
  munmap ((char *) stack - PAGE_BYTES, n_bytes + 2 * PAGE_BYTES);
}

/* Every frame works on the array of the one outside it, so none can be left out. */
G_NO_INLINE guint64
hostile_recurse (guint n_left, guint64 *outer)
{
  guint64 frame[FRAME_BYTES / sizeof (guint64)];
  guint64 *mine = &frame[n_left % G_N_ELEMENTS (frame)];

  *mine = ++*outer;
  if (n_left == 0)
    stall_compute (TURN_NS);
  else
    hostile_recurse (n_left - 1, mine);
  return *mine;
}

gint64
hostile_recursion (gint64 until_ns)
{
  gint64 n_loops = 0;

  for (; now_ns () < until_ns; n_loops++)
    staller_sink += hostile_recurse (N_FRAMES, &staller_sink);
  return n_loops;
}

static void
altstack_handler (int signal_number)
{
  stall_compute (TURN_NS);
  atomic_fetch_add_explicit (&n_handled, 1, memory_order_relaxed);
}

gint64
hostile_altstack (gint64 until_ns)
{
  struct sigaction action = { .sa_handler = altstack_handler, .sa_flags = SA_ONSTACK | SA_RESTART };
  struct sigaction old_action;
  stack_t stack = { 0 }, old_stack;
  gint64 n_loops = 0;

  stack.ss_sp = map_guarded_stack (&stack.ss_size);
  if (stack.ss_sp == NULL || sigaltstack (&stack, &old_stack) != 0)
    return -1;
  sigaction (SIGUSR1, &action, &old_action);

  atomic_store_explicit (&n_handled, 0, memory_order_relaxed);
  for (; now_ns () < until_ns; n_loops++)
    raise (SIGUSR1);

  sigaction (SIGUSR1, &old_action, NULL);
  sigaltstack (&old_stack, NULL);
  unmap_guarded_stack (stack.ss_sp, stack.ss_size);
  return atomic_load_explicit (&n_handled, memory_order_relaxed) == n_loops ? n_loops : -1;
}

static void
coroutine_main (void)
{
  while (!coroutine_must_end)
    {
      stall_compute (TURN_NS);
      n_resumed++;
      swapcontext (&coroutine_context, &main_context);
    }
}

gint64
hostile_coroutine (gint64 until_ns)
{
  gsize n_bytes;
  void *stack = map_guarded_stack (&n_bytes);
  gint64 n_loops = 0;

  if (stack == NULL || getcontext (&coroutine_context) != 0)
    return -1;
  coroutine_context.uc_stack.ss_sp = stack;
  coroutine_context.uc_stack.ss_size = n_bytes;
  coroutine_context.uc_link = &main_context;
  makecontext (&coroutine_context, coroutine_main, 0);

  n_resumed = 0;
  coroutine_must_end = FALSE;
  for (; now_ns () < until_ns; n_loops++)
    swapcontext (&main_context, &coroutine_context);
  coroutine_must_end = TRUE;
  swapcontext (&main_context, &coroutine_context);
  unmap_guarded_stack (stack, n_bytes);
  return n_resumed == n_loops ? n_loops : -1;
}
