/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch session`: has each program of the user's session watched, by one file of environment.d, and GNOME Shell
 * by a drop-in of its unit. Both take effect at the next login; nothing is told to what runs. */

#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "base/jank-home-private.h"
#include "live/jank-live-reader-private.h"

/* A file that begins with something else is somebody else's. */
#define BEGIN "# Written by “jankwatch session on”"
#define HEADER BEGIN ", removed by “jankwatch session off”.\n"
#define SHELL_TEXT HEADER "[Service]\nEnvironment=JANKWATCH=gnome-shell\n"
#define EXCEPT_LINE "\nJANKWATCH_EXCEPT="

static const char *const command_session_words[] = { "on", "off", "status", NULL };

enum { ENVIRONMENT, SHELL, N_FILES };

typedef struct
{
  char *path, *text; /* (owned); text (nullable): it is not there, or cannot be read */
} SessionFile;

/* files: N_FILES, which live as long as the command. Returns: FALSE: there is no folder for settings */
static gboolean
session_read_files (SessionFile *files, GError **error)
{
  /* The template's: it holds for org.gnome.Shell@wayland.service and for any other that a release of GNOME has. */
  static const char *const names[N_FILES] = {
    "environment.d/90-jankwatch.conf", "systemd/user/org.gnome.Shell@.service.d/jankwatch.conf",
  };

  for (guint i = 0; i < N_FILES; i++)
    {
      files[i].path = jank_home_get_config (names[i]);
      if (files[i].path == NULL)
        {
          g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("There is no folder for settings: %s"),
                       jank_home_explain (NULL, 0));
          return FALSE;
        }
      g_file_get_contents (files[i].path, &files[i].text, NULL, NULL);
    }
  return TRUE;
}

static gboolean
session_is_ours (const SessionFile *file)
{
  return file->text != NULL && g_str_has_prefix (file->text, BEGIN);
}

/* Returns: FALSE after printing that the file is somebody else's */
static gboolean
session_check (const SessionFile *file)
{
  if (session_is_ours (file) || !g_file_test (file->path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK))
    return TRUE;
  cli_warn (_("Leaving ‘%s’ unchanged: “jankwatch session” did not write it"), file->path);
  return FALSE;
}

/* Also its folder, if that is empty then. */
static gboolean
session_remove (const SessionFile *file, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (file->path);

  if (unlink (file->path) == 0)
    {
      rmdir (folder);
      return TRUE;
    }
  g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot remove ‘%s’: %s"), file->path, g_strerror (errno));
  return FALSE;
}

/* names (nullable). Returns: (transfer full) (nullable): the text of the file, which a shell can read, too */
static char *
session_make_environment (char **names, GError **error)
{
  g_autofree char *modules = locate_module_folder (error), *gtk_path = locate_gtk_path ();
  g_autofree char *list = names != NULL ? g_strjoinv (":", names) : NULL;
  gboolean is_elsewhere = modules != NULL && !g_str_equal (modules, SESSION_GIO_MODULES);
  /* GIO and GTK look into their own folders only. */
  const struct { const char *name, *item; } lists[] = {
    { "GTK_MODULES", "jankwatch" }, { "GIO_EXTRA_MODULES", is_elsewhere ? modules : NULL },
    { "GTK_PATH", is_elsewhere ? gtk_path : NULL },
  };
  g_autoptr (GString) text = g_string_new (HEADER);

  if (modules == NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (lists[i].item != NULL)
      g_string_append_printf (text, "%s=\"${%s:+$%s:}%s\"\n", lists[i].name, lists[i].name, lists[i].name,
                              lists[i].item);
  if (list != NULL)
    g_string_append_printf (text, "%s%s\n", EXCEPT_LINE + 1, list);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* (nullable): of a program's file: no folder, and nothing that a line of environment.d would read as something else. */
static gboolean
session_check_names (char **names)
{
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (*names[i] == '\0' || names[i][strcspn (names[i], "/: \t\n\r\"'\\$`#;=&|<>()*?[]{}~!")] != '\0')
      {
        cli_fail_usage ("session", _("‘%s’ is not the name of a program's file"), names[i]);
        return FALSE;
      }
  return TRUE;
}

/* environment.d is read by the user's systemd, which has this folder. */
static void
session_print_when (const SessionFile *files)
{
  g_autofree char *folder = g_build_filename (g_get_user_runtime_dir (), "systemd", NULL);
  g_autofree char *path = g_shell_quote (files[ENVIRONMENT].path);

  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    g_print (_("Takes effect when you log in again.\n"));
  else
    g_print (_("systemd does not run for you here, so nothing reads that file: have the script that starts your "
               "session read it,\n"
               "before the desktop starts: set -a; . %s; set +a\n"), path);
}

static int
session_on (const SessionFile *files, char **except, gboolean shell)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (!session_check_names (except))
    return CLI_USAGE;
  text = session_make_environment (except, &error);
  if (text == NULL)
    return cli_fail (error);
  if (!session_check (&files[ENVIRONMENT]) || (shell && !session_check (&files[SHELL])))
    return CLI_FAILED;
  if (!cli_write_own (files[ENVIRONMENT].path, text, &error) ||
      (shell && !cli_write_own (files[SHELL].path, SHELL_TEXT, &error)) ||
      (!shell && session_is_ours (&files[SHELL]) && !session_remove (&files[SHELL], &error)))
    return cli_fail (error);
  g_print (_("Programs with GTK will be watched: %s\n"), files[ENVIRONMENT].path);
  if (shell)
    g_print (_("GNOME Shell will also be watched: %s\n"), files[SHELL].path);
  session_print_when (files);
  g_print (_("“jankwatch summary --since last-look” then shows what froze; “jankwatch session off” ends it.\n"));
  return CLI_FINE;
}

static int
session_off (const SessionFile *files)
{
  g_autoptr (GError) error = NULL;
  gboolean is_fine = TRUE, is_on = FALSE;

  for (guint i = 0; i < N_FILES; i++)
    {
      is_fine &= session_check (&files[i]);
      is_on |= session_is_ours (&files[i]);
      if (session_is_ours (&files[i]) && !session_remove (&files[i], &error))
        return cli_fail (error);
    }
  if (is_fine && is_on)
    g_print (_("Turned off. Running programs stay watched until they exit, and new ones until you log out.\n"));
  else if (is_fine)
    g_print (_("The session is not watched.\n"));
  return is_fine ? CLI_FINE : CLI_FAILED;
}

static int
session_status (const SessionFile *files)
{
  static const JankLiveReaderFuncs funcs;
  g_autoptr (JankStore) store = cli_open_store (NULL, "jankwatch");
  g_autoptr (JankLiveReader) reader = jank_live_reader_new (jank_store_get_folder (store), NULL, &funcs, NULL);
  g_autoptr (GPtrArray) programs = NULL;
  const char *const subjects[N_FILES] = { _("Programs with GTK"), _("GNOME Shell") };
  gboolean is_on = session_is_ours (&files[ENVIRONMENT]);
  g_auto (GStrv) modules = g_strsplit (jank_text_or_empty (g_getenv ("GTK_MODULES")), ":", -1);
  gboolean is_here = g_strv_contains ((const char *const *) modules, "jankwatch");
  const char *except = is_on ? strstr (files[ENVIRONMENT].text, EXCEPT_LINE) : NULL;

  for (guint i = 0; i < N_FILES; i++)
    if (session_is_ours (&files[i]))
      g_print (_("%s: watched: %s\n"), subjects[i], files[i].path);
    else if (session_check (&files[i]))
      g_print (_("%s: not watched\n"), subjects[i]);
  if (except != NULL)
    g_print (_("Left out: %s\n"), g_strchomp (strdupa (except + strlen (EXCEPT_LINE))));
  if (is_on && !is_here)
    session_print_when (files);
  else if (!is_on && is_here)
    g_print (_("Programs started from this shell are still watched, because GTK_MODULES contains jankwatch\n"));
  jank_live_reader_look (reader);
  programs = jank_live_reader_get_all (reader);
  g_print (g_dngettext (GETTEXT_PACKAGE, "%u program is watched now\n", "%u programs are watched now\n", programs->len),
           programs->len);
  return CLI_FINE;
}

int
command_session (int argc, char **argv)
{
  g_auto (GStrv) except = NULL;
  gboolean shell = FALSE;
  const GOptionEntry entries[] = {
    { "shell", 0, 0, G_OPTION_ARG_NONE, &shell, N_("With “on”: also watch GNOME Shell and its extensions"), NULL },
    { "except", 0, 0, G_OPTION_ARG_STRING_ARRAY, &except,
      N_("With “on”: do not watch the program with this file name; can be repeated"), N_("NAME") },
    { NULL },
  };
  static SessionFile files[N_FILES];
  g_autoptr (GError) error = NULL;
  const char *word;

  if (!cli_begin (&argc, &argv, "[on | off | status]", CLI_ANY_WORDS, entries, NULL,
                  _("Turns watching of all GTK programs on or off from the next login, or shows its status.")))
    return CLI_USAGE;
  word = argc > 1 ? argv[1] : "status";
  if (argc > 2)
    return cli_fail_usage ("session", _("Choose “on”, “off” or “status”"));
  if (!g_strv_contains (command_session_words, word))
    return cli_fail_word ("session", word, command_session_words, _("‘%s’ is not “on”, “off” or “status”"), word);
  if (!g_str_equal (word, "on") && (shell || except != NULL))
    return cli_fail_usage ("session", _("--shell and --except need “on”"));
  if (!session_read_files (files, &error))
    return cli_fail (error);
  if (g_str_equal (word, "on"))
    return session_on (files, except, shell);
  return g_str_equal (word, "off") ? session_off (files) : session_status (files);
}
