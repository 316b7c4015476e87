/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which loaded file holds an address. Modules are found through _dl_find_object(), which takes no lock,
 * so it answers while the observed thread is inside the loader; everything else is read by safe copies.
 * A module keeps its index for the life of the map, also after it was unloaded: samples refer to it.
 * Watcher thread only. */

#pragma once

#include <glib.h>

#define JANK_MODULE_NONE G_MAXUINT32

typedef struct
{
  char    *path;          /* as the loader knows it; the executable's real path; "[vdso]" */
  guint64  start, end;    /* addresses it spans */
  guint64  base;          /* load bias: address = base + ELF virtual address */
  guint64  eh_frame_hdr;  /* address, 0 without unwind table */
  guint64  link_map;
  guint8   build_id[32];
  guint    n_build_id;    /* bytes, 0 for none */
  guint64  build_id_address; /* in memory, 0 for none */
  gboolean loaded;
  gint64   found_ns;      /* CLOCK_MONOTONIC */
  gint64   verified_ns;
  GPtrArray *known;       /* (owned) (nullable): jank_code_map_get_known()'s */
} JankModule;

typedef struct _JankCodeMap JankCodeMap;

JankCodeMap      *jank_code_map_new            (void);
void              jank_code_map_free           (JankCodeMap *self);

/* Index of the module that holds pc now, or JANK_MODULE_NONE. Asks the loader's table on every call. */
guint32           jank_code_map_find           (JankCodeMap *self, guint64 pc);
const JankModule *jank_code_map_get            (JankCodeMap *self, guint32 module);
guint             jank_code_map_get_n_modules  (JankCodeMap *self);

/* Room for what others have found out about a module, for as long as the map lives; what is in it goes by free_func.
 * Returns: (transfer none) (nullable): the module has no build-id, and another may take its place unnoticed */
GPtrArray        *jank_code_map_get_known      (JankCodeMap *self, guint32 module, GDestroyNotify free_func);

/* Grows by one each time a module was found where another one used to be, or none. */
guint             jank_code_map_get_generation (JankCodeMap *self);

/* A plug-in may be replaced by another of the same size at the same address: compares the build-ids in memory with those
 * remembered. Of modules that have been there for a second, every 100 ms, unless at_once.
 * FALSE: some are gone, and the generation has grown. */
#define JANK_CODE_MAP_MAX_VERIFY 64
gboolean          jank_code_map_verify         (JankCodeMap *self, const guint32 *modules, guint n_modules, gboolean at_once);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankCodeMap, jank_code_map_free)
