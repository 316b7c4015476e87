/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any thread; no file is touched here. */

#include "rules/jank-events-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-order-private.h"
#include "base/jank-text-clean-private.h"

/* Longest run that makes sense: rules step through it. */
#define MAX_SPAN_NS (G_GINT64_CONSTANT (24) * 3600 * JANK_NS_PER_S)
#define MAX_WORDS   6

JankEvents *
jank_events_new (void)
{
  JankEvents *self = g_new0 (JankEvents, 1);

  self->periods = g_array_new (FALSE, FALSE, sizeof (JankEventPeriod));
  self->samples = g_array_new (FALSE, FALSE, sizeof (JankEventSample));
  self->frames = g_array_new (FALSE, FALSE, sizeof (JankEventFrame));
  self->names = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
jank_events_free (JankEvents *self)
{
  g_array_unref (self->periods);
  g_array_unref (self->samples);
  g_array_unref (self->frames);
  g_ptr_array_unref (self->names);
  g_free (self);
}

const char *
jank_events_get_name (const JankEvents *self, guint name)
{
  return name >= 1 && name <= self->names->len ? self->names->pdata[name - 1] : NULL;
}

static gboolean
jank_events_parse_number (const char *word, gint64 max, gint64 *ret_number)
{
  return word != NULL && g_ascii_string_to_signed (word, 10, 0, max, ret_number, NULL);
}

static void
jank_events_parse_period (JankEvents *self, char **words)
{
  gint64 began_ns, ended_ns, culprit;

  if (jank_events_parse_number (words[1], G_MAXINT64 / 4, &began_ns) &&
      jank_events_parse_number (words[2], G_MAXINT64 / 4, &ended_ns) &&
      words[3] != NULL && jank_events_parse_number (words[4], JANK_EVENTS_MAX_LINES, &culprit))
    {
      JankEventPeriod period = { began_ns, ended_ns, g_str_equal (words[3], "startup"), (guint) culprit };

      g_array_append_val (self->periods, period);
    }
}

static void
jank_events_parse_sample (JankEvents *self, char **words)
{
  gint64 at_ns, stack, top, culprit;

  if (jank_events_parse_number (words[1], G_MAXINT64 / 4, &at_ns) &&
      jank_events_parse_number (words[2], G_MAXUINT32, &stack) &&
      jank_events_parse_number (words[3], JANK_EVENTS_MAX_LINES, &top) &&
      jank_events_parse_number (words[4], JANK_EVENTS_MAX_LINES, &culprit))
    {
      JankEventSample sample = { at_ns, (guint) stack, (guint) top, (guint) culprit };

      g_array_append_val (self->samples, sample);
    }
}

static void
jank_events_parse_frame (JankEvents *self, char **words)
{
  gint64 began_ns, refresh_ns, follows;

  if (jank_events_parse_number (words[1], G_MAXINT64 / 4, &began_ns) &&
      jank_events_parse_number (words[2], JANK_NS_PER_S, &refresh_ns) &&
      jank_events_parse_number (words[3], 1, &follows))
    {
      JankEventFrame frame = { began_ns, refresh_ns, follows == 1 };

      g_array_append_val (self->frames, frame);
    }
}

static void
jank_events_parse_line (JankEvents *self, const char *line)
{
  g_auto (GStrv) words = NULL;
  char *end = NULL;

  /* Names come in their order. */
  if (g_str_has_prefix (line, "name "))
    {
      guint64 number = g_ascii_strtoull (line + strlen ("name "), &end, 10);

      if (*end == ' ' && number == self->names->len + 1)
        g_ptr_array_add (self->names, jank_text_clean (end + 1));
      return;
    }
  words = g_strsplit (line, " ", MAX_WORDS);
  if (words[0] == NULL)
    return;
  if (g_str_equal (words[0], "busy"))
    jank_events_parse_period (self, words);
  else if (g_str_equal (words[0], "sample"))
    jank_events_parse_sample (self, words);
  else if (g_str_equal (words[0], "frame"))
    jank_events_parse_frame (self, words);
  else if (g_str_equal (words[0], "from"))
    jank_events_parse_number (words[1], G_MAXINT64 / 4, &self->began_ns);
  else if (g_str_equal (words[0], "to"))
    jank_events_parse_number (words[1], G_MAXINT64 / 4, &self->ended_ns);
}

/* All three kinds of event begin with their time. */
JANK_ORDER_RISING (jank_events_compare_times, gint64, [0])

/* Returns: whether the i-th period can be after the one before it */
static gboolean
jank_events_keep_period (JankEvents *self, guint i, gint64 *after_ns)
{
  const JankEventPeriod *period = &g_array_index (self->periods, JankEventPeriod, i);

  if (period->began_ns < *after_ns || period->ended_ns < period->began_ns)
    return FALSE;
  *after_ns = period->ended_ns;
  return TRUE;
}

static gint64
jank_events_get_time (const GArray *array, guint i)
{
  return *(const gint64 *) (const void *) (array->data + (gsize) i * g_array_get_element_size ((GArray *) array));
}

/* The end is known where the program ended well. */
static void
jank_events_find_span (JankEvents *self)
{
  const GArray *arrays[] = { self->periods, self->samples, self->frames };
  gint64 first_ns = G_MAXINT64, last_ns = 0;

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (arrays[i]->len > 0)
      {
        first_ns = MIN (first_ns, jank_events_get_time (arrays[i], 0));
        last_ns = MAX (last_ns, jank_events_get_time (arrays[i], arrays[i]->len - 1));
      }
  if (self->periods->len > 0)
    last_ns = MAX (last_ns, g_array_index (self->periods, JankEventPeriod, self->periods->len - 1).ended_ns);
  if (self->began_ns == 0 || self->began_ns > first_ns)
    self->began_ns = first_ns != G_MAXINT64 ? first_ns : 0;
  self->ended_ns = CLAMP (MAX (self->ended_ns, last_ns), self->began_ns, self->began_ns + MAX_SPAN_NS);
}

void
jank_events_settle (JankEvents *self)
{
  gint64 after_ns = 0;
  guint n_kept = 0;

  g_array_sort (self->periods, jank_events_compare_times);
  g_array_sort (self->samples, jank_events_compare_times);
  g_array_sort (self->frames, jank_events_compare_times);
  for (guint i = 0; i < self->periods->len; i++)
    if (jank_events_keep_period (self, i, &after_ns))
      g_array_index (self->periods, JankEventPeriod, n_kept++) = g_array_index (self->periods, JankEventPeriod, i);
  g_array_set_size (self->periods, n_kept);
  jank_events_find_span (self);
}

JankEvents *
jank_events_parse (const char *text, gsize n_bytes, GError **error)
{
  g_autoptr (JankEvents) self = jank_events_new ();
  const char *end = text + MIN (n_bytes, (gsize) JANK_EVENTS_MAX_BYTES);
  gboolean has_head = FALSE;

  for (guint i = 0; text < end && i < JANK_EVENTS_MAX_LINES; i++)
    {
      const char *newline = memchr (text, '\n', (gsize) (end - text));
      g_autofree char *line = NULL;

      /* What has no end was being written when the program died. */
      if (newline == NULL)
        break;
      line = g_strndup (text, (gsize) (newline - text));
      text = newline + 1;
      if (i == 0)
        has_head = g_str_equal (line, JANK_EVENTS_HEAD);
      else
        jank_events_parse_line (self, line);
      if (!has_head)
        break;
    }
  if (!has_head)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("It does not begin with “%s”"), JANK_EVENTS_HEAD);
      return NULL;
    }
  jank_events_settle (self);
  return g_steal_pointer (&self);
}
