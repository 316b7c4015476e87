/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli.h"

#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

/* What is quicker needs no line; and so often it is written anew. */
#define PATIENCE_US G_TIME_SPAN_SECOND
#define EVERY_US    (100 * G_TIME_SPAN_MILLISECOND)

static const char *what;  /* (nullable): nothing goes on */
static gint64 due_us;
static gboolean is_shown;

void
progress_begin (const char *text)
{
  what = isatty (STDERR_FILENO) == 1 && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0 ? text : NULL;
  due_us = g_get_monotonic_time () + PATIENCE_US;
}

void
progress_step (guint n_done, guint n)
{
  gint64 now_us = what != NULL ? g_get_monotonic_time () : 0;

  if (what == NULL || now_us < due_us)
    return;
  due_us = now_us + EVERY_US;
  is_shown = TRUE;
  g_printerr (CLEAR_LINE "%s: %u / %u", what, n_done, n);
}

void
progress_erase (void)
{
  if (is_shown)
    g_printerr (CLEAR_LINE);
  is_shown = FALSE;
}

void
progress_end (void)
{
  progress_erase ();
  what = NULL;
}
