/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "frame-counts-shown.h"

#include <dlfcn.h>
#include <gtk/gtk.h>

#include "base/jank-clock-private.h"

typedef struct
{
  gint64 at_ns;
  char   text[16];
} Shown;

static GArray *all; /* of Shown */
static char before[sizeof ((Shown *) NULL)->text];
static gboolean has_gtk_text, is_gtk_frame; /* GTK's overlay is there; it was drawn in this frame */

static void
note (const char *text, gsize n_bytes)
{
  Shown shown = { .at_ns = jank_clock_now_ns () };

  memcpy (shown.text, text, MIN (n_bytes, sizeof shown.text - 1));
  if (all == NULL)
    all = g_array_new (FALSE, FALSE, sizeof (Shown));
  g_array_append_val (all, shown);
}

static void
look_at (const char *text)
{
  if (g_str_has_suffix (text, " fps"))
    {
      note (text, strlen (text) - strlen (" fps"));
      has_gtk_text = is_gtk_frame = TRUE;
    }
  else if (g_str_equal (text, "FPS"))
    note (before, strlen (before));
  /* Pango itself lays out all ten digits in between, once, to know how wide they are. */
  if (strlen (text) < strlen ("0123456789"))
    g_strlcpy (before, text, sizeof before);
}

/* Texts of a given length are others': of entries and text views. */
G_MODULE_EXPORT void
pango_layout_set_text (PangoLayout *layout, const char *text, int length)
{
  static void (*next) (PangoLayout *, const char *, int);

  if (next == NULL)
    next = (void (*) (PangoLayout *, const char *, int)) dlsym (RTLD_NEXT, "pango_layout_set_text");
  if (length < 0)
    look_at (text);
  next (layout, text, length);
}

void
shown_end_frame (void)
{
  if (has_gtk_text && !is_gtk_frame)
    {
      note ("", 0);
      has_gtk_text = FALSE;
    }
  is_gtk_frame = FALSE;
}

void
shown_print (void)
{
  g_print ("[");
  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      Shown *shown = &g_array_index (all, Shown, i);

      g_print ("%s[%" G_GINT64_FORMAT ", \"%s\"]", i > 0 ? ", " : "", shown->at_ns, shown->text);
    }
  g_print ("]");
}
