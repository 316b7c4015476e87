/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tab “Settings”: what is changed there holds at once. */

#include "page.h"

#include <string.h>

TEST (settings)
{
  g_autofree char *path = g_build_filename (g_get_user_config_dir (), "jankwatch", "settings.conf", NULL);
  g_autofree char *text = NULL;
  GtkWidget *watching, *threshold;
  guint n;

  page_open ("settings");
  threshold = page_get_part ("JankInspectorSettings", "threshold");
  g_assert_cmpfloat (gtk_spin_button_get_value (GTK_SPIN_BUTTON (threshold)), ==, 100);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (threshold), 1500);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  n = page_count_stalls ();
  stall_sleep (INSPECTOR_STALL_MS * MS);
  run_ms (400);
  g_assert_cmpuint (page_count_stalls (), ==, n);

  g_signal_emit_by_name (page_get_part ("JankInspectorSettings", "save"), "clicked");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "threshold=1500ms"));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (threshold), 100);

  watching = page_get_part ("JankInspectorSettings", "watching");
  gtk_switch_set_active (GTK_SWITCH (watching), FALSE);
  g_assert_true (jank_monitor_get_paused (monitor));
  stall_sleep (INSPECTOR_STALL_MS * MS);
  run_ms (400);
  g_assert_cmpuint (page_count_stalls (), ==, n);
  gtk_switch_set_active (GTK_SWITCH (watching), TRUE);
  run_ms (200);
  page_stall (stall_sleep);
  inspector_close ();
}

/* A preset starts the monitor anew; the list stays. */
TEST (preset)
{
  GtkDropDown *preset;
  guint n, i = 0;
  g_autofree char *text = NULL;

  page_open ("settings");
  n = page_count_stalls ();
  preset = page_get_part ("JankInspectorSettings", "preset");
  while (!g_str_equal (gtk_string_list_get_string (GTK_STRING_LIST (gtk_drop_down_get_model (preset)), i), "semaphore"))
    i++;
  gtk_drop_down_set_selected (preset, i);
  run_ms (1500);
  g_assert_true (jank_monitor_is_running (monitor));
  g_assert_cmpuint (gtk_drop_down_get_selected (preset), ==, i);
  g_assert_cmpuint (page_count_stalls (), ==, n);
  page_stall (stall_sleep);
  gtk_drop_down_set_selected (preset, 0);
  run_ms (1500);
  inspector_close ();
}

PAGE_TESTS ("/inspector/settings")
