/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names and arguments of system calls, on this machine and, by its table of numbers, on arm64; functions of
 * libraries. */

#include <dlfcn.h>
#include <sys/syscall.h>
#include <glib.h>

#include "wait/jank-syscall-shape-private.h"
#include "elf/jank-exports-private.h"
#include "proc/jank-syscalls-private.h"

/* const char *const syscall_names[] of arm64, by number */
#include "arm64-syscalls-table.h"
#include "test.h"

typedef struct
{
  guint       number;
  const char *name;
  JankShape   shape;
} Known;

TEST (host)
{
  static const Known all[] = {
    { SYS_read, "read", JANK_SHAPE_READ },       { SYS_futex, "futex", JANK_SHAPE_FUTEX },
    { SYS_openat, "openat", JANK_SHAPE_OPEN },   { SYS_wait4, "wait4", JANK_SHAPE_WAIT4 },
    { SYS_sendto, "sendto", JANK_SHAPE_WRITE },  { SYS_getpid, "getpid", JANK_SHAPE_OTHER },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autofree char *text = jank_syscall_to_text ((gint) all[i].number);

      g_assert_cmpstr (text, ==, all[i].name);
      g_assert_cmpstr (jank_syscall_get_name ((gint) all[i].number), ==, all[i].name);
      g_assert_cmpint (jank_syscall_shape_find (all[i].name)->shape, ==, all[i].shape);
    }
}

TEST (unknown)
{
  static const gint numbers[] = { -1, -2, 4000, 100000, G_MAXINT, G_MININT };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *text = jank_syscall_to_text (numbers[i]);
      g_autofree char *digits = g_strdup_printf ("%d", numbers[i]);

      g_assert_cmpstr (text, ==, digits);
      g_assert_null (jank_syscall_get_name (numbers[i]));
    }
  g_assert_cmpint (jank_syscall_shape_find (NULL)->shape, ==, JANK_SHAPE_OTHER);
  g_assert_cmpint (jank_syscall_shape_find ("")->shape, ==, JANK_SHAPE_OTHER);
  g_assert_cmpint (jank_syscall_shape_find ("zzz")->shape, ==, JANK_SHAPE_OTHER);
}

/* As in the Linux user manual of that architecture. */
TEST (arm64)
{
  static const Known all[] = {
    { 25, "fcntl", JANK_SHAPE_FCNTL },        { 29, "ioctl", JANK_SHAPE_IOCTL },
    { 32, "flock", JANK_SHAPE_FD },           { 56, "openat", JANK_SHAPE_OPEN },
    { 61, "getdents64", JANK_SHAPE_READ },    { 63, "read", JANK_SHAPE_READ },
    { 64, "write", JANK_SHAPE_WRITE },        { 67, "pread64", JANK_SHAPE_READ },
    { 71, "sendfile", JANK_SHAPE_COPY },      { 72, "pselect6", JANK_SHAPE_PSELECT },
    { 73, "ppoll", JANK_SHAPE_PPOLL },        { 22, "epoll_pwait", JANK_SHAPE_EPOLL },
    { 78, "readlinkat", JANK_SHAPE_OPEN },    { 79, "newfstatat", JANK_SHAPE_OPEN },
    { 80, "fstat", JANK_SHAPE_FD },           { 82, "fsync", JANK_SHAPE_FD },
    { 83, "fdatasync", JANK_SHAPE_FD },       { 95, "waitid", JANK_SHAPE_WAITID },
    { 98, "futex", JANK_SHAPE_FUTEX },        { 101, "nanosleep", JANK_SHAPE_SLEEP },
    { 115, "clock_nanosleep", JANK_SHAPE_CLOCK_SLEEP }, { 202, "accept", JANK_SHAPE_READ },
    { 203, "connect", JANK_SHAPE_CONNECT },   { 206, "sendto", JANK_SHAPE_WRITE },
    { 207, "recvfrom", JANK_SHAPE_READ },     { 211, "sendmsg", JANK_SHAPE_WRITE },
    { 212, "recvmsg", JANK_SHAPE_READ },      { 260, "wait4", JANK_SHAPE_WAIT4 },
    { 276, "renameat2", JANK_SHAPE_OPEN },    { 291, "statx", JANK_SHAPE_OPEN },
    { 441, "epoll_pwait2", JANK_SHAPE_EPOLL2 }, { 449, "futex_waitv", JANK_SHAPE_FUTEX_WAITV },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_assert_cmpuint (all[i].number, <, G_N_ELEMENTS (syscall_names));
      g_assert_cmpstr (syscall_names[all[i].number], ==, all[i].name);
      g_assert_cmpint (jank_syscall_shape_find (all[i].name)->shape, ==, all[i].shape);
    }
}

static guint64
find_link_map (gconstpointer address)
{
  struct dl_find_object found;

  g_assert_cmpint (_dl_find_object ((gpointer) address, &found), ==, 0);
  return (guintptr) found.dlfo_link_map;
}

/* What the loader would answer, read from memory. */
TEST (exports)
{
  static const char *const names[] = { "g_mutex_lock", "g_main_loop_run", "g_strdup", "g_once_init_enter" };
  gpointer library = dlopen ("libglib-2.0.so.0", RTLD_NOW | RTLD_NOLOAD);
  JankExport found[4];
  JankExports exports;

  g_assert_nonnull (library);
  g_assert_true (jank_exports_open (find_link_map (dlsym (library, "g_strdup")), &exports));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_assert_cmpuint (jank_exports_find (&exports, names[i], found, G_N_ELEMENTS (found)), ==, 1);
      g_assert_cmpuint (found[0].address, ==, (guintptr) dlsym (library, names[i]));
      g_assert_cmpuint (found[0].n_bytes, >, 0);
    }
  g_assert_cmpuint (jank_exports_find (&exports, "g_no_such_function", found, 4), ==, 0);
  g_assert_cmpuint (jank_exports_find (&exports, "", found, 4), ==, 0);
  g_assert_cmpuint (jank_exports_find (&exports, "malloc", found, 4), ==, 0);
  g_assert_cmpuint (jank_exports_find (&exports, "glib_major_version", found, 4), ==, 0);
  dlclose (library);
}

TEST (exports_bad)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (4);
  guint64 words[512] = { 0 };
  JankExport found[4];
  JankExports exports;

  g_assert_false (jank_exports_open (0, &exports));
  g_assert_false (jank_exports_open (G_MAXUINT64 - 7, &exports));
  g_assert_false (jank_exports_open ((guintptr) words, &exports));
  for (guint i = 0; i < 2000; i++)
    {
      /* Tables of a library anywhere in memory that holds anything. */
      for (guint k = 0; k < G_N_ELEMENTS (words); k++)
        words[k] = g_rand_int (random) >> g_rand_int_range (random, 0, 32);
      exports = (JankExports) { g_rand_int (random), (guintptr) words, (guintptr) words, (guintptr) words,
                                (guintptr) words, 1 + g_rand_int (random) % 4096, g_rand_int (random) % 16 };
      g_assert_cmpuint (jank_exports_find (&exports, "g_mutex_lock", found, 4), ==, 0);
    }
}

TESTS ("/wait/calls")
