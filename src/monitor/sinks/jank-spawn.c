/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two clones. The first has no exit signal, so only our wait with __WCLONE finds it. It executes nothing, since execve()
 * would make SIGCHLD its exit signal: it starts the second clone and ends, and init inherits the second. Both share our
 * memory while we stand still, as in vfork(): no page table of the program is copied. */

#include "config.h"

#include "monitor/sinks/jank-spawn-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"

#define STACK_BYTES  (64 * 1024) /* of each */
#define FIRST_CLOSED 3

/* The clones run on our memory: a sanitizer must not instrument them. */
#ifdef __clang__
#define NO_SANITIZE __attribute__ ((no_sanitize ("address", "thread", "undefined")))
#else
#define NO_SANITIZE __attribute__ ((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#endif

/* glibc's clone() by its other name: under its own, the thread sanitizer takes it for a fork. */
extern int __clone (int (*func) (void *), void *stack, int flags, void *data, ...);

typedef struct
{
  const char *const *argv;
  const char *const *envp;
  char              *stack; /* of the second */
  int                error; /* errno, 0: it runs */
} Start;

static G_GNUC_NORETURN void
leave (int status)
{
  for (;;)
    syscall (SYS_exit_group, status);
}

/* Signals that the program ignores would stay ignored in the command. System calls, because the C library's records
 * are the program's. */
static void
reset_signals (void)
{
  static const unsigned long by_default[4];  /* the kernel's struct sigaction, with SIG_DFL */
  static const unsigned long none;

  for (int number = 1; number < NSIG; number++)
    syscall (SYS_rt_sigaction, number, by_default, NULL, sizeof none);
  syscall (SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
}

/* Nothing here may allocate or take a lock: this is our own memory. */
static NO_SANITIZE int
second_cb (void *data)
{
  Start *start = data;
  int fd;

  setsid ();
  fd = open ("/dev/null", O_RDWR);
  if (fd < 0)
    {
      start->error = errno;
      leave (1);
    }
  for (int i = 0; i < FIRST_CLOSED; i++)
    dup2 (fd, i);
  syscall (SYS_close_range, FIRST_CLOSED, ~0U, 0);
  reset_signals ();
  execve (start->argv[0], (char *const *) start->argv, (char *const *) start->envp);
  start->error = errno;
  leave (1);
}

static NO_SANITIZE int
first_cb (void *data)
{
  Start *start = data;

  if (__clone (second_cb, start->stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, start) < 0)
    start->error = errno;
  leave (0);
}

gboolean
jank_spawn (const char *const *argv, const char *const *envp, GError **error)
{
  Start start = { argv, envp, NULL, 0 };
  char *stacks = mmap (NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  pid_t pid;

  if (stacks == MAP_FAILED)
    start.error = errno;
  else
    {
      start.stack = stacks;
      pid = __clone (first_cb, stacks + 2 * STACK_BYTES, CLONE_VM | CLONE_VFORK, &start);
      if (pid < 0)
        start.error = errno;
      else
        while (waitpid (pid, NULL, __WCLONE) < 0 && errno == EINTR)
          ;
      munmap (stacks, 2 * STACK_BYTES);
    }
  if (start.error == 0)
    return TRUE;
  g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Could not run “%s”: %s"), argv[0], g_strerror (start.error));
  return FALSE;
}

char *
jank_spawn_find (const char *name, const char *path)
{
  g_auto (GStrv) folders = NULL;

  if (strchr (name, G_DIR_SEPARATOR) != NULL)
    return g_canonicalize_filename (name, NULL);
  folders = g_strsplit (path != NULL ? path : "/bin:/usr/bin", G_SEARCHPATH_SEPARATOR_S, -1);
  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *file = g_build_filename (folders[i], name, NULL);

      if (g_path_is_absolute (file) && g_file_test (file, G_FILE_TEST_IS_EXECUTABLE) &&
          !g_file_test (file, G_FILE_TEST_IS_DIR))
        return g_steal_pointer (&file);
    }
  return NULL;
}
