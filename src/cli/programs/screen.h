/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The whole terminal, drawn in place with a few escape sequences, and its keys. However this process ends, but for
 * SIGKILL, the terminal is then as it was. One at a time; single-threaded. */

#pragma once

#include <signal.h>

#include <glib.h>

typedef struct
{
  /* to be polled */
  int        signals;  /* (owned) */
  int        keys;     /* standard input if it is a terminal, else -1 */

  int        end;      /* the signal that it is time to end for, 0: not yet */

  sigset_t   before;   /* private, all below */
  GPtrArray *drawn;    /* (owned) of (owned) lines */
} Screen;

/* What screen_read_key() returns beside characters, which are themselves. */
enum { SCREEN_NO_KEY, SCREEN_ENTER = '\n', SCREEN_ESCAPE = 0x1b, SCREEN_ERASE = 0x7f, SCREEN_UP = 256, SCREEN_DOWN };

/* Whether standard output is a terminal that can be drawn on. */
gboolean screen_can_draw     (void);

/* Blocks the signals that are about the terminal or the end: screen_take_signals() carries them out. */
Screen  *screen_new          (void);
void     screen_free         (Screen *self);

void     screen_take_signals (Screen *self);
int      screen_read_key     (Screen *self);

guint    screen_count_rows   (void);
/* lines: (transfer full) (element-type utf8): each at most as wide as the terminal. Only those that differ are sent. */
void     screen_draw         (Screen *self, GPtrArray *lines);

/* Gives the terminal to a command until it ends. argv: ends with NULL */
void     screen_lend         (Screen *self, char *const *argv);
