/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/input/jank-input-hook-private.h"

#include "base/jank-clock-private.h"
#include "gtk/clock/jank-frame-hook-private.h"
#include "input/jank-input-clock-private.h"

/* A button's content is not far below it. */
#define MAX_STEPS_TO_BUTTON 6

static JankInputBoard board;
static JankInputClock stamps;
static guint32 last_ms[JANK_N_INTERACTIONS]; /* of each kind; a key that is held comes again with it */
static const char *const text_signals[] = { "commit", "preedit-changed" };
static gulong text_hooks[G_N_ELEMENTS (text_signals)]; /* 0: none */
static gboolean asks_method, has_text; /* of the key press being handled */
static JankInteraction last_key;
static guint64 last_key_number;        /* of it, on the board */
static guint n_keys;                   /* since the last text, or 2 */
static gboolean has_turned;            /* since the last of them */
static JankInteraction open;   /* kind NONE: none is being handled */
static guint64 number;         /* of it, on the board */
static guint depth;            /* of the widget that it is for; 0: none is noted */
static const JankGtkHost *host; /* (nullable) */
static JankInputAnswers answers;
static gint64 waits_ns;        /* as host knows it */
static void (*at_end_func) (void); /* (nullable) */

JankInputBoard *
jank_input_hook_get_board (void)
{
  return &board;
}

JankInteractionKind
jank_input_notes_find_kind (GdkEventType type)
{
  switch ((int) type)
    {
    case GDK_BUTTON_PRESS:   return JANK_INTERACTION_PRESS;
    case GDK_BUTTON_RELEASE: return JANK_INTERACTION_RELEASE;
    case GDK_KEY_PRESS:      return JANK_INTERACTION_KEY;
    case GDK_SCROLL:         return JANK_INTERACTION_SCROLL;
    case GDK_TOUCH_BEGIN:
    case GDK_TOUCH_END:      return JANK_INTERACTION_TOUCH;
    default:                 return JANK_INTERACTION_NONE;
    }
}

static void
jank_input_notes_settle (void)
{
  if (asks_method && !has_text)
    jank_input_answers_forget (&answers, number);
  asks_method = FALSE;
}

void
jank_input_notes_close (void)
{
  jank_input_notes_settle ();
  open.kind = JANK_INTERACTION_NONE;
}

void
jank_input_notes_pass (gboolean is_motion, guint32 stamp_ms)
{
  gint64 stamp_ns;

  jank_input_notes_close ();
  if (is_motion)
    jank_input_board_count_motion (&board);
  if (G_UNLIKELY (!stamps.is_trusted))
    jank_input_clock_read (&stamps, stamp_ms, jank_clock_now_ns (), NULL, &stamp_ns);
}

/* Cut at a character's edge. */
static void
jank_input_notes_set_text (char *buffer, gsize n_bytes, const char *text)
{
  const char *end;

  if (g_strlcpy (buffer, text, n_bytes) >= n_bytes && !g_utf8_validate (buffer, -1, &end))
    buffer[end - buffer] = '\0';
}

/* Returns: (nullable): what a person reads on the button */
static const char *
jank_input_notes_get_label (GtkButton *button)
{
  const char *label = gtk_button_get_label (button);

#if GTK_MAJOR_VERSION >= 4
  if (label == NULL)
    label = gtk_widget_get_tooltip_text (GTK_WIDGET (button));
  if (label == NULL)
    label = gtk_button_get_icon_name (button);
#endif
  return label;
}

/* Returns: (transfer none): the button that widget is in, else widget */
static GtkWidget *
jank_input_notes_find_button (GtkWidget *widget)
{
  GtkWidget *button = widget;

  for (guint i = 0; i < MAX_STEPS_TO_BUTTON && button != NULL; i++)
    {
      if (GTK_IS_BUTTON (button))
        return button;
      button = gtk_widget_get_parent (button);
    }
  return widget;
}

/* label (nullable): the name that the program gave the widget stands for it */
static void
jank_input_notes_set_name (GtkWidget *widget, const char *label)
{
  const char *type = G_OBJECT_TYPE_NAME (widget);

  if ((label == NULL || *label == '\0') && !g_str_equal (gtk_widget_get_name (widget), type))
    label = gtk_widget_get_name (widget);
  jank_input_notes_set_text (open.label, sizeof open.label, label != NULL ? label : "");
  jank_input_notes_set_text (open.widget, sizeof open.widget, type);
}

static void
jank_input_notes_fill (GtkWidget *widget)
{
  widget = jank_input_notes_find_button (widget);
  jank_input_notes_set_name (widget, GTK_IS_BUTTON (widget) ? jank_input_notes_get_label (GTK_BUTTON (widget)) : NULL);
}

/* What an empty field says, which its program wrote; never what it holds. The type is that of the field, of which GTK 4
 * gives the keyboard to a part. */
static void
jank_input_notes_fill_focus (GtkWidget *focus)
{
  const char *label = NULL;
#if GTK_MAJOR_VERSION >= 4
  GtkWidget *parent = gtk_widget_get_parent (focus);
  GtkWidget *field = parent != NULL && GTK_IS_EDITABLE (parent) ? parent : focus;

  if (GTK_IS_TEXT (focus))
    label = gtk_text_get_placeholder_text (GTK_TEXT (focus));
#else
  GtkWidget *field = focus;

  if (GTK_IS_ENTRY (focus))
    label = gtk_entry_get_placeholder_text (GTK_ENTRY (focus));
#endif
  jank_input_notes_set_name (field, label);
}

static gint64
jank_input_notes_get_busy_ns (gint64 from_ns, gint64 to_ns)
{
  return host->get_busy_ns (host->data, from_ns, to_ns);
}

static void
jank_input_notes_slow_cb (gint64 stamp_ns, gint64 answered_ns)
{
  if (host->on_slow != NULL)
    host->on_slow (host->data, stamp_ns, answered_ns);
}

static const JankInputFuncs input_funcs = {
  jank_frame_hook_find_wait, jank_input_notes_get_busy_ns, jank_input_notes_slow_cb,
};

static void
jank_input_notes_tell_waits (void)
{
  gint64 since_ns = jank_input_answers_get_oldest (&answers);

  if (since_ns != waits_ns && host != NULL && host->on_waits != NULL)
    host->on_waits (host->data, since_ns);
  waits_ns = since_ns;
}

/* An input method that asks another process answers in a later turn, and gives back the key press or what it made of
 * it: that turn handles it. Of two keys nobody knows which it was. */
static void
jank_input_notes_regain (void)
{
  if (n_keys != 1 || !has_turned || host == NULL)
    return;
  open = last_key;
  open.handled_ns = jank_clock_now_ns ();
  number = last_key_number;
  jank_input_board_change (&board, number, &open);
  jank_input_answers_renew (&answers, &open, number);
}

static gboolean
jank_input_notes_text_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  has_text = TRUE;
  jank_input_notes_regain ();
  n_keys = 0;
  return TRUE;
}

static void
jank_input_notes_hook_texts (gboolean is_hooked)
{
  for (guint i = 0; i < G_N_ELEMENTS (text_signals); i++)
    if (is_hooked && text_hooks[i] == 0)
      text_hooks[i] = jank_gtk_add_hook (GTK_TYPE_IM_CONTEXT, text_signals[i], jank_input_notes_text_cb, NULL);
    else if (!is_hooked && text_hooks[i] != 0)
      {
        g_signal_remove_emission_hook (g_signal_lookup (text_signals[i], GTK_TYPE_IM_CONTEXT), text_hooks[i]);
        text_hooks[i] = 0;
      }
}

void
jank_input_notes_set_host (const JankGtkHost *new_host)
{
  jank_input_notes_hook_texts (new_host != NULL);
  jank_input_notes_close ();
  answers.n_open = answers.n_shown = 0;
  at_end_func = NULL;
  n_keys = 0;
  jank_input_notes_tell_waits ();
  host = new_host;
  answers.board = &board;
  answers.funcs = &input_funcs;
}

static void
jank_input_notes_turn_ended_cb (gint64 ended_ns)
{
  jank_input_notes_settle ();
  has_turned = TRUE;
  if (at_end_func != NULL)
    at_end_func ();
  at_end_func = NULL;
  if (host != NULL && jank_input_answers_turn_ended (&answers, ended_ns))
    host->call_at_end (host->data, jank_input_notes_turn_ended_cb);
  jank_input_notes_tell_waits ();
}

/* An input method answers later, and what it does with a key press comes again, or as a text. */
static gboolean
jank_input_notes_takes_text (GtkWidget *focus)
{
  return focus != NULL && (GTK_IS_EDITABLE (focus) || GTK_IS_TEXT_VIEW (focus));
}

static void
jank_input_notes_await_answer (GdkFrameClock *gdk, GtkWidget *widget)
{
  if (host->call_at_end == NULL || host->get_busy_ns == NULL || gdk == NULL || !jank_frame_hook_sees_requests (gdk))
    return;
  jank_input_answers_add (&answers, &open, number, gdk,
                          open.kind == JANK_INTERACTION_KEY && jank_input_notes_takes_text (widget));
  host->call_at_end (host->data, jank_input_notes_turn_ended_cb);
  jank_input_notes_tell_waits ();
}

void
jank_input_notes_painted (GdkFrameClock *gdk, const JankFrameEvent *event)
{
  if (answers.n_open + answers.n_shown == 0 || (event->flags & JANK_FRAME_OVERLAY_ONLY))
    return;
  jank_input_notes_settle ();
  jank_input_answers_painted (&answers, gdk, event->begin_ns, event->end_ns, !(event->flags & JANK_FRAME_UNDRAWN),
                              event->predecessor_presented_ns);
  jank_input_notes_tell_waits ();
}

void
jank_input_notes_take (JankInteractionKind kind, guint32 stamp_ms, GdkFrameClock *gdk, GtkWidget *widget)
{
  gint64 now_ns = jank_clock_now_ns (), stamp_ns;

  jank_input_notes_close ();
  /* Two fingers may come at once. */
  if ((stamp_ms == last_ms[kind] && kind != JANK_INTERACTION_TOUCH) ||
      !jank_input_clock_read (&stamps, stamp_ms, now_ns, jank_input_notes_get_busy_ns, &stamp_ns))
    return;
  last_ms[kind] = stamp_ms;
  open = (JankInteraction) { .kind = kind, .stamp_ns = stamp_ns, .handled_ns = now_ns };
  depth = 0;
  has_text = FALSE;
  if (kind == JANK_INTERACTION_KEY && widget != NULL)
    jank_input_notes_fill_focus (widget);
  else if (widget != NULL)
    jank_input_notes_fill (widget);
  number = jank_input_board_push (&board, &open);
  if (kind == JANK_INTERACTION_KEY)
    {
      last_key = open;
      last_key_number = number;
      has_turned = FALSE;
      n_keys = MIN (n_keys + 1, 2);
    }
  jank_input_notes_await_answer (gdk, widget);
}

gboolean
jank_input_notes_take_back (guint32 stamp_ms, GdkFrameClock *gdk, GtkWidget *widget)
{
  if (stamp_ms != last_ms[JANK_INTERACTION_KEY])
    return FALSE;
  jank_input_notes_regain ();
  if (open.kind != JANK_INTERACTION_KEY)
    return TRUE;
  jank_input_answers_forget (&answers, number);
  jank_input_notes_await_answer (gdk, widget);
  return TRUE;
}

void
jank_input_notes_call_at_end (void (*func) (void))
{
  if (host == NULL || host->call_at_end == NULL)
    return;
  at_end_func = func;
  host->call_at_end (host->data, jank_input_notes_turn_ended_cb);
}

void
jank_input_notes_ask_method (void)
{
  asks_method = open.kind == JANK_INTERACTION_KEY;
}

static guint
jank_input_notes_get_depth (GtkWidget *widget)
{
  guint n = 0;

  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    n++;
  return n;
}

void
jank_input_notes_name (GtkWidget *widget)
{
  guint new_depth;

  if (open.kind == JANK_INTERACTION_NONE || (new_depth = jank_input_notes_get_depth (widget)) <= depth)
    return;
  depth = new_depth;
  jank_input_notes_fill (widget);
  jank_input_board_change (&board, number, &open);
  jank_input_answers_renew (&answers, &open, number);
}
