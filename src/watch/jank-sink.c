/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-sink-private.h"

#include <glib/gi18n-lib.h>

#include "guest/jank-errands-private.h"

void
jank_sinks_add (JankSinks *self, const JankSinkFuncs *funcs, gpointer data)
{
  g_assert (self->n < JANK_MAX_SINKS);
  if (data != NULL)
    self->list[self->n++] = (JankSink) { funcs, data };
}

void
jank_sinks_warn_once (JankSinks *self)
{
  JankRecord *record = &self->record;

  if (record->error == NULL)
    return;
  if (!record->has_warned)
    jank_errands_say (_("%s. The program continues; its reports are lost"), record->error->message);
  record->has_warned = TRUE;
  g_clear_error (&record->error);
}
