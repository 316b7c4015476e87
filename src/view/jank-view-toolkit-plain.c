/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

#define ICON_PX   96
#define SPACE_PX  18
#define MARGIN_PX 24
#define MAX_CHARS 60

#define STATUS_PAGE (adw_status_page_get_type ())
G_DECLARE_FINAL_TYPE (AdwStatusPage, adw_status_page, ADW, STATUS_PAGE, GtkBox)

struct _AdwStatusPage
{
  GtkBox     parent_instance;

  GtkWidget *icon, *title, *description;
};

G_DEFINE_FINAL_TYPE (AdwStatusPage, adw_status_page, GTK_TYPE_BOX)

enum { PROP_ICON_NAME = 1, PROP_TITLE, PROP_DESCRIPTION };

static void
adw_status_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AdwStatusPage *self = ADW_STATUS_PAGE (object);
  const char *text = g_value_get_string (value);

  switch (id)
    {
    case PROP_ICON_NAME:   gtk_image_set_from_icon_name (GTK_IMAGE (self->icon), text); break;
    case PROP_TITLE:       gtk_label_set_text (GTK_LABEL (self->title), text); break;
    case PROP_DESCRIPTION: gtk_label_set_markup (GTK_LABEL (self->description), text); break;
    default:               G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
adw_status_page_class_init (AdwStatusPageClass *klass)
{
  static const char *const names[] = { "icon-name", "title", "description" };

  G_OBJECT_CLASS (klass)->set_property = adw_status_page_set_property;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_object_class_install_property (G_OBJECT_CLASS (klass), PROP_ICON_NAME + i,
                                     g_param_spec_string (names[i], NULL, NULL, NULL,
                                                          G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
}

static GtkWidget *
add_label (AdwStatusPage *self, const char *css)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  gtk_label_set_max_width_chars (GTK_LABEL (label), MAX_CHARS);
  gtk_widget_add_css_class (label, css);
  gtk_box_append (GTK_BOX (self), label);
  return label;
}

static void
adw_status_page_init (AdwStatusPage *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), SPACE_PX);
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
  gtk_widget_set_margin_start (GTK_WIDGET (self), MARGIN_PX);
  gtk_widget_set_margin_end (GTK_WIDGET (self), MARGIN_PX);
  self->icon = gtk_image_new ();
  gtk_image_set_pixel_size (GTK_IMAGE (self->icon), ICON_PX);
  gtk_widget_add_css_class (self->icon, "dim-label");
  gtk_box_append (GTK_BOX (self), self->icon);
  self->title = add_label (self, "title-1");
  self->description = add_label (self, "body");
}

void
jank_view_toolkit_init (void)
{
  g_type_ensure (STATUS_PAGE);
}

GtkApplication *
jank_view_toolkit_new_application (const char *id)
{
  return gtk_application_new (id, G_APPLICATION_NON_UNIQUE);
}
