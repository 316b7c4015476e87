/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which loaded file holds an address. jank_loaded_find() finds modules: it takes no lock, so it answers while the
 * observed thread is inside the loader. Everything else is read by safe copies. Samples refer to a module by its
 * index, so a module keeps it for the life of the map, also when unloaded. Watcher thread only. */

#pragma once

#include <glib.h>

#define JANK_MODULE_NONE G_MAXUINT32

typedef struct
{
  char    *path;          /* as the loader knows it; the executable's real path; "[vdso]" */
  guint64  start, end;    /* addresses it spans */
  guint64  code_start, code_end; /* from the first to the last of its code; all that it spans, if not known */
  guint64  base;          /* load bias: address = base + ELF virtual address */
  guint64  eh_frame_hdr;  /* address, 0 without unwind table */
  guint64  link_map;
  guint8   build_id[32];
  guint    n_build_id;    /* bytes, 0 for none */
  guint64  build_id_address; /* in memory, 0 for none */
  gboolean loaded;
  gboolean is_own;        /* jankwatch's: the library, the GIO module, a plug-in */
  gint64   found_ns;      /* CLOCK_MONOTONIC */
  gint64   verified_ns;
  GPtrArray *known;       /* (owned) (nullable): jank_code_map_get_known()'s */
} JankModule;

typedef struct _JankCodeMap JankCodeMap;
typedef struct _JankScripts JankScripts;
typedef struct _JankScript JankScript;

JankCodeMap      *jank_code_map_new            (void);
void              jank_code_map_free           (JankCodeMap *self);

/* Index of the module that holds pc now, or JANK_MODULE_NONE. Asks the loader's table on every call. */
guint32           jank_code_map_find           (JankCodeMap *self, guint64 pc);
const JankModule *jank_code_map_get            (JankCodeMap *self, guint32 module);
guint             jank_code_map_get_n_modules  (JankCodeMap *self);
/* Whether it is GLib, the one that this process uses. */
gboolean          jank_code_map_is_glib        (JankCodeMap *self, guint32 module);

/* What others know about a module, for the life of the map; free_func frees the items.
 * Returns: (transfer none) (nullable): NULL without a build-id, since another module may take its place unnoticed */
GPtrArray        *jank_code_map_get_known      (JankCodeMap *self, guint32 module, GDestroyNotify free_func);

/* Functions that no module holds. Returns: (transfer none) */
JankScripts      *jank_code_map_get_scripts    (JankCodeMap *self);

/* Grows by one whenever a module appears or is replaced. */
guint             jank_code_map_get_generation (JankCodeMap *self);

/* Compares the build-ids in memory with those remembered: a plug-in may be replaced by another of the same size at
 * the same address. A module that is older than a second is compared every 100 ms, or at_once. modules may repeat
 * and hold JANK_MODULE_NONE; JANK_CODE_MAP_MAX_VERIFY of them are compared at most.
 * FALSE: some are gone, and the generation has grown. */
#define JANK_CODE_MAP_MAX_VERIFY 64
gboolean          jank_code_map_verify         (JankCodeMap *self, const guint32 *modules, guint n_modules,
                                                gboolean at_once);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankCodeMap, jank_code_map_free)
