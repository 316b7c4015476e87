/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Run twice: with libunwind, and as "strange" where LD_LIBRARY_PATH leads to a library of that name without its
 * functions. */

#include <dlfcn.h>
#include <string.h>

#include "base/jank-error.h"
#include "base/jank-memory-private.h"
#include "unwind/jank-unwinder-private.h"

#if defined (__x86_64__)
#define LIBRARY "libunwind-x86_64.so.8"
#else
#define LIBRARY "libunwind-aarch64.so.8"
#endif

/* In the program's own scope, libunwind would handle the exceptions of the program. */
static void
test_scope (void)
{
  const char *const names[] =
      { "_Unwind_RaiseException", "_Unwind_Backtrace", "_Unwind_Resume", "backtrace", "unw_step",
        "_Ux86_64_init_remote", "_Ux86_64_init_local", "_Uaarch64_init_remote",
        "_Uaarch64_init_local" };
  void *before[G_N_ELEMENTS (names)];

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    before[i] = dlsym (RTLD_DEFAULT, names[i]);
  jank_unwinder_prepare ();
  g_assert_nonnull (dlopen (LIBRARY, RTLD_NOW | RTLD_NOLOAD));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_true (dlsym (RTLD_DEFAULT, names[i]) == before[i]);
}

static G_GNUC_NO_INLINE JankStack *
unwind_self (JankUnwinder *unwinder)
{
  g_autofree JankStackCopy *copy = g_new0 (JankStackCopy, 1);

  copy->regs[JANK_REG_PC] = (guintptr) unwind_self + 1;
  copy->regs[JANK_REG_SP] = (guintptr) __builtin_frame_address (0) + 8;
  copy->known = JANK_REG_BIT (JANK_REG_PC) | JANK_REG_BIT (JANK_REG_SP);
  copy->address = copy->regs[JANK_REG_SP];
  copy->n_bytes = 4096;
  if (!jank_memory_read_all (copy->address, copy->bytes, copy->n_bytes))
    copy->n_bytes = 8;
  return jank_unwinder_run (unwinder, copy);
}

static void
test_strange (void)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankUnwinder) unwinder = jank_unwinder_new (map);
  g_autoptr (JankStack) stack = NULL;

  g_assert_error (jank_unwinder_get_error (unwinder), JANK_ERROR, JANK_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (jank_unwinder_get_error (unwinder)->message, "create_addr_space"));
  stack = unwind_self (unwinder);
  g_assert_cmpuint (stack->n_calls, ==, 1);
  g_assert_cmpuint (stack->calls[0].function, ==, (guintptr) unwind_self);
  g_assert_false (stack->complete);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc > 1 && strcmp (argv[1], "strange") == 0)
    g_test_add_func ("/unwind/libunwind/strange", test_strange);
  else
    g_test_add_func ("/unwind/libunwind/scope", test_scope);
  return g_test_run ();
}
