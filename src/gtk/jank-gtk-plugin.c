/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the monitor looks up. Runs on GTK's thread, but for the getters that say otherwise. */

#include "gtk/jank-gtk-plugin-private.h"

#include <string.h>

#include "base/jank-seqlock-private.h"
#include "gtk/clock/jank-frame-hook-private.h"
#include "gtk/clock/jank-inspector-time-private.h"
#include "gtk/input/jank-input-hook-private.h"
#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-toplevels-private.h"
#include "gtk/overlay/jank-overlay-private.h"
#if GTK_MAJOR_VERSION >= 4
#include "gtk/jank-inspector-private.h"
#endif

#define LOOK_EVERY_NS (250 * JANK_NS_PER_MS)

/* What the program is doing, in words: window, focus, last action; and how it draws. Written by GTK's thread ahead of
 * time, so that others can read it while GTK's thread hangs: most of all the watcher. */
typedef struct
{
  JankGtkTags    tags;
  JankGtkToolkit toolkit;
} Facts;

#define N_WORDS (sizeof (Facts) / sizeof (guint64))
G_STATIC_ASSERT (sizeof (Facts) % sizeof (guint64) == 0);

/* GTK's thread only */
static Facts facts;
static gint64 looked_ns;
static gulong hook_ids[2];

/* shared, atomic */
static JankSeqlock lock;
static _Atomic guint64 words[N_WORDS];

static void
jank_gtk_facts_publish (void)
{
  jank_seqlock_begin (&lock);
  jank_seqlock_store (words, &facts, N_WORDS);
  jank_seqlock_end (&lock);
}

static void
jank_gtk_facts_read_facts (Facts *ret_facts)
{
  JankSeqlockReader reader = { 0 };

  while (jank_seqlock_read_begin (&lock, &reader))
    {
      jank_seqlock_load (words, ret_facts, N_WORDS);
      if (jank_seqlock_read_end (&lock, &reader))
        return;
    }
  memset (ret_facts, 0, sizeof *ret_facts);
}

/* Cut at a character's edge. Returns whether text differs from what was there. */
static gboolean
jank_gtk_facts_set_text (char *buffer, const char *text)
{
  char new_text[JANK_GTK_TEXT_BYTES] = "";
  const char *end;

  if (text != NULL)
    g_strlcpy (new_text, text, sizeof new_text);
  if (!g_utf8_validate (new_text, -1, &end))
    new_text[end - new_text] = '\0';
  if (strcmp (buffer, new_text) == 0)
    return FALSE;
  strcpy (buffer, new_text);
  return TRUE;
}

static gboolean
jank_gtk_facts_look_at_window (void)
{
  GtkWindow *window = jank_toplevels_find_active ();
  GtkWidget *focus = window != NULL ? gtk_window_get_focus (window) : NULL;
  gboolean has_changed = FALSE;

  has_changed |= jank_gtk_facts_set_text (facts.tags.window, window != NULL ? gtk_window_get_title (window) : NULL);
  has_changed |= jank_gtk_facts_set_text (facts.tags.focus, focus != NULL ? G_OBJECT_TYPE_NAME (focus) : NULL);
  return has_changed;
}

static void
jank_gtk_facts_look_at_renderer (GtkWindow *window)
{
#if GTK_MAJOR_VERSION >= 4
  GskRenderer *renderer = gtk_native_get_renderer (GTK_NATIVE (window));
  const char *name = renderer != NULL ? G_OBJECT_TYPE_NAME (renderer) : NULL;
#else
  const char *name = "cairo";
#endif

  if (name != NULL && !jank_toplevels_is_inspector (window))
    jank_gtk_facts_set_text (facts.toolkit.renderer, name);
}

/* GTK's thread, at every frame: looks four times a second. has_presentation: of the frame's display. */
static void
jank_gtk_facts_update (gint64 now_ns, gboolean has_presentation)
{
  gboolean has_changed;

  if (now_ns - looked_ns < LOOK_EVERY_NS)
    return;
  looked_ns = now_ns;

  has_changed = jank_gtk_facts_look_at_window ();
  if (facts.toolkit.renderer[0] == '\0')
    {
      jank_toplevels_foreach (jank_gtk_facts_look_at_renderer);
      has_changed |= facts.toolkit.renderer[0] != '\0';
    }
  if (has_presentation && !facts.toolkit.has_presentation)
    has_changed = facts.toolkit.has_presentation = TRUE;
  if (has_changed)
    jank_gtk_facts_publish ();
}

static void
jank_gtk_facts_note_action (const char *text)
{
  jank_gtk_facts_set_text (facts.tags.action, text);
  jank_gtk_facts_publish ();
}

static gboolean
jank_gtk_facts_activated_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  jank_gtk_facts_note_action (g_action_get_name (g_value_get_object (values)));
  return TRUE;
}

static gboolean
jank_gtk_facts_clicked_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GtkButton *button = g_value_get_object (values);
  const char *label = gtk_button_get_label (button);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (button));
  char text[JANK_GTK_TEXT_BYTES];

  /* GTK 3 emits it also for buttons that are being made. */
  if (!GTK_IS_WINDOW (root) || jank_toplevels_is_inspector (GTK_WINDOW (root)))
    return TRUE;
#if GTK_MAJOR_VERSION >= 4
  if (label == NULL)
    label = gtk_button_get_icon_name (button);
#endif
  g_snprintf (text, sizeof text, label != NULL ? "%s “%s”" : "%s", G_OBJECT_TYPE_NAME (button), label);
  jank_gtk_facts_note_action (text);
  return TRUE;
}

static void
jank_gtk_facts_start (void)
{
  looked_ns = 0;
  hook_ids[0] = jank_gtk_add_hook (G_TYPE_SIMPLE_ACTION, "activate", jank_gtk_facts_activated_cb, NULL);
  hook_ids[1] = jank_gtk_add_hook (GTK_TYPE_BUTTON, "clicked", jank_gtk_facts_clicked_cb, NULL);
  jank_gtk_facts_publish ();
}

static void
jank_gtk_facts_stop (void)
{
  g_signal_remove_emission_hook (g_signal_lookup ("activate", G_TYPE_SIMPLE_ACTION), hook_ids[0]);
  g_signal_remove_emission_hook (g_signal_lookup ("clicked", GTK_TYPE_BUTTON), hook_ids[1]);
}

/* Any thread. */
static void
jank_gtk_facts_get_tags (JankGtkTags *ret_tags)
{
  Facts copy;

  jank_gtk_facts_read_facts (&copy);
  *ret_tags = copy.tags;
}

/* Any thread. */
static void
jank_gtk_facts_get_toolkit (JankGtkToolkit *ret_toolkit)
{
  Facts copy;

  jank_gtk_facts_read_facts (&copy);
  *ret_toolkit = copy.toolkit;
}

static gboolean is_started;

static void
jank_gtk_plugin_frame_cb (JankGtkClock *clock)
{
  jank_input_notes_painted (clock->gdk, &clock->event);
#if GTK_MAJOR_VERSION >= 4
  jank_inspector_add_frame (&clock->event, clock);
#endif
  jank_gtk_facts_update (clock->last_end_ns, clock->has_presentation);
}

static void
jank_gtk_plugin_start (const JankGtkHost *host)
{
  g_assert (!is_started);

  jank_inspector_time_start (host->own);
  jank_frame_hook_start (host, jank_gtk_plugin_frame_cb);
  jank_input_hook_start (host);
  jank_gtk_facts_start ();
  jank_overlay_start (host);
#if GTK_MAJOR_VERSION >= 4
  jank_inspector_start (host);
#endif
  is_started = TRUE;
}

static void
jank_gtk_plugin_stop (void)
{
  if (!is_started)
    return;
  is_started = FALSE;
#if GTK_MAJOR_VERSION >= 4
  jank_inspector_stop ();
#endif
  jank_overlay_stop ();
  jank_gtk_facts_stop ();
  jank_input_hook_stop ();
  jank_frame_hook_stop ();
  jank_inspector_time_stop ();
}

static const JankGtkPlugin plugin = {
  .start = jank_gtk_plugin_start,
  .stop = jank_gtk_plugin_stop,
  .set_overlay = jank_overlay_set,
  .configure = jank_overlay_configure,
  .get_overlay = jank_overlay_get,
  .is_held = jank_frame_hook_is_held,
  .get_frames = jank_frame_hook_get_frames,
  .get_input = jank_input_hook_get_board,
  .get_tags = jank_gtk_facts_get_tags,
  .get_toolkit = jank_gtk_facts_get_toolkit,
};

JANK_API const JankGtkPlugin *
jank_gtk_plugin_get (void)
{
  return &plugin;
}
