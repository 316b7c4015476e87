/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any thread. */

#define JANK_LIVE_FIELDS
#include "live/jank-live-private.h"

#include <fcntl.h>
#include <string.h>

#include "json/jank-field-json-private.h"
#include "json/jank-json-private.h"

static gboolean
finish_live (gpointer self)
{
  const JankLive *live = self;

  return live->pid > 0 && (live->state == JANK_LIVE_CALM) == (live->since_ns == 0);
}

char *
jank_live_to_json (const JankLive *self)
{
  g_autoptr (JsonNode) node = jank_table_to_node (&jank_live_table, self);

  jank_json_add_text (json_node_get_object (node), "schema", JANK_LIVE_SCHEMA);
  return jank_json_generate (node, JANK_JSON_COMPACT);
}

/* FNV-1a. */
static guint64
jank_live_page_check (guint64 number, const char *text, gsize n_bytes)
{
  guint64 check = G_GUINT64_CONSTANT (0xcbf29ce484222325) ^ number;

  for (gsize i = 0; i < n_bytes; i++)
    check = (check ^ (guchar) text[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return check;
}

/* "jankwatch-live-2 0000000000000001 89abcdef01234567 0f2c\n" */
void
jank_live_page_make_head (char *head, guint64 number, const char *text, gsize n_bytes)
{
  g_snprintf (head, JANK_LIVE_HEAD_BYTES + 1,
              JANK_LIVE_SCHEMA " %016" G_GINT64_MODIFIER "x %016" G_GINT64_MODIFIER "x %04x\n",
              number, jank_live_page_check (number, text, n_bytes), (guint) n_bytes);
}

gboolean
jank_live_page_pack (char *page, guint64 number, const char *text)
{
  gsize n_bytes = strlen (text);

  if (n_bytes > JANK_LIVE_TEXT_BYTES)
    return FALSE;
  memset (page, 0, JANK_LIVE_PAGE_BYTES);
  jank_live_page_make_head (page, number, text, n_bytes);
  memcpy (page + JANK_LIVE_HEAD_BYTES, text, n_bytes);
  return TRUE;
}

gboolean
jank_live_is_held (int fd, gint *ret_pid)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

  if (fcntl (fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
    return FALSE;
  *ret_pid = lock.l_pid;
  return TRUE;
}

char *
jank_live_get_runtime (void)
{
  const char *folder = g_getenv ("XDG_RUNTIME_DIR"), *app = g_getenv ("FLATPAK_ID");

  if (folder == NULL || !g_path_is_absolute (folder))
    return NULL;
  if (app != NULL && *app != '\0' && *app != '.' && strchr (app, '/') == NULL)
    return g_build_filename (folder, "app", app, JANK_LIVE_RUNTIME, NULL);
  return g_build_filename (folder, JANK_LIVE_RUNTIME, NULL);
}
