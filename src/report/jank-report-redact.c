/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Takes out of a report what says more of the user than of the program, before it leaves the machine. What is not
 * known to be harmless goes. Pure; any thread that has the report for itself. */

#include "config.h"

#include "report/jank-report-private.h"

#include <string.h>

/* Paths become base names, of the source as of the program. */
static void
cut_path (char **place)
{
  char *name = NULL;

  if (*place == NULL)
    return;
  name = g_path_get_basename (*place);
  g_free (*place);
  *place = name;
}

static void
replace (char **place, const char *text)
{
  g_free (*place);
  *place = g_strdup (text);
}

/* "GtkButton", "app.save-as": a name that somebody gave in the source, not text of the user's. */
static gboolean
is_name (const char *text)
{
  return text[0] != '\0' && strspn (text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.-") == strlen (text);
}

/* Who is at the other end, by the family of the socket. */
static const char *
get_peer_kind (const char *family)
{
  if (g_strcmp0 (family, "unix") == 0)
    return "unix socket";
  if (family != NULL && g_str_has_prefix (family, "tcp"))
    return "TCP peer";
  if (family != NULL && g_str_has_prefix (family, "udp"))
    return "UDP peer";
  return "peer";
}

/* The detail repeats the target in words. */
static void
redact_wait (JankReportWait *wait)
{
  const char *kind = wait != NULL && wait->kind != NULL ? wait->kind : "";

  if (wait == NULL)
    return;
  g_clear_pointer (&wait->detail, g_free);
  if (wait->target == NULL)
    return;
  if (g_str_equal (kind, "file") || g_str_equal (kind, "device") || g_str_equal (kind, "page"))
    cut_path (&wait->target);
  else if (g_str_equal (kind, "pipe"))
    replace (&wait->target, "pipe");
  else if (g_str_equal (kind, "socket"))
    replace (&wait->target, get_peer_kind (wait->filesystem));
  else if (g_str_equal (kind, "child"))
    cut_path (&wait->target);
  else if (!g_str_equal (kind, "dbus") || !is_name (wait->target))
    g_clear_pointer (&wait->target, g_free);
}

/* Titles of windows are text of the user's; types of widgets and names of actions are not. */
static void
redact_tags (JankReport *self)
{
  for (guint i = 0; i < self->tags->len; i++)
    {
      JankReportTag *tag = g_ptr_array_index (self->tags, i);
      gboolean kept = (g_str_equal (tag->name, "focus") || g_str_equal (tag->name, "action")) && is_name (tag->value);

      if (!kept)
        replace (&tag->value, "");
    }
  if (self->frame_clock == NULL)
    return;
  for (guint i = 0; i < self->frame_clock->windows->len; i++)
    replace (&((JankReportWindow *) g_ptr_array_index (self->frame_clock->windows, i))->name, "");
}

static void
redact_code (JankReport *self)
{
  for (guint i = 0; i < self->modules->len; i++)
    cut_path (&((JankReportModule *) g_ptr_array_index (self->modules, i))->path);
  for (guint i = 0; i < self->calls->len; i++)
    {
      JankReportCall *frame = g_ptr_array_index (self->calls, i);

      cut_path (&frame->file);
      for (guint k = 0; frame->inlined != NULL && k < frame->inlined->len; k++)
        cut_path (&((JankReportInlined *) g_ptr_array_index (frame->inlined, k))->file);
    }
  cut_path (&self->heaviest.module);
  cut_path (&self->culprit.module);
  cut_path (&self->culprit.file);
}

void
jank_report_redact (JankReport *self)
{
  cut_path (&self->app.exe);
  cut_path (&self->app.name);
  if (self->source.name != NULL && strchr (self->source.name, '/') != NULL)
    replace (&self->source.name, "");
  for (guint i = 0; i < self->sources->len; i++)
    {
      JankReportSource *source = g_ptr_array_index (self->sources, i);

      if (source->name != NULL && strchr (source->name, '/') != NULL)
        replace (&source->name, "");
    }
  redact_code (self);
  redact_tags (self);
  for (guint i = 0; i < self->samples->len; i++)
    redact_wait (((JankReportSample *) g_ptr_array_index (self->samples, i))->wait);
  for (guint i = 0; i < self->threads->len; i++)
    redact_wait (((JankReportThread *) g_ptr_array_index (self->threads, i))->wait);
}
