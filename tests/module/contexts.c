/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes contexts of gjs, computes in each, destroys it in mid stall, and forks, too: prints how many ended as they
 * should. gjs is opened, for its headers are not installed. */

#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gio/gio.h>

#define N_CONTEXTS 4

static const char script[] =
    "(function computeSlowly() { const until = Date.now() + 200; while (Date.now() < until); return 7; })();";

static GObject *(*new_context) (void);
static gboolean (*eval) (GObject *context, const char *script, gssize n_bytes, const char *file, int *ret_status,
                         GError **error);
static GObject *context;
static guint n_right;

/* In mid stall. The child runs no JavaScript: the engine's helper threads are not there. */
static gboolean
run_child (void)
{
  pid_t pid = fork ();
  int status = 0;

  if (pid == 0)
    _exit (7);
  return waitpid (pid, &status, 0) == pid && WIFEXITED (status) && WEXITSTATUS (status) == 7;
}

static gboolean
stall_cb (gpointer data)
{
  int value = 0;
  gboolean right = eval (context, script, -1, "contexts.js", &value, NULL) && value == 7;

  n_right += right && run_child ();
  g_object_unref (context);
  context = new_context ();
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

int
main (void)
{
  void *gjs = dlopen ("libgjs.so.0", RTLD_NOW | RTLD_GLOBAL);
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  GFile *file = g_file_new_for_path ("/"); /* loads GIO's modules */

  new_context = gjs != NULL ? (GObject *(*) (void)) dlsym (gjs, "gjs_context_new") : NULL;
  eval = gjs != NULL ? (gboolean (*) (GObject *, const char *, gssize, const char *, int *, GError **))
                       dlsym (gjs, "gjs_context_eval") : NULL;
  if (new_context == NULL || eval == NULL)
    {
      fprintf (stderr, "contexts: %s\n", dlerror ());
      return 1;
    }
  context = new_context ();
  for (guint i = 0; i < N_CONTEXTS; i++)
    {
      g_timeout_add (100, stall_cb, loop);
      g_main_loop_run (loop);
    }
  g_object_unref (context);
  g_object_unref (file);
  g_main_loop_unref (loop);
  printf ("{\"contexts\": %d, \"right\": %u}\n", N_CONTEXTS, n_right);
  return 0;
}
