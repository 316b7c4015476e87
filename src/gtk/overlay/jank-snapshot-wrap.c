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

#if GTK_MAJOR_VERSION >= 4
typedef void (*SnapshotVfunc) (GtkWidget *widget, JankCanvas *canvas);
#else
#define snapshot draw
typedef gboolean (*SnapshotVfunc) (GtkWidget *widget, JankCanvas *canvas);
#endif

typedef struct _Call
{
  GtkWidget          *widget;
  gboolean            is_chained;
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

/* Returns: (nullable): the widget's own function, to be called now */
static SnapshotVfunc
begin (Call *call, GtkWidget *widget)
{
  gboolean is_chained = innermost != NULL && innermost->widget == widget;

  *call = (Call) { widget, is_chained, is_chained ? g_type_parent (innermost->type) : G_OBJECT_TYPE (widget), innermost };
  innermost = call;
  return find_own (&call->type);
}

static void
end (const Call *call, JankCanvas *canvas)
{
  innermost = call->outer;
  if (!call->is_chained)
    over (call->widget, canvas);
}

#if GTK_MAJOR_VERSION >= 4

static void
wrapped_snapshot (GtkWidget *widget, JankCanvas *canvas)
{
  Call call;
  SnapshotVfunc func = begin (&call, widget);

  if (func != NULL)
    func (widget, canvas);
  end (&call, canvas);
}

#else

static gboolean
wrapped_snapshot (GtkWidget *widget, JankCanvas *canvas)
{
  Call call;
  SnapshotVfunc func = begin (&call, widget);
  gboolean is_drawn = FALSE;

  /* What a class leaves behind is for the class that chained up, not for us. */
  if (!call.is_chained)
    cairo_save (canvas);
  if (func != NULL)
    is_drawn = func (widget, canvas);
  if (!call.is_chained)
    cairo_restore (canvas);
  end (&call, canvas);
  return is_drawn;
}

#endif

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
