/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GLib's dispatch block and source callback. */

#include "config.h"

#include "observe/jank-dispatch-slot-private.h"

#include <limits.h>
#include <pthread.h>

#include "base/jank-memory-private.h"
#include "base/jank-memory-sigsafe-private.h"

#define MAX_CALLBACK_BYTES 64

typedef struct
{
  gint     depth;
  GSource *source;
} DispatchBlock;

/* What all threads have in common; written once, before is_learned. */
static struct
{
  pthread_key_t    key;
  JankDispatchSlot slot; /* without a block */
} learned;
static gboolean is_learned; /* (atomic) */

/* Inside the dispatch of probe. The thread may have forbidden itself the calls that only a debugger makes. */
static gboolean
dispatch_slot_find_key (GSource *probe, pthread_key_t *ret_key)
{
  guint n_found = 0;

  for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++)
    {
      guint64 address = (guintptr) pthread_getspecific (key);
      DispatchBlock block;

      if (address == 0 || address % sizeof (gpointer) != 0 ||
          jank_memory_copy_sigsafe (&block, address, sizeof block) < sizeof block ||
          block.source != probe || block.depth != g_main_depth ())
        continue;
      *ret_key = key;
      n_found++;
    }
  return n_found == 1;
}

static gboolean
dispatch_slot_probe_cb (gpointer data)
{
  GSource *probe = g_main_current_source ();
  guint64 words[MAX_CALLBACK_BYTES / sizeof (guint64)];
  gsize n_words = jank_memory_copy_sigsafe (words, (guintptr) probe->callback_data, sizeof words) / sizeof (guint64);

  g_atomic_int_set (&is_learned, dispatch_slot_find_key (probe, &learned.key));
  for (gsize i = 0; i < n_words; i++)
    if (words[i] == (guintptr) dispatch_slot_probe_cb)
      {
        learned.slot.callback_funcs = (guintptr) probe->callback_funcs;
        learned.slot.func_offset = i * sizeof (guint64);
        if (i + 1 < n_words && words[i + 1] == (guintptr) data)
          learned.slot.data_offset = (i + 1) * sizeof (guint64);
        break;
      }
  return G_SOURCE_REMOVE;
}

void
jank_dispatch_slot_learn (void)
{
  static gsize once;
  GMainContext *context;
  GSource *probe;

  if (!g_once_init_enter (&once))
    return;
  context = g_main_context_new ();
  probe = g_idle_source_new ();
  g_source_set_callback (probe, dispatch_slot_probe_cb, &learned, NULL);
  g_source_attach (probe, context);
  g_main_context_iteration (context, FALSE);
  g_source_unref (probe);
  g_main_context_unref (context);
  g_once_init_leave (&once, 1);
}

gboolean
jank_dispatch_slot_find (JankDispatchSlot *ret_slot)
{
  /* Makes the thread's block, should nothing have been dispatched yet. */
  gint depth = g_main_depth ();
  DispatchBlock block;
  guint64 address;

  if (!g_atomic_int_get (&is_learned))
    return FALSE;
  address = (guintptr) pthread_getspecific (learned.key);
  if (address == 0 || jank_memory_copy_sigsafe (&block, address, sizeof block) < sizeof block || block.depth != depth)
    return FALSE;
  *ret_slot = learned.slot;
  ret_slot->block = address;
  return TRUE;
}

static void
copy_source (const JankDispatchSlot *self, guint64 address, const GSource *source, JankSourceInfo *info)
{
  GSourceFuncs funcs;
  guint64 func, data;

  info->priority = source->priority;
  info->address = address;
  if (source->name != NULL)
    jank_memory_read_text ((guintptr) source->name, info->name, sizeof info->name);
  if (jank_memory_read_all ((guintptr) source->source_funcs, &funcs, G_STRUCT_OFFSET (GSourceFuncs, finalize)))
    info->dispatch = (guintptr) funcs.dispatch;
  if (self->callback_funcs != 0 && (guintptr) source->callback_funcs == self->callback_funcs &&
      jank_memory_read_all ((guintptr) source->callback_data + self->func_offset, &func, sizeof func))
    info->callback = func;
  if (info->callback != 0 && self->data_offset != 0 &&
      jank_memory_read_all ((guintptr) source->callback_data + self->data_offset, &data, sizeof data))
    info->data = data;
}

guint
jank_dispatch_slot_read (const JankDispatchSlot *self, JankSourceInfo *ret_info)
{
  DispatchBlock before, after;
  JankSourceInfo info = { 0 };
  GSource source;

  *ret_info = info;
  if (self->block == 0 || !jank_memory_read_all (self->block, &before, sizeof before) || before.depth <= 0)
    return 0;

  /* GLib does not free a source while it is dispatched: the copy is good when the answer is the same before and
   * after. */
  if (before.source != NULL && jank_memory_read_all ((guintptr) before.source, &source, sizeof source))
    {
      copy_source (self, (guintptr) before.source, &source, &info);
      info.known = jank_memory_read_all (self->block, &after, sizeof after) &&
                   after.source == before.source && after.depth == before.depth;
    }
  if (info.known)
    {
      info.name[sizeof info.name - 1] = '\0';
      *ret_info = info;
    }
  return (guint) before.depth;
}
