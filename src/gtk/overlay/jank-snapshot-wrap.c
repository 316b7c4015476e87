/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One function replaces those of many classes, and cannot see for which class it is called:
 *
 *   the first call for a widget is for its class, or for the ancestor from which that class has the function;
 *   another call for the same widget while that runs chains up: it is for an ancestor of the class before.
 *
 * So each call looks, from the class of the call before upwards, for the nearest class whose own function is kept. A
 * class that inherited our function has no entry and finds its parent's. */

#include "config.h"

#include "gtk/overlay/jank-snapshot-wrap-private.h"

typedef void (*SnapshotVfunc) (GtkWidget *widget, GtkSnapshot *snapshot);

typedef struct _Call
{
  GtkWidget          *widget;
  GType               type; /* whose function runs */
  const struct _Call *outer;
} Call;

static GHashTable *own; /* (owned) of GType → SnapshotVfunc */
static const Call *innermost;
static JankSnapshotFunc over;

/* The nearest function of a class at or above *type, which is set to that class. */
static SnapshotVfunc
find_own (GType *type)
{
  for (; *type != 0; *type = g_type_parent (*type))
    {
      SnapshotVfunc func = (SnapshotVfunc) g_hash_table_lookup (own, GSIZE_TO_POINTER (*type));

      if (func != NULL)
        return func;
    }
  return NULL;
}

static void
wrapped_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  gboolean is_chained = innermost != NULL && innermost->widget == widget;
  Call call = { widget, is_chained ? g_type_parent (innermost->type) : G_OBJECT_TYPE (widget), innermost };
  SnapshotVfunc func = find_own (&call.type);

  innermost = &call;
  if (func != NULL)
    func (widget, snapshot);
  innermost = call.outer;

  if (!is_chained)
    over (widget, snapshot);
}

void
jank_snapshot_wrap (GtkWidget *widget, JankSnapshotFunc new_over)
{
  GtkWidgetClass *klass = GTK_WIDGET_GET_CLASS (widget);

  over = new_over;
  if (klass->snapshot == wrapped_snapshot)
    return;
  if (own == NULL)
    own = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (own, GSIZE_TO_POINTER (G_OBJECT_TYPE (widget)), (gpointer) klass->snapshot);
  klass->snapshot = wrapped_snapshot;
}
