/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Xvfb finds a free number by itself and writes it to a descriptor of ours (-displayfd) once it listens. It is
 * in a session of its own, out of reach of the terminal's keys, and the kernel ends it should we be killed. */

#include "watched.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n.h>

#include "base/jank-error.h"

#define START_LIMIT_MS 15000

struct _Display
{
  GPid  server;
  char *variable; /* (owned) */
  const char *environment[5]; /* NULL-terminated */
};

gboolean
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

Display *
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

void
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

const char *const *
display_get_environment (const Display *self)
{
  return self != NULL ? self->environment : NULL;
}
