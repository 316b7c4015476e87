/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* grab-window MARGIN HEIGHT FILE.png: the largest window on the X server, without MARGIN pixels of its shadow, from its
 * top down to HEIGHT, as a picture. */

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

int
main (int argc, char **argv)
{
  g_autoptr (Pixels) screen = NULL;
  XWindowAttributes window = { 0 };
  cairo_surface_t *whole, *part;
  int margin, height;

  if (argc != 4 || !find_largest (&window))
    {
      fprintf (stderr, "grab-window MARGIN HEIGHT FILE.png: there is no window\n");
      return 2;
    }
  margin = atoi (argv[1]);
  height = MIN (atoi (argv[2]), window.height - 2 * margin);
  screen = pixels_grab ();
  whole = cairo_image_surface_create_for_data ((unsigned char *) screen->pixels, CAIRO_FORMAT_RGB24, screen->width,
                                               screen->height, 4 * screen->width);
  part = cairo_surface_create_for_rectangle (whole, window.x + margin, window.y + margin, window.width - 2 * margin,
                                             height);
  if (cairo_surface_write_to_png (part, argv[3]) != CAIRO_STATUS_SUCCESS)
    {
      fprintf (stderr, "grab-window: cannot write %s\n", argv[3]);
      return 1;
    }
  cairo_surface_destroy (part);
  cairo_surface_destroy (whole);
  return 0;
}
