/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gobject/jank-type-slots-private.h"

#include <stdatomic.h>
#include <string.h>

/* As offsetof() counts in the headers of GLib 2.74, GTK 4.8 and GTK 3.24, in words, without reserved ones. */
static const struct
{
  guint       gtk;   /* major version; 0: no matter which */
  const char *type;
  guint       first;
  const char *names; /* of successive words */
} rows[] = {
  { 0, "GObject", 2,
    "constructor set_property get_property dispose finalize dispatch_properties_changed notify constructed" },
  { 0, "GApplication", 17,
    "startup activate open command_line local_command_line before_emit after_emit add_platform_data quit_mainloop "
    "run_mainloop shutdown dbus_register dbus_unregister handle_local_options name_lost" },
  { 0, "GListModel", 2, "get_item_type get_n_items get_item" },
  { 0, "GActionGroup", 2,
    "has_action list_actions get_action_enabled get_action_parameter_type get_action_state_type get_action_state_hint "
    "get_action_state change_action_state activate_action action_added action_removed action_enabled_changed "
    "action_state_changed query_action" },
  { 0, "GAction", 2,
    "get_name get_parameter_type get_state_type get_state_hint get_enabled get_state change_state activate" },
  { 0, "GActionMap", 2, "lookup_action add_action remove_action" },
  { 0, "GInitable", 2, "init" },
  { 0, "GAsyncInitable", 2, "init_async init_finish" },
  { 0, "GtkApplication", 39, "window_added window_removed" },
  { 4, "GtkWidget", 17,
    "show hide map unmap realize unrealize root unroot size_allocate state_flags_changed direction_changed "
    "get_request_mode measure mnemonic_activate grab_focus focus set_focus_child move_focus keynav_failed "
    "query_tooltip compute_expand css_changed system_setting_changed snapshot contains" },
  { 4, "GtkWindow", 51, "activate_focus activate_default keys_changed enable_debugging close_request" },
  { 4, "GtkDialog", 64, "response close" },
  { 4, "GtkButton", 51, "clicked activate" },
  { 4, "GtkTextView", 51,
    "move_cursor set_anchor insert_at_cursor delete_from_cursor backspace cut_clipboard copy_clipboard paste_clipboard "
    "toggle_overwrite create_buffer snapshot_layer extend_selection insert_emoji" },
  { 4, "GtkTextBuffer", 17,
    "insert_text insert_paintable insert_child_anchor delete_range changed modified_changed mark_set mark_deleted "
    "apply_tag remove_tag begin_user_action end_user_action paste_done undo redo" },
  { 4, "GtkDrawingArea", 51, "resize" },
  { 4, "GtkGLArea", 51, "render resize create_context" },
  { 4, "GtkLayoutManager", 17, "get_request_mode measure allocate" },
  { 4, "GtkLayoutManager", 21, "create_layout_child root unroot" },
  { 4, "GtkBuildable", 2,
    "set_id get_id add_child set_buildable_property construct_child custom_tag_start custom_tag_end custom_finished "
    "parser_finished get_internal_child" },
  { 4, "GtkEditable", 2,
    "insert_text delete_text changed get_text do_insert_text do_delete_text get_selection_bounds set_selection_bounds "
    "get_delegate" },
  { 4, "GdkPaintable", 2,
    "snapshot get_current_image get_flags get_intrinsic_width get_intrinsic_height get_intrinsic_aspect_ratio" },
  { 0, "GtkScrollable", 2, "get_border" },
  { 4, "GtkSorter", 17, "compare get_order" },
  { 4, "GtkFilter", 17, "match get_strictness" },
  { 3, "GtkWidget", 18,
    "dispatch_child_properties_changed destroy show show_all hide map unmap realize unrealize size_allocate "
    "state_changed state_flags_changed parent_set hierarchy_changed style_set direction_changed grab_notify "
    "child_notify draw get_request_mode get_preferred_height get_preferred_width_for_height get_preferred_width "
    "get_preferred_height_for_width mnemonic_activate grab_focus focus move_focus keynav_failed event "
    "button_press_event button_release_event scroll_event motion_notify_event delete_event destroy_event "
    "key_press_event key_release_event enter_notify_event leave_notify_event configure_event focus_in_event "
    "focus_out_event map_event unmap_event property_notify_event selection_clear_event selection_request_event "
    "selection_notify_event proximity_in_event proximity_out_event visibility_notify_event window_state_event "
    "damage_event grab_broken_event selection_get selection_received drag_begin drag_end drag_data_get "
    "drag_data_delete drag_leave drag_motion drag_drop drag_data_received drag_failed popup_menu show_help "
    "get_accessible screen_changed can_activate_accel composited_changed query_tooltip compute_expand "
    "adjust_size_request adjust_size_allocation style_updated touch_event get_preferred_height_and_baseline_for_width "
    "adjust_baseline_request adjust_baseline_allocation queue_draw_region" },
  { 3, "GtkContainer", 103,
    "add remove check_resize forall set_focus_child child_type composite_name set_child_property get_child_property "
    "get_path_for_child" },
  { 3, "GtkWindow", 126, "set_focus activate_focus activate_default keys_changed enable_debugging" },
  { 3, "GtkDialog", 134, "response close" },
  { 3, "GtkButton", 126, "pressed released clicked enter leave activate" },
  { 3, "GtkTextView", 122,
    "populate_popup move_cursor set_anchor insert_at_cursor delete_from_cursor backspace cut_clipboard copy_clipboard "
    "paste_clipboard toggle_overwrite create_buffer draw_layer extend_selection insert_emoji" },
  { 3, "GtkTextBuffer", 17,
    "insert_text insert_pixbuf insert_child_anchor delete_range changed modified_changed mark_set mark_deleted "
    "apply_tag remove_tag begin_user_action end_user_action paste_done" },
  { 3, "GtkGLArea", 103, "render resize create_context" },
  { 3, "GtkCellRenderer", 17,
    "get_request_mode get_preferred_width get_preferred_height_for_width get_preferred_height "
    "get_preferred_width_for_height get_aligned_area get_size render activate start_editing editing_canceled "
    "editing_started" },
  { 3, "GtkEntry", 103,
    "populate_popup activate move_cursor insert_at_cursor delete_from_cursor backspace cut_clipboard copy_clipboard "
    "paste_clipboard toggle_overwrite get_text_area_size get_frame_size insert_emoji" },
  { 3, "GtkTreeView", 122,
    "row_activated test_expand_row test_collapse_row row_expanded row_collapsed columns_changed cursor_changed "
    "move_cursor select_all unselect_all select_cursor_row toggle_cursor_row expand_collapse_cursor_row "
    "select_cursor_parent start_interactive_search" },
  { 3, "GtkTreeModel", 2,
    "row_changed row_inserted row_has_child_toggled row_deleted rows_reordered get_flags get_n_columns get_column_type "
    "get_iter get_path get_value iter_next iter_previous iter_children iter_has_child iter_n_children iter_nth_child "
    "iter_parent ref_node unref_node" },
  { 3, "GtkEditable", 2,
    "insert_text delete_text changed do_insert_text do_delete_text get_chars set_selection_bounds get_selection_bounds "
    "set_position get_position" },
  { 3, "GtkBuildable", 2,
    "set_name get_name add_child set_buildable_property construct_child custom_tag_start custom_tag_end "
    "custom_finished parser_finished get_internal_child" },
  { 3, "GtkCellEditable", 2, "editing_done remove_widget start_editing" },
  { 3, "GtkTreeSortable", 2,
    "sort_column_changed get_sort_column_id set_sort_column_id set_sort_func set_default_sort_func "
    "has_default_sort_func" },
};

static atomic_uint gtk_major; /* orders nothing */

void
jank_slot_names_set_gtk (guint major)
{
  atomic_store_explicit (&gtk_major, major, memory_order_relaxed);
}

char *
jank_slot_name (const char *type, guint word)
{
  guint gtk = atomic_load_explicit (&gtk_major, memory_order_relaxed);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *name = rows[i].names;

      if ((rows[i].gtk != 0 && rows[i].gtk != gtk) || strcmp (rows[i].type, type) != 0 || word < rows[i].first)
        continue;
      for (guint at = rows[i].first; at < word && name != NULL; at++)
        name = strchr (name + 1, ' ');
      if (name != NULL)
        return g_strndup (name + (*name == ' '), strcspn (name + (*name == ' '), " "));
    }
  return NULL;
}
