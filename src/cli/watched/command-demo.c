/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch demo`: runs the program that stalls on purpose as `run` does, then shows its worst report. */

#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "watched.h"
#include "text/jank-text-report-private.h"

#define DEMO "jankwatch-demo"
#define START_LIMIT_MS 15000 /* of Xvfb */

/* A display where there is none, for as long as the demo runs: Xvfb finds a free number by itself and writes it to a
 * descriptor of ours (-displayfd) once it listens. It is in a session of its own, out of reach of the terminal's keys,
 * and the kernel ends it should we be killed. */
typedef struct
{
  GPid  server;
  char *variable; /* (owned) */
  const char *environment[5]; /* NULL-terminated */
} Display;

/* Whether the environment already names a display. */
static gboolean
display_is_set (void)
{
  const char *x11 = g_getenv ("DISPLAY"), *wayland = g_getenv ("WAYLAND_DISPLAY");

  return (x11 != NULL && *x11 != '\0') || (wayland != NULL && *wayland != '\0');
}

static void
setup_server_cb (gpointer data)
{
  setsid ();
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

/* The number that the server writes, with a new line. Returns: (transfer full) (nullable) */
static char *
read_number (gint fd)
{
  g_autoptr (GString) text = g_string_new (NULL);
  struct pollfd item = { .fd = fd, .events = POLLIN };
  char c;

  while (text->len < 16 && poll (&item, 1, START_LIMIT_MS) == 1 && read (fd, &c, 1) == 1)
    {
      if (c == '\n')
        return text->len > 0 ? g_strdup (text->str) : NULL;
      if (!g_ascii_isdigit (c))
        return NULL;
      g_string_append_c (text, c);
    }
  return NULL;
}

static gboolean
start_server (Display *self, gint fd, GError **error)
{
  g_autofree char *number = g_strdup_printf ("%d", fd);
  const char *const argv[] = {
    "Xvfb", "-displayfd", number, "-screen", "0", "1280x800x24", "-nolisten", "tcp", NULL,
  };
  const GSpawnFlags flags = G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
                            G_SPAWN_STDERR_TO_DEV_NULL;
  g_autoptr (GError) local_error = NULL;

  if (g_spawn_async_with_pipes_and_fds (NULL, argv, NULL, flags, setup_server_cb, NULL, -1, -1, -1,
                                        &fd, &fd, 1, &self->server, NULL, NULL, NULL, &local_error))
    return TRUE;

  if (g_error_matches (local_error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("There is no display, and Xvfb is not installed: install the package ‘xvfb’"));
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Cannot start Xvfb: %s"), local_error->message);
  return FALSE;
}

/* Ends the server and waits for it. */
static void
display_free (Display *self)
{
  if (self->server > 0)
    {
      kill (self->server, SIGTERM);
      while (waitpid (self->server, NULL, 0) < 0 && errno == EINTR)
        ;
    }
  g_free (self->variable);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Display, display_free)

/* Waits until the server answers. Returns: (transfer full) (nullable) */
static Display *
display_new (GError **error)
{
  g_autoptr (Display) self = g_new0 (Display, 1);
  g_autofree char *number = NULL;
  gint fds[2];
  gboolean started;

  if (!g_unix_open_pipe (fds, FD_CLOEXEC, error))
    return NULL;
  started = start_server (self, fds[1], error);
  close (fds[1]);
  number = started ? read_number (fds[0]) : NULL;
  close (fds[0]);
  if (!started)
    return NULL;
  if (number == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Cannot start Xvfb: it printed no number"));
      return NULL;
    }

  self->variable = g_strconcat ("DISPLAY=:", number, NULL);
  /* The display ends with the demo, and helpers would outlive it. OpenGL in software compiles shaders for a second,
   * which would be the worst stall. */
  self->environment[0] = self->variable;
  self->environment[1] = "DBUS_SESSION_BUS_ADDRESS=disabled:";
  self->environment[2] = "GTK_A11Y=none";
  self->environment[3] = "GSK_RENDERER=cairo";
  return g_steal_pointer (&self);
}

/* Returns: (nullable): the spin of the demo, else its longest stall after start-up, else its worst report */
static const JankSessionStall *
find_worst (WatchedRun *run)
{
  const JankSessionSummary *summary = run->summary;
  const JankSessionStall *worst = NULL;

  JANK_EACH (const JankSessionStall, stall, summary->stalls)
    {
      if (stall->kind == JANK_REPORT_SPIN)
        return stall;
      if (stall->kind == JANK_REPORT_STALL && (worst == NULL || stall->duration_ns > worst->duration_ns))
        worst = stall;
    }
  return worst != NULL ? worst : run_summary_worst (run);
}

static int
print_worst (WatchedRun *run)
{
  const JankSessionStall *worst = run->summary != NULL ? find_worst (run) : NULL;
  g_autoptr (JankReport) report = worst != NULL ? watched_run_load (run, worst) : NULL;
  JankTextStyle style = cli_text_style (stdout, 80);
  g_autofree char *text = NULL;

  if (report == NULL)
    {
      if (run->exit_status == CLI_FINE && worst == NULL)
        cli_warn (_("The demo program ended without any stall"));
      return run->exit_status == CLI_FINE && worst != NULL ? CLI_FAILED : run->exit_status;
    }
  text = jank_text_report (report, &style);
  g_print ("%s", text);
  return run->exit_status;
}

static int
run_demo (char **argv, const char *store, gboolean needs_person)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Display) display = NULL;
  g_autoptr (WatchedRun) run = NULL;

  if (!display_is_set ())
    {
      if (needs_person)
        return cli_fail_usage ("demo", _("There is no display for the demo program; choose a stall with --auto"));
      display = display_new (&error);
      if (display == NULL)
        return cli_fail (error);
    }

  run = watched_run (argv, store, NULL, display != NULL ? display->environment : NULL, FALSE, FALSE);
  return run != NULL ? print_worst (run) : CLI_FAILED;
}

static int
list_kinds (char *program)
{
  char *argv[] = { program, (char *) "--list", NULL };
  g_auto (GStrv) envp = g_get_environ ();
  g_autofree char *why = NULL;

  return child_run (argv, envp, &why);
}

/* Of --auto, as the demo program lists them. Returns: (transfer full) (nullable): it cannot say */
static char **
command_demo_list_kinds (void)
{
  g_autofree char *program = locate_program ("demo", DEMO, NULL), *text = NULL;
  char *argv[] = { program, (char *) "--list", NULL };
  g_auto (GStrv) lines = NULL;

  if (program == NULL ||
      !g_spawn_sync (NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &text, NULL, NULL, NULL))
    return NULL;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    lines[i][strcspn (lines[i], " ")] = '\0';
  return g_steal_pointer (&lines);
}

int
command_demo (int argc, char **argv)
{
  gboolean list = FALSE;
  g_autofree char *kind = NULL, *store = NULL, *program = NULL;
  const GOptionEntry entries[] = {
    { "auto", 0, 0, G_OPTION_ARG_STRING, &kind, N_("Stall in this way without a click, then exit"), N_("KIND") },
    { "list", 0, 0, G_OPTION_ARG_NONE, &list, N_("List the kinds of stall"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &store, N_("Save the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_auto (GStrv) kinds = NULL;

  if (!cli_begin (&argc, &argv, _("[KIND] [-- OPTION…]"), CLI_ANY_WORDS, entries, NULL,
                  _("Runs a small GTK program with a button for each kind of stall, and shows the report of the "
                    "worst one. Without a display, --auto starts Xvfb. Options after “--” are passed to the demo "
                    "program.")))
    return CLI_USAGE;
  if (!cli_check_store ("demo", store))
    return CLI_USAGE;
  if (kind == NULL && argc > 1 && argv[1][0] != '-')
    {
      kind = g_strdup (argv[1]);
      argv++;
      argc--;
    }
  program = locate_program ("demo", DEMO, &error);
  if (program == NULL)
    return cli_fail (error);
  if (list)
    return list_kinds (program);

  kinds = kind != NULL ? command_demo_list_kinds () : NULL;
  if (kinds != NULL && cli_find_word ((const char *const *) kinds, kind) < 0)
    return cli_fail_word ("demo", kind, (const char *const *) kinds, _("There is no stall called ‘%s’; see --list"),
                          kind);

  g_ptr_array_add (command, program);
  if (kind != NULL)
    {
      g_ptr_array_add (command, (char *) "--auto");
      g_ptr_array_add (command, kind);
    }
  for (int i = argc > 1 && strcmp (argv[1], "--") == 0 ? 2 : 1; i < argc; i++)
    g_ptr_array_add (command, argv[i]);
  g_ptr_array_add (command, NULL);
  return run_demo ((char **) command->pdata, store, kind == NULL);
}
