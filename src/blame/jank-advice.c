/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "blame/jank-advice-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

/* Translators: %s is a function, “g_timeout_add()”. */
#define NOT_BLOCKING N_("%s does not block the main loop")
#define IN_FRAMES    N_("%s spreads this over several frames")
#define AT_ONCE      N_("%s adds everything at once")
#define BEFORE       N_("fill it before %s shows it")
#define IN_THREAD    N_("%s can do this in a thread")

/* Functions of C, or of Python's modules with their file, and what is better. */
static const struct { const char *functions, *instead, *text; } rows[] = {
  { "sleep usleep nanosleep clock_nanosleep g_usleep", "g_timeout_add", NOT_BLOCKING },
  { "g_spawn_sync g_spawn_command_line_sync popen subprocess.py:run subprocess.py:call subprocess.py:check_call "
    "subprocess.py:check_output subprocess.py:getoutput subprocess.py:getstatusoutput subprocess.py:Popen.communicate",
    "g_subprocess_communicate_async", NOT_BLOCKING },
  { "system do_system pclose wait waitpid wait4 subprocess.py:Popen.wait", "g_subprocess_wait_async", NOT_BLOCKING },
  { "getaddrinfo gethostbyname socket.py:getaddrinfo", "g_resolver_lookup_by_name_async", NOT_BLOCKING },
  { "socket.py:create_connection", "g_socket_client_connect_to_host_async", NOT_BLOCKING },
  { "request.py:urlopen request.py:urlretrieve client.py:HTTPConnection.request "
    "client.py:HTTPConnection.getresponse",
    "soup_session_send_and_read_async", NOT_BLOCKING },
  { "g_file_get_contents g_file_load_contents g_file_load_bytes pathlib.py:Path.read_text pathlib.py:Path.read_bytes",
    "g_file_load_contents_async", NOT_BLOCKING },
  { "g_file_set_contents g_file_set_contents_full g_file_replace_contents", "g_file_replace_contents_async",
    NOT_BLOCKING },
  { "g_file_query_exists g_file_query_file_type", "g_file_query_info_async", NOT_BLOCKING },
  { "g_file_enumerator_next_file g_file_enumerator_iterate", "g_file_enumerator_next_files_async", NOT_BLOCKING },
  { "gdk_pixbuf_new_from_file gdk_pixbuf_new_from_file_at_size gdk_pixbuf_new_from_file_at_scale "
    "gdk_pixbuf_new_from_stream", "gdk_pixbuf_new_from_stream_async", NOT_BLOCKING },
  { "gdk_texture_new_from_file gdk_texture_new_from_filename sqlite3_step sqlite3_exec", "g_task_run_in_thread",
    IN_THREAD },
  { "gtk_sorter_changed gtk_sort_list_model_set_sorter gtk_sort_list_model_set_model",
    "gtk_sort_list_model_set_incremental", IN_FRAMES },
  { "gtk_filter_changed gtk_filter_list_model_set_filter gtk_filter_list_model_set_model",
    "gtk_filter_list_model_set_incremental", IN_FRAMES },
  { "g_list_store_append g_list_store_insert g_list_store_insert_sorted", "g_list_store_splice", AT_ONCE },
  { "gtk_string_list_append", "gtk_string_list_splice", AT_ONCE },
  { "gtk_list_store_append gtk_list_store_insert gtk_list_store_set gtk_list_store_insert_with_values "
    "gtk_tree_store_append gtk_tree_store_insert gtk_tree_store_set gtk_tree_store_insert_with_values",
    "gtk_tree_view_set_model", BEFORE },
};

/* How functions begin that belong to one class, what bindings have instead, and what of it has a form whose name ends
 * in _async. A longer beginning stands before a shorter. */
static const struct { const char *prefix, *binding, *asynchronous; } classes[] = {
  { "g_app_info_", "Gio.AppInfo.", "launch_default_for_uri" },
  { "g_bus_", "Gio.bus_", "" },
  { "g_data_input_stream_", "Gio.DataInputStream.", "read_line read_upto" },
  { "g_dbus_connection_", "Gio.DBusConnection.", "" },
  { "g_dbus_object_manager_client_", "Gio.DBusObjectManagerClient.", "" },
  { "g_dbus_proxy_", "Gio.DBusProxy.", "" },
  { "g_drive_", "Gio.Drive.", "" },
  { "g_file_enumerator_", "Gio.FileEnumerator.", "close" },
  { "g_file_", "Gio.File.", "append_to copy create delete enumerate_children find_enclosing_mount make_directory move "
    "open_readwrite query_filesystem_info query_info read replace trash" },
  { "g_input_stream_", "Gio.InputStream.", "close read read_all read_bytes skip" },
  { "g_io_stream_", "Gio.IOStream.", "close" },
  { "g_list_store_", "Gio.ListStore.", "" },
  { "g_loadable_icon_", "Gio.LoadableIcon.", "load" },
  { "g_network_monitor_", "Gio.NetworkMonitor.", "can_reach" },
  { "g_output_stream_", "Gio.OutputStream.", "close flush splice write write_all write_bytes writev writev_all" },
  { "g_permission_", "Gio.Permission.", "acquire release" },
  { "g_resolver_", "Gio.Resolver.", "lookup_by_address lookup_by_name lookup_records lookup_service" },
  { "g_socket_address_enumerator_", "Gio.SocketAddressEnumerator.", "next" },
  { "g_socket_client_", "Gio.SocketClient.", "connect connect_to_host connect_to_service connect_to_uri" },
  { "g_socket_connection_", "Gio.SocketConnection.", "connect" },
  { "g_socket_listener_", "Gio.SocketListener.", "accept accept_socket" },
  { "g_subprocess_", "Gio.Subprocess.", "communicate communicate_utf8 wait wait_check" },
  { "g_task_", "Gio.Task.", "" },
  { "g_tls_connection_", "Gio.TlsConnection.", "handshake" },
  { "g_", "GLib.", "" },
  { "gdk_pixbuf_", "GdkPixbuf.Pixbuf.", "" },
  { "gtk_filter_list_model_", "Gtk.FilterListModel.", "" },
  { "gtk_sort_list_model_", "Gtk.SortListModel.", "" },
  { "gtk_string_list_", "Gtk.StringList.", "" },
  { "gtk_tree_view_", "Gtk.TreeView.", "" },
  { "secret_collection_", "Secret.Collection.", "" },
  { "secret_item_", "Secret.Item.", "" },
  { "secret_service_", "Secret.Service.", "" },
  { "secret_", "Secret.", "" },
  { "soup_session_", "Soup.Session.", "send send_and_read send_and_splice" },
};

/* Whether one of the words is that one. */
static gboolean
jank_advice_has_word (const char *words, const char *word)
{
  gsize n = strlen (word);

  for (const char *found = words; n > 0 && (found = strstr (found, word)) != NULL; found += n)
    if ((found == words || found[-1] == ' ') && (found[n] == ' ' || found[n] == '\0'))
      return TRUE;
  return FALSE;
}

/* A function by GLib's conventions: X_sync() waits for what X() does not, X() for what X_async() does not. Returns:
 * (transfer full) (nullable) */
static char *
jank_advice_find_asynchronous (const char *function)
{
  if (g_str_has_suffix (function, "_sync"))
    return g_strndup (function, strlen (function) - strlen ("_sync"));
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    if (g_str_has_prefix (function, classes[i].prefix))
      return jank_advice_has_word (classes[i].asynchronous, function + strlen (classes[i].prefix))
             ? g_strconcat (function, "_async", NULL) : NULL;
  return NULL;
}

/* function: in C. Returns: (transfer full): "g_timeout_add()", "GLib.timeout_add()" */
static char *
jank_advice_name (const char *function, gboolean as_binding)
{
  for (gsize i = 0; as_binding && i < G_N_ELEMENTS (classes); i++)
    if (g_str_has_prefix (function, classes[i].prefix))
      return g_strconcat (classes[i].binding, function + strlen (classes[i].prefix), "()", NULL);
  return g_strconcat (function, "()", NULL);
}

char *
jank_advice_find (const char *function, const char *file, gboolean as_binding)
{
  gboolean is_python = file != NULL && g_str_has_suffix (file, ".py");
  g_autofree char *base = is_python ? g_path_get_basename (file) : NULL;
  g_autofree char *key = is_python ? g_strconcat (base, ":", function, NULL) : g_strdup (function);
  const char *text = NOT_BLOCKING;
  g_autofree char *instead = NULL, *name = NULL;
  GString *said;

  for (gsize i = 0; instead == NULL && i < G_N_ELEMENTS (rows); i++)
    if (jank_advice_has_word (rows[i].functions, key))
      {
        instead = g_strdup (rows[i].instead);
        text = rows[i].text;
      }
  if (instead == NULL && !is_python)
    instead = jank_advice_find_asynchronous (function);
  if (instead == NULL)
    return NULL;
  name = jank_advice_name (instead, as_binding);
  said = g_string_new (_(text));
  g_string_replace (said, "%s", name, 1);
  return g_string_free (said, FALSE);
}
