/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A small reader of ELF64 little-endian programs and libraries. It keeps no index: symbols are found by one
 * pass over the file's table for a whole batch of addresses. It reads with pread() and never maps the file:
 * a mapped file that somebody cuts short meanwhile would raise SIGBUS in the observed program.
 * Whatever the file holds, the answer is JANK_ERROR_INVALID or no symbol. Any thread, one at a time. */

#pragma once

#include <elf.h>
#include <glib.h>

#define JANK_ELF_MAX_BYTES (G_GUINT64_CONSTANT (2) << 30)
#define JANK_ELF_MAX_BUILD_ID_BYTES 32

typedef struct
{
  guint64 offset;         /* in the file */
  guint64 n_bytes;        /* 0: the file has no such table */
  guint64 strings_offset;
  guint64 strings_n_bytes;
} JankElfTable;

typedef struct
{
  int          fd;        /* (owned) */
  char        *path;      /* (owned) for messages */
  guint64      n_bytes;
  Elf64_Ehdr   header;
  JankElfTable symtab, dynsym;
  guint8       build_id[JANK_ELF_MAX_BUILD_ID_BYTES];
  guint        n_build_id; /* bytes, 0 for none */
} JankElf;

typedef struct
{
  guint64 address; /* set by the caller: ELF virtual address */
  char   *name;    /* (owned) (nullable): as it stands in the file, made valid UTF-8 */
  guint64 start;   /* ELF virtual address of the symbol, 0 without name */
  guint64 low, high; /* all addresses from low to before high have the same answer */
} JankElfQuery;

/* Opens a regular file and reads its headers. Returns: (transfer full) */
JankElf *jank_elf_new           (const char *path, GError **error);

/* Same, for an open descriptor that it takes over, also on failure; path is for messages. */
JankElf *jank_elf_new_for_fd    (int fd, const char *path, GError **error);
void     jank_elf_free          (JankElf *self);

/* Exactly n_bytes at offset, or an error. */
gboolean jank_elf_read          (JankElf *self, guint64 offset, gpointer buffer, gsize n_bytes, GError **error);

/* Fills each query by the function symbol whose size contains the address, from .symtab first, then .dynsym. Queries
 * are in ascending order of address, their names NULL. On failure the queries answered so far keep their names, and
 * low and high mean nothing. */
gboolean jank_elf_resolve       (JankElf *self, JankElfQuery *queries, guint n_queries, GError **error);

/* Whether this process has, at address, the same ELF and program headers: tells a file that was replaced
 * since it was loaded where there is no build-id to tell it by. */
gboolean jank_elf_equals_memory (JankElf *self, guint64 address);

/* FALSE; sets JANK_ERROR_INVALID for a reason marked with N_(). */
gboolean jank_elf_set_invalid   (JankElf *self, const char *reason, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankElf, jank_elf_free)
