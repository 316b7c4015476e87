/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Called between vfork() and exec() as well, where the memory is the parent's: system calls and the stack only, and
 * none of the C library's calls that could be cancelled. */

#include "jank-preload-target-private.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_SEGMENTS       32
#define MAX_ENTRIES        128
#define MAX_INTERPRETERS   4    /* scripts of scripts, as the kernel allows */
#define MAX_LOADER_BYTES   128
#define MAX_STRINGS_BYTES  (64u << 20)
#define CHUNK_BYTES        2048
#define MAX_TEXT_BYTES     32
#define DEFAULT_PATH       "/bin:/usr/bin"
#define SHELL              "/bin/sh"

/* Runtimes that must come before every other library, or bring their own poll(). */
static const char *const sanitizers[] = { "__asan_init", "__tsan_init", "__msan_init", "libasan.so", "libtsan.so",
                                          "liblsan.so", NULL };

typedef struct
{
  int          fd;
  unsigned     n_segments;
  ElfW (Phdr)  segments[MAX_SEGMENTS];
} Program;

static ssize_t
jank_preload_target_read_at (int fd, void *bytes, size_t n_bytes, uint64_t offset)
{
  return syscall (SYS_pread64, fd, bytes, n_bytes, (off_t) offset);
}

bool
jank_preload_file_has (int fd, uint64_t offset, uint64_t n_bytes, const char *const *texts)
{
  char bytes[MAX_TEXT_BYTES + CHUNK_BYTES];
  size_t n_kept = 0; /* of the chunk before: a text may begin there */

  while (n_bytes > 0)
    {
      long n = jank_preload_target_read_at (fd, bytes + n_kept,
                                            n_bytes < CHUNK_BYTES ? (size_t) n_bytes : CHUNK_BYTES, offset);
      size_t n_here;

      if (n <= 0)
        return false;
      n_here = n_kept + (size_t) n;
      for (const char *const *text = texts; *text != NULL; text++)
        if (memmem (bytes, n_here, *text, strlen (*text)) != NULL)
          return true;
      offset += (uint64_t) n;
      n_bytes -= (uint64_t) n;
      n_kept = n_here < MAX_TEXT_BYTES ? n_here : MAX_TEXT_BYTES;
      memmove (bytes, bytes + n_here - n_kept, n_kept);
    }
  return false;
}

static const ElfW (Phdr) *
find_segment (const ElfW (Phdr) *segments, unsigned n, unsigned type)
{
  for (unsigned i = 0; i < n; i++)
    if (segments[i].p_type == type)
      return &segments[i];
  return NULL;
}

/* Returns: (nullable): the loader of the program that runs here */
static const char *
jank_preload_target_find_own_loader (void)
{
  const ElfW (Phdr) *segments = (const ElfW (Phdr) *) getauxval (AT_PHDR);
  unsigned n = segments != NULL ? (unsigned) getauxval (AT_PHNUM) : 0;
  const ElfW (Phdr) *table = find_segment (segments, n, PT_PHDR);
  const ElfW (Phdr) *loader = find_segment (segments, n, PT_INTERP);

  return table != NULL && loader != NULL ? (const char *) segments - table->p_vaddr + loader->p_vaddr : NULL;
}

static bool
jank_preload_target_has_own_loader (const Program *self)
{
  const ElfW (Phdr) *loader = find_segment (self->segments, self->n_segments, PT_INTERP);
  const char *own = jank_preload_target_find_own_loader ();
  char name[MAX_LOADER_BYTES];

  return loader != NULL && own != NULL && loader->p_filesz == strlen (own) + 1 && loader->p_filesz <= sizeof name &&
         jank_preload_target_read_at (self->fd, name, loader->p_filesz, loader->p_offset) == (long) loader->p_filesz &&
         memcmp (name, own, loader->p_filesz) == 0;
}

/* Looks through the names that the program needs and exports. */
static bool
jank_preload_target_is_sanitized (const Program *self)
{
  const ElfW (Phdr) *dynamic = find_segment (self->segments, self->n_segments, PT_DYNAMIC);
  uint64_t address = 0, n_bytes = 0;
  ElfW (Dyn) entries[MAX_ENTRIES];
  ssize_t n = dynamic != NULL ? jank_preload_target_read_at (self->fd, entries, sizeof entries, dynamic->p_offset) : 0;

  for (const ElfW (Dyn) *entry = entries; (const char *) (entry + 1) <= (const char *) entries + n; entry++)
    {
      if (entry->d_tag == DT_NULL)
        break;
      if (entry->d_tag == DT_STRTAB)
        address = entry->d_un.d_ptr;
      else if (entry->d_tag == DT_STRSZ)
        n_bytes = entry->d_un.d_val;
    }
  for (unsigned i = 0; i < self->n_segments; i++)
    {
      const ElfW (Phdr) *segment = &self->segments[i];

      if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)
        return jank_preload_file_has (self->fd, segment->p_offset + (address - segment->p_vaddr),
                                      n_bytes < MAX_STRINGS_BYTES ? n_bytes : MAX_STRINGS_BYTES, sanitizers);
    }
  return false;
}

static JankPreloadTarget
jank_preload_target_look_at_program (int fd, const char *bytes, size_t n_bytes)
{
  ElfW (Ehdr) header;
  Program self = { .fd = fd };

  if (n_bytes < sizeof header)
    return JANK_PRELOAD_TARGET_FOREIGN;
  memcpy (&header, bytes, sizeof header);
  self.n_segments = header.e_phnum;
  if (header.e_ident[EI_CLASS] != (sizeof (void *) == 8 ? ELFCLASS64 : ELFCLASS32) || self.n_segments > MAX_SEGMENTS ||
      header.e_phentsize != sizeof self.segments[0] ||
      jank_preload_target_read_at (fd, self.segments, self.n_segments * sizeof self.segments[0], header.e_phoff) !=
        (long) (self.n_segments * sizeof self.segments[0]) ||
      !jank_preload_target_has_own_loader (&self))
    return JANK_PRELOAD_TARGET_FOREIGN;
  return jank_preload_target_is_sanitized (&self) ? JANK_PRELOAD_TARGET_SANITIZED : JANK_PRELOAD_TARGET_FINE;
}

/* Returns whether line is a script's first; puts the interpreter that it names into path. */
static bool
jank_preload_target_find_interpreter (char *line, char *path)
{
  char *name = line + 2;

  if (strncmp (line, "#!", 2) != 0)
    return false;
  name += strspn (name, " \t");
  name[strcspn (name, " \t\r\n")] = '\0';
  strcpy (path, name);
  return true;
}

JankPreloadTarget
jank_preload_target_look (const char *path)
{
  char line[256 + 1], interpreter[sizeof line]; /* the kernel reads so much of a script */
  JankPreloadTarget target = JANK_PRELOAD_TARGET_FOREIGN;
  int saved_errno = errno;

  for (unsigned i = 0; i <= MAX_INTERPRETERS && path != NULL; i++)
    {
      long fd = syscall (SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
      long n = fd >= 0 ? jank_preload_target_read_at ((int) fd, line, sizeof line - 1, 0) : -1;

      path = NULL;
      line[n > 0 ? n : 0] = '\0';
      if (n < 0)
        target = JANK_PRELOAD_TARGET_UNREADABLE;
      else if (n > SELFMAG && memcmp (line, ELFMAG, SELFMAG) == 0)
        target = jank_preload_target_look_at_program ((int) fd, line, (size_t) n);
      else if (jank_preload_target_find_interpreter (line, interpreter))
        path = interpreter;
      else
        path = SHELL; /* as execvp() does */
      if (fd >= 0)
        syscall (SYS_close, fd);
    }
  errno = saved_errno;
  return target;
}

/* A folder may be searched, too: that is no program. */
static bool
jank_preload_target_is_program (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 && S_ISREG (status.st_mode) && syscall (SYS_faccessat, AT_FDCWD, path, X_OK) == 0;
}

const char *
jank_preload_target_find (const char *file, char *room)
{
  const char *list = NULL;
  size_t n_name = strlen (file);
  int saved_errno = errno;

  if (strchr (file, '/') != NULL)
    return file;
  for (char **variable = environ; variable != NULL && *variable != NULL && list == NULL; variable++)
    if (strncmp (*variable, "PATH=", 5) == 0)
      list = *variable + 5;
  if (list == NULL)
    list = DEFAULT_PATH;
  while (true)
    {
      size_t n_folder = strcspn (list, ":");

      if (n_folder + 1 + n_name < PATH_MAX)
        {
          memcpy (room, list, n_folder);
          room[n_folder] = '/';
          memcpy (room + n_folder + (n_folder > 0), file, n_name + 1);
          if (jank_preload_target_is_program (room))
            break;
        }
      list += n_folder;
      if (*list++ == '\0')
        {
          room = NULL;
          break;
        }
    }
  errno = saved_errno;
  return room;
}
