/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* grab-window MARGIN HEIGHT FILE.png [X,Y …]: the largest window on the X server, without MARGIN pixels of its shadow,
 * from its top down to HEIGHT, as a picture, with the numbers 1, 2, … at these places of it. */

#include <stdio.h>
#include <stdlib.h>
#include <X11/Xlib.h>
#include <cairo.h>
#include <glib.h>

#include "pixels.h"

static gboolean
find_largest (XWindowAttributes *ret_largest)
{
  Display *display = XOpenDisplay (NULL);
  Window root, parent, *windows = NULL;
  XWindowAttributes window = { 0 };
  unsigned n = 0;

  ret_largest->width = ret_largest->height = 0;
  if (display == NULL)
    return FALSE;
  XQueryTree (display, DefaultRootWindow (display), &root, &parent, &windows, &n);
  for (unsigned i = 0; i < n; i++)
    if (XGetWindowAttributes (display, windows[i], &window) && window.map_state == IsViewable &&
        window.width * window.height > ret_largest->width * ret_largest->height)
      *ret_largest = window;
  if (windows != NULL)
    XFree (windows);
  XCloseDisplay (display);
  return ret_largest->width > 0;
}

static void
draw_number (cairo_t *cr, int number, double x, double y)
{
  char text[2] = { (char) ('0' + number), '\0' };
  cairo_text_extents_t extents;

  cairo_new_path (cr);
  cairo_arc (cr, x, y, 13, 0, 2 * G_PI);
  cairo_set_source_rgb (cr, 0.75, 0.11, 0.16);
  cairo_fill_preserve (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_set_line_width (cr, 2);
  cairo_stroke (cr);
  cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size (cr, 16);
  cairo_text_extents (cr, text, &extents);
  cairo_move_to (cr, x - extents.width / 2 - extents.x_bearing, y - extents.height / 2 - extents.y_bearing);
  cairo_show_text (cr, text);
}

int
main (int argc, char **argv)
{
  g_autoptr (Pixels) screen = NULL;
  XWindowAttributes window = { 0 };
  cairo_surface_t *whole, *part;
  cairo_t *cr;
  int margin, height;

  if (argc < 4 || argc > 13 || !find_largest (&window))
    {
      fprintf (stderr, "grab-window MARGIN HEIGHT FILE.png [X,Y …]: there is no window\n");
      return 2;
    }
  margin = atoi (argv[1]);
  height = MIN (atoi (argv[2]), window.height - 2 * margin);
  screen = pixels_grab ();
  whole = cairo_image_surface_create_for_data ((unsigned char *) screen->pixels, CAIRO_FORMAT_RGB24, screen->width,
                                               screen->height, 4 * screen->width);
  part = cairo_surface_create_for_rectangle (whole, window.x + margin, window.y + margin, window.width - 2 * margin,
                                             height);
  cr = cairo_create (part);
  for (int i = 4; i < argc; i++)
    {
      int x = 0, y = 0;

      sscanf (argv[i], "%d,%d", &x, &y);
      draw_number (cr, i - 3, x, y);
    }
  cairo_destroy (cr);
  if (cairo_surface_write_to_png (part, argv[3]) != CAIRO_STATUS_SUCCESS)
    {
      fprintf (stderr, "grab-window: cannot write %s\n", argv[3]);
      return 1;
    }
  cairo_surface_destroy (part);
  cairo_surface_destroy (whole);
  return 0;
}
