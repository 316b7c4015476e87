/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings-fixture.h"

#include <string.h>
#include <glib/gstdio.h>

#include "base/jank-error.h"
#include "folder.h"

void
settings_set_up (Fixture *fixture, gconstpointer data)
{
  fixture->settings = jank_settings_new ();
  fixture->warnings = g_ptr_array_new_with_free_func (g_free);
  fixture->folder = folder_new ("jank-settings");
  fixture->path = g_build_filename (fixture->folder, "settings.conf", NULL);
}

void
settings_tear_down (Fixture *fixture, gconstpointer data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  jank_settings_free (fixture->settings);
  g_ptr_array_unref (fixture->warnings);
  g_free (fixture->folder);
  g_free (fixture->path);
}

void
settings_write_file (Fixture *fixture, const char *text, gssize n_bytes)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents (fixture->path, text, n_bytes, &error);
  g_assert_no_error (error);
}

const char *
settings_get_warning (const Fixture *fixture, guint i)
{
  g_assert_cmpuint (i, <, fixture->warnings->len);
  return fixture->warnings->pdata[i];
}

void
settings_assert_has (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    g_error ("“%s” does not say “%s”", text, part);
}

void
settings_assert_equal (const JankSettings *a, const JankSettings *b)
{
  g_assert_cmpint (a->threshold_ns, ==, b->threshold_ns);
  g_assert_cmpint (a->first_sample_ns, ==, b->first_sample_ns);
  g_assert_cmpint (a->interval_ns, ==, b->interval_ns);
  g_assert_cmpint (a->signal, ==, b->signal);
  g_assert_cmpint (a->pick, ==, b->pick);
  g_assert_cmpstr (a->store, ==, b->store);
  g_assert_cmpuint (a->max_reports, ==, b->max_reports);
  g_assert_cmpuint (a->max_bytes, ==, b->max_bytes);
  g_assert_cmpint (a->preset, ==, b->preset);
  g_assert_cmpint (a->observer, ==, b->observer);
  g_assert_cmpint (a->check_interval_ns, ==, b->check_interval_ns);
  g_assert_cmpint (a->ping_interval_ns, ==, b->ping_interval_ns);
  g_assert_cmpint (a->ping_timeout_ns, ==, b->ping_timeout_ns);
  g_assert_cmpint (a->sources, ==, b->sources);
  g_assert_cmpuint (a->spin_turns, ==, b->spin_turns);
  g_assert_cmpint (a->spin_time_ns, ==, b->spin_time_ns);
  g_assert_cmpuint (a->cpu_threshold, ==, b->cpu_threshold);
  g_assert_cmpint (a->cpu_time_ns, ==, b->cpu_time_ns);
  g_assert_cmpint (a->annealing, ==, b->annealing);
  g_assert_cmpuint (a->max_per_session, ==, b->max_per_session);
  g_assert_cmpint (a->notify, ==, b->notify);
  g_assert_cmpstr (a->on_report, ==, b->on_report);
  g_assert_cmpstr (a->send_to, ==, b->send_to);
  g_assert_cmpint (a->send_ask, ==, b->send_ask);
  g_assert_cmpuint (a->send_per_day, ==, b->send_per_day);
  g_assert_cmpint (a->frames, ==, b->frames);
  g_assert_cmpint (a->overlay, ==, b->overlay);
  g_assert_cmpstr (a->frame_log, ==, b->frame_log);
  g_assert_cmpuint (a->overlay_preset, ==, b->overlay_preset);
  g_assert_cmpint (a->overlay_corner, ==, b->overlay_corner);
  g_assert_cmpfloat (a->overlay_scale, ==, b->overlay_scale);
  g_assert_cmpfloat (a->overlay_opacity, ==, b->overlay_opacity);
  g_assert_cmpstr (a->overlay_key, ==, b->overlay_key);
}

void
settings_assert_refused (Fixture *fixture, const char *key, const char *value, const char *accepted, const char *in_use)
{
  g_autoptr (JankSettings) before = jank_settings_copy (fixture->settings);
  g_autoptr (GError) error = NULL;

  g_assert_false (jank_settings_set (fixture->settings, key, value, &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);
  settings_assert_has (error->message, key);
  settings_assert_has (error->message, value);
  settings_assert_has (error->message, accepted);
  settings_assert_has (error->message, in_use);
  settings_assert_equal (fixture->settings, before);
}
