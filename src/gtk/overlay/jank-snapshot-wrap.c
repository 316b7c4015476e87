/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One function replaces those of many classes, and cannot see for which class it is called:
 *
 *   the first call for a widget is for its class, or for the ancestor from which that class has the function;
 *   another call for the same widget while that runs chains up: it is for an ancestor of the class before.
 *
 * So each call looks, from the class of the call before upwards, for the nearest class whose own function is kept. A
 * class that inherited our function has no entry and finds its parent's. */

#include "gtk/overlay/jank-overlay-parts-private.h"

#if GTK_MAJOR_VERSION >= 4
typedef void Drawn;
#else
typedef gboolean Drawn;
#define snapshot draw
#endif

typedef Drawn (*SnapshotVfunc) (GtkWidget *widget, JankCanvas *canvas);

typedef struct _Call
{
  GtkWidget          *widget;
  gboolean            is_outermost; /* nobody chained up to us */
  GType               type; /* whose function runs */
  const struct _Call *outer;
} Call;

static Drawn jank_snapshot_wrap_wrapped_snapshot (GtkWidget *widget, JankCanvas *canvas);

static GHashTable *own; /* (owned) of GType → SnapshotVfunc */
static const Call *innermost;
static JankSnapshotFunc over;

/* The nearest function of a class at or above *type, which is set to that class. */
static SnapshotVfunc
jank_snapshot_wrap_find_own (GType *type)
{
  for (; *type != 0; *type = g_type_parent (*type))
    {
      SnapshotVfunc func = (SnapshotVfunc) g_hash_table_lookup (own, GSIZE_TO_POINTER (*type));

      if (func != NULL)
        return func;
    }
  return NULL;
}

/* FALSE: a subclass that came later and chains up to a wrapped one. */
static gboolean
jank_snapshot_wrap_is_wrapped (GtkWidgetClass *klass)
{
  return klass->snapshot == jank_snapshot_wrap_wrapped_snapshot;
}

/* Returns: (nullable): the widget's own function, to be called now */
static SnapshotVfunc
jank_snapshot_wrap_begin (Call *call, GtkWidget *widget)
{
  gboolean is_chained = innermost != NULL && innermost->widget == widget;

  call->widget = widget;
  call->type = is_chained ? g_type_parent (innermost->type) : G_OBJECT_TYPE (widget);
  call->is_outermost = !is_chained && jank_snapshot_wrap_is_wrapped (GTK_WIDGET_GET_CLASS (widget));
  call->outer = innermost;
  innermost = call;
  return jank_snapshot_wrap_find_own (&call->type);
}

static void
jank_snapshot_wrap_end (const Call *call, JankCanvas *canvas)
{
  innermost = call->outer;
  if (call->is_outermost)
    over (call->widget, canvas);
}

#if GTK_MAJOR_VERSION >= 4

static Drawn
jank_snapshot_wrap_wrapped_snapshot (GtkWidget *widget, JankCanvas *canvas)
{
  Call call;
  SnapshotVfunc func = jank_snapshot_wrap_begin (&call, widget);

  if (func != NULL)
    func (widget, canvas);
  jank_snapshot_wrap_end (&call, canvas);
}

#else

static Drawn
jank_snapshot_wrap_wrapped_snapshot (GtkWidget *widget, JankCanvas *canvas)
{
  Call call;
  SnapshotVfunc func = jank_snapshot_wrap_begin (&call, widget);
  gboolean is_drawn = FALSE;

  /* What a class leaves behind is for the class that chained up, not for us. */
  if (call.is_outermost)
    cairo_save (canvas);
  if (func != NULL)
    is_drawn = func (widget, canvas);
  if (call.is_outermost)
    cairo_restore (canvas);
  jank_snapshot_wrap_end (&call, canvas);
  return is_drawn;
}

#endif

void
jank_snapshot_wrap (GtkWidget *widget, JankSnapshotFunc new_over)
{
  GtkWidgetClass *klass = GTK_WIDGET_GET_CLASS (widget);

  over = new_over;
  if (jank_snapshot_wrap_is_wrapped (klass))
    return;
  if (own == NULL)
    own = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (own, GSIZE_TO_POINTER (G_OBJECT_TYPE (widget)), (gpointer) klass->snapshot);
  klass->snapshot = jank_snapshot_wrap_wrapped_snapshot;
}
