/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame statistics to JSON and back, for reports and session files alike. Both directions go through one
 * table of the plain numbers, so that neither can know a name that the other does not. */

#include "config.h"

#include "report/jank-report-frame-clock-private.h"

#include <string.h>

#include "report/jank-json-private.h"
#include "report/jank-report-private.h"

#define MAX_FPS      1e6
#define MAX_MS_PER_S 1000.0

#define FIELD(name) G_STRUCT_OFFSET (JankFrameNumbers, name)

/* All 64 bits wide and not negative. */
static const struct
{
  const char *name;
  gsize       offset;
} counts[] = {
  { "frames",          FIELD (frames) },
  { "startup_frames",  FIELD (startup_frames) },
  { "active_ns",       FIELD (active_ns) },
  { "refresh_ns",      FIELD (refresh_ns) },
  { "late",            FIELD (late) },
  { "late_program",    FIELD (late_program) },
  { "late_compositor", FIELD (late_compositor) },
  { "dropped",         FIELD (dropped) },
  { "dropped_program", FIELD (dropped_program) },
  { "slow",            FIELD (slow) },
  { "frozen",          FIELD (frozen) },
  { "jank",            FIELD (jank) },
  { "big_jank",        FIELD (big_jank) },
  { "p50_ns",          FIELD (p50_ns) },
  { "p90_ns",          FIELD (p90_ns) },
  { "p95_ns",          FIELD (p95_ns) },
  { "p99_ns",          FIELD (p99_ns) },
  { "longest_ns",      FIELD (longest_ns) },
  { "throttled",       FIELD (throttled) },
};

static void
add_fps (JsonObject *object, const char *name, double fps)
{
  if (fps > 0.0)
    jank_json_add_number (object, name, fps);
}

static void
numbers_to_json (const JankFrameNumbers *self, JsonObject *object)
{
  JsonObject *buckets;

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      gint64 n;

      memcpy (&n, (const char *) self + counts[i].offset, sizeof n);
      jank_json_add_count (object, counts[i].name, n);
    }
  add_fps (object, "fps", self->fps);
  add_fps (object, "fps_low", self->fps_low);
  json_object_set_boolean_member (object, "refresh_assumed", self->refresh_assumed);
  jank_json_add_share (object, "stutter", self->stutter);
  jank_json_add_number (object, "hitch_ms_per_s", self->hitch_ms_per_s);
  jank_json_add_number (object, "hitch_compositor_ms_per_s", self->hitch_compositor_ms_per_s);
  jank_json_add_text (object, "hitch_band", jank_hitch_band_nick (self->hitch_band));

  buckets = jank_json_add_object (object, "buckets");
  for (int level = 0; level < JANK_FRAME_N_LEVELS; level++)
    {
      JsonObject *bucket = jank_json_add_object (buckets, jank_frame_level_nick ((JankFrameLevel) level));

      jank_json_add_count (bucket, "frames", (gint64) self->buckets[level].frames);
      jank_json_add_count (bucket, "dropped", (gint64) self->buckets[level].dropped);
    }
}

static double
get_fps (JsonObject *object, const char *name)
{
  double fps = jank_json_get_number (object, name, MAX_FPS);

  return fps > 0.0 ? fps : JANK_FRAME_NO_FPS;
}

static void
numbers_from_json (JankFrameNumbers *self, JsonObject *object)
{
  JsonObject *buckets = jank_json_get_object (object, "buckets");

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      gint64 n = jank_json_get_count (object, counts[i].name);

      memcpy ((char *) self + counts[i].offset, &n, sizeof n);
    }
  self->fps = get_fps (object, "fps");
  self->fps_low = get_fps (object, "fps_low");
  self->fps_now = JANK_FRAME_NO_FPS;
  self->refresh_assumed = jank_json_get_boolean (object, "refresh_assumed");
  self->stutter = jank_json_get_share (object, "stutter");
  self->hitch_ms_per_s = jank_json_get_number (object, "hitch_ms_per_s", MAX_MS_PER_S);
  self->hitch_compositor_ms_per_s = jank_json_get_number (object, "hitch_compositor_ms_per_s", MAX_MS_PER_S);
  self->hitch_band = jank_hitch_band (self->hitch_ms_per_s);
  for (int level = 0; level < JANK_FRAME_N_LEVELS; level++)
    {
      JsonObject *bucket = jank_json_get_object (buckets, jank_frame_level_nick ((JankFrameLevel) level));

      self->buckets[level].frames = (guint64) jank_json_get_count (bucket, "frames");
      self->buckets[level].dropped = (guint64) jank_json_get_count (bucket, "dropped");
    }
}

static void
late_frame_to_json (const JankReportLateFrame *late, JsonArray *array)
{
  JsonObject *object = jank_json_append_object (array);

  jank_json_add_count (object, "began_monotonic_ns", late->began_ns);
  jank_json_add_count (object, "ended_monotonic_ns", late->ended_ns);
  jank_json_add_count (object, "interval_ns", late->interval_ns);
  jank_json_add_count (object, "dropped", (gint64) late->n_dropped);
  jank_json_add_text (object, "busiest", jank_frame_phase_nick (late->busiest));
  jank_json_add_text (object, "who", late->who == JANK_FRAME_LATE_PROGRAM ? "program" : "compositor");
  jank_json_add_count (object, "stack", late->stack);
  if (late->culprit[0] != '\0')
    jank_json_add_text (object, "culprit", late->culprit);
  if (late->report[0] != '\0')
    jank_json_add_text (object, "report", late->report);
}

static JankFramePhase
phase_from_nick (const char *nick)
{
  for (int phase = 0; phase < JANK_FRAME_BETWEEN; phase++)
    if (g_strcmp0 (nick, jank_frame_phase_nick ((JankFramePhase) phase)) == 0)
      return (JankFramePhase) phase;
  return JANK_FRAME_BETWEEN;
}

static void
read_text (char *to, gsize n_bytes, const char *from)
{
  if (from != NULL && strlen (from) < n_bytes)
    g_strlcpy (to, from, n_bytes);
}

static void
read_late_frames (JankReportFrameClock *self, JsonArray *array, guint n_stacks)
{
  guint n = array != NULL ? MIN (json_array_get_length (array), JANK_FRAME_N_LATE) : 0;

  for (guint i = 0; i < n; i++)
    {
      JsonObject *object = jank_json_get_element (array, i);
      gint64 stack = jank_json_get_int (object, "stack", -1, G_MAXINT, JANK_REPORT_NO_INDEX);
      gboolean program = g_strcmp0 (jank_json_get_text (object, "who"), "program") == 0;
      JankReportLateFrame late = {
        .began_ns = jank_json_get_count (object, "began_monotonic_ns"),
        .ended_ns = jank_json_get_count (object, "ended_monotonic_ns"),
        .interval_ns = jank_json_get_count (object, "interval_ns"),
        .n_dropped = (guint64) jank_json_get_count (object, "dropped"),
        .busiest = phase_from_nick (jank_json_get_text (object, "busiest")),
        .who = program ? JANK_FRAME_LATE_PROGRAM : JANK_FRAME_LATE_COMPOSITOR,
        .stack = stack < n_stacks ? (gint) stack : JANK_REPORT_NO_INDEX,
      };

      read_text (late.culprit, sizeof late.culprit, jank_json_get_text (object, "culprit"));
      read_text (late.report, sizeof late.report, jank_json_get_text (object, "report"));
      g_array_append_val (self->late_frames, late);
    }
}

void
jank_report_frame_clock_to_json (const JankReportFrameClock *self, JsonObject *parent)
{
  JsonObject *object;
  JsonArray *array;

  if (self == NULL)
    return;
  object = jank_json_add_object (parent, "frame_clock");
  numbers_to_json (&self->numbers, object);
  json_object_set_boolean_member (object, "presentation", self->has_presentation);
  array = jank_json_add_array (object, "windows");
  for (guint i = 0; i < self->windows->len; i++)
    {
      const JankReportWindow *window = g_ptr_array_index (self->windows, i);
      JsonObject *element = jank_json_append_object (array);

      jank_json_add_text (element, "name", window->name);
      numbers_to_json (&window->numbers, element);
    }
  array = jank_json_add_array (object, "late_frames");
  for (guint i = 0; i < self->late_frames->len; i++)
    late_frame_to_json (&g_array_index (self->late_frames, JankReportLateFrame, i), array);
}

JankReportFrameClock *
jank_report_frame_clock_from_json (JsonObject *object, guint n_stacks)
{
  JankReportFrameClock *self;
  JsonArray *windows = jank_json_get_array (object, "windows");
  guint n_windows = windows != NULL ? MIN (json_array_get_length (windows), JANK_REPORT_MAX_WINDOWS) : 0;

  if (jank_json_get_count (object, "frames") == 0)
    return NULL;
  self = jank_report_frame_clock_new_empty ();
  numbers_from_json (&self->numbers, object);
  self->has_presentation = jank_json_get_boolean (object, "presentation");
  for (guint i = 0; i < n_windows; i++)
    {
      JsonObject *element = jank_json_get_element (windows, i);
      const char *name = jank_json_get_text (element, "name");
      JankReportWindow *window = g_new0 (JankReportWindow, 1);

      window->name = g_strdup (name != NULL ? name : "");
      numbers_from_json (&window->numbers, element);
      g_ptr_array_add (self->windows, window);
    }
  read_late_frames (self, jank_json_get_array (object, "late_frames"), n_stacks);
  return self;
}
