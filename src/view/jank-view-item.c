/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

G_DEFINE_FINAL_TYPE (JankViewItem, jank_view_item, G_TYPE_OBJECT)

enum { PROP_TITLE = 1, PROP_DETAILS, PROP_BADGE, PROP_BADGE_CLASSES, PROP_TITLE_CLASSES, N_PROPS };
static GParamSpec *properties[N_PROPS];

static void
jank_view_item_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  JankViewItem *self = JANK_VIEW_ITEM (object);
  const char *badge[] = { "jank-badge", self->badge_class, NULL };
  const char *title[] = { self->dim ? "dim-label" : "heading", NULL };

  switch (id)
    {
    case PROP_TITLE:         g_value_set_string (value, self->title); break;
    case PROP_DETAILS:       g_value_set_string (value, self->details); break;
    case PROP_BADGE:         g_value_set_string (value, self->badge); break;
    case PROP_BADGE_CLASSES: g_value_set_boxed (value, badge); break;
    case PROP_TITLE_CLASSES: g_value_set_boxed (value, title); break;
    default:                 G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec); break;
    }
}

static void
jank_view_item_finalize (GObject *object)
{
  JankViewItem *self = JANK_VIEW_ITEM (object);

  g_free (self->title);
  g_free (self->details);
  g_free (self->app);
  g_free (self->state);
  g_clear_pointer (&self->list, jank_view_list_unref);
  G_OBJECT_CLASS (jank_view_item_parent_class)->finalize (object);
}

static void
jank_view_item_class_init (JankViewItemClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = jank_view_item_get_property;
  object_class->finalize = jank_view_item_finalize;
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, read);
  properties[PROP_DETAILS] = g_param_spec_string ("details", NULL, NULL, NULL, read);
  properties[PROP_BADGE] = g_param_spec_string ("badge", NULL, NULL, NULL, read);
  properties[PROP_BADGE_CLASSES] = g_param_spec_boxed ("badge-classes", NULL, NULL, G_TYPE_STRV, read);
  properties[PROP_TITLE_CLASSES] = g_param_spec_boxed ("title-classes", NULL, NULL, G_TYPE_STRV, read);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
jank_view_item_init (JankViewItem *self)
{
}
