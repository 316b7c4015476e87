/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pictures.h"

char *
pictures_path (const char *name)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_BUILT, "gtk", "pictures", NULL);
  const char *language = g_getenv ("LANGUAGE");
  g_autofree char *file = g_strconcat (name, language != NULL ? "-" : "", language != NULL ? language : "", ".png",
                                       NULL);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  return g_build_filename (folder, file, NULL);
}

int
pictures_lightness (const guint32 *pixels, gsize n_pixels)
{
  guint64 sum = 0;

  for (gsize i = 0; i < n_pixels; i++)
    sum += (pixels[i] >> 16 & 255) + (pixels[i] >> 8 & 255) + (pixels[i] & 255);
  return (int) (sum * 100 / (n_pixels * 3 * 255));
}
