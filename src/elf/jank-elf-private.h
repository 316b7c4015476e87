/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A small reader of little-endian ELF64 programs and libraries. It keeps no index: one pass over the symbol table
 * answers a whole batch of addresses. It reads with pread(): a mapped file that is cut short raises SIGBUS in the
 * observed program. A damaged file gives JANK_ERROR_INVALID or no symbol. Any thread, one at a time. */

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
  guint64  address;   /* set by the caller: ELF virtual address */
  char    *name;      /* (owned) (nullable): from the file, made valid UTF-8 */
  gboolean exported;  /* the name is of .dynsym, else of .symtab */
  guint64  start;     /* ELF virtual address of the symbol, 0 without name */
  guint64  low, high; /* all addresses from low to before high have the same answer */
} JankElfQuery;

/* Opens a regular file and reads its headers. Returns: (transfer full) */
JankElf *jank_elf_new           (const char *path, GError **error);

/* Same, for an open descriptor. Takes it over, also on failure. path is for messages. */
JankElf *jank_elf_new_for_fd    (int fd, const char *path, GError **error);
void     jank_elf_free          (JankElf *self);

/* Exactly n_bytes at offset, or an error. */
gboolean jank_elf_read          (JankElf *self, guint64 offset, gpointer buffer, gsize n_bytes, GError **error);

/* Fills each query from the function symbol whose size contains the address: .symtab first, then .dynsym. Queries
 * must be in ascending order of address, with NULL names. On failure, names found so far stay, and low and high
 * mean nothing. */
gboolean jank_elf_resolve       (JankElf *self, JankElfQuery *queries, guint n_queries, GError **error);

/* Whether this process has the same ELF and program headers at address. Detects a file that was replaced since it was
 * loaded where there is no build-id. */
gboolean jank_elf_equals_memory (JankElf *self, guint64 address);

/* Sets JANK_ERROR_INVALID, with a reason marked by N_(). Returns: FALSE */
gboolean jank_elf_set_invalid   (JankElf *self, const char *reason, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankElf, jank_elf_free)
