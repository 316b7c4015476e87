/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* run-corpus FILE…: a fuzz target, without a fuzzer, on what one has found or was given. */

#include <stdio.h>
#include <glib.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes);

int
main (int argc, char **argv)
{
  printf ("1..%d\n", argc - 1);
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *data = NULL;
      g_autofree char *name = g_path_get_basename (argv[i]);
      gsize n_bytes;

      g_assert_true (g_file_get_contents (argv[i], &data, &n_bytes, NULL));
      LLVMFuzzerTestOneInput ((const guint8 *) data, n_bytes);
      /* Cut short, too. */
      for (gsize n = n_bytes; n > 0; n /= 2)
        {
          g_autofree guint8 *part = g_memdup2 (data, n);

          LLVMFuzzerTestOneInput (part, n);
        }
      printf ("ok %d %s\n", i, name);
    }
  return 0;
}
