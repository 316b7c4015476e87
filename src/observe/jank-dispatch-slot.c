/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GLib's dispatch block and source callback. */

#include "observe/jank-dispatch-slot-private.h"

#include <pthread.h>
#include <string.h>

#include "base/jank-memory-private.h"
#include "base/jank-memory-sigsafe-private.h"
#include "guest/jank-own-thread-private.h"
#include "observe/jank-source-ledger-private.h"

#define MAX_CALLBACK_BYTES 32

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

/* Inside the dispatch of probe. The process may have forbidden itself the calls that only a debugger makes. */
static gboolean
jank_dispatch_slot_find_key (GSource *probe, pthread_key_t *ret_key)
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
jank_dispatch_slot_probe_cb (gpointer data)
{
  GSource *probe = g_main_current_source ();
  guint64 words[MAX_CALLBACK_BYTES / sizeof (guint64)];
  gsize n_words = jank_memory_copy_sigsafe (words, (guintptr) probe->callback_data, sizeof words) / sizeof (guint64);

  g_atomic_int_set (&is_learned, jank_dispatch_slot_find_key (probe, &learned.key));
  for (gsize i = 0; i < n_words; i++)
    if (words[i] == (guintptr) jank_dispatch_slot_probe_cb)
      {
        learned.slot.callback_funcs = (guintptr) probe->callback_funcs;
        learned.slot.func_offset = i * sizeof (guint64);
        if (i + 1 < n_words && words[i + 1] == (guintptr) data)
          learned.slot.data_offset = (i + 1) * sizeof (guint64);
        break;
      }
  return G_SOURCE_REMOVE;
}

/* By parts, without poll(): whoever stands in front of that function would take this for the program's first wait. */
static void
jank_dispatch_slot_dispatch_once (GMainContext *context)
{
  GPollFD fd;
  gint priority, timeout;

  if (!g_main_context_acquire (context))
    return;
  g_main_context_prepare (context, &priority);
  g_main_context_query (context, priority, &timeout, &fd, 1);
  g_main_context_check (context, priority, NULL, 0);
  g_main_context_dispatch (context);
  g_main_context_release (context);
}

static gpointer
jank_dispatch_slot_probe (gpointer data)
{
  GMainContext *context = g_main_context_new ();
  GSource *probe = g_idle_source_new ();

  g_source_set_callback (probe, jank_dispatch_slot_probe_cb, &learned, NULL);
  g_source_attach (probe, context);
  jank_dispatch_slot_dispatch_once (context);
  g_source_unref (probe);
  g_main_context_unref (context);
  return NULL;
}

/* On a thread of ours: what a thread of the program keeps under its keys may be unmapped while it is looked at. */
void
jank_dispatch_slot_learn (void)
{
  static gsize once;
  pthread_t thread;

  if (!g_once_init_enter (&once))
    return;
  if (jank_own_thread_start (&thread, jank_dispatch_slot_probe, NULL, NULL))
    pthread_join (thread, NULL);
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

/* Where to look for what source points to. FALSE: it is gone. */
static gboolean
jank_dispatch_slot_aim (JankDispatchSlot *self, guint64 address)
{
  GSource source;

  self->source = 0;
  if (address == 0 || !jank_memory_read_all (address, &source, sizeof source))
    return FALSE;
  self->source = address;
  self->name = (guintptr) source.name;
  self->n_name_bytes = MIN (sizeof ((JankSourceInfo *) NULL)->name - 1,
                            JANK_MEMORY_PAGE_BYTES - self->name % JANK_MEMORY_PAGE_BYTES);
  self->funcs = (guintptr) source.source_funcs;
  self->func = self->data = 0;
  if (self->callback_funcs != 0 && (guintptr) source.callback_funcs == self->callback_funcs)
    {
      self->func = (guintptr) source.callback_data + self->func_offset;
      if (self->data_offset != 0)
        self->data = (guintptr) source.callback_data + self->data_offset;
    }
  return TRUE;
}

/* Where it aims at. GLib does not free a source while it is dispatched: the copy is good when the block says the
 * same before and after. FALSE: something else is dispatched, or nothing. */
static gboolean
jank_dispatch_slot_copy (const JankDispatchSlot *self, JankSourceInfo *info, guint *ret_depth)
{
  DispatchBlock before, after;
  GSource source;
  GSourceFuncs funcs;
  JankMemoryPiece pieces[JANK_MEMORY_MAX_PIECES] = {
    { self->block, &before, sizeof before },
    { self->source, &source, sizeof source },
    { self->funcs, &funcs, G_STRUCT_OFFSET (GSourceFuncs, finalize) },
  };
  guint n = 3;

  if (self->name != 0)
    pieces[n++] = (JankMemoryPiece) { self->name, info->name, self->n_name_bytes };
  if (self->func != 0)
    pieces[n++] = (JankMemoryPiece) { self->func, &info->callback, sizeof info->callback };
  if (self->data != 0)
    pieces[n++] = (JankMemoryPiece) { self->data, &info->data, sizeof info->data };
  pieces[n++] = (JankMemoryPiece) { self->block, &after, sizeof after };
  if (!jank_memory_read_pieces (pieces, n) || before.depth <= 0 || after.depth != before.depth ||
      (guintptr) before.source != self->source || after.source != before.source ||
      (guintptr) source.name != self->name || (guintptr) source.source_funcs != self->funcs ||
      (self->func != 0 && (guintptr) source.callback_data != self->func - self->func_offset))
    return FALSE;
  info->known = TRUE;
  info->priority = source.priority;
  info->address = self->source;
  info->dispatch = jank_source_ledger_get_dispatch ((guintptr) funcs.dispatch);
  *ret_depth = (guint) before.depth;
  return TRUE;
}

guint
jank_dispatch_slot_read (JankDispatchSlot *self, JankSourceInfo *ret_info)
{
  JankSourceInfo info = { 0 };
  DispatchBlock block;
  guint depth = 0;

  *ret_info = info;
  if (self->block == 0)
    return 0;
  if (self->source == 0 || !jank_dispatch_slot_copy (self, &info, &depth))
    {
      if (!jank_memory_read_all (self->block, &block, sizeof block) || block.depth <= 0)
        return 0;
      info = (JankSourceInfo) { 0 };
      if (!jank_dispatch_slot_aim (self, (guintptr) block.source) || !jank_dispatch_slot_copy (self, &info, &depth))
        return (guint) block.depth;
    }
  /* A name that goes on behind the end of a page. */
  if (self->name != 0 && self->n_name_bytes < sizeof info.name - 1 &&
      memchr (info.name, '\0', self->n_name_bytes) == NULL)
    jank_memory_read_text (self->name + self->n_name_bytes, info.name + self->n_name_bytes,
                           sizeof info.name - self->n_name_bytes);
  *ret_info = info;
  return depth;
}
