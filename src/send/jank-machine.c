/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-machine-private.h"

#include <fcntl.h>
#include <string.h>

#include "base/jank-whole-file-private.h"
#include "send/jank-sent-private.h"
#include "store/jank-folder-private.h"

#define FILE_NAME  "salt"
#define N_SALT     32 /* hexadecimal digits, 16 bytes */
#define N_IDENTITY 32

static gboolean
jank_machine_make_salt (const char *path, GError **error)
{
  g_autofree char *uuid = g_uuid_string_random (), *other = g_uuid_string_random ();
  g_autofree char *both = g_strconcat (uuid, other, "\n", NULL);

  return jank_whole_file_write_own (path, both, error);
}

/* Returns: (transfer full) (nullable) */
static char *
jank_machine_read (const char *path)
{
  gsize n_bytes;

  return jank_folder_read_fd (open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), path, &n_bytes, NULL);
}

char *
jank_machine_get_identity (const char *store, GError **error)
{
  g_autofree char *path = g_build_filename (store, JANK_SENT_FOLDER, FILE_NAME, NULL), *salt = jank_machine_read (path);
  g_autofree char *machine = jank_machine_read ("/etc/machine-id"), *hash = NULL;

  if (salt == NULL || strlen (salt) < N_SALT)
    {
      if (!jank_machine_make_salt (path, error))
        return NULL;
      g_free (salt);
      salt = jank_machine_read (path);
    }
  hash = g_compute_hmac_for_string (G_CHECKSUM_SHA256, (const guchar *) (salt != NULL ? salt : ""),
                                    salt != NULL ? strlen (salt) : 0, machine != NULL ? machine : "", -1);
  return g_strndup (hash, N_IDENTITY);
}
