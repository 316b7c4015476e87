/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch session`: has each program of the user's session watched, by one file of environment.d, and GNOME Shell
 * by a drop-in of its unit. Both take effect at the next login; nothing is told to what runs. */

#include "cli/cli.h"

#include <string.h>

#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "base/jank-home-private.h"
#include "live/jank-live-reader-private.h"
#include "json/jank-json-private.h"
#include "cli/locate.h"
#include "programs.h"

#define ENVIRONMENT_FILE "environment.d/90-jankwatch.conf"
/* The template's: it holds for org.gnome.Shell@wayland.service and for any other that a release of GNOME has. */
#define SHELL_FILE "systemd/user/org.gnome.Shell@.service.d/jankwatch.conf"

#define HEADER "# Written by “jankwatch session on”, removed by “jankwatch session off”, unless it has been edited.\n"
#define SHELL_TEXT HEADER "[Service]\nEnvironment=JANKWATCH=gnome-shell\n"
#define EXCEPT_LINE "\nJANKWATCH_EXCEPT="

const char *const command_session_words[] = { "on", "off", "status", NULL };

typedef struct
{
  char       *environment_path, *shell_path; /* (owned) */
  SessionFile environment, shell;
} Session;

static gboolean
session_read (Session *self, GError **error)
{
  self->environment_path = jank_home_get_config (ENVIRONMENT_FILE);
  self->shell_path = jank_home_get_config (SHELL_FILE);
  if (self->environment_path == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("There is no folder for settings: %s"),
                   jank_home_explain (NULL, 0));
      return FALSE;
    }
  session_file_read (&self->environment, self->environment_path);
  session_file_read (&self->shell, self->shell_path);
  return TRUE;
}

static void
session_clear (Session *self)
{
  session_file_clear (&self->environment);
  session_file_clear (&self->shell);
  g_free (self->environment_path);
  g_free (self->shell_path);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Session, session_clear)

static void
append_list (GString *text, const char *name, const char *item)
{
  g_string_append_printf (text, "%s=\"${%s:+$%s:}%s\"\n", name, name, name, item);
}

/* names (nullable). Returns: (transfer full) (nullable): the text of the file, which a shell can read, too */
static char *
make_environment (char **names, GError **error)
{
  g_autofree char *modules = locate_module_folder (error), *gtk_path = locate_gtk_path (), *list = NULL;
  g_autoptr (GString) text = g_string_new (HEADER);

  if (modules == NULL)
    return NULL;
  append_list (text, "GTK_MODULES", "jankwatch");
  /* GIO and GTK look into their own folders only. */
  if (!g_str_equal (modules, SESSION_GIO_MODULES))
    {
      append_list (text, "GIO_EXTRA_MODULES", modules);
      if (gtk_path != NULL)
        append_list (text, "GTK_PATH", gtk_path);
    }
  list = names != NULL ? g_strjoinv (":", names) : NULL;
  if (list != NULL)
    g_string_append_printf (text, "%s%s\n", EXCEPT_LINE + 1, list);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* (nullable): of a program's file: no folder, and nothing that a line of environment.d would read as something else. */
static gboolean
check_names (char **names)
{
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (*names[i] == '\0' || names[i][strcspn (names[i], "/: \t\n\r\"'\\$`#;=&|<>()*?[]{}~!")] != '\0')
      {
        cli_fail_usage ("session", _("‘%s’ is not the name of a program's file"), names[i]);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_file (const SessionFile *file)
{
  if (file->state != SESSION_FILE_FOREIGN)
    return TRUE;
  cli_warn (_("‘%s’ was edited, or is not of this command: it stays as it is"), file->path);
  return FALSE;
}

static gboolean
is_in_effect (void)
{
  const char *modules = g_getenv ("GTK_MODULES");
  g_auto (GStrv) list = modules != NULL ? g_strsplit (modules, ":", -1) : NULL;

  return list != NULL && g_strv_contains ((const char *const *) list, "jankwatch");
}

/* environment.d is read by the user's systemd, which has this folder. */
static gboolean
has_systemd (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_runtime_dir (), "systemd", NULL);

  return g_file_test (folder, G_FILE_TEST_IS_DIR);
}

static void
print_when (const Session *self, gboolean has_shell)
{
  g_autofree char *path = g_shell_quote (self->environment.path);

  if (has_systemd ())
    g_print (_("Takes effect when you log in again.\n"));
  else
    g_print (_("systemd does not run for you here, so nothing reads that file: have the script that starts your "
               "session read it,\n"
               "before the desktop starts: set -a; . %s; set +a\n"), path);
  if (!has_systemd () && has_shell)
    g_print (_("For GNOME Shell it needs this line, too: export JANKWATCH=gnome-shell\n"));
}

static int
session_on (Session *self, char **except, gboolean shell)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (!check_names (except))
    return CLI_USAGE;
  text = make_environment (except, &error);
  if (text == NULL)
    return cli_fail (error);
  if (!check_file (&self->environment) || (shell && !check_file (&self->shell)))
    return CLI_FAILED;
  if (!session_file_write (&self->environment, text, &error) ||
      (shell && !session_file_write (&self->shell, SHELL_TEXT, &error)) ||
      (!shell && self->shell.state == SESSION_FILE_OURS && !session_file_remove (&self->shell, &error)))
    return cli_fail (error);

  g_print (_("Programs with GTK will be watched: %s\n"), self->environment.path);
  if (shell)
    g_print (_("GNOME Shell, too: %s\n"), self->shell.path);
  g_print (_("Each costs %s per turn of its main loop, %s of one CPU while it animates, and %d wake-ups while it is "
             "idle\n"
             "(as recorded in jankwatch's figures).\n"), SESSION_COST_TURN, SESSION_COST_ANIMATION, SESSION_COST_IDLE);
  print_when (self, shell);
  g_print (_("“jankwatch summary --since last-look” then has what froze, and “jankwatch session off” ends it.\n"));
  return CLI_FINE;
}

static int
session_off (Session *self)
{
  SessionFile *const files[] = { &self->shell, &self->environment };
  g_autoptr (GError) error = NULL;
  gboolean fine = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      fine = check_file (files[i]) && fine;
      if (files[i]->state == SESSION_FILE_OURS && !session_file_remove (files[i], &error))
        return cli_fail (error);
    }
  if (!fine)
    return CLI_FAILED;
  if (self->shell.state == SESSION_FILE_ABSENT && self->environment.state == SESSION_FILE_ABSENT)
    g_print (_("The session is not watched.\n"));
  else
    g_print (_("Nothing is left of it. What runs is watched until it ends, and what is started, until you log out.\n"));
  return CLI_FINE;
}

static void
print_file (const char *what, const SessionFile *file)
{
  g_autofree char *time = jank_text_time (file->since_us);

  if (file->state == SESSION_FILE_OURS)
    g_print (_("%s: watched, since %s: %s\n"), what, time, file->path);
  else if (file->state == SESSION_FILE_FOREIGN)
    g_print (_("%s: %s was edited, or is not of this command\n"), what, file->path);
  else
    g_print (_("%s: not watched\n"), what);
}

static void
print_module (const Session *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = locate_module_folder (&error);
  const char *text = self->environment.text;

  if (folder == NULL)
    g_print ("%s\n", error->message);
  else if (g_str_equal (folder, SESSION_GIO_MODULES) || (text != NULL && strstr (text, folder) != NULL))
    g_print (_("GIO finds the module in ‘%s’\n"), folder);
  else
    g_print (_("GIO does not look into ‘%s’, where the module is, unless the session is watched\n"), folder);
}

static guint
count_watched (void)
{
  static const JankLiveReaderFuncs funcs;
  g_autoptr (JankStore) store = cli_open_store (NULL, "jankwatch");
  g_autoptr (JankLiveReader) reader = jank_live_reader_new (jank_store_get_folder (store), NULL, &funcs, NULL);
  g_autoptr (GPtrArray) programs = NULL;

  jank_live_reader_look (reader);
  programs = jank_live_reader_get_all (reader);
  return programs->len;
}

/* Returns: (transfer full) (nullable): the programs that are left out, with colons between them */
static char *
get_except (const Session *self)
{
  const char *except = self->environment.text != NULL ? strstr (self->environment.text, EXCEPT_LINE) : NULL;

  except = except != NULL ? except + strlen (EXCEPT_LINE) : NULL;
  return except != NULL ? g_strndup (except, strcspn (except, "\n")) : NULL;
}

static void
add_file (JsonObject *object, const char *name, const SessionFile *file)
{
  static const char *const states[] = { "not-watched", "watched", "edited" };
  JsonObject *added = json_object_new ();

  jank_json_add_text (added, "state", states[file->state]);
  jank_json_add_text (added, "file", file->path);
  if (file->state == SESSION_FILE_OURS)
    jank_json_add_time (added, "since", file->since_us);
  json_object_set_object_member (object, name, added);
}

static int
session_print_json (const Session *self)
{
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), object);
  g_autofree char *folder = locate_module_folder (NULL), *except = get_except (self);
  g_auto (GStrv) names = g_strsplit (except != NULL ? except : "", ":", -1);
  JsonArray *array;

  add_file (object, "programs", &self->environment);
  add_file (object, "shell", &self->shell);
  array = jank_json_add_array (object, "except");
  for (guint i = 0; names[i] != NULL; i++)
    json_array_add_string_element (array, names[i]);
  json_object_set_boolean_member (object, "in_effect", is_in_effect ());
  json_object_set_boolean_member (object, "systemd", has_systemd ());
  jank_json_add_text (object, "modules", folder);
  jank_json_add_count (object, "n_watched", count_watched ());
  cli_print_json (node);
  return CLI_FINE;
}

static int
session_status (Session *self)
{
  g_autofree char *except = get_except (self);
  guint n_watched = count_watched ();

  print_file (_("Programs with GTK"), &self->environment);
  if (except != NULL)
    g_print (_("Left out: %s\n"), except);
  print_file (_("GNOME Shell"), &self->shell);
  if (self->environment.state == SESSION_FILE_OURS && !is_in_effect ())
    print_when (self, self->shell.state == SESSION_FILE_OURS);
  else if (self->environment.state == SESSION_FILE_ABSENT && is_in_effect ())
    g_print (_("What is started here is watched all the same: GTK_MODULES says so\n"));
  print_module (self);
  g_print (g_dngettext (GETTEXT_PACKAGE, "%u program is watched now\n", "%u programs are watched now\n", n_watched),
           n_watched);
  return CLI_FINE;
}

int
command_session (int argc, char **argv)
{
  g_auto (GStrv) except = NULL;
  gboolean shell = FALSE, json = FALSE;
  const GOptionEntry entries[] = {
    { "shell", 0, 0, G_OPTION_ARG_NONE, &shell, N_("With “on”: watch GNOME Shell and its extensions, too"), NULL },
    { "except", 0, 0, G_OPTION_ARG_STRING_ARRAY, &except,
      N_("With “on”: leave out the program whose file has this name; can be repeated"), N_("NAME") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("With “status”: print JSON"), NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "session", "on | off | status",
    _("Has every program with GTK watched from the next login on, or no more, or says what is watched."), entries);
  g_auto (Session) self = { NULL };
  g_autoptr (GError) error = NULL;

  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (argc != 2)
    return cli_fail_usage ("session", _("Say “on”, “off” or “status”"));
  if (!g_strv_contains (command_session_words, argv[1]))
    return cli_fail_word ("session", argv[1], command_session_words, _("‘%s’ is not “on”, “off” or “status”"), argv[1]);
  if (!g_str_equal (argv[1], "on") && (shell || except != NULL))
    return cli_fail_usage ("session", _("--shell and --except go with “on” only"));
  if (json && !g_str_equal (argv[1], "status"))
    return cli_fail_usage ("session", _("--json goes with “status” only"));
  if (!session_read (&self, &error))
    return cli_fail (error);
  if (g_str_equal (argv[1], "on"))
    return session_on (&self, except, shell);
  if (g_str_equal (argv[1], "off"))
    return session_off (&self);
  return json ? session_print_json (&self) : session_status (&self);
}
