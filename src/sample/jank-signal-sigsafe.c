/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs inside the observed thread, at any instruction of it: copies, and nothing else. It calls only
 * clock_gettime(), which signal-safety(7) allows; a test holds this object's undefined symbols against
 * that list. Not instrumented by sanitizers: it reads live stack frames whole. */

#include "config.h"

#include "sample/jank-signal-sigsafe-private.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/jank-clock-private.h"

#if defined (__clang__)
#define NO_SANITIZE __attribute__ ((no_sanitize ("address", "thread", "undefined")))
#else
#define NO_SANITIZE __attribute__ ((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#endif

JankSignalSlot jank_signal_slot;

static const uint8_t greg_of_reg[JANK_N_REGS] = {
  REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11,
  REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

/* Inline: memcpy() is intercepted by sanitizers and by programs. */
NO_SANITIZE static inline void
copy_bytes (void *to, const void *from, uint64_t n_bytes)
{
  __asm__ volatile ("rep movsb" : "+D" (to), "+S" (from), "+c" (n_bytes) : : "memory");
}

/* Copies what is mapped, without a fault where the stack is not the one we know: a coroutine's. */
NO_SANITIZE static inline uint32_t
copy_foreign (void *to, uint64_t from, uint64_t n_bytes)
{
  struct { void *base; uint64_t length; } local = { to, n_bytes }, remote = { (void *) from, n_bytes };
  register long r10 __asm__ ("r10") = (long) &remote;
  register long r8 __asm__ ("r8") = 1;
  register long r9 __asm__ ("r9") = 0;
  long pid, n;

  __asm__ volatile ("syscall" : "=a" (pid) : "a" (SYS_getpid) : "rcx", "r11", "memory");
  __asm__ volatile ("syscall" : "=a" (n)
                    : "a" (SYS_process_vm_readv), "D" (pid), "S" (&local), "d" (1L), "r" (r10), "r" (r8), "r" (r9)
                    : "rcx", "r11", "memory");
  return n > 0 ? (uint32_t) n : 0;
}

/* Not beyond the mapping: the next one may be a file's, to be read from a disk. One that is not known is
 * younger than the ranges. */
NO_SANITIZE static inline uint64_t
bound_foreign (const JankStackRanges *ranges, uint64_t from, uint64_t sp)
{
  uint64_t end = ranges != NULL ? jank_stack_ranges_find_end (ranges, sp) : from + JANK_COPY_MAX_BYTES;

  if (end == 0)
    end = (sp | 4095) + 1;
  return end - from < JANK_COPY_MAX_BYTES ? end - from : JANK_COPY_MAX_BYTES;
}

NO_SANITIZE static inline void
copy_stack (JankSignalSlot *slot, uint64_t sp)
{
  uint64_t from = sp - JANK_RED_ZONE_BYTES;
  uint64_t n_bytes = JANK_COPY_MAX_BYTES;

  slot->copy.address = from;
  if (sp >= slot->stack_low && sp < slot->stack_base)
    {
      if (n_bytes > slot->stack_base - from)
        n_bytes = slot->stack_base - from;
      copy_bytes (slot->copy.bytes, (const void *) from, n_bytes);
      slot->copy.n_bytes = (uint32_t) n_bytes;
      slot->copy.base = slot->stack_base;
    }
  else
    {
      slot->copy.n_bytes = copy_foreign (slot->copy.bytes, from, bound_foreign (slot->ranges, from, sp));
      slot->copy.base = 0;
    }
}

/* Calls that signal(7) ends with EINTR even under SA_RESTART, and that may simply be made again. */
NO_SANITIZE static inline bool
may_restart (uint32_t number)
{
  switch (number)
    {
    case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6:
    case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_epoll_pwait2:
    case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_futex:
    case SYS_read: case SYS_write: case SYS_recvfrom: case SYS_recvmsg: case SYS_sendto: case SYS_sendmsg:
    case SYS_accept: case SYS_accept4: case SYS_connect: case SYS_wait4: case SYS_waitid:
    case SYS_semop: case SYS_semtimedop: case SYS_msgrcv: case SYS_msgsnd:
    case SYS_rt_sigtimedwait: case SYS_pause:
      return true;
    default:
      return false;
    }
}

/* The number of the call whose syscall instruction ends at pc. glibc's wrappers load it right before, `mov $number,%eax` or
 * for read() `xor %eax,%eax`; where they keep arguments on the stack while they enable cancellation, up to three loads
 * `mov disp8(%rsp),%reg` come in between: pselect(), epoll_pwait(), recvfrom(), sendto(), msgrcv() of a program that has
 * threads. Reads nothing beyond pc's page. */
NO_SANITIZE static inline bool
find_number (const uint8_t *pc, uint32_t *ret_number)
{
  const uint8_t *at = pc - 2;

  for (unsigned n_loads = 0; n_loads <= 3; n_loads++)
    {
      if (((uintptr_t) pc & 4095) < (uintptr_t) (pc - at) + 5)
        return false;
      if (at[-5] == 0xb8)
        {
          *ret_number = at[-4] | (uint32_t) at[-3] << 8 | (uint32_t) at[-2] << 16 | (uint32_t) at[-1] << 24;
          return true;
        }
      if (at[-2] == 0x31 && at[-1] == 0xc0)
        {
          *ret_number = 0;
          return true;
        }
      if (at[-4] != 0x8b || (at[-3] & 0xc7) != 0x44 || at[-2] != 0x24)
        return false;
      at -= (at[-5] & 0xf0) == 0x40 ? 5 : 4;
    }
  return false;
}

/* The watcher signals a thread only while it computes; in the microseconds until the signal arrives it may
 * enter a blocking call, which the signal then ends with EINTR. However late we are called, that call has
 * not waited. Put it back: the kernel leaves the arguments alone. */
NO_SANITIZE static inline bool
restart_interrupted (greg_t *gregs)
{
  const uint8_t *pc = (const uint8_t *) gregs[REG_RIP];
  uint32_t number;

  if (gregs[REG_RAX] != -EINTR || ((uintptr_t) pc & 4095) < 2 || pc[-2] != 0x0f || pc[-1] != 0x05)
    return false;
  if (!find_number (pc, &number) || !may_restart (number))
    return false;
  gregs[REG_RAX] = number;
  gregs[REG_RIP] -= 2;
  return true;
}

NO_SANITIZE static inline void
answer (JankSignalSlot *slot, ucontext_t *context)
{
  greg_t *gregs = context->uc_mcontext.gregs;

  slot->entered_ns = jank_clock_now_ns ();
  for (unsigned i = 0; i < JANK_N_REGS; i++)
    slot->copy.regs[i] = (uint64_t) gregs[greg_of_reg[i]];
  slot->copy.known = (1u << JANK_N_REGS) - 1;
  copy_stack (slot, (uint64_t) gregs[REG_RSP]);
  slot->restarted = restart_interrupted (gregs);
  slot->left_ns = jank_clock_now_ns ();
}

/* The thread pointer is what pthread_self() returns, without the call. */
NO_SANITIZE static inline bool
is_asked (const JankSignalSlot *slot)
{
  pthread_t self;
  long tid;

  if (slot->thread != 0)
    {
      __asm__ ("mov %%fs:0,%0" : "=r" (self));
      return slot->thread == self;
    }
  __asm__ volatile ("syscall" : "=a" (tid) : "a" (SYS_gettid) : "rcx", "r11", "memory");
  return slot->tid == tid;
}

NO_SANITIZE void
jank_signal_handler (int signal, siginfo_t *info, void *context)
{
  JankSignalSlot *slot = &jank_signal_slot;
  greg_t *gregs = ((ucontext_t *) context)->uc_mcontext.gregs;
  uint32_t state = JANK_SLOT_ASKED;

  if (!is_asked (slot))
    {
      /* Late, while another is asked. Somebody else's signal to the process may land on any thread. */
      if (info->si_code == SI_TKILL)
        restart_interrupted (gregs);
      return;
    }

  if (atomic_compare_exchange_strong_explicit (&slot->state, &state, JANK_SLOT_COPYING,
                                               memory_order_acquire, memory_order_acquire))
    {
      /* Between the first look and this the watcher may have given up and asked another. */
      bool still_asked = is_asked (slot);

      if (still_asked)
        answer (slot, context);
      else
        restart_interrupted (gregs);
      atomic_store_explicit (&slot->state, still_asked ? JANK_SLOT_DONE : JANK_SLOT_ASKED, memory_order_release);
    }
  else if (state == JANK_SLOT_GIVEN_UP)
    {
      restart_interrupted (gregs);
      atomic_compare_exchange_strong_explicit (&slot->state, &state, JANK_SLOT_EMPTY,
                                               memory_order_release, memory_order_relaxed);
    }
}
