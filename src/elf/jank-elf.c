/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opening a file, its headers and its build-id. The file may be hostile: every count is capped before allocation, and
 * jank_elf_read() checks every offset. */

#include "elf/jank-elf-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "base/jank-memory-private.h"
#include "guest/jank-rest-private.h"

#define MAX_SECTIONS 4096
#define MAX_SEGMENTS 1024
#define MAX_NOTE_BYTES (64 * 1024)

/* Translates only on request: the observed process never asks, and gettext would open files. */
static gboolean
jank_elf_set_error (const char *path, JankError code, const char *reason, GError **error)
{
  if (error != NULL)
    g_set_error (error, JANK_ERROR, code, _("Cannot read the symbols of ‘%s’: %s"), path, reason);
  return FALSE;
}

gboolean
jank_elf_set_invalid (JankElf *self, const char *reason, GError **error)
{
  return jank_elf_set_error (self->path, JANK_ERROR_INVALID, error != NULL ? _(reason) : reason, error);
}

gboolean
jank_elf_read (JankElf *self, guint64 offset, gpointer buffer, gsize n_bytes, GError **error)
{
  gsize done = 0;

  if (offset > self->n_bytes || n_bytes > self->n_bytes - offset)
    return jank_elf_set_invalid (self, N_("the file is truncated"), error);

  while (done < n_bytes)
    {
      ssize_t n;
      int saved_errno;

      jank_rest_begin ();
      n = pread (self->fd, (char *) buffer + done, n_bytes - done, (off_t) (offset + done));
      saved_errno = errno;
      jank_rest_end ();

      if (n > 0)
        done += (gsize) n;
      else if (n == 0)
        return jank_elf_set_invalid (self, N_("the file was truncated while it was read"), error);
      else if (saved_errno != EINTR)
        return jank_elf_set_error (self->path, JANK_ERROR_FAILED, g_strerror (saved_errno), error);
    }
  return TRUE;
}

/* Notes are padded to 4 bytes; to 8 in segments aligned to 8. */
static void
jank_elf_find_build_id (JankElf *self, guint64 offset, guint64 n_bytes, guint64 alignment)
{
  g_autofree guint8 *notes = NULL;
  guint64 mask = alignment == 8 ? 7 : 3;
  guint64 at = 0;

  if (self->n_build_id != 0 || n_bytes > MAX_NOTE_BYTES)
    return;
  notes = g_malloc (n_bytes);
  if (!jank_elf_read (self, offset, notes, n_bytes, NULL))
    return;

  while (at + sizeof (Elf64_Nhdr) <= n_bytes)
    {
      Elf64_Nhdr note;
      guint64 name, id;

      memcpy (&note, notes + at, sizeof note);
      name = at + sizeof note;
      id = name + (((guint64) note.n_namesz + mask) & ~mask);
      if (id > n_bytes || note.n_descsz > n_bytes - id)
        return;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU
          && memcmp (notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0
          && note.n_descsz <= sizeof self->build_id)
        {
          memcpy (self->build_id, notes + id, note.n_descsz);
          self->n_build_id = note.n_descsz;
          return;
        }
      at = id + (((guint64) note.n_descsz + mask) & ~mask);
    }
}

static gboolean
jank_elf_read_segments (JankElf *self, GError **error)
{
  guint n_segments = self->header.e_phoff != 0 ? self->header.e_phnum : 0;
  g_autofree Elf64_Phdr *segments = NULL;

  if (n_segments > MAX_SEGMENTS)
    return jank_elf_set_invalid (self, N_("it has too many segments"), error);
  if (n_segments != 0 && self->header.e_phentsize != sizeof *segments)
    return jank_elf_set_invalid (self, N_("its program headers have an unknown size"), error);

  segments = g_new (Elf64_Phdr, n_segments);
  if (!jank_elf_read (self, self->header.e_phoff, segments, n_segments * sizeof *segments, error))
    return FALSE;
  for (guint i = 0; i < n_segments; i++)
    if (segments[i].p_type == PT_NOTE)
      jank_elf_find_build_id (self, segments[i].p_offset, segments[i].p_filesz, segments[i].p_align);
  return TRUE;
}

static gboolean
jank_elf_is_inside (JankElf *self, const Elf64_Shdr *section)
{
  return section->sh_offset <= self->n_bytes && section->sh_size <= self->n_bytes - section->sh_offset;
}

static gboolean
jank_elf_read_table (JankElf *self, const Elf64_Shdr *sections, guint n_sections, const Elf64_Shdr *section,
                     JankElfTable *ret_table, GError **error)
{
  const Elf64_Shdr *strings;

  if (section->sh_entsize != sizeof (Elf64_Sym) || section->sh_link >= n_sections)
    return jank_elf_set_invalid (self, N_("its symbol table is damaged"), error);
  strings = &sections[section->sh_link];
  if (strings->sh_type != SHT_STRTAB)
    return jank_elf_set_invalid (self, N_("its symbol table has no names"), error);
  if (!jank_elf_is_inside (self, section) || !jank_elf_is_inside (self, strings))
    return jank_elf_set_invalid (self, N_("the file is truncated"), error);

  *ret_table = (JankElfTable) { section->sh_offset, section->sh_size, strings->sh_offset, strings->sh_size };
  return TRUE;
}

static gboolean
jank_elf_read_sections (JankElf *self, GError **error)
{
  guint n_sections = self->header.e_shoff != 0 ? self->header.e_shnum : 0;
  g_autofree Elf64_Shdr *sections = NULL;

  if (n_sections > MAX_SECTIONS)
    return jank_elf_set_invalid (self, N_("it has too many sections"), error);
  if (n_sections != 0 && self->header.e_shentsize != sizeof *sections)
    return jank_elf_set_invalid (self, N_("its section headers have an unknown size"), error);

  sections = g_new (Elf64_Shdr, n_sections);
  if (!jank_elf_read (self, self->header.e_shoff, sections, n_sections * sizeof *sections, error))
    return FALSE;
  for (guint i = 0; i < n_sections; i++)
    {
      const Elf64_Shdr *section = &sections[i];
      JankElfTable *table = section->sh_type == SHT_SYMTAB ? &self->symtab : &self->dynsym;

      if (section->sh_type == SHT_NOTE)
        jank_elf_find_build_id (self, section->sh_offset, section->sh_size, section->sh_addralign);
      else if ((section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM)
               && !jank_elf_read_table (self, sections, n_sections, section, table, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
jank_elf_read_headers (JankElf *self, GError **error)
{
  const Elf64_Ehdr *header = &self->header;

  if (!jank_elf_read (self, 0, &self->header, sizeof self->header, error))
    return FALSE;
  if (memcmp (header->e_ident, ELFMAG, SELFMAG) != 0)
    return jank_elf_set_invalid (self, N_("it is not an ELF file"), error);
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return jank_elf_set_invalid (self, N_("it is not a 64-bit little-endian ELF file"), error);
  if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
    return jank_elf_set_invalid (self, N_("it is neither a program nor a library"), error);
  /* So that no later sum can wrap. */
  if (header->e_phoff > self->n_bytes || header->e_shoff > self->n_bytes)
    return jank_elf_set_invalid (self, N_("the file is truncated"), error);

  return jank_elf_read_segments (self, error) && jank_elf_read_sections (self, error);
}

JankElf *
jank_elf_new_for_fd (int fd, const char *path, GError **error)
{
  g_autoptr (JankElf) self = g_new0 (JankElf, 1);
  struct stat status;

  self->fd = fd;
  self->path = g_strdup (path);
  if (fstat (fd, &status) != 0)
    jank_elf_set_error (path, JANK_ERROR_FAILED, g_strerror (errno), error);
  else if (!S_ISREG (status.st_mode))
    jank_elf_set_invalid (self, N_("it is not a regular file"), error);
  else if ((guint64) status.st_size > JANK_ELF_MAX_BYTES)
    jank_elf_set_invalid (self, N_("it is larger than 2 GiB"), error);
  else
    {
      self->n_bytes = (guint64) status.st_size;
      if (jank_elf_read_headers (self, error))
        return g_steal_pointer (&self);
    }
  return NULL;
}

JankElf *
jank_elf_new (const char *path, GError **error)
{
  /* Non-blocking: by now the path may lead to a pipe. */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  int saved_errno = errno;

  if (fd < 0)
    {
      jank_elf_set_error (path, JANK_ERROR_FAILED, g_strerror (saved_errno), error);
      return NULL;
    }
  return jank_elf_new_for_fd (fd, path, error);
}

void
jank_elf_free (JankElf *self)
{
  close (self->fd);
  g_free (self->path);
  g_free (self);
}

gboolean
jank_elf_equals_memory (JankElf *self, guint64 address)
{
  gsize n_segment_bytes = self->header.e_phnum * sizeof (Elf64_Phdr);
  g_autofree guint8 *file = g_malloc (n_segment_bytes);
  g_autofree guint8 *memory = g_malloc (n_segment_bytes);
  Elf64_Ehdr header;

  return jank_memory_read_all (address, &header, sizeof header)
         && memcmp (&header, &self->header, sizeof header) == 0
         && jank_elf_read (self, self->header.e_phoff, file, n_segment_bytes, NULL)
         && jank_memory_read_all (address + self->header.e_phoff, memory, n_segment_bytes)
         && memcmp (file, memory, n_segment_bytes) == 0;
}
