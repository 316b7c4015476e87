/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ctrl+C and Ctrl+Z stay signals. Their handler writes the number to a pipe: whatever thread the kernel chooses for a
 * signal, GLib's own included, the loop of the command carries it out. */

#include "programs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cli/cli.h"

/* The other screen, no cursor, no wrapping; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l\033[H\033[2J"
#define LEAVE "\033[0m\033[?7h\033[?25h\033[?1049l"

static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH };
static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };

static struct sigaction before[G_N_ELEMENTS (taken)];
static int signals[2]; /* a pipe: a byte is a signal's number */

/* Of standard input, also for the handler of a crash. */
static struct termios modes_before;

gboolean
screen_can_draw (void)
{
  return isatty (STDOUT_FILENO) == 1 && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
}

/* Async-signal-safe. */
static void
screen_write (const char *text, gsize n_bytes)
{
  gssize n;

  for (; n_bytes > 0; text += n, n_bytes -= (gsize) n)
    {
      n = write (STDOUT_FILENO, text, n_bytes);
      if (n < 0 && errno != EINTR && errno != EAGAIN)
        return;
      n = MAX (n, 0);
    }
}

static void
screen_enter (Screen *self)
{
  struct termios modes = modes_before;

  modes.c_lflag &= ~(tcflag_t) (ICANON | ECHO);
  if (self->keys >= 0)
    tcsetattr (self->keys, TCSANOW, &modes);
  screen_write (ENTER, strlen (ENTER));
  g_ptr_array_set_size (self->drawn, 0);
}

static void
screen_leave (void)
{
  screen_write (LEAVE, strlen (LEAVE));
  if (isatty (STDIN_FILENO) == 1)
    tcsetattr (STDIN_FILENO, TCSANOW, &modes_before);
}

static void
screen_crash_sigsafe (int number)
{
  screen_leave ();
  raise (number);
}

static void
screen_signal_sigsafe (int number)
{
  int saved = errno;
  char byte = (char) number;
  gssize n = write (signals[1], &byte, 1); /* or it is full of signals already */

  errno = n < 0 ? saved : errno;
}

Screen *
screen_new (void)
{
  const struct sigaction action = { .sa_handler = screen_crash_sigsafe, .sa_flags = (int) SA_RESETHAND };
  Screen *self = g_new0 (Screen, 1);

  if (pipe2 (signals, O_CLOEXEC | O_NONBLOCK) == 0)
    for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
      cli_set_handler (taken[i], screen_signal_sigsafe, &before[i]);
  self->signals = signals[0];
  self->keys = tcgetattr (STDIN_FILENO, &modes_before) == 0 ? STDIN_FILENO : -1;
  self->drawn = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (crashes); i++)
    sigaction (crashes[i], &action, NULL);
  screen_enter (self);
  return self;
}

void
screen_free (Screen *self)
{
  screen_leave ();
  for (guint i = 0; i < G_N_ELEMENTS (crashes); i++)
    signal (crashes[i], SIG_DFL);
  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    sigaction (taken[i], &before[i], NULL);
  close (signals[0]);
  close (signals[1]);
  g_ptr_array_unref (self->drawn);
  g_free (self);
}

/* After SIGSTOP and SIGCONT the shell has changed the modes. */
void
screen_take_signals (Screen *self)
{
  char number;

  while (read (self->signals, &number, 1) == 1)
    if (number == SIGTSTP)
      {
        screen_leave ();
        raise (SIGSTOP);
      }
    else if (number == SIGCONT || number == SIGWINCH)
      screen_enter (self);
    else
      self->end = number;
}

/* An arrow is ESC [ A or ESC O A. Other bytes beyond ASCII, and other sequences, are no keys of ours: ESC alone is the
 * one that it may be taken for. */
int
screen_read_key (Screen *self)
{
  struct pollfd fd = { .fd = self->keys, .events = POLLIN };
  char bytes[3] = "";
  gssize n = poll (&fd, 1, 0) > 0 ? read (self->keys, bytes, 1) : -1;

  if (n == 0)
    self->end = SIGHUP;
  if (n <= 0)
    return SCREEN_NO_KEY;
  if (bytes[0] != SCREEN_ESCAPE || poll (&fd, 1, 0) <= 0)
    return (guchar) bytes[0];
  if (read (self->keys, bytes + 1, 2) != 2 || strchr ("[O", bytes[1]) == NULL)
    return SCREEN_ESCAPE;
  return bytes[2] == 'A' ? SCREEN_UP : bytes[2] == 'B' ? SCREEN_DOWN : SCREEN_ESCAPE;
}

guint
screen_count_rows (void)
{
  guint n_lines = cli_count_lines (stdout);

  return n_lines > 0 ? n_lines : 24;
}

void
screen_draw (Screen *self, GPtrArray *lines)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < lines->len; i++)
    if (i >= self->drawn->len || strcmp (self->drawn->pdata[i], lines->pdata[i]) != 0)
      g_string_append_printf (out, "\033[%u;1H%s\033[K", i + 1, (const char *) lines->pdata[i]);
  screen_write (out->str, out->len);
  g_ptr_array_unref (self->drawn);
  self->drawn = lines;
}

/* Keys that end or stop the command are its own, and whoever stops it means both: the shell waits for its parent. */
void
screen_lend (Screen *self, char *const *argv)
{
  int status;
  char number;
  pid_t pid;

  screen_leave ();
  pid = fork ();
  if (pid == 0)
    {
      execvp (argv[0], argv);
      _exit (127);
    }
  while (pid > 0 && waitpid (pid, &status, WUNTRACED) == pid && WIFSTOPPED (status))
    raise (SIGSTOP);
  while (read (self->signals, &number, 1) == 1)
    if (number == SIGTERM || number == SIGHUP)
      self->end = number;
  screen_enter (self);
}
