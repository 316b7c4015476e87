/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* libX11 is opened, not linked: a machine without a display need not have it. Its functions are declared here, as
 * far as they are used; a property of 32 bits is an array of longs. */

#include "programs.h"

#include <dlfcn.h>
#include <string.h>

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>

#include "base/jank-error.h"
#include "chain/jank-processes-private.h"

#define LIBRARY "libX11.so.6"

/* For another window to become the active one. */
#define LOOK_US (100 * 1000)
#define N_LOOKS 600

/* Of a property's elements, in bits. */
#define NUMBERS 32
#define TEXT    8

typedef struct
{
  void          *library;
  void          *display; /* (owned) */
  void         *(*open) (const char *name);
  int           (*close) (void *display);
  unsigned long (*root) (void *display);
  unsigned long (*atom) (void *display, const char *name, int only_if_exists);
  int           (*property) (void *display, unsigned long window, unsigned long property, long offset, long length,
                             int deletes, unsigned long wanted, unsigned long *ret_type, int *ret_format,
                             unsigned long *ret_n, unsigned long *ret_left, unsigned char **ret_value);
  int           (*free) (void *value);
  void         *(*on_error) (int (*handler) (void *display, void *event));
} X11;

/* A window may close meanwhile; by itself the library would end the process. */
static int
ignore_error (void *display, void *event)
{
  return 0;
}

static gboolean
open_display (X11 *self, GError **error)
{
  const struct { const char *name; gpointer place; } functions[] = {
    { "XOpenDisplay", &self->open }, { "XCloseDisplay", &self->close }, { "XDefaultRootWindow", &self->root },
    { "XInternAtom", &self->atom }, { "XGetWindowProperty", &self->property }, { "XFree", &self->free },
    { "XSetErrorHandler", &self->on_error },
  };
  const char *name = g_getenv ("DISPLAY");
  gboolean is_whole;

  if (name == NULL || *name == '\0')
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                   g_getenv ("WAYLAND_DISPLAY") != NULL
                     ? _("There is no X11 display (DISPLAY), and this Wayland compositor tells nobody whose a window "
                         "is; name the program")
                     : _("There is no X11 display (DISPLAY); name the program"));
      return FALSE;
    }
  self->library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  is_whole = self->library != NULL;
  for (guint i = 0; i < G_N_ELEMENTS (functions) && is_whole; i++)
    {
      void *function = dlsym (self->library, functions[i].name);

      memcpy (functions[i].place, &function, sizeof function);
      is_whole = function != NULL;
    }
  self->display = is_whole ? self->open (name) : NULL;
  if (!is_whole)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Cannot ask the display ‘%s’: there is no %s"), name,
                 LIBRARY);
  else if (self->display == NULL)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Cannot ask the display ‘%s’: it does not let us in"),
                 name);
  else
    self->on_error (ignore_error);
  return self->display != NULL;
}

/* Returns: (transfer full) (nullable): of that format; free with XFree */
static unsigned char *
read_property (X11 *self, unsigned long window, const char *name, int format)
{
  unsigned long property = self->atom (self->display, name, 0), type, n = 0, left;
  unsigned char *value = NULL;
  int found;

  if (self->property (self->display, window, property, 0, 256, 0, 0, &type, &found, &n, &left, &value) == 0 &&
      found == format && n > 0)
    return value;
  if (value != NULL)
    self->free (value);
  return NULL;
}

/* Returns: 0: it has none */
static unsigned long
read_number (X11 *self, unsigned long window, const char *name)
{
  unsigned char *value = read_property (self, window, name, NUMBERS);
  unsigned long number = value != NULL ? *(const unsigned long *) (const void *) value : 0;

  if (value != NULL)
    self->free (value);
  return number;
}

static unsigned long
find_active (X11 *self)
{
  return read_number (self, self->root (self->display), "_NET_ACTIVE_WINDOW");
}

/* Whether the program is of this machine: its number counts on its own. */
static gboolean
is_local (X11 *self, unsigned long window)
{
  unsigned char *machine = read_property (self, window, "WM_CLIENT_MACHINE", TEXT);
  gboolean is = machine == NULL || g_strcmp0 ((const char *) machine, g_get_host_name ()) == 0;

  if (machine != NULL)
    self->free (machine);
  return is;
}

static pid_t
find_owner (X11 *self, unsigned long window, GError **error)
{
  unsigned long number = window != 0 ? read_number (self, window, "_NET_WM_PID") : 0;
  pid_t pid = number != 0 && is_local (self, window) ? jank_processes_find_on_display (number) : 0;

  if (window == 0)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("No window of X11 is the active one (_NET_ACTIVE_WINDOW), and of others nobody tells whose they "
                   "are"));
  else if (number == 0)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("The active window does not tell whose it is (_NET_WM_PID); name the program"));
  else if (pid == 0)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("The active window says it is of process %lu, but no process here has that number and the display "
                   "open"),
                 number);
  return pid;
}

/* A node has nodes, and one without is a window. Returns: 0: none of them has the keyboard */
static pid_t
find_focused (JsonNode *node)
{
  static const char *const kinds[] = { "nodes", "floating_nodes" };
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  pid_t found = 0;

  if (object == NULL || json_object_get_boolean_member_with_default (object, "focused", FALSE))
    return object != NULL ? (pid_t) json_object_get_int_member_with_default (object, "pid", 0) : 0;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      JsonNode *member = json_object_get_member (object, kinds[i]);
      JsonArray *nodes = member != NULL && JSON_NODE_HOLDS_ARRAY (member) ? json_node_get_array (member) : NULL;

      for (guint k = 0; nodes != NULL && k < json_array_get_length (nodes) && found == 0; k++)
        found = find_focused (json_array_get_element (nodes, k));
    }
  return found;
}

/* Sway is the Wayland compositor that tells whose its windows are. Returns: 0: no window has the keyboard */
static pid_t
ask_sway (void)
{
  const char *const command[] = { "swaymsg", "--raw", "--type", "get_tree", NULL };
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autofree char *text = NULL;

  return g_spawn_sync (NULL, (char **) command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &text, NULL, NULL, NULL) &&
         json_parser_load_from_data (parser, text, -1, NULL) && json_parser_get_root (parser) != NULL
           ? find_focused (json_parser_get_root (parser)) : 0;
}

static pid_t
find_in_sway (gboolean waits, GError **error)
{
  pid_t before = ask_sway (), pid = before;

  for (guint i = 0; waits && i < N_LOOKS && (pid == before || pid == 0); i++)
    {
      g_usleep (LOOK_US);
      pid = ask_sway ();
    }
  if (pid == 0)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("Sway names no window that has the keyboard; name the program"));
  return pid;
}

pid_t
active_window_find (gboolean waits, GError **error)
{
  X11 self = { NULL };
  unsigned long before, window;
  pid_t pid = 0;

  if (g_getenv ("SWAYSOCK") != NULL)
    return find_in_sway (waits, error);
  if (open_display (&self, error))
    {
      before = window = find_active (&self);
      for (guint i = 0; waits && i < N_LOOKS && (window == before || window == 0); i++)
        {
          g_usleep (LOOK_US);
          window = find_active (&self);
        }
      pid = find_owner (&self, window, error);
    }
  if (self.display != NULL)
    self.close (self.display);
  if (self.library != NULL)
    dlclose (self.library);
  return pid;
}
