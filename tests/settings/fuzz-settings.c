/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzz target of the settings, as text and as key file; test-settings-text feeds it mutations of good input. For
 * libFuzzer: compile this file and base/ with clang's -fsanitize=fuzzer,address,undefined. */

#include "fuzz-settings-private.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "settings/jank-settings-private.h"

static void
assert_usable (const JankSettings *settings)
{
  g_assert_cmpint (settings->threshold_ns, >=, 4 * JANK_NS_PER_MS);
  g_assert_cmpint (settings->threshold_ns, <=, 3600 * JANK_NS_PER_S);
  g_assert_cmpint (settings->first_sample_ns, >=, JANK_NS_PER_MS);
  g_assert_cmpint (settings->first_sample_ns, <=, 10 * JANK_NS_PER_S);
  g_assert_cmpint (settings->interval_ns, >=, JANK_NS_PER_MS);
  g_assert_cmpint (settings->interval_ns, <=, 10 * JANK_NS_PER_S);
  g_assert_true (settings->signal == 0 || (settings->signal >= SIGRTMIN && settings->signal <= SIGRTMAX));
  g_assert_true (settings->pick == JANK_PICK_PATH || settings->pick == JANK_PICK_LAST20);
  g_assert_nonnull (jank_preset_get (settings->preset));
  g_assert_cmpint (settings->observer, <=, JANK_OBSERVE_FRAMES);
  g_assert_cmpint (settings->check_interval_ns, >=, 0);
  g_assert_cmpint (settings->check_interval_ns, <=, 60 * JANK_NS_PER_S);
  g_assert_cmpint (settings->ping_interval_ns, >=, 4 * JANK_NS_PER_MS);
  g_assert_cmpint (settings->ping_timeout_ns, >=, JANK_NS_PER_MS);
  g_assert_true (settings->frame_log[0] == '\0' || g_path_is_absolute (settings->frame_log));
  g_assert_true (g_path_is_absolute (settings->store));
  g_assert_cmpuint (settings->max_reports, >=, 1);
  g_assert_cmpuint (settings->max_reports, <=, 100000);
  g_assert_cmpuint (settings->max_bytes, >=, 64 << 10);
  g_assert_cmpuint (settings->max_bytes, <=, G_GUINT64_CONSTANT (1) << 40);
}

static void
assert_sentences (const GPtrArray *warnings)
{
  for (guint i = 0; i < warnings->len; i++)
    {
      g_assert_cmpstr (warnings->pdata[i], !=, "");
      g_assert_true (g_utf8_validate (warnings->pdata[i], -1, NULL));
    }
}

static char *
make_path (const uint8_t *data, size_t n_bytes, int *ret_fd)
{
  int fd = memfd_create ("fuzz-settings", MFD_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, data, n_bytes), ==, (gssize) n_bytes);
  *ret_fd = fd;
  return g_strdup_printf ("/proc/self/fd/%d", fd);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t n_bytes)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JankSettings) from_text = jank_settings_new ();
  g_autoptr (JankSettings) from_file = jank_settings_new ();
  g_autofree char *text = g_strndup ((const char *) data, n_bytes);
  g_autofree char *path = NULL;
  int fd;

  jank_settings_apply_text (from_text, text, warnings);
  assert_usable (from_text);

  path = make_path (data, n_bytes, &fd);
  jank_settings_apply_file (from_file, path, "program", warnings);
  close (fd);
  assert_usable (from_file);
  assert_sentences (warnings);
  return 0;
}
