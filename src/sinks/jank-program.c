/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-program-private.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>
#include <gio/gio.h>

#include "blame/jank-platform-private.h"
#include "gobject/jank-type-slots-private.h"
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

#define MODULE_LETTERS G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_."

/* Options of an interpreter, by letter: what follows is code, a module, or a value. */
typedef struct { const char *interpreter, *code, *module, *value; } Options;

static const Options all_options[] = {
  { "python", "c", "m", "WX" },
  { "gjs", "c", "", "CI" },
  { "", "ceE", "", "" },
};

/* The long ones that a value follows. */
static const char *const long_options[] = {
  "--check-hash-based-pycs", "--coverage-prefix", "--coverage-output", "--include-path", NULL,
};

/* The words of a command line, one after the other; *words: behind the last, at end. Returns: (nullable) */
static const char *
jank_program_next_word (const char **words, const char *end)
{
  const char *word = *words;

  if (word >= end)
    return NULL;
  *words += strlen (word) + 1;
  return word;
}

/* Returns: (nullable): the module; *ret_ends: nothing behind the option can be a script */
static const char *
jank_program_take_option (const Options *options, const char *word, const char **words, const char *end,
                          gboolean *ret_ends)
{
  *ret_ends = word[1] == '\0' || g_str_has_prefix (word, "--command");
  if (word[1] == '-' && g_strv_contains (long_options, word))
    jank_program_next_word (words, end);
  for (const char *at = word + 1; word[1] != '-' && *at != '\0' && !*ret_ends; at++)
    {
      const char *value = at[1] != '\0' ? at + 1 : *words;

      *ret_ends = strchr (options->code, *at) != NULL || strchr (options->module, *at) != NULL;
      if (strchr (options->module, *at) != NULL)
        return value < end && strspn (value, MODULE_LETTERS) == strlen (value) ? value : NULL;
      if (strchr (options->value, *at) == NULL)
        continue;
      if (at[1] == '\0')
        jank_program_next_word (words, end);
      break;
    }
  return NULL;
}

/* A relative path counts from where the program was started. */
static gboolean
jank_program_is_file (const char *word)
{
  g_autofree char *started = g_build_filename (g_getenv ("PWD") != NULL ? g_getenv ("PWD") : ".", word, NULL);

  return (g_file_test (word, G_FILE_TEST_IS_REGULAR) && access (word, R_OK) == 0) ||
         (g_file_test (started, G_FILE_TEST_IS_REGULAR) && access (started, R_OK) == 0);
}

char *
jank_program_find_script (const char *interpreter, const char *words, gsize n_bytes)
{
  const Options *options = all_options;
  const char *end = words + n_bytes, *word, *module = NULL;
  gboolean ends = FALSE;

  while (!g_str_has_prefix (interpreter, options->interpreter))
    options++;
  jank_program_next_word (&words, end);
  while (!ends && (word = jank_program_next_word (&words, end)) != NULL && *word == '-')
    module = jank_program_take_option (options, word, &words, end, &ends);
  if (module != NULL)
    return g_strdup (module);
  return !ends && word != NULL && *word != '\0' && jank_program_is_file (word) ? g_path_get_basename (word) : NULL;
}

/* Returns: (transfer full) (nullable): "app.py" of “python3 -u app.py” */
static char *
jank_program_find_own_script (const char *interpreter)
{
  char text[4096] = "";
  gsize n_bytes = sizeof text - 1;

  if (!jank_proc_read ("/proc/self/cmdline", text, sizeof text))
    return NULL;
  while (n_bytes > 0 && text[n_bytes - 1] == '\0')
    n_bytes--;
  return jank_program_find_script (interpreter, text, n_bytes);
}

static char *
jank_program_find_name (const char *exe)
{
  const char *name = g_get_prgname ();
  g_autofree char *file = exe != NULL ? g_path_get_basename (exe) : g_strdup ("unknown");

  /* An interpreter's own name, none yet, or one of its arguments: GTK and PyGObject take sys.argv[0]. */
  if (exe != NULL && jank_platform_is (exe, JANK_PLATFORM_INTERPRETER) &&
      (name == NULL || *name == '-' || jank_platform_is (name, JANK_PLATFORM_INTERPRETER)))
    {
      char *script = jank_program_find_own_script (file);

      if (script != NULL || name == NULL || *name == '-')
        return script != NULL ? script : g_steal_pointer (&file);
    }
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
