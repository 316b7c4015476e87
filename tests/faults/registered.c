/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preloaded: writes into the file $REGISTERED which thread adds what to GLib's tables: types, properties, signals,
 * and quarks that are new. Calls from one library to another are seen. */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
                               guint instance_size,
                               GInstanceInitFunc instance_init, GTypeFlags flags)
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
              gpointer data,
              GSignalCMarshaller marshaller, GType result, guint n, ...)
{
  va_list types;
  guint signal;

  note ("signal", name);
  va_start (types, n);
  signal = g_signal_new_valist (name, type, flags, class_offset != 0 ? g_signal_type_cclosure_new (type, class_offset)
                                : NULL,
                                accumulator, data, marshaller, result, n, types);
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
