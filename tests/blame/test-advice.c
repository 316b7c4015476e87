/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "blame/jank-advice-private.h"
#include "test.h"

static const struct { const char *function, *file; gboolean as_binding; const char *advice; } all_cases[] = {
  { "g_dbus_connection_call_sync", "libgio-2.0.so.0", FALSE, "g_dbus_connection_call() does not block the main loop" },
  { "g_dbus_proxy_call_sync", "libgio-2.0.so.0", TRUE, "Gio.DBusProxy.call() does not block the main loop" },
  { "g_bus_get_sync", "libgio-2.0.so.0", TRUE, "Gio.bus_get() does not block the main loop" },
  { "secret_password_lookup_sync", "libsecret-1.so.0", FALSE, "secret_password_lookup() does not block the main loop" },
  { "secret_service_get_sync", "libsecret-1.so.0", TRUE, "Secret.Service.get() does not block the main loop" },
  /* A child's output by another function: there is no g_spawn(). */
  { "g_spawn_sync", "libglib-2.0.so.0", FALSE, "g_subprocess_communicate_async() does not block the main loop" },
  { "Popen.wait", "/usr/lib/python3.11/subprocess.py", TRUE,
    "Gio.Subprocess.wait_async() does not block the main loop" },
  { "Popen.wait", "/home/user/popen.py", TRUE, NULL },
  { "g_subprocess_communicate_utf8", "libgio-2.0.so.0", FALSE,
    "g_subprocess_communicate_utf8_async() does not block the main loop" },
  { "g_file_query_info", "libgio-2.0.so.0", TRUE, "Gio.File.query_info_async() does not block the main loop" },
  { "g_file_enumerator_close", "libgio-2.0.so.0", FALSE,
    "g_file_enumerator_close_async() does not block the main loop" },
  { "g_file_get_path", "libgio-2.0.so.0", FALSE, NULL },
  { "clock_nanosleep", "libc.so.6", TRUE, "GLib.timeout_add() does not block the main loop" },
  { "gtk_sorter_changed", "libgtk-4.so.1", FALSE,
    "gtk_sort_list_model_set_incremental() spreads this over several frames" },
  { "g_list_store_append", "libgio-2.0.so.0", TRUE, "Gio.ListStore.splice() adds everything at once" },
  { "gtk_list_store_append", "libgtk-3.so.0", FALSE, "fill it before gtk_tree_view_set_model() shows it" },
  { "sqlite3_step", "libsqlite3.so.0", FALSE, "g_task_run_in_thread() can do this in a thread" },
  { "sync", "libc.so.6", FALSE, NULL },
  { "", "libc.so.6", FALSE, NULL },
  { "memcpy", NULL, FALSE, NULL },
};

TEST (find)
{
  for (gsize i = 0; i < G_N_ELEMENTS (all_cases); i++)
    {
      g_autofree char *advice = jank_advice_find (all_cases[i].function, all_cases[i].file, all_cases[i].as_binding);

      g_assert_cmpstr (advice, ==, all_cases[i].advice);
    }
}

TESTS ("/blame/advice")
