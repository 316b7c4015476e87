/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzz target of the ELF reader; test-elf feeds it damaged copies of real files. For libFuzzer: compile this
 * file, the reader and base/ with clang's -fsanitize=fuzzer,address,undefined. */

#include "fuzz-elf-private.h"

#include <sys/mman.h>
#include <unistd.h>

#include "elf/jank-elf-private.h"

#define N_QUERIES 64

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t n_bytes)
{
  JankElfQuery queries[N_QUERIES] = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (JankElf) elf = NULL;
  int fd = memfd_create ("fuzz-elf", MFD_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  for (size_t done = 0; done < n_bytes;)
    {
      ssize_t n = write (fd, data + done, n_bytes - done);

      g_assert_cmpint (n, >, 0);
      done += (size_t) n;
    }

  elf = jank_elf_new_for_fd (fd, "fuzz", &error);
  if (elf == NULL)
    {
      g_assert_nonnull (error);
      return 0;
    }

  /* Over all of the file, and on to addresses that no file has. */
  for (guint i = 0; i < N_QUERIES - 1; i++)
    queries[i].address = (guint64) n_bytes * i / (N_QUERIES - 8);
  queries[N_QUERIES - 1].address = G_MAXUINT64;

  if (!jank_elf_resolve (elf, queries, N_QUERIES, &error))
    g_assert_nonnull (error);
  for (guint i = 0; error == NULL && i < N_QUERIES; i++)
    {
      g_assert_cmpuint (queries[i].low, <=, queries[i].address);
      g_assert_true (queries[i].address < queries[i].high || queries[i].address == G_MAXUINT64);
    }
  jank_elf_equals_memory (elf, 0);
  for (guint i = 0; i < N_QUERIES; i++)
    {
      if (queries[i].name != NULL)
        {
          g_assert_true (g_utf8_validate (queries[i].name, -1, NULL));
          g_assert_cmpuint (queries[i].start, <=, queries[i].address);
        }
      g_free (queries[i].name);
    }
  return 0;
}
