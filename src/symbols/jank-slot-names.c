/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "symbols/jank-slot-names-private.h"

#include <string.h>

/* As offsetof() counts in the headers of GLib 2.74 and GTK 4.8, in words, without reserved ones. */
static const struct
{
  const char *type;
  guint       first;
  const char *names; /* of successive words */
} rows[] = {
  { "GObject", 2,
    "constructor set_property get_property dispose finalize dispatch_properties_changed notify "
    "constructed" },
  { "GApplication", 17,
    "startup activate open command_line local_command_line before_emit after_emit add_platform_data "
    "quit_mainloop run_mainloop shutdown dbus_register dbus_unregister handle_local_options name_lost" },
  { "GListModel", 2, "get_item_type get_n_items get_item" },
  { "GActionGroup", 2,
    "has_action list_actions get_action_enabled get_action_parameter_type get_action_state_type "
    "get_action_state_hint get_action_state change_action_state activate_action action_added "
    "action_removed action_enabled_changed action_state_changed query_action" },
  { "GAction", 2,
    "get_name get_parameter_type get_state_type get_state_hint get_enabled get_state change_state "
    "activate" },
  { "GActionMap", 2, "lookup_action add_action remove_action" },
  { "GInitable", 2, "init" },
  { "GAsyncInitable", 2, "init_async init_finish" },
  { "GtkApplication", 39, "window_added window_removed" },
  { "GtkWidget", 17,
    "show hide map unmap realize unrealize root unroot size_allocate state_flags_changed "
    "direction_changed get_request_mode measure mnemonic_activate grab_focus focus set_focus_child "
    "move_focus keynav_failed query_tooltip compute_expand css_changed system_setting_changed snapshot "
    "contains" },
  { "GtkWindow", 51, "activate_focus activate_default keys_changed enable_debugging close_request" },
  { "GtkDialog", 64, "response close" },
  { "GtkButton", 51, "clicked activate" },
  { "GtkTextView", 51,
    "move_cursor set_anchor insert_at_cursor delete_from_cursor backspace cut_clipboard copy_clipboard "
    "paste_clipboard toggle_overwrite create_buffer snapshot_layer extend_selection insert_emoji" },
  { "GtkTextBuffer", 17,
    "insert_text insert_paintable insert_child_anchor delete_range changed modified_changed mark_set "
    "mark_deleted apply_tag remove_tag begin_user_action end_user_action paste_done undo redo" },
  { "GtkDrawingArea", 51, "resize" },
  { "GtkGLArea", 51, "render resize create_context" },
  { "GtkLayoutManager", 17, "get_request_mode measure allocate" },
  { "GtkLayoutManager", 21, "create_layout_child root unroot" },
  { "GtkBuildable", 2,
    "set_id get_id add_child set_buildable_property construct_child custom_tag_start custom_tag_end "
    "custom_finished parser_finished get_internal_child" },
  { "GtkEditable", 2,
    "insert_text delete_text changed get_text do_insert_text do_delete_text get_selection_bounds "
    "set_selection_bounds get_delegate" },
  { "GdkPaintable", 2,
    "snapshot get_current_image get_flags get_intrinsic_width get_intrinsic_height "
    "get_intrinsic_aspect_ratio" },
  { "GtkScrollable", 2, "get_border" },
  { "GtkSorter", 17, "compare get_order" },
  { "GtkFilter", 17, "match get_strictness" },
};

char *
jank_slot_name (const char *type, guint word)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *name = rows[i].names;

      if (strcmp (rows[i].type, type) != 0 || word < rows[i].first)
        continue;
      for (guint at = rows[i].first; at < word && name != NULL; at++)
        name = strchr (name + 1, ' ');
      if (name != NULL)
        return g_strndup (name + (*name == ' '), strcspn (name + (*name == ' '), " "));
    }
  return NULL;
}
