/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A row of a list. Read-only properties: “title”, “details”, “badge” (string), “badge-classes” and “title-classes”
 * (strv). Main thread. */

#pragma once

#include "view/jank-view-source-private.h"

#define JANK_TYPE_VIEW_ITEM (jank_view_item_get_type ())
G_DECLARE_FINAL_TYPE (JankViewItem, jank_view_item, JANK, VIEW_ITEM, GObject)

/* Filled by who makes one. */
struct _JankViewItem
{
  GObject            parent_instance;

  char              *title, *details;     /* (owned) */
  const char        *badge, *badge_class; /* the class: of CSS */
  gboolean           resolved;
  char              *app;                 /* (owned) (nullable): of a row that is a program */
  gint64             total_ns;            /* of such a row */
  gint               pid;                 /* of a row that is a program that runs; 0: it is none */
  guint              node;                /* of a row that is a call: in its tree */
  char              *state;               /* (owned) (nullable): of such a row, its badge */
  JankViewList      *list;                /* (owned) (nullable): of problem */
  const JankProblem *problem;             /* (nullable) */
};

/* All but “title” may be different now. */
void jank_view_item_changed (JankViewItem *self);
