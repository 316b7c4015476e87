/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch report-bug`: the page of a program's tracker on which a new issue is written, in the user's browser, with
 * the text of `jankwatch export --format=markdown`. What cannot be opened is printed. */

#include "cli/cli.h"

#include <locale.h>
#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "reports.h"
#include "export/jank-export-private.h"
#include "symbols/jank-function-name-private.h"
#include "text/jank-report-lines-private.h"

/* Letters of a title; trackers cut longer ones in their lists. */
#define MAX_TITLE 80

/* Servers refuse requests whose first line is longer than 8 KiB. */
#define MAX_URL   7500
#define MAX_QUERY 200 /* letters: GitLab takes 255, GitHub 256 */
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

/* Reads AppStream's metadata of the application, as installed. id: of the application; "": that of the desktop file
 * that starts exe. Blocks on the disk.
 * Returns: (transfer full) (nullable): they do not say, or it is no URL of the web */
static char *
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

/* The page for a new issue, with title and text filled in; lines at the end of the text that a URL has no room for are
 * left out. Returns: (transfer full) (nullable): it is no tracker of a kind that takes them */
static char *
bug_tracker_make_url (const char *tracker, const char *title, const char *text, gboolean *ret_whole)
{
  g_autofree char *start = g_utf8_substring (title, 0, MIN (g_utf8_strlen (title, -1), MAX_QUERY));
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

typedef struct
{
  gboolean is_done;
  GError  *error; /* (owned) (nullable) */
} ReportBugLaunch;

/* Runs a program that prints a line. Returns: (transfer full) (nullable): it is not there, or fails */
static char *
report_bug_ask (const char *const *words)
{
  g_autofree char *out = NULL;
  int status = -1;

  if (!g_spawn_sync (NULL, (char **) words, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out,
                     NULL, &status, NULL) || status != 0 || *out == '\0')
    return NULL;
  return g_strndup (out, strcspn (out, "\n"));
}

/* Returns: (transfer full) (nullable): no package has exe */
static char *
report_bug_find_package (const char *exe)
{
  const char *rpm[] = { "rpm", "-qf", "--qf", "%{NAME} %{VERSION}-%{RELEASE}", exe, NULL };
  const char *dpkg[] = { "dpkg-query", "-S", exe, NULL };
  const char *version[] = { "dpkg-query", "-W", "-f", "${Package} ${Version}", NULL, NULL };
  g_autofree char *owner = report_bug_ask (dpkg);

  if (owner == NULL)
    return report_bug_ask (rpm);
  owner[strcspn (owner, ":,")] = '\0';
  version[4] = owner;
  return report_bug_ask (version);
}

/* Returns: (transfer full): what a tracker wants to know of the program, in a line */
static char *
report_bug_describe (const JankReport *report, const char *exe)
{
  g_autofree char *package = *exe != '\0' ? report_bug_find_package (exe) : NULL;
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  const char *version = jank_text_or_empty (report->app.version);
  GString *text = g_string_new (jank_text_or_empty (report->app.name));

  if (*version != '\0')
    g_string_append_printf (text, " %s", version);
  if (package != NULL)
    g_string_append_printf (text, ", package %s", package);
  if (os != NULL)
    g_string_append_printf (text, ", %s", os);
  return g_string_free (text, FALSE);
}

/* Names the program and the function, as people search for them. Returns: (transfer full) */
static char *
report_bug_make_title (JankReport *report, const char *headline)
{
  g_autofree char *function = report->culprit.function != NULL ? jank_text_culprit_alone (report) : NULL;
  g_autofree char *length = jank_text_duration (report->stall.duration_ns);
  g_autofree char *title = NULL;
  const char *name = jank_text_or_empty (report->app.name);

  if (!jank_report_kind_is_stall (report->kind))
    title = g_strdup_printf ("%s: %s", name, headline);
  else if (function != NULL)
    title = g_strdup_printf ("%s freezes for %s in %s", name, length, function);
  else
    title = g_strdup_printf ("%s freezes for %s", name, length);
  if (g_utf8_strlen (title, -1) > MAX_TITLE)
    {
      g_autofree char *begin = g_utf8_substring (title, 0, MAX_TITLE - 1);

      return g_strconcat (begin, "…", NULL);
    }
  return g_steal_pointer (&title);
}

/* In English, without what is private. ret_title: (transfer full). Returns: (transfer full) (nullable) */
static char *
report_bug_write (JankReport *report, const char *exe, char **ret_title, GError **error)
{
  g_autoptr (GPtrArray) reports = g_ptr_array_new ();
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  g_autofree char *language = g_strdup (g_getenv ("LANGUAGE"));
  g_autoptr (JankExport) export = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *about = NULL, *text = NULL;

  g_ptr_array_add (reports, report);
  jank_report_fill_lines (report, lines);
  cli_speak_english ();
  export = jank_export_new (reports, TRUE, FALSE);
  bytes = jank_export_format_find ("markdown")->make (export, error);
  *ret_title = report_bug_make_title (report, ((JankExportReport *) g_ptr_array_index (export->reports, 0))->title);
  setlocale (LC_MESSAGES, "");
  g_setenv ("LANGUAGE", jank_text_or_empty (language), TRUE);
  if (bytes == NULL)
    return NULL;
  about = report_bug_describe (report, exe);
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  return g_strconcat (about, "\n\n", text, NULL);
}

static void
report_bug_launched_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ReportBugLaunch *self = data;

  g_app_info_launch_default_for_uri_finish (result, &self->error);
  self->is_done = TRUE;
}

/* A browser that is started by D-Bus has its URL before this returns. */
static gboolean
report_bug_open (const char *url, GError **error)
{
  ReportBugLaunch launch = { FALSE, NULL };

  if (*jank_text_or_empty (g_getenv ("DISPLAY")) == '\0' && *jank_text_or_empty (g_getenv ("WAYLAND_DISPLAY")) == '\0')
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("there is no display"));
      return FALSE;
    }
  g_app_info_launch_default_for_uri_async (url, NULL, NULL, report_bug_launched_cb, &launch);
  while (!launch.is_done)
    g_main_context_iteration (NULL, TRUE);
  if (launch.error != NULL)
    g_propagate_error (error, launch.error);
  return launch.error == NULL;
}

/* Returns: (transfer full): why the text is printed; NULL: the page has all of it */
static char *
report_bug_try (const char *tracker, const char *exe, const char *title, const char *text)
{
  gboolean is_whole;
  g_autofree char *url = tracker != NULL ? bug_tracker_make_url (tracker, title, text, &is_whole) : NULL;
  g_autoptr (GError) error = NULL;

  if (tracker == NULL)
    return g_strdup_printf (_("The bug tracker of ‘%s’ is unknown: no file in share/metainfo names it. The text is "
                              "above"), exe);
  if (url == NULL)
    return g_strdup_printf (_("‘%s’ does not accept text in a link. Open it and paste the text above"), tracker);
  if (!report_bug_open (url, &error))
    return g_strdup_printf (_("Cannot open ‘%s’ in a browser: %s. The text is above"), tracker, error->message);
  return is_whole ? NULL : g_strdup_printf (_("Opened ‘%s’ in your browser with the beginning of the text. The whole "
                                              "text is above"), tracker);
}

/* Debian's own reporter finds the package. */
static void
report_bug_tell_debian (const char *name, const char *exe)
{
  g_autofree char *reporter = g_find_program_in_path ("reportbug");
  g_autofree char *quoted_name = g_shell_quote (name), *quoted_exe = g_shell_quote (exe);

  if (reporter != NULL)
    cli_warn (_("On this system: jankwatch export --format=markdown --output=issue.md %s && reportbug "
                "--body-file=issue.md --filename=%s"), quoted_name, quoted_exe);
}

int
command_report_bug (int argc, char **argv)
{
  g_autofree char *folder = NULL, *tracker = NULL, *exe = NULL, *title = NULL, *text = NULL, *why = NULL;
  const GOptionEntry entries[] = {
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankReport) report = NULL;
  g_autoptr (GError) error = NULL;

  if (!cli_begin (&argc, &argv, _("ID|latest|FILE"), CLI_ANY_WORDS, entries, NULL,
                  _("Opens a new issue in the bug tracker of the program that froze, filled in with the report in "
                    "English, without paths, peers and titles. Nothing is sent until you submit the issue.")))
    return CLI_USAGE;
  if (argc != 2)
    return cli_fail_usage ("report-bug", _("Name one report"));
  report = load_report (folder, argv[1], &error);
  if (report == NULL)
    return cli_fail (error);
  exe = g_strdup (jank_text_or_empty (report->app.exe));
  tracker = bug_tracker_find (jank_text_or_empty (report->app.id), exe);
  text = report_bug_write (report, exe, &title, &error);
  if (text == NULL)
    return cli_fail (error);
  why = report_bug_try (tracker, exe, title, text);
  if (why != NULL)
    {
      g_print ("%s", text);
      cli_warn ("%s", why);
    }
  if (tracker == NULL)
    report_bug_tell_debian (argv[1], exe);
  return CLI_FINE;
}
