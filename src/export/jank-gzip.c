/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "export/jank-gzip-private.h"

#include <gio/gio.h>

GBytes *
jank_gzip (gconstpointer data, gsize n_bytes, gint level)
{
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_autoptr (GConverter) zipper = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, level));
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (out, zipper);

  /* Into memory: neither can fail. */
  g_output_stream_write_all (stream, data, n_bytes, NULL, NULL, NULL);
  g_output_stream_close (stream, NULL, NULL);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

gboolean
jank_gzip_is_packed (GBytes *bytes)
{
  gsize n_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);

  return n_bytes > 2 && data[0] == 0x1f && data[1] == 0x8b;
}
