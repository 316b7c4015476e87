/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings as the user writes them: JANKWATCH_CONFIG and the key file, good, bad and garbage. */

#include <string.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "fuzz-settings-private.h"
#include "settings-fixture.h"
#include "test.h"

#define N_FUZZ 20000

/* A key alone says yes where the answer is yes or no, and nothing elsewhere. */
TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, bare)
{
  jank_settings_apply_text (fixture->settings, "frames=no, overlay ,overlay-scale", fixture->warnings);
  g_assert_true (fixture->settings->overlay);
  g_assert_false (fixture->settings->frames);
  g_assert_cmpuint (fixture->warnings->len, ==, 1);
  settings_assert_has (settings_get_warning (fixture, 0), "overlay-scale");

  jank_settings_apply_text (fixture->settings, "overlay=no,overlay=", fixture->warnings);
  g_assert_false (fixture->settings->overlay);
  g_assert_cmpuint (fixture->warnings->len, ==, 2);
  settings_assert_has (settings_get_warning (fixture, 1), "“yes” or “no”");
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, text)
{
  jank_settings_apply_text (fixture->settings,
                            " threshold = 50ms ,,interval=5,colour=red, signal ,interval=never,rule=last20,\xff=\xfe",
                            fixture->warnings);

  g_assert_cmpint (fixture->settings->threshold_ns, ==, 50 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->interval_ns, ==, 5 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->signal, ==, 0);
  g_assert_cmpint (fixture->settings->pick, ==, JANK_PICK_LAST20);

  /* One each, in order, in UTF-8. */
  g_assert_cmpuint (fixture->warnings->len, ==, 4);
  settings_assert_has (settings_get_warning (fixture, 0), "colour");
  settings_assert_has (settings_get_warning (fixture, 1), "signal");
  settings_assert_has (settings_get_warning (fixture, 2), "never");
  settings_assert_has (settings_get_warning (fixture, 2), "Using 5ms");
  g_assert_true (g_utf8_validate (settings_get_warning (fixture, 3), -1, NULL));
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, file_groups)
{
  settings_write_file (fixture,
              "# a comment\n"
              "[gnome-text-editor]\nthreshold=50ms\nstore=/tmp/of editor\n"
              "[default]\nthreshold=300ms\ninterval=20ms\nmax-reports=many\n"
              "[other]\nthreshold=1s\nnonsense=1\n", -1);
  jank_settings_apply_file (fixture->settings, fixture->path, "gnome-text-editor", fixture->warnings);

  /* The program's group wins, wherever it stands; groups of others are not even checked. */
  g_assert_cmpint (fixture->settings->threshold_ns, ==, 50 * JANK_NS_PER_MS);
  g_assert_cmpint (fixture->settings->interval_ns, ==, 20 * JANK_NS_PER_MS);
  g_assert_cmpstr (fixture->settings->store, ==, "/tmp/of editor");
  g_assert_cmpuint (fixture->warnings->len, ==, 1);
  settings_assert_has (settings_get_warning (fixture, 0), "max-reports");
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, file_other_program)
{
  settings_write_file (fixture, "[default]\nthreshold=300ms\n[a]\nthreshold=50ms\n", -1);
  jank_settings_apply_file (fixture->settings, fixture->path, "b", fixture->warnings);
  g_assert_cmpint (fixture->settings->threshold_ns, ==, 300 * JANK_NS_PER_MS);

  jank_settings_apply_file (fixture->settings, fixture->path, NULL, fixture->warnings);
  jank_settings_apply_file (fixture->settings, fixture->path, "default", fixture->warnings);
  g_assert_cmpint (fixture->settings->threshold_ns, ==, 300 * JANK_NS_PER_MS);
  g_assert_cmpuint (fixture->warnings->len, ==, 0);
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, file_unreadable)
{
  g_autoptr (JankSettings) before = jank_settings_copy (fixture->settings);

  /* Unreadable for root too. */
  jank_settings_apply_file (fixture->settings, fixture->folder, "a", fixture->warnings);
  g_assert_cmpuint (fixture->warnings->len, ==, 1);
  settings_assert_has (settings_get_warning (fixture, 0), fixture->folder);

  g_assert_cmpint (g_mkdir (fixture->path, 0700), ==, 0);
  jank_settings_apply_file (fixture->settings, fixture->path, "a", fixture->warnings);
  g_assert_cmpuint (fixture->warnings->len, ==, 2);
  settings_assert_has (settings_get_warning (fixture, 1), fixture->path);
  g_assert_cmpint (g_rmdir (fixture->path), ==, 0);
  settings_assert_equal (fixture->settings, before);
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, file_garbage)
{
  static const char *const garbage[] =
      { "threshold=50ms\n", "[default\n", "[default]\nnot a line\n", "\x7f\x45LF\x02\x01\x01" };
  g_autoptr (JankSettings) before = jank_settings_copy (fixture->settings);

  for (guint i = 0; i < G_N_ELEMENTS (garbage); i++)
    {
      settings_write_file (fixture, garbage[i], -1);
      jank_settings_apply_file (fixture->settings, fixture->path, "a", fixture->warnings);
      g_assert_cmpuint (fixture->warnings->len, ==, i + 1);
      settings_assert_has (settings_get_warning (fixture, i), fixture->path);
    }
  settings_assert_equal (fixture->settings, before);
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, file_bad_text)
{
  settings_write_file (fixture, "[default]\nthreshold=\xff\xfe\ninterval=\\q\nrule=last20\n", -1);
  jank_settings_apply_file (fixture->settings, fixture->path, "a", fixture->warnings);
  g_assert_cmpuint (fixture->warnings->len, ==, 2);
  settings_assert_has (settings_get_warning (fixture, 0), "threshold");
  settings_assert_has (settings_get_warning (fixture, 1), "interval");
  g_assert_cmpint (fixture->settings->pick, ==, JANK_PICK_LAST20);
}

/* Of the desktop's compositor, which has more to miss; what is set comes after that. */
TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, compositor)
{
  g_autoptr (JankSettings) own = jank_settings_load ("gnome-shell", fixture->warnings), set = NULL;

  g_setenv ("JANKWATCH_CONFIG", "threshold=200", TRUE);
  set = jank_settings_load ("gnome-shell", fixture->warnings);
  g_unsetenv ("JANKWATCH_CONFIG");

  g_assert_cmpint (own->threshold_ns, ==, 32 * JANK_NS_PER_MS);
  g_assert_cmpint (own->first_sample_ns, ==, 20 * JANK_NS_PER_MS);
  g_assert_cmpint (set->threshold_ns, ==, 200 * JANK_NS_PER_MS);
  g_assert_cmpuint (fixture->warnings->len, ==, 0);
}

TEST_WITH (Fixture, settings_set_up, settings_tear_down, fixture, load)
{
  g_autofree char *folder = g_build_filename (g_get_user_config_dir (), "jankwatch", NULL);
  g_autofree char *path = g_build_filename (folder, "settings.conf", NULL);
  g_autoptr (JankSettings) settings = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, "[default]\nthreshold=300\ninterval=30\nfirst-sample=3\n"
                                      "[program]\nthreshold=50\ninterval=5\n", -1, NULL));
  g_setenv ("JANKWATCH_CONFIG", "threshold=0.04s,what=ever", TRUE);
  settings = jank_settings_load ("program", fixture->warnings);
  g_unsetenv ("JANKWATCH_CONFIG");

  g_assert_cmpint (settings->threshold_ns, ==, 40 * JANK_NS_PER_MS);
  g_assert_cmpint (settings->interval_ns, ==, 5 * JANK_NS_PER_MS);
  g_assert_cmpint (settings->first_sample_ns, ==, 3 * JANK_NS_PER_MS);
  g_assert_cmpuint (fixture->warnings->len, ==, 1);
  settings_assert_has (settings_get_warning (fixture, 0), "what");
}

TEST (fuzz)
{
  static const char *const seeds[] = {
    "threshold=50ms,interval=5,signal=auto,rule=last20,store=/tmp,max-reports=3,max-bytes=1M,first-sample=0.01s",
    "preset=matrix,check-interval=0,ping-interval=1s,ping-timeout=16,observer=ping,preset=rabbit,log,notify",
    "overlay,overlay-corner=top-end,overlay-scale=1.5,overlay-opacity=.5,overlay-key=<Control>F12,frames=no",
    "[default]\nthreshold=50ms\nstore=/tmp\\sa\n[program]\nmax-bytes=64k\nthreshold[de]=1s\nsignal=40\n",
  };
  static const char interesting[] = "=,[]\n\\ .0e9-\xff\xc3\x00ks#;";
  g_autoptr (GRand) random = g_rand_new_with_seed (20240229);

  for (guint round = 0; round < N_FUZZ; round++)
    {
      const char *seed = seeds[round % G_N_ELEMENTS (seeds)];
      gsize n_bytes = strlen (seed);
      g_autofree guint8 *data = g_memdup2 (seed, n_bytes);

      for (gint i = g_rand_int_range (random, 0, 8); i > 0; i--)
        data[g_rand_int_range (random, 0, (gint32) n_bytes)] =
          g_rand_boolean (random) ? (guint8) interesting[g_rand_int_range (random, 0, sizeof interesting)]
                                  : (guint8) g_rand_int (random);
      if (g_rand_int_range (random, 0, 4) == 0)
        n_bytes = (gsize) g_rand_int_range (random, 0, (gint32) n_bytes);
      LLVMFuzzerTestOneInput (data, n_bytes);
    }
}

TESTS_AT_HOME ("/settings/text")
