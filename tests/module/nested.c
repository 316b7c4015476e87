/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* nested LIBRARY KIND: a window of libgtk-3.so.0 or libgtk-4.so.1, or no window at all ("none"). After half a second
 * a callback does not return for 1.8 s, while a loop turns inside of it: one that awaits an answer, or a person. */

#include <gio/gio.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BEFORE_MS 500
#define WAIT_MS   1800

static void *gtk;        /* NULL: GLib alone */
static gboolean is_gtk3;
static GObject *window, *box, *inside, *second;
static GMainLoop *main_loop;
static gboolean has_answer;
static guint sum;

/* Returns: what function returns */
static gpointer
call (const char *function, gpointer a, gpointer b)
{
  gpointer (*func) (gpointer, gpointer) = (gpointer (*) (gpointer, gpointer)) dlsym (gtk, function);

  g_assert_nonnull (func);
  return func (a, b);
}

static void
add (gpointer widget)
{
  call (is_gtk3 ? "gtk_container_add" : "gtk_box_append", box, widget);
}

static void
answer_cb (gpointer loop)
{
  has_answer = TRUE;
  if (loop != NULL)
    g_main_loop_quit (loop);
}

__attribute__ ((noinline)) static void
await_answer (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_timeout_add_once (WAIT_MS, answer_cb, loop);
  g_main_loop_run (loop);
  sum++;
}

__attribute__ ((noinline)) static void
iterate_here (void)
{
  g_timeout_add_once (WAIT_MS, answer_cb, NULL);
  while (!has_answer)
    g_main_context_iteration (NULL, TRUE);
}

static void
exit_cb (gpointer data)
{
  exit (0);
}

/* Its owner does not answer. */
__attribute__ ((noinline)) static void
paste_address (void)
{
  gpointer clipboard = call ("gtk_clipboard_get", call ("gdk_atom_intern", (gpointer) "CLIPBOARD", NULL), NULL);
  char *(*wait_for_text) (gpointer) = (char *(*) (gpointer)) dlsym (gtk, "gtk_clipboard_wait_for_text");

  g_timeout_add_once (WAIT_MS, exit_cb, NULL);
  wait_for_text (clipboard);
  sum++;
}

/* Owns the clipboard, and does nothing else from then on. */
static void
own_clipboard (void)
{
  gpointer clipboard = call ("gtk_clipboard_get", call ("gdk_atom_intern", (gpointer) "CLIPBOARD", NULL), NULL);
  void (*set_text) (gpointer, const char *, int) =
      (void (*) (gpointer, const char *, int)) dlsym (gtk, "gtk_clipboard_set_text");

  set_text (clipboard, "text", -1);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  puts ("owns it");
  fflush (stdout);
  for (;;)
    pause ();
}

static void
respond_cb (gpointer dialog)
{
  ((void (*) (gpointer, int)) dlsym (gtk, "gtk_dialog_response")) (dialog, 1);
}

static void
hide_cb (gpointer dialog)
{
  call ("gtk_native_dialog_hide", dialog, NULL);
  answer_cb (NULL);
}

static void
run_dialog (void)
{
  gpointer dialog;

  if (!is_gtk3)
    {
      g_object_set (second, "modal", TRUE, "transient-for", window, NULL);
      call ("gtk_window_present", second, NULL);
      await_answer ();
      return;
    }
  dialog = call ("gtk_dialog_new", NULL, NULL);
  g_timeout_add_once (WAIT_MS, respond_cb, dialog);
  call ("gtk_dialog_run", dialog, NULL);
  call ("gtk_widget_destroy", dialog, NULL);
}

/* A window that was shown before. */
static void
show_again (void)
{
  call ("gtk_widget_show", second, NULL);
  await_answer ();
}

static void
run_chooser (void)
{
  gpointer (*new_chooser) (const char *, gpointer, int, const char *, const char *) =
    (gpointer (*) (const char *, gpointer, int, const char *, const char *)) dlsym (gtk, "gtk_file_chooser_native_new");
  gpointer chooser = new_chooser ("Open", window, 0, NULL, NULL);

  g_timeout_add_once (WAIT_MS, hide_cb, chooser);
  if (is_gtk3)
    call ("gtk_native_dialog_run", chooser, NULL);
  else
    {
      call ("gtk_native_dialog_show", chooser, NULL);
      while (!has_answer)
        g_main_context_iteration (NULL, TRUE);
    }
}

static void
show_popover (void)
{
  gpointer popover = call ("gtk_popover_new", is_gtk3 ? box : NULL, NULL);

  if (!is_gtk3)
    call ("gtk_widget_set_parent", popover, box);
  call ("gtk_popover_popup", popover, NULL);
  await_answer ();
  if (!is_gtk3)
    call ("gtk_widget_unparent", popover, NULL);
}

/* In place of a dialog. */
static void
show_inside (void)
{
  call ("gtk_widget_show", inside, NULL);
  await_answer ();
}

static void
show_second_cb (gpointer data)
{
  call ("gtk_widget_show", second, NULL);
}

static void
show_late (void)
{
  g_timeout_add_once (WAIT_MS / 4, show_second_cb, NULL);
  await_answer ();
}

static const struct { const char *kind; void (*func) (void); } kinds[] = {
  { "loop", await_answer }, { "iterate", iterate_here }, { "clipboard", paste_address },
  { "owner", own_clipboard }, { "dialog", run_dialog }, { "again", show_again }, { "chooser", run_chooser },
  { "popover", show_popover }, { "inside", show_inside }, { "late", show_late }, { "whole", await_answer },
  { "drag", await_answer },
};

static void
begin_cb (gpointer func)
{
  ((void (*) (void)) func) ();
  g_main_loop_quit (main_loop);
}

static void
pressed_cb (void)
{
  await_answer ();
  g_main_loop_quit (main_loop);
}

/* Until the button is released. */
static void
add_drag (void)
{
  gpointer gesture = call (is_gtk3 ? "gtk_gesture_multi_press_new" : "gtk_gesture_click_new", window, NULL);

  g_signal_connect (gesture, "pressed", G_CALLBACK (pressed_cb), NULL);
  if (!is_gtk3)
    call ("gtk_widget_add_controller", window, gesture);
}

static void
open_windows (void)
{
  call ("gtk_init", NULL, NULL);
  window = call ("gtk_window_new", NULL, NULL);
  second = call ("gtk_window_new", NULL, NULL);
  box = call ("gtk_box_new", NULL, NULL);
  inside = call ("gtk_label_new", (gpointer) "Really?", NULL);
  call (is_gtk3 ? "gtk_container_add" : "gtk_window_set_child", window, box);
  add (call ("gtk_label_new", (gpointer) "Text", NULL));
  add (inside);
  g_object_set (window, "title", "Nested", "default-width", 300, "default-height", 200, NULL);
  call ("gtk_widget_show", second, NULL);
  if (is_gtk3)
    call ("gtk_widget_show_all", window, NULL);
  else
    call ("gtk_widget_show", window, NULL);
  call ("gtk_widget_hide", inside, NULL);
}

static void
hide_second_cb (gpointer data)
{
  call ("gtk_widget_hide", second, NULL);
}

int
main (int argc, char **argv)
{
  gpointer func = NULL;

  /* Loads GIO's modules. */
  g_object_unref (g_file_new_for_path ("/"));
  main_loop = g_main_loop_new (NULL, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].kind, argv[2]) == 0)
      func = kinds[i].func;
  g_assert_nonnull (func);
  is_gtk3 = strcmp (argv[1], "libgtk-3.so.0") == 0;
  gtk = strcmp (argv[1], "none") != 0 ? dlopen (argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (gtk != NULL)
    {
      open_windows ();
      g_timeout_add_once (BEFORE_MS / 2, hide_second_cb, NULL);
    }
  if (strcmp (argv[2], "drag") == 0)
    add_drag ();
  else
    g_timeout_add_once (strcmp (argv[2], "whole") == 0 ? 0 : BEFORE_MS, begin_cb, func);
  g_main_loop_run (main_loop);
  g_main_loop_unref (main_loop);
  return 0;
}
