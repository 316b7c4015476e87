/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-program-private.h"

#include <dlfcn.h>
#include <string.h>
#include <gio/gio.h>

#include "blame/jank-platform-private.h"
#include "gobject/jank-slot-names-private.h"
#include "proc/jank-proc-private.h"

#define GTK4_LIBRARY "libgtk-4.so.1"
#define GTK3_LIBRARY "libgtk-3.so.0"

/* Returns: (nullable): a handle for dlclose(); no program can use both */
static void *
jank_program_find_gtk (void)
{
  void *gtk = dlopen (GTK4_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  gboolean is_gtk3 = gtk == NULL;

  if (is_gtk3)
    gtk = dlopen (GTK3_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  if (gtk != NULL)
    jank_slot_names_set_gtk (is_gtk3 ? 3 : 4);
  return gtk;
}

/* The first word behind the interpreter that is no option: "app.py" of "python3 -u app.py", "http.server" of
 * "python3 -m http.server"; what stands behind -c is no name. For gjs -m is an option like any other. Returns:
 * (transfer full) (nullable) */
static char *
jank_program_find_script (gboolean is_python)
{
  char text[4096] = "";
  const char *word = text;

  if (!jank_proc_read ("/proc/self/cmdline", text, sizeof text))
    return NULL;
  for (word += strlen (word) + 1; word < text + sizeof text - 1 && *word == '-'; word += strlen (word) + 1)
    if (g_str_equal (word, "-c") || (!is_python && g_str_has_prefix (word, "--command")))
      return NULL;
  return word < text + sizeof text - 1 && *word != '\0' ? g_path_get_basename (word) : NULL;
}

static char *
jank_program_find_name (const char *exe)
{
  const char *name = g_get_prgname ();
  g_autofree char *file = exe != NULL ? g_path_get_basename (exe) : g_strdup ("unknown"), *script = NULL;

  /* An interpreter's own name, or none yet. */
  if (exe != NULL && jank_platform_is (exe, JANK_PLATFORM_INTERPRETER) &&
      (name == NULL || jank_platform_is (name, JANK_PLATFORM_INTERPRETER)))
    script = jank_program_find_script (g_str_has_prefix (file, "python"));
  if (script != NULL)
    return g_steal_pointer (&script);
  return name != NULL ? g_path_get_basename (name) : g_steal_pointer (&file);
}

JankProgram *
jank_program_new (void)
{
  JankProgram *self = g_new0 (JankProgram, 1);
  void *gtk = jank_program_find_gtk ();

  if (gtk != NULL)
    dlclose (gtk);

  self->exe = g_file_read_link ("/proc/self/exe", NULL);
  self->name = jank_program_find_name (self->exe);
  return self;
}

/* "GdkX11Display" is the backend "x11". */
static char *
jank_program_read_backend (void *gtk)
{
  gpointer (*get_display) (void) = (gpointer (*) (void)) dlsym (gtk, "gdk_display_get_default");
  gpointer display = get_display != NULL ? get_display () : NULL;
  g_autofree char *type = NULL;

  if (display == NULL)
    return NULL;
  type = g_ascii_strdown (G_OBJECT_TYPE_NAME (display), -1);
  if (!g_str_has_prefix (type, "gdk") || !g_str_has_suffix (type, "display"))
    return NULL;
  return g_strndup (type + strlen ("gdk"), strlen (type) - strlen ("gdk") - strlen ("display"));
}

static void
jank_program_read_toolkit (JankProgram *self)
{
  static const char *const parts[3] = { "gtk_get_major_version", "gtk_get_minor_version", "gtk_get_micro_version" };
  void *gtk = jank_program_find_gtk ();
  guint numbers[3];

  if (gtk == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      guint (*get) (void) = (guint (*) (void)) dlsym (gtk, parts[i]);

      numbers[i] = get != NULL ? get () : 0;
    }
  self->toolkit_name = g_strdup ("GTK");
  self->toolkit_version = g_strdup_printf ("%u.%u.%u", numbers[0], numbers[1], numbers[2]);
  self->toolkit_backend = jank_program_read_backend (gtk);
  dlclose (gtk);
}

const char *
jank_program_get_version (const JankProgram *self, const JankSettings *settings)
{
  return *settings->app_version != '\0' ? settings->app_version : self->version;
}

JankProgram *
jank_program_new_full (void)
{
  JankProgram *self = jank_program_new ();
  GApplication *application = g_application_get_default ();

  if (application != NULL)
    {
      self->id = g_strdup (g_application_get_application_id (application));
      if (g_object_class_find_property (G_OBJECT_GET_CLASS (application), "version") != NULL)
        g_object_get (application, "version", &self->version, NULL);
    }
  jank_program_read_toolkit (self);
  return self;
}

void
jank_program_free (JankProgram *self)
{
  g_free (self->name);
  g_free (self->id);
  g_free (self->exe);
  g_free (self->version);
  g_free (self->toolkit_name);
  g_free (self->toolkit_version);
  g_free (self->toolkit_backend);
  g_free (self);
}
