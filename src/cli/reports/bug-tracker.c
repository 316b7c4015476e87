/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reports.h"

#include <string.h>

#include <gio/gio.h>

/* Servers refuse requests whose first line is longer than 8 KiB. */
#define MAX_URL   7500
#define MAX_TITLE 200 /* letters: GitLab takes 255, GitHub 256 */
#define FENCE     "~~~~~~~~"
/* libappstream would read it in as many lines, with 28 more libraries in the process. */
#define URL_TAG   "<url\\s[^>]*\\btype\\s*=\\s*[\"']bugtracker[\"'][^>]*>\\s*(https?://[^<\\s]+)"

typedef struct
{
  const char *part;       /* of the URLs of such trackers */
  const char *page;       /* behind the project's URL */
  const char *text_query; /* between the title and the text */
} BugTracker;

#define GITLAB "/-/issues/new?issue%5Btitle%5D=", "&issue%5Bdescription%5D="
#define GITHUB "/issues/new?title=", "&body="

static const BugTracker bug_trackers[] = {
  { "/-/issues", GITLAB },
  { "://gitlab.", GITLAB },
  { "://github.com/", GITHUB },
  { "://codeberg.org/", GITHUB },
};

/* Returns: (transfer full) (nullable) */
static char *
bug_tracker_find_id (const char *exe)
{
  g_autofree char *program = g_path_get_basename (exe);
  GList *apps = g_app_info_get_all ();
  char *id = NULL;

  for (GList *at = apps; at != NULL && id == NULL; at = at->next)
    {
      /* One that D-Bus starts may have none. */
      const char *executable = g_app_info_get_executable (at->data);
      g_autofree char *name = executable != NULL ? g_path_get_basename (executable) : NULL;

      if (g_strcmp0 (name, program) == 0 && g_app_info_get_id (at->data) != NULL)
        id = g_strdup (g_app_info_get_id (at->data));
    }
  g_list_free_full (apps, g_object_unref);
  if (id != NULL && g_str_has_suffix (id, ".desktop"))
    id[strlen (id) - strlen (".desktop")] = '\0';
  return id;
}

/* Returns: (transfer full) (nullable) */
static char *
bug_tracker_read (const char *folder, const char *id)
{
  static const char *const names[] = {
    "metainfo/%s.metainfo.xml", "metainfo/%s.appdata.xml", "appdata/%s.appdata.xml", "metainfo/%s.desktop.appdata.xml",
  };
  g_autoptr (GRegex) tag = g_regex_new (URL_TAG, 0, 0, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_auto (GStrv) parts = g_strsplit (names[i], "%s", 2);
      g_autofree char *name = g_strconcat (parts[0], id, parts[1], NULL), *path = g_build_filename (folder, name, NULL);
      g_autofree char *xml = NULL;
      g_autoptr (GMatchInfo) match = NULL;

      if (g_file_get_contents (path, &xml, NULL, NULL) && g_utf8_validate (xml, -1, NULL) &&
          g_regex_match (tag, xml, 0, &match))
        return g_match_info_fetch (match, 1);
    }
  return NULL;
}

char *
bug_tracker_find (const char *id, const char *exe)
{
  g_autofree char *own = *id != '\0' ? g_strdup (id) : bug_tracker_find_id (exe);
  const char *const *folders = g_get_system_data_dirs ();
  char *url;

  if (own == NULL || strchr (own, '/') != NULL)
    return NULL;
  url = bug_tracker_read (g_get_user_data_dir (), own);
  for (guint i = 0; url == NULL && folders[i] != NULL; i++)
    url = bug_tracker_read (folders[i], own);
  return url;
}

/* The first n lines. Returns: (transfer full) */
static char *
bug_tracker_cut (char **lines, guint n)
{
  GString *text = g_string_new (NULL);
  gboolean is_fenced = FALSE;

  for (guint i = 0; i < n && lines[i] != NULL; i++)
    {
      is_fenced ^= g_str_has_prefix (lines[i], FENCE);
      g_string_append_printf (text, "%s\n", lines[i]);
    }
  g_string_append (text, is_fenced ? "…\n" FENCE "\n" : "…\n");
  return g_string_free (text, FALSE);
}

char *
bug_tracker_make_url (const char *tracker, const char *title, const char *text, gboolean *ret_whole)
{
  g_autofree char *start = g_utf8_substring (title, 0, MIN (g_utf8_strlen (title, -1), MAX_TITLE));
  g_autofree char *short_title = g_strconcat (start, strlen (start) < strlen (title) ? "…" : NULL, NULL);
  g_autofree char *title_value = g_uri_escape_string (short_title, NULL, FALSE), *project = NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const BugTracker *kind = NULL;
  const char *end = strstr (tracker, "/-/issues");

  for (guint i = 0; i < G_N_ELEMENTS (bug_trackers) && kind == NULL; i++)
    if (strstr (tracker, bug_trackers[i].part) != NULL)
      kind = &bug_trackers[i];
  if (kind == NULL)
    return NULL;
  end = end != NULL ? end : strstr (tracker, "/issues");
  project = g_strndup (tracker, end != NULL ? (gsize) (end - tracker) : strlen (tracker));
  if (g_str_has_suffix (project, "/"))
    project[strlen (project) - 1] = '\0';

  for (guint n = g_strv_length (lines); ; n--)
    {
      g_autofree char *part = n < g_strv_length (lines) ? bug_tracker_cut (lines, n) : g_strdup (text);
      g_autofree char *value = g_uri_escape_string (part, NULL, FALSE);
      g_autofree char *url = g_strconcat (project, kind->page, title_value, kind->text_query, value, NULL);

      *ret_whole = n == g_strv_length (lines);
      if (strlen (url) <= MAX_URL || n == 0)
        return g_steal_pointer (&url);
    }
}
