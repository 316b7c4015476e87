/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preloaded: writes into the file $REGISTERED which thread adds what to GLib's tables: types, properties, signals,
 * and quarks that are new; and which of jankwatch's threads frees what came from the program's heap. Calls from one
 * library to another are seen. */

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <glib-object.h>

/* Opened each time: threads may have descriptors of their own. */
static void
note (const char *func, const char *name)
{
  const char *path = getenv ("REGISTERED");
  int fd = path != NULL ? open (path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  char thread[16] = "";

  if (fd < 0)
    return;
  prctl (PR_GET_NAME, thread, 0, 0, 0);
  dprintf (fd, "%s: %s %s\n", thread, func, name);
  close (fd);
}

#define NEXT(func) ((__typeof__ (func) *) dlsym (RTLD_NEXT, #func))

GType
g_type_register_static (GType parent, const char *name, const GTypeInfo *info, GTypeFlags flags)
{
  note ("type", name);
  return NEXT (g_type_register_static) (parent, name, info, flags);
}

GType
g_type_register_static_simple (GType parent, const char *name, guint class_size, GClassInitFunc class_init,
                               guint instance_size, GInstanceInitFunc instance_init, GTypeFlags flags)
{
  note ("type", name);
  return NEXT (g_type_register_static_simple) (parent, name, class_size, class_init, instance_size, instance_init,
                                               flags);
}

GType
g_boxed_type_register_static (const char *name, GBoxedCopyFunc copy, GBoxedFreeFunc release)
{
  note ("type", name);
  return NEXT (g_boxed_type_register_static) (name, copy, release);
}

GType
g_pointer_type_register_static (const char *name)
{
  note ("type", name);
  return NEXT (g_pointer_type_register_static) (name);
}

GType
g_enum_register_static (const char *name, const GEnumValue *values)
{
  note ("type", name);
  return NEXT (g_enum_register_static) (name, values);
}

GType
g_flags_register_static (const char *name, const GFlagsValue *values)
{
  note ("type", name);
  return NEXT (g_flags_register_static) (name, values);
}

void
g_object_class_install_properties (GObjectClass *klass, guint n, GParamSpec **properties)
{
  note ("class", G_OBJECT_CLASS_NAME (klass));
  NEXT (g_object_class_install_properties) (klass, n, properties);
}

void
g_object_class_install_property (GObjectClass *klass, guint id, GParamSpec *property)
{
  note ("class", G_OBJECT_CLASS_NAME (klass));
  NEXT (g_object_class_install_property) (klass, id, property);
}

guint
g_signal_new (const char *name, GType type, GSignalFlags flags, guint class_offset, GSignalAccumulator accumulator,
              gpointer data, GSignalCMarshaller marshaller, GType result, guint n, ...)
{
  va_list types;
  guint signal;

  note ("signal", name);
  va_start (types, n);
  signal = g_signal_new_valist (name, type, flags, class_offset != 0 ? g_signal_type_cclosure_new (type, class_offset)
                                : NULL, accumulator, data, marshaller, result, n, types);
  va_end (types);
  return signal;
}

static void
note_quark (const char *text)
{
  if (text != NULL && g_quark_try_string (text) == 0)
    note ("quark", text);
}

GQuark
g_quark_from_static_string (const char *text)
{
  note_quark (text);
  return NEXT (g_quark_from_static_string) (text);
}

GQuark
g_quark_from_string (const char *text)
{
  note_quark (text);
  return NEXT (g_quark_from_string) (text);
}

const char *
g_intern_static_string (const char *text)
{
  note_quark (text);
  return NEXT (g_intern_static_string) (text);
}

const char *
g_intern_string (const char *text)
{
  note_quark (text);
  return NEXT (g_intern_string) (text);
}

extern void *__libc_realloc (void *piece, size_t n_bytes);
extern void __libc_free (void *piece);

/* glibc's malloc: the low bits of the word before a piece tell one of another heap than the first, or of none. */
#define OF_NO_HEAP    2
#define OF_OTHER_HEAP 4

__attribute__ ((constructor)) static void
load_unwinder (void)
{
  void *frames[1];

  backtrace (frames, 1);
}

/* What a thread frees it keeps for itself, to be grown where it lies: on top of the program's heap. */
static void
note_freed (void *piece)
{
  static _Thread_local int is_inside;
  char thread[16] = "", text[1024];
  void *frames[12];
  int n_frames, n;

  if (piece == NULL || (((size_t *) piece)[-1] & (OF_NO_HEAP | OF_OTHER_HEAP)) != 0 || is_inside)
    return;
  prctl (PR_GET_NAME, thread, 0, 0, 0);
  if (strncmp (thread, "jankwatch", strlen ("jankwatch")) != 0)
    return;
  is_inside = 1;
  n_frames = backtrace (frames, G_N_ELEMENTS (frames));
  n = snprintf (text, sizeof text, "of %zu bytes, by", ((size_t *) piece)[-1] & ~(size_t) 7);
  for (int i = 2; i < n_frames && n < (int) sizeof text; i++)
    {
      Dl_info info;

      if (dladdr (frames[i], &info) != 0 && info.dli_fname != NULL)
        n += snprintf (text + n, sizeof text - n, " %s(%s)+0x%zx", strrchr (info.dli_fname, '/'),
                       info.dli_sname != NULL ? info.dli_sname : "",
                       (size_t) ((char *) frames[i] - (char *) info.dli_fbase));
    }
  note ("free", text);
  is_inside = 0;
}

void
free (void *piece)
{
  note_freed (piece);
  __libc_free (piece);
}

void *
realloc (void *piece, size_t n_bytes)
{
  note_freed (piece);
  return __libc_realloc (piece, n_bytes);
}
