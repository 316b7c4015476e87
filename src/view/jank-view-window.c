/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A header bar above a JankViewBrowser. */

#include "view/jank-view-private.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>

#include "view/jank-view-resources.h"

struct _JankViewWindow
{
  GtkApplicationWindow parent_instance;

  JankViewBrowser     *browser;
};

G_DEFINE_FINAL_TYPE (JankViewWindow, jank_view_window, GTK_TYPE_APPLICATION_WINDOW)

static JankViewBrowser *
get_page (GtkWidget *widget)
{
  return JANK_VIEW_WINDOW (widget)->browser;
}

static void
back_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  jank_view_browser_back (get_page (widget));
}

static void
reload_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  jank_view_browser_reload (get_page (widget));
}

static void
copy_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  jank_inspector_stall_view_copy (jank_view_browser_get_stall_view (get_page (widget)));
}

static void
report_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  jank_inspector_stall_view_report (jank_view_browser_get_stall_view (get_page (widget)));
}

static void
search_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  jank_view_browser_search (get_page (widget));
}

static gboolean
step_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  gboolean is_rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  gint n_right = g_variant_get_int32 (arguments);

  jank_view_browser_step (get_page (widget), is_rtl ? -n_right : n_right);
  return GDK_EVENT_STOP;
}

static void
about_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_show_about_dialog (GTK_WINDOW (widget), "program-name", "Jankwatch", "version", JANK_VERSION, "logo-icon-name",
                         gtk_window_get_default_icon_name (), "comments", _("See what froze programs, where and why"),
                         "license-type", GTK_LICENSE_LGPL_2_1, NULL);
}

static void
load_style (GdkDisplay *display)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  jank_inspector_load_style (display);
  gtk_icon_theme_add_resource_path (gtk_icon_theme_get_for_display (display), "/org/jankwatch/View/icons");
  gtk_css_provider_load_from_resource (provider, "/org/jankwatch/View/jank-view.css");
  gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

static void
jank_view_window_class_init (JankViewWindowClass *klass)
{
  static const struct
  {
    const char                 *name;
    GtkWidgetActionActivateFunc func;
    guint                       key;
    GdkModifierType             modifiers;
  } actions[] = {
    { "view.back", back_cb, GDK_KEY_Escape, 0 },
    { "view.reload", reload_cb, GDK_KEY_F5, 0 },
    { "view.search", search_cb, GDK_KEY_f, GDK_CONTROL_MASK },
    { "view.copy-issue", copy_cb, GDK_KEY_C, GDK_CONTROL_MASK | GDK_SHIFT_MASK },
    { "view.report-bug", report_cb, GDK_KEY_B, GDK_CONTROL_MASK | GDK_SHIFT_MASK },
    { "view.about", about_cb, GDK_KEY_F1, 0 },
    { "window.close", NULL, GDK_KEY_w, GDK_CONTROL_MASK },
    { "window.close", NULL, GDK_KEY_q, GDK_CONTROL_MASK },
  };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  jank_view_register_resource ();
  adw_init ();
  load_style (gdk_display_get_default ());
  g_type_ensure (JANK_TYPE_VIEW_BROWSER);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/jankwatch/View/jank-view-window.ui");
  gtk_widget_class_bind_template_child (widget_class, JankViewWindow, browser);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      if (actions[i].func != NULL)
        gtk_widget_class_install_action (widget_class, actions[i].name, NULL, actions[i].func);
      gtk_widget_class_add_binding_action (widget_class, actions[i].key, actions[i].modifiers, actions[i].name, NULL);
    }
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Left, GDK_ALT_MASK, step_cb, "i", -1);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Right, GDK_ALT_MASK, step_cb, "i", 1);
}

static void
jank_view_window_init (JankViewWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

JankViewWindow *
jank_view_window_new (GtkApplication *app, JankViewSource *source)
{
  JankViewWindow *self = g_object_new (JANK_TYPE_VIEW_WINDOW, "application", app, NULL);

  jank_view_browser_set_source (self->browser, source);
  return self;
}
