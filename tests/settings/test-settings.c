/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each setting alone, and presets, which are many. */

#include <signal.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "settings-fixture.h"
#include "test.h"

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, defaults)
{
  g_autofree char *store = g_build_filename (g_getenv ("XDG_STATE_HOME"), "jankwatch", NULL);
  g_autoptr (JankSettings) copy = jank_settings_copy (fixture->settings);

  g_assert_cmpint (fixture->settings->threshold_ns, ==, 100 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->first_sample_ns, ==, 16 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->interval_ns, ==, 10 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->signal, ==, 0);
  g_assert_cmpint (fixture->settings->pick, ==, JANK_PICK_PATH);
  g_assert_cmpstr (fixture->settings->store, ==, store);
  g_assert_cmpuint (fixture->settings->max_reports, >, 0);
  g_assert_cmpuint (fixture->settings->max_bytes, >, 0);
  g_assert_cmpint (fixture->settings->preset, ==, JANK_PRESET_DEFAULT);
  g_assert_cmpint (fixture->settings->observer, ==, JANK_OBSERVE_LOOP);
  g_assert_cmpint (fixture->settings->check_interval_ns, ==, 0);
  g_assert_cmpint (fixture->settings->ping_interval_ns, ==, 500 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->ping_timeout_ns, ==, 100 * JANK_NS_PER_MS);
  g_assert_false (fixture->settings->sources);
  g_assert_cmpuint (fixture->settings->spin_turns, ==, 2000);
  g_assert_cmpint (fixture->settings->spin_time_ns, ==, 2 * JANK_NS_PER_S);
  g_assert_cmpuint (fixture->settings->cpu_threshold, ==, 0);
  g_assert_cmpint (fixture->settings->cpu_time_ns, ==, 3 * JANK_NS_PER_S);
  g_assert_true (fixture->settings->annealing);
  g_assert_cmpuint (fixture->settings->max_per_session, ==, 200);
  g_assert_false (fixture->settings->notify);
  g_assert_cmpstr (fixture->settings->on_report, ==, "");
  g_assert_cmpstr (fixture->settings->send_to, ==, "");
  g_assert_true (fixture->settings->send_ask);
  g_assert_true (fixture->settings->frames);
  g_assert_cmpstr (fixture->settings->frame_log, ==, "");
  g_assert_false (fixture->settings->overlay);
  g_assert_cmpuint (fixture->settings->overlay_preset, ==, 3);
  g_assert_cmpint (fixture->settings->overlay_corner, ==, JANK_OVERLAY_TOP_END);
  g_assert_cmpfloat (fixture->settings->overlay_scale, ==, 1.0);
  g_assert_cmpfloat (fixture->settings->overlay_opacity, ==, 0.9);
  g_assert_cmpstr (fixture->settings->overlay_key, ==, "<Control><Shift>j");
  settings_assert_equal (fixture->settings, copy);
  g_assert_true (fixture->settings->store != copy->store);
  g_assert_true (fixture->settings->on_report != copy->on_report);
  g_assert_true (fixture->settings->frame_log != copy->frame_log);
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, units)
{
  static const struct { const char *text; gint64 time_ns; } times[] = {
    { "150", 150 * JANK_NS_PER_MS }, { "150ms", 150 * JANK_NS_PER_MS }, { "0.15s", 150 * JANK_NS_PER_MS },
    { "150000us", 150 * JANK_NS_PER_MS }, { "2s", 2 * JANK_NS_PER_S }, { "20", 20 * JANK_NS_PER_MS },
    { "3600s", 3600 * JANK_NS_PER_S }, { "88.5", 88500 * JANK_NS_PER_US }, { "33.333ms", 33333 * JANK_NS_PER_US },
  };
  static const struct { const char *text; guint64 n_bytes; } sizes[] = {
    { "65536", 65536 }, { "64k", 65536 }, { "1.5M", 1536 << 10 }, { "32M", 32 << 20 },
    { "1024G", G_GUINT64_CONSTANT (1) << 40 },
  };
  JankSettings *settings = fixture->settings;

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      g_assert_true (jank_settings_set (settings, "threshold", times[i].text, NULL));
      g_assert_cmpint (settings->threshold_ns, ==, times[i].time_ns);
    }
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_assert_true (jank_settings_set (settings, "max-bytes", sizes[i].text, NULL));
      g_assert_cmpuint (settings->max_bytes, ==, sizes[i].n_bytes);
    }
  g_assert_true (jank_settings_set (settings, "first-sample", "1ms", NULL));
  g_assert_cmpint (settings->first_sample_ns, ==, JANK_NS_PER_MS);
  g_assert_true (jank_settings_set (settings, "interval", "10s", NULL));
  g_assert_cmpint (settings->interval_ns, ==, 10 * JANK_NS_PER_S);
  g_assert_true (jank_settings_set (settings, "max-reports", "7", NULL));
  g_assert_cmpuint (settings->max_reports, ==, 7);
  g_assert_true (jank_settings_set (settings, "rule", "last20", NULL));
  g_assert_cmpint (settings->pick, ==, JANK_PICK_LAST20);
  g_assert_true (jank_settings_set (settings, "store", "/some/where", NULL));
  g_assert_cmpstr (settings->store, ==, "/some/where");
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, overlay)
{
  static const struct { const char *text; gboolean yes; } words[] = {
    { "yes", TRUE }, { "no", FALSE }, { "true", TRUE }, { "false", FALSE }, { "1", TRUE }, { "0", FALSE },
  };
  static const char *const corners[] = { "top-start", "top-end", "bottom-start", "bottom-end" };
  static const char *const keys[] = { "F12", "<Alt>F1", "<Primary><Super>KP_Add", "", "<Control>comma" };
  JankSettings *settings = fixture->settings;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_assert_true (jank_settings_set (settings, "overlay", words[i].text, NULL));
      g_assert_true (jank_settings_set (settings, "frames", words[i].text, NULL));
      g_assert_cmpint (settings->overlay, ==, words[i].yes);
      g_assert_cmpint (settings->frames, ==, words[i].yes);
    }
  for (guint i = 0; i < G_N_ELEMENTS (corners); i++)
    {
      g_assert_true (jank_settings_set (settings, "overlay-corner", corners[i], NULL));
      g_assert_cmpint (settings->overlay_corner, ==, i);
    }
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_assert_true (jank_settings_set (settings, "overlay-key", keys[i], NULL));
      g_assert_cmpstr (settings->overlay_key, ==, keys[i]);
    }
  g_assert_true (jank_settings_set (settings, "overlay-preset", "1", NULL));
  g_assert_cmpuint (settings->overlay_preset, ==, 1);
  g_assert_false (jank_settings_set (settings, "overlay-preset", "5", NULL));
  g_assert_true (jank_settings_set (settings, "frame-log", "/tmp/frames", NULL));
  g_assert_cmpstr (settings->frame_log, ==, "/tmp/frames");
  g_assert_false (jank_settings_set (settings, "frame-log", "frames", NULL));
  g_assert_true (jank_settings_set (settings, "overlay-scale", "0.5", NULL));
  g_assert_cmpfloat (settings->overlay_scale, ==, 0.5);
  g_assert_true (jank_settings_set (settings, "overlay-scale", "4", NULL));
  g_assert_cmpfloat (settings->overlay_scale, ==, 4.0);
  g_assert_true (jank_settings_set (settings, "overlay-opacity", "0.1", NULL));
  g_assert_cmpfloat (settings->overlay_opacity, ==, 0.1);
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, bad_values)
{
  static const char *const bad_times[] = {
    "", "soon", "-100", "3", "3.999ms", "3600001", "3601s", "100 ms", "100m", "100msx", "inf", "nan", "1e400",
    "0,15s", "ms", ".", "99999999999999999999999999",
  };
  static const char *const bad_sizes[] = { "", "1", "63k", "1025G", "32 M", "32m", "32MB", "-1M", "nan" };
  static const char *const bad_counts[] = { "", "0", "-1", "1.5", "100001", "12x", "18446744073709551617" };
  static const char *const bad_signals[] = { "", "0", "9", "14", "65", "-35", "SIGUSR1", "Auto", "35.5" };
  g_autofree char *signal_range = g_strdup_printf ("%d to %d", SIGRTMIN, SIGRTMAX);

  jank_settings_set (fixture->settings, "threshold", "0.2s", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bad_times); i++)
    settings_assert_refused (fixture, "threshold", bad_times[i], "from 4ms to 3600s", "Using 200ms");
  settings_assert_refused (fixture, "first-sample", "0.9", "from 1ms to 10s", "Using 16ms");
  settings_assert_refused (fixture, "interval", "11s", "from 1ms to 10s", "Using 10ms");
  jank_settings_set (fixture->settings, "interval", "1.5", NULL);
  settings_assert_refused (fixture, "interval", "0", "from 1ms to 10s", "Using 1.5ms");
  for (guint i = 0; i < G_N_ELEMENTS (bad_sizes); i++)
    settings_assert_refused (fixture, "max-bytes", bad_sizes[i], "from 64k to 1024G", "Using 33554432");
  for (guint i = 0; i < G_N_ELEMENTS (bad_counts); i++)
    settings_assert_refused (fixture, "max-reports", bad_counts[i], "from 1 to 100000", "Using 200");
  for (guint i = 0; i < G_N_ELEMENTS (bad_signals); i++)
    settings_assert_refused (fixture, "signal", bad_signals[i], signal_range, "Using auto");
  settings_assert_refused (fixture, "rule", "Path", "one of: path, last20", "Using path");
  settings_assert_refused (fixture, "rule", "", "one of: path, last20", "Using path");
  settings_assert_refused (fixture, "preset", "matrx", "(did you mean “matrix”?)", "Using default");
  settings_assert_refused (fixture, "store", "relative/path", "absolute path", fixture->settings->store);
  settings_assert_refused (fixture, "store", "", "absolute path", fixture->settings->store);
}

/* DESIGN's table, as settings. */
TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, presets)
{
  static const struct
  {
    const char *name;
    JankObserve observer;
    gint64      threshold_ms, check_ms, first_ms, interval_ms, ping_ms, timeout_ms;
    JankPick    pick;
  } table[] = {
    { "default", JANK_OBSERVE_LOOP, 100, 0, 16, 10, 500, 100, JANK_PICK_PATH },
    { "qilag", JANK_OBSERVE_LOOP, 88, 88, 88, 88, 500, 100, JANK_PICK_PATH },
    { "semaphore", JANK_OBSERVE_LOOP, 250, 50, 250, 250, 500, 100, JANK_PICK_PATH },
    { "kartun", JANK_OBSERVE_LOOP, 2000, 1000, 2000, 2000, 500, 100, JANK_PICK_PATH },
    { "anreye", JANK_OBSERVE_PING, 400, 0, 400, 400, 400, 400, JANK_PICK_PATH },
    { "mainwatch", JANK_OBSERVE_PING, 16, 0, 16, 1000, 1000, 16, JANK_PICK_PATH },
    { "rabbit", JANK_OBSERVE_FRAMES, 166, 0, 16, 16, 500, 100, JANK_PICK_PATH },
    { "matrix", JANK_OBSERVE_LOOP, 2000, 1000, 50, 50, 500, 100, JANK_PICK_LAST20 },
    { "displaylink", JANK_OBSERVE_FRAMES, 100, 1000, 16, 10, 500, 100, JANK_PICK_PATH },
  };
  JankSettings *settings = fixture->settings;

  g_assert_cmpuint (g_strv_length ((char **) jank_preset_get_nicks ()), ==, G_N_ELEMENTS (table));
  /* Each after each: nothing of one is left in the next. */
  for (guint i = 0; i < G_N_ELEMENTS (table) * G_N_ELEMENTS (table); i++)
    {
      guint k = i % 2 == 0 ? i / G_N_ELEMENTS (table) : i % G_N_ELEMENTS (table);

      g_assert_true (jank_settings_set (settings, "preset", table[k].name, NULL));
      g_assert_cmpint (settings->preset, ==, jank_preset_find (table[k].name));
      g_assert_cmpint (settings->observer, ==, table[k].observer);
      g_assert_cmpint (settings->threshold_ns / JANK_NS_PER_MS, ==, table[k].threshold_ms);
      g_assert_cmpint (settings->check_interval_ns, ==, table[k].check_ms * JANK_NS_PER_MS);
      g_assert_cmpint (settings->first_sample_ns / JANK_NS_PER_MS, ==, table[k].first_ms);
      g_assert_cmpint (settings->interval_ns / JANK_NS_PER_MS, ==, table[k].interval_ms);
      g_assert_cmpint (settings->ping_interval_ns, ==, table[k].ping_ms * JANK_NS_PER_MS);
      g_assert_cmpint (settings->ping_timeout_ns, ==, table[k].timeout_ms * JANK_NS_PER_MS);
      g_assert_cmpint (settings->pick, ==, table[k].pick);
    }
  settings_assert_refused (fixture, "preset", "Matrix", "qilag, semaphore, kartun", "Using displaylink");
  settings_assert_refused (fixture, "observer", "clock", "loop, ping, frames", "Using frames");
}

/* A single setting stays, whether it stands before or after the preset of its source; one of an earlier source
 * does not. */
TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, preset_order)
{
  jank_settings_apply_text (fixture->settings, "threshold=300ms,preset=matrix", fixture->warnings);
  g_assert_cmpint (fixture->settings->preset, ==, jank_preset_find ("matrix"));
  g_assert_cmpint (fixture->settings->threshold_ns, ==, 300 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->interval_ns, ==, 50 * JANK_NS_PER_MS);

  settings_write_file (fixture,
                       "[default]\nthreshold=60ms\nping-timeout=5ms\npreset=mainwatch\n[program]\ninterval=3ms\n", -1);
  jank_settings_apply_file (fixture->settings, fixture->path, "program", fixture->warnings);
  g_assert_cmpint (fixture->settings->preset, ==, jank_preset_find ("mainwatch"));
  g_assert_cmpint (fixture->settings->threshold_ns, ==, 60 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->ping_timeout_ns, ==, 5 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->ping_interval_ns, ==, JANK_NS_PER_S);
  g_assert_cmpint (fixture->settings->interval_ns, ==, 3 * JANK_NS_PER_MS);

  jank_settings_apply_text (fixture->settings, "preset=qilag", fixture->warnings);
  g_assert_cmpint (fixture->settings->threshold_ns, ==, 88 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->ping_timeout_ns, ==, 100 * JANK_NS_PER_MS);

  jank_settings_apply_text (fixture->settings, "preset,preset=none", fixture->warnings);
  g_assert_cmpuint (fixture->warnings->len, ==, 2);
  g_assert_cmpint (fixture->settings->preset, ==, jank_preset_find ("qilag"));
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, bad_overlay)
{
  static const char *const bad_words[] = { "", "Yes", "on", "2", "y" };
  static const char *const bad_numbers[] = { "", "0.499", "4.001", "1x", "nan", "inf", "-1", "1,5", "1 " };
  static const char *const bad_keys[] = { "<Control>", "<Control", "Control>j", "<>j", "j k", "<Control><Shift>", "+" };

  for (guint i = 0; i < G_N_ELEMENTS (bad_words); i++)
    {
      settings_assert_refused (fixture, "overlay", bad_words[i], "“yes” or “no”", "Using no");
      settings_assert_refused (fixture, "frames", bad_words[i], "“yes” or “no”", "Using yes");
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad_numbers); i++)
    settings_assert_refused (fixture, "overlay-scale", bad_numbers[i], "a number from 0.5 to 4", "Using 1");
  settings_assert_refused (fixture, "overlay-opacity", "0", "a number from 0.1 to 1", "Using 0.9");
  settings_assert_refused (fixture, "overlay-corner", "top-left", "one of: top-start, top-end", "Using top-end");
  for (guint i = 0; i < G_N_ELEMENTS (bad_keys); i++)
    settings_assert_refused (fixture, "overlay-key", bad_keys[i], "<Control><Shift>j", "Using <Control><Shift>j");
  jank_settings_set (fixture->settings, "overlay-key", "", NULL);
  settings_assert_refused (fixture, "overlay-key", "<", "<Control><Shift>j", "Using no key");
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, unknown_key)
{
  g_autoptr (JankSettings) before = jank_settings_copy (fixture->settings);
  static const struct { const char *name, *near; } unknown[] = {
    { "treshold", "threshold" }, { "Threshold", "threshold" }, { "max_reports", "max-reports" }, { "colour", NULL },
        { "", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (jank_settings_set (fixture->settings, unknown[i].name, "1", &error));
      g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);
      settings_assert_has (error->message, unknown[i].name);
      settings_assert_has (error->message, unknown[i].near != NULL ? "did you mean" : "jankwatch.conf(5)");
      settings_assert_has (error->message, unknown[i].near != NULL ? unknown[i].near : unknown[i].name);
      settings_assert_has (error->message, ". Ignoring it");
    }
  settings_assert_equal (fixture->settings, before);
}

TESTS_AT_HOME ("/settings/settings")
