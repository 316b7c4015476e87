/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every system call instruction of the C library's waiting functions, as if our signal had just ended it: the handler
 * puts each of them back, also those of programs with threads, and no other. No signal is sent. */

#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <glib.h>

#include "sample/jank-signal-sigsafe-private.h"

typedef struct
{
  const char *function;
  long        number;
} Form;

static const Form forms[] = {
  { "poll", SYS_poll }, { "ppoll", SYS_ppoll }, { "pselect", SYS_pselect6 }, { "epoll_wait", SYS_epoll_wait },
  { "epoll_pwait", SYS_epoll_pwait }, { "epoll_pwait2", SYS_epoll_pwait2 }, { "clock_nanosleep", SYS_clock_nanosleep },
  { "read", SYS_read }, { "write", SYS_write }, { "recv", SYS_recvfrom }, { "recvfrom", SYS_recvfrom },
  { "recvmsg", SYS_recvmsg }, { "send", SYS_sendto }, { "sendto", SYS_sendto }, { "sendmsg", SYS_sendmsg },
  { "accept", SYS_accept }, { "accept4", SYS_accept4 }, { "connect", SYS_connect }, { "wait4", SYS_wait4 },
  { "waitid", SYS_waitid }, { "semtimedop", SYS_semtimedop }, { "msgrcv", SYS_msgrcv }, { "msgsnd", SYS_msgsnd },
  { "sigtimedwait", SYS_rt_sigtimedwait }, { "pause", SYS_pause },
};

static gsize
find_code (const char *name, const guint8 **ret_code)
{
  void *libc = dlopen ("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  const ElfW (Sym) *symbol = NULL;
  Dl_info info;

  *ret_code = dlsym (libc, name);
  g_assert_nonnull (*ret_code);
  g_assert_true (dladdr1 (*ret_code, &info, (void **) &symbol, RTLD_DL_SYMENT) != 0);
  dlclose (libc);
  return symbol->st_size;
}

/* What the handler makes of a thread that stands right behind pc with result. */
static void
interrupt (const guint8 *pc, gint64 result, ucontext_t *context)
{
  siginfo_t info = { .si_code = SI_TKILL };

  memset (context, 0, sizeof *context);
  context->uc_mcontext.gregs[REG_RIP] = (greg_t) (guintptr) pc;
  context->uc_mcontext.gregs[REG_RAX] = result;
  jank_signal_slot.thread = 0;
  jank_signal_slot.tid = -1; /* somebody else is asked, we are late */
  jank_signal_handler (SIGRTMAX, &info, context);
}

static void
test_form (gconstpointer data)
{
  const Form *form = data;
  const guint8 *code;
  gsize n_bytes = find_code (form->function, &code);
  guint n_found = 0;

  for (const guint8 *pc = code + 2; pc <= code + n_bytes; pc++)
    {
      ucontext_t context;

      if (pc[-2] != 0x0f || pc[-1] != 0x05)
        continue;
      interrupt (pc, -EINTR, &context);
      if (context.uc_mcontext.gregs[REG_RIP] == (greg_t) (guintptr) pc)
        {
          g_test_message ("%s+%zu is not put back", form->function, (gsize) (pc - code));
          g_test_fail ();
          continue;
        }
      g_assert_cmpint (context.uc_mcontext.gregs[REG_RIP], ==, (greg_t) (guintptr) pc - 2);
      g_assert_cmpint (context.uc_mcontext.gregs[REG_RAX], ==, form->number);
      n_found++;

      /* One that ended by itself stays ended. */
      interrupt (pc, 1, &context);
      g_assert_cmpint (context.uc_mcontext.gregs[REG_RIP], ==, (greg_t) (guintptr) pc);
      g_assert_cmpint (context.uc_mcontext.gregs[REG_RAX], ==, 1);
    }
  g_assert_cmpuint (n_found, >=, 1);
}

/* Calls that must not be made twice. */
static void
test_others (void)
{
  static const char *const names[] = { "fsync", "chroot", "acct", "close", "ioctl" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const guint8 *code;
      gsize n_bytes = find_code (names[i], &code);

      for (const guint8 *pc = code + 2; pc <= code + n_bytes; pc++)
        if (pc[-2] == 0x0f && pc[-1] == 0x05)
          {
            ucontext_t context;

            interrupt (pc, -EINTR, &context);
            g_assert_cmpint (context.uc_mcontext.gregs[REG_RIP], ==, (greg_t) (guintptr) pc);
          }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sample/restart-forms/%s", forms[i].function);

      g_test_add_data_func (path, &forms[i], test_form);
    }
  g_test_add_func ("/sample/restart-forms/others", test_others);
  return g_test_run ();
}
