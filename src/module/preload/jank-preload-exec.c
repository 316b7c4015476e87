/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program that people mean often stands behind others: env, timeout, a shell's script, xvfb-run. So each process
 * on the way preloads the library into what it starts, by an environment made for that call alone: no program ever
 * sees the variable in its own. A process that has GLib is a program, not a wrapper: its children start as without
 * us.
 *
 * These functions may run between vfork() and exec(), so they write to nothing but their own stack. */

#include "jank-preload-private.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jank-preload-strict-private.h"
#include "jank-preload-target-private.h"

#define PRELOAD   "LD_PRELOAD="
#define ASKED     "JANKWATCH=1"
#define STARTER   "DBUS_STARTER_ADDRESS=" /* the bus says so to the services that it starts */
#define SHELL     "/bin/sh"
#define MAX_BYTES 65536                   /* of an environment's pointers, on somebody else's stack */

typedef int ExecFunc (const char *, char *const[], char *const[]);
typedef int SpawnFunc (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                       char *const[], char *const[]);
typedef int SystemFunc (const char *);
typedef FILE *PopenFunc (const char *, const char *);

/* Set before main(). */
static char library[PATH_MAX]; /* empty: not passed on */
static void *_Atomic next_execve, *_Atomic next_execvpe, *_Atomic next_spawn, *_Atomic next_spawnp;
static void *_Atomic next_system, *_Atomic next_popen;

static const char *
jank_preload_exec_find_variable (char *const *envp, const char *start)
{
  size_t n = strlen (start);

  for (; envp != NULL && *envp != NULL; envp++)
    if (strncmp (*envp, start, n) == 0)
      return *envp;
  return NULL;
}

/* Not by the loader: in a child its lock may never be released. */
static bool
jank_preload_exec_has_glib (void)
{
  static const char *const glib[] = { "/libglib-2.0.so.", NULL };
  long fd = syscall (SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  bool has = fd < 0 || jank_preload_file_has ((int) fd, 0, UINT64_MAX, glib);

  if (fd >= 0)
    syscall (SYS_close, fd);
  return has;
}

/* What it starts is a process of its own. */
static bool
jank_preload_exec_is_parent_wrapper (void)
{
  return !jank_preload_is_over () && !jank_preload_exec_has_glib ();
}

/* What it starts takes its place, unless it is a fork. */
static bool
jank_preload_exec_is_wrapper (void)
{
  return jank_preload_is_here () || jank_preload_exec_is_parent_wrapper ();
}

/* Returns: what jank_preload_exec_pass_on() needs; 0: the environment stays as it is */
static size_t
jank_preload_exec_room_for (const char *file, bool by_path, char *const *envp)
{
  char path[PATH_MAX];
  size_t n_bytes = sizeof PRELOAD + strlen (library) + 1;

  if (*library == '\0' || file == NULL || jank_preload_exec_find_variable (envp, ASKED) == NULL)
    return 0;
  if (jank_preload_exec_find_variable (envp, STARTER) != NULL &&
      jank_preload_exec_find_variable (environ, STARTER) == NULL)
    return 0;
  if (by_path)
    file = jank_preload_target_find (file, path);
  if (file == NULL || jank_preload_target_look (file) != JANK_PRELOAD_TARGET_FINE ||
      syscall (SYS_faccessat, AT_FDCWD, library, R_OK) != 0)
    return 0;
  for (; *envp != NULL; envp++)
    n_bytes += sizeof *envp + (strncmp (*envp, PRELOAD, strlen (PRELOAD)) == 0 ? strlen (*envp) : 0);
  n_bytes += 2 * sizeof *envp;
  return n_bytes <= MAX_BYTES ? n_bytes : 0;
}

/* Returns: envp with the library preloaded, in room. The loader uses the last of several variables. */
static char **
jank_preload_exec_pass_on (void *room, char *const *envp)
{
  char **passed = room, **preload = NULL;
  size_t n = 0;
  char *end;

  for (; envp[n] != NULL; n++)
    {
      passed[n] = envp[n];
      if (strncmp (envp[n], PRELOAD, strlen (PRELOAD)) == 0)
        preload = &passed[n];
    }
  passed[n + 1] = NULL;
  end = stpcpy (stpcpy ((char *) &passed[n + 2], PRELOAD), library);
  if (preload != NULL)
    stpcpy (stpcpy (end, ":"), *preload + strlen (PRELOAD));
  else
    preload = &passed[n];
  passed[n] = NULL;
  *preload = (char *) &passed[n + 2];
  return passed;
}

/* On the caller's own stack: it must be there until the call. */
#define PASS_ON(envp, file, by_path, is_wrapper) \
  do \
    { \
      int saved_errno = errno; \
      size_t n_bytes = (is_wrapper) ? jank_preload_exec_room_for (file, by_path, envp) : 0; \
      if (n_bytes > 0) \
        envp = jank_preload_exec_pass_on (alloca (n_bytes), envp); \
      errno = saved_errno; \
    } \
  while (0)

static int
jank_preload_exec_file (const char *path, char *const argv[], char *const envp[])
{
  ExecFunc *next = jank_preload_next (&next_execve, "execve");

  PASS_ON (envp, path, false, jank_preload_exec_is_wrapper ());
  return next (path, argv, envp);
}

static int
jank_preload_exec_command (const char *file, char *const argv[], char *const envp[])
{
  ExecFunc *next = jank_preload_next (&next_execvpe, "execvpe");

  PASS_ON (envp, file, true, jank_preload_exec_is_wrapper ());
  return next (file, argv, envp);
}

EXPORT int
execve (const char *path, char *const argv[], char *const envp[])
{
  return jank_preload_exec_file (path, argv, envp);
}

EXPORT int
execv (const char *path, char *const argv[])
{
  return jank_preload_exec_file (path, argv, environ);
}

EXPORT int
execvpe (const char *file, char *const argv[], char *const envp[])
{
  return jank_preload_exec_command (file, argv, envp);
}

EXPORT int
execvp (const char *file, char *const argv[])
{
  return jank_preload_exec_command (file, argv, environ);
}

static size_t
jank_preload_exec_count (va_list list)
{
  size_t n = 0;

  while (va_arg (list, const char *) != NULL)
    n++;
  return n;
}

/* The arguments after first, and the pointer behind them, as exec()'s array. */
#define COLLECT(argv, first, list) \
  do \
    { \
      size_t n_arguments; \
      va_start (list, first); \
      n_arguments = jank_preload_exec_count (list); \
      va_end (list); \
      argv = alloca ((n_arguments + 2) * sizeof *argv); \
      va_start (list, first); \
      argv[0] = (char *) first; \
      for (size_t i = 1; i <= n_arguments + 1; i++) \
        argv[i] = va_arg (list, char *); \
    } \
  while (0)

EXPORT int
execl (const char *path, const char *first, ...)
{
  va_list list;
  char **argv;

  COLLECT (argv, first, list);
  va_end (list);
  return jank_preload_exec_file (path, argv, environ);
}

EXPORT int
execlp (const char *file, const char *first, ...)
{
  va_list list;
  char **argv;

  COLLECT (argv, first, list);
  va_end (list);
  return jank_preload_exec_command (file, argv, environ);
}

EXPORT int
execle (const char *path, const char *first, ...)
{
  va_list list;
  char **argv, **envp;

  COLLECT (argv, first, list);
  envp = va_arg (list, char **);
  va_end (list);
  return jank_preload_exec_file (path, argv, envp);
}

EXPORT int
posix_spawn (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
             const posix_spawnattr_t *restrict attributes, char *const argv[restrict], char *const envp[restrict])
{
  SpawnFunc *next = jank_preload_next (&next_spawn, "posix_spawn");

  PASS_ON (envp, path, false, jank_preload_exec_is_parent_wrapper ());
  return next (pid, path, actions, attributes, argv, envp);
}

EXPORT int
posix_spawnp (pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *restrict actions,
              const posix_spawnattr_t *restrict attributes, char *const argv[restrict], char *const envp[restrict])
{
  SpawnFunc *next = jank_preload_next (&next_spawnp, "posix_spawnp");

  PASS_ON (envp, file, true, jank_preload_exec_is_parent_wrapper ());
  return next (pid, file, actions, attributes, argv, envp);
}

/* These start a shell with the process's environment, which is exchanged meanwhile if no other thread can see that. */

static bool
jank_preload_exec_is_lone_wrapper (void)
{
  return __libc_single_threaded && jank_preload_exec_is_parent_wrapper ();
}

/* Whoever reads from popen()'s stream waits for that child, too. */
static inline __attribute__ ((always_inline)) JankPreloadCall
jank_preload_exec_begin_shell (const char *function, const char *line, const void *caller)
{
  return line == NULL ? (JankPreloadCall) { 0 }
                      : jank_preload_strict_begin (&(JankStrictCall) { JANK_STRICT_CHILD, function, line, -1, caller });
}

EXPORT int
system (const char *line)
{
  SystemFunc *next = jank_preload_next (&next_system, "system");
  JankPreloadCall call = jank_preload_exec_begin_shell ("system", line, __builtin_return_address (0));
  char **before = environ, **envp = environ;
  int status;

  PASS_ON (envp, line != NULL ? SHELL : NULL, false, jank_preload_exec_is_lone_wrapper ());
  if (envp == before && call.site == 0)
    return next (line);
  environ = envp;
  status = next (line);
  environ = before;
  jank_preload_strict_end (call);
  return status;
}

EXPORT FILE *
popen (const char *line, const char *type)
{
  PopenFunc *next = jank_preload_next (&next_popen, "popen");
  JankPreloadCall call = jank_preload_exec_begin_shell ("popen", line, __builtin_return_address (0));
  char **before = environ, **envp = environ;
  FILE *stream;

  PASS_ON (envp, SHELL, false, jank_preload_exec_is_lone_wrapper ());
  if (envp == before && call.site == 0)
    return next (line, type);
  environ = envp;
  stream = next (line, type);
  environ = before;
  jank_preload_strict_end (call);
  return stream;
}

/* Takes our name off the front of the variable. Returns whether nothing is left of it. */
static bool
jank_preload_exec_restore (char *value)
{
  size_t n = strlen (library);

  if (strncmp (value, library, n) != 0)
    return false;
  if (value[n] == '\0')
    return true;
  if (value[n] == ':')
    memmove (value, value + n + 1, strlen (value + n + 1) + 1);
  return false;
}

/* Before main(): takes the library out of the environment, which the program then sees as without us. */
static void
jank_preload_exec_take_over (char **envp)
{
  static const struct { void *_Atomic *slot; const char *name; } functions[] = {
    { &next_execve, "execve" }, { &next_execvpe, "execvpe" }, { &next_spawn, "posix_spawn" },
    { &next_spawnp, "posix_spawnp" }, { &next_system, "system" }, { &next_popen, "popen" },
  };
  Dl_info info;
  char **kept = envp;

  if (dladdr (library, &info) == 0 || strlen (info.dli_fname) >= sizeof library)
    return;
  strcpy (library, info.dli_fname);
  for (; *envp != NULL; envp++)
    if (strncmp (*envp, PRELOAD, strlen (PRELOAD)) != 0 || !jank_preload_exec_restore (*envp + strlen (PRELOAD)))
      *kept++ = *envp;
  *kept = NULL;
  if (!jank_preload_is_here ())
    *library = '\0';
  for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++)
    jank_preload_next (functions[i].slot, functions[i].name);
}

__attribute__ ((constructor)) static void
jank_preload_exec_begin (int argc, char **argv, char **envp)
{
  jank_preload_begin ();
  jank_preload_holders_begin ();
  jank_preload_strict_prepare ();
  jank_preload_exec_take_over (envp);
}
