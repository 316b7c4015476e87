/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-machine-private.h"

#include <fcntl.h>
#include <string.h>

#include "send/jank-sent-private.h"
#include "store/jank-folder-private.h"

#define FILE_NAME  "salt"
#define MACHINE_ID "/etc/machine-id"
#define N_SALT     32 /* hexadecimal digits, 16 bytes */
#define N_IDENTITY 32

char *
jank_machine_get_identity (const char *store, gboolean keeps, GError **error)
{
  gsize n_bytes;
  int fd = open (MACHINE_ID, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  g_autofree char *machine = jank_folder_read_fd (fd, MACHINE_ID, &n_bytes, NULL), *hash = NULL;
  g_autofree char *salt = jank_folder_read_file (store, JANK_SENT_FOLDER, FILE_NAME, &n_bytes, NULL);

  if (salt == NULL || strlen (salt) < N_SALT)
    {
      g_autofree char *uuid = g_uuid_string_random (), *other = g_uuid_string_random ();

      g_free (salt);
      salt = g_strconcat (uuid, other, "\n", NULL);
      if (keeps && !jank_folder_write_file (store, JANK_SENT_FOLDER, FILE_NAME, salt, strlen (salt), error))
        return NULL;
    }
  hash = g_compute_hmac_for_string (G_CHECKSUM_SHA256, (const guchar *) salt, strlen (salt),
                                    machine != NULL ? machine : "", -1);
  return g_strndup (hash, N_IDENTITY);
}
