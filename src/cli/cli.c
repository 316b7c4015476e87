/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Single-threaded. stdout carries the answer and nothing else. */

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "settings/jank-settings-private.h"
#include "base/jank-error.h"
#include "base/jank-nearest-private.h"
#include "base/jank-text-clean-private.h"
#include "text/jank-report-lines-private.h"

void
cli_warn (const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL, *clean = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  clean = jank_text_clean (text);
  progress_erase ();
  g_printerr ("jankwatch: %s\n", clean);
}

void
cli_warn_ignored (gpointer data, const char *path, const char *why)
{
  cli_warn (_("Ignoring ‘%s’: %s"), path, why);
}

int
cli_fail_usage (const char *command, const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  cli_warn ("%s", text);
  g_printerr (_("Try “jankwatch %s --help”.\n"), command);
  return CLI_USAGE;
}

int
cli_fail_word (const char *command, const char *word, const char *const *words, const char *format, ...)
{
  va_list args;
  g_autofree char *sentence = NULL, *text = NULL;

  va_start (args, format);
  sentence = g_strdup_vprintf (format, args);
  va_end (args);
  text = jank_nearest_explain (sentence, word, words);
  return cli_fail_usage (command, "%s", text);
}

gint
cli_find_word (const char *const *words, const char *word)
{
  for (gint i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], word) == 0)
      return i;
  return -1;
}

int
cli_fail (const GError *error)
{
  cli_warn ("%s", error->message);
  return CLI_FAILED;
}

/* JSON is UTF-8, whatever the terminal's characters are. */
void
cli_print_json (JsonNode *node)
{
  g_autofree char *text = jank_json_generate (node, JANK_JSON_PRETTY);

  fputs (text, stdout);
  fputc ('\n', stdout);
}

void
cli_print_json_text (const GString *text)
{
  g_autoptr (JsonNode) node = json_from_string (text->str, NULL);

  cli_print_json (node);
}

gboolean
cli_check_store (const char *command, const char *store)
{
  if (store == NULL || strchr (store, ',') == NULL)
    return TRUE;
  cli_fail_usage (command, _("Cannot keep reports in ‘%s’: the name has a comma"), store);
  return FALSE;
}

GOptionContext *
cli_context_new (const char *command, const char *usage, const char *summary, const GOptionEntry *entries,
                 JankFilter *filter)
{
  g_autofree char *name = g_strdup_printf ("jankwatch %s", command);
  GOptionContext *context = g_option_context_new (usage);

  /* The help begins with the program's name. */
  g_set_prgname (name);
  g_option_context_set_summary (context, summary);
  if (filter != NULL)
    g_option_context_set_main_group (context, jank_filter_new_group (filter));
  g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
  return context;
}

/* GLib tells of the options of a context in its help alone. Returns: (transfer full): NULL-terminated */
static char **
list_options (GOptionContext *context)
{
  g_autofree char *help = g_option_context_get_help (context, FALSE, NULL);
  g_auto (GStrv) lines = g_strsplit (help, "\n", -1);
  g_autoptr (GStrvBuilder) options = g_strv_builder_new ();

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *option = g_str_has_prefix (lines[i], "  -") ? strstr (lines[i], "--") : NULL;
      g_autofree char *name = option != NULL ? g_strndup (option, strcspn (option, " =")) : NULL;

      if (name != NULL)
        g_strv_builder_add (options, name);
    }
  return g_strv_builder_end (options);
}

/* The first of argv's that is none of options. Returns: (transfer full) (nullable) */
static char *
find_unknown (char **argv, const char *const *options)
{
  for (guint i = 1; argv[i] != NULL && strcmp (argv[i], "--") != 0; i++)
    {
      g_autofree char *name = g_strndup (argv[i], strcspn (argv[i], "="));

      if (g_str_has_prefix (name, "--") && !g_strv_contains (options, name))
        return g_steal_pointer (&name);
    }
  return NULL;
}

static void
fail_option (GOptionContext *context, char **argv, const GError *error)
{
  g_auto (GStrv) options = list_options (context);
  const char *const *known = (const char *const *) options;
  g_autofree char *unknown = g_error_matches (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)
                               ? find_unknown (argv, known) : NULL;

  if (unknown != NULL && g_strv_contains (known, "--set") && g_strv_contains (jank_settings_get_names (), unknown + 2))
    cli_fail_usage (argv[0], _("%s. That is a setting: --set %s=…"), error->message, unknown + 2);
  else
    cli_fail_word (argv[0], unknown != NULL ? unknown : "", known, "%s", error->message);
}

gboolean
cli_parse (GOptionContext *context, int *argc, char ***argv)
{
  g_autoptr (GError) error = NULL;

  if (g_option_context_parse (context, argc, argv, &error))
    return TRUE;
  fail_option (context, *argv, error);
  return FALSE;
}

gboolean
cli_begin (int *argc, char ***argv, const char *usage, int n_words, const GOptionEntry *entries, JankFilter *filter,
           const char *summary)
{
  const char *command = **argv;
  g_autoptr (GOptionContext) context = cli_context_new (command, usage, summary, entries, filter);

  if (!cli_parse (context, argc, argv))
    return FALSE;
  if (*argc - 1 > n_words)
    cli_fail_usage (command, _("Unexpected argument ‘%s’"), (*argv)[n_words + 1]);
  return *argc - 1 <= n_words;
}

JankStore *
cli_open_store (const char *folder, const char *program)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JankSettings) settings = jank_settings_load (program, warnings);
  g_autofree char *absolute = folder != NULL ? g_canonicalize_filename (folder, NULL) : NULL;
  static gboolean has_warned;

  /* A program that is watched says so itself. */
  for (guint i = 0; i < warnings->len && !has_warned && (program == NULL || g_str_equal (program, "jankwatch")); i++)
    cli_warn ("%s", (const char *) g_ptr_array_index (warnings, i));
  has_warned |= warnings->len > 0;
  return jank_store_new (absolute != NULL ? absolute : settings->store, settings->max_reports, settings->max_bytes);
}

static void
tell_bad_cb (const char *sentence, gpointer data)
{
  cli_warn ("%s", sentence);
}

static void
step_cb (guint n_read, guint n, gpointer data)
{
  progress_step (n_read, n);
}

JankIndex *
cli_open_index (JankStore *store, GError **error)
{
  JankIndex *index;

  progress_begin (_("Reading new reports"));
  index = jank_index_new (store, tell_bad_cb, step_cb, NULL, error);
  progress_end ();
  return index;
}

void
cli_warn_none (JankStore *store, const JankFilter *filter)
{
  cli_warn (jank_filter_is_empty (filter) ? _("There is no report in ‘%s’")
                                          : _("No report in ‘%s’ matches the filters"),
            jank_store_get_folder (store));
}

void
cli_speak_english (void)
{
  g_setenv ("LANGUAGE", "C", TRUE);
  setlocale (LC_MESSAGES, "C");
}

gboolean
cli_reports_find (CliReports *self, const char *folder, JankFilter *filter, GError **error)
{
  self->store = cli_open_store (folder, "jankwatch");
  self->index = cli_open_index (self->store, error);
  if (self->index != NULL)
    self->rows = jank_index_find (self->index, filter);
  return self->rows != NULL;
}

void
cli_reports_clear (CliReports *self)
{
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->index, jank_index_free);
  g_clear_pointer (&self->store, jank_store_free);
}

void
cli_name_culprits (JankStore *store, GPtrArray *rows)
{
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);

  progress_begin (_("Naming functions"));
  jank_rows_name (rows, store, (JankRowsFunc) jank_report_fill_culprit_line, lines, names, progress_step);
  progress_end ();
}

char *
cli_time (gint64 real_us, const JankTextStyle *style)
{
  g_autofree char *text = jank_text_time (real_us);

  if (style->n_columns >= CLI_WIDE_COLUMNS || strlen (text) < strlen ("2026-11-21 15:30:12"))
    return g_steal_pointer (&text);
  return g_strndup (text + strlen ("2026-"), strlen ("11-21 15:30"));
}

void
cli_redact (GPtrArray *rows, GPtrArray *files)
{
  for (guint i = 0; i < rows->len; i++)
    jank_table_redact (&jank_row_table, g_ptr_array_index (rows, i));
  for (guint i = 0; files != NULL && i < files->len; i++)
    jank_table_redact (&jank_session_summary_table, g_ptr_array_index (files, i));
}

JankTextStyle
cli_text_style (FILE *stream, guint default_columns)
{
  JankTextStyle style = { .n_columns = default_columns };
  const char *no_color = g_getenv ("NO_COLOR");
  const char *columns = g_getenv ("COLUMNS");
  struct winsize size = { 0 };
  gboolean is_terminal = isatty (fileno (stream)) == 1;

  if (is_terminal && ioctl (fileno (stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.n_columns = size.ws_col;
  else if (columns != NULL && g_ascii_strtoull (columns, NULL, 10) > 0)
    style.n_columns = (guint) MIN (g_ascii_strtoull (columns, NULL, 10), 10000);
  style.n_columns = MAX (style.n_columns, 40);
  style.color = is_terminal && (no_color == NULL || *no_color == '\0') &&
                g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
  style.ascii = !g_get_charset (NULL);
  return style;
}

guint
cli_count_lines (FILE *stream)
{
  struct winsize size = { 0 };

  return ioctl (fileno (stream), TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/* "-", "/dev/stdout", or the file that standard output was sent to: what is in it already stays. */
gboolean
cli_is_stdout (const char *path)
{
  struct stat asked, out;

  return path == NULL || strcmp (path, "-") == 0 ||
         (stat (path, &asked) == 0 && fstat (STDOUT_FILENO, &out) == 0 && asked.st_dev == out.st_dev &&
          asked.st_ino == out.st_ino);
}

static gboolean
cli_fail_write (GError **error, int code)
{
  g_set_error_literal (error, G_FILE_ERROR, (gint) g_file_error_from_errno (code), g_strerror (code));
  return FALSE;
}

/* Also makes the file that a link without one points to. */
static gboolean
cli_write_into (const char *path, const char *data, gsize n_bytes, int mode, GError **error)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, mode), code = 0;

  if (fd < 0)
    return cli_fail_write (error, errno);
  while (n_bytes > 0 && code == 0)
    {
      gssize n_written = write (fd, data, n_bytes);

      if (n_written < 0 && errno != EINTR)
        code = errno;
      data += MAX (n_written, 0);
      n_bytes -= (gsize) MAX (n_written, 0);
    }
  if (close (fd) != 0 && code == 0)
    code = errno;
  return code == 0 || cli_fail_write (error, code);
}

/* A regular file, also behind links, is there as a whole or not at all, and keeps its mode; a device, a pipe or
 * whatever else is there is written into. mode: of a new file. */
static gboolean
cli_write_whole (const char *path, const char *data, gsize n_bytes, int mode, GError **error)
{
  struct stat info, link;
  gboolean exists = stat (path, &info) == 0, is_link = lstat (path, &link) == 0 && S_ISLNK (link.st_mode);
  char *target = NULL;
  gboolean written;

  if (exists ? !S_ISREG (info.st_mode) : is_link)
    return cli_write_into (path, data, n_bytes, mode, error);
  if (exists && access (path, W_OK) != 0)
    return cli_fail_write (error, errno);
  if (is_link && (target = realpath (path, NULL)) == NULL)
    return cli_fail_write (error, errno);
  written = g_file_set_contents_full (target != NULL ? target : path, data, (gssize) n_bytes,
                                      G_FILE_SET_CONTENTS_CONSISTENT,
                                      exists ? (int) (info.st_mode & 0777) : mode, error);
  free (target);
  return written;
}

gboolean
cli_write_own (const char *path, const char *text, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) failure = NULL;

  g_mkdir_with_parents (folder, 0700);
  if (cli_write_whole (path, text, strlen (text), 0600, &failure))
    return TRUE;
  g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Could not write “%s”: %s. The file is unchanged"), path,
               failure->message);
  return FALSE;
}

gboolean
cli_write (const char *path, const char *data, gsize n_bytes)
{
  g_autoptr (GError) error = NULL;

  if (cli_is_stdout (path))
    return fwrite (data, 1, n_bytes, stdout) == n_bytes; /* main() tells what is wrong with it */
  if (cli_write_whole (path, data, n_bytes, 0666, &error))
    return TRUE;
  cli_warn (_("Cannot write ‘%s’: %s"), path, error->message);
  return FALSE;
}

void
cli_set_handler (int signal_number, void (*handler) (int), struct sigaction *ret_before)
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

  sigaction (signal_number, NULL, ret_before);
  if (ret_before->sa_handler != SIG_IGN)
    sigaction (signal_number, &action, NULL);
}
