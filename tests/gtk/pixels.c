/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pixels.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <cairo.h>

Pixels *
pixels_grab (void)
{
  Display *display = XOpenDisplay (NULL);
  Pixels *self = g_new0 (Pixels, 1);
  XImage *image;

  g_assert_nonnull (display);
  self->width = DisplayWidth (display, DefaultScreen (display));
  self->height = DisplayHeight (display, DefaultScreen (display));
  self->pixels = g_new (guint32, self->width * self->height);
  image = XGetImage (display, DefaultRootWindow (display), 0, 0, (unsigned) self->width, (unsigned) self->height,
                     AllPlanes, ZPixmap);
  g_assert_nonnull (image);
  for (int y = 0; y < self->height; y++)
    for (int x = 0; x < self->width; x++)
      self->pixels[y * self->width + x] = (guint32) XGetPixel (image, x, y) & 0xffffff;
  XDestroyImage (image);
  XCloseDisplay (display);
  return self;
}

void
pixels_free (Pixels *self)
{
  g_free (self->pixels);
  g_free (self);
}

guint
pixels_count (const Pixels *a, const Pixels *b, int *ret_left, int *ret_top, int *ret_right, int *ret_bottom)
{
  guint n = 0;

  *ret_left = *ret_top = G_MAXINT;
  *ret_right = *ret_bottom = -1;
  for (int y = 0; y < a->height; y++)
    for (int x = 0; x < a->width; x++)
      if (a->pixels[y * a->width + x] != b->pixels[y * b->width + x])
        {
          n++;
          *ret_left = MIN (*ret_left, x);
          *ret_top = MIN (*ret_top, y);
          *ret_right = MAX (*ret_right, x);
          *ret_bottom = MAX (*ret_bottom, y);
        }
  return n;
}

void
pixels_save (const Pixels *self, int width, int height, const char *path)
{
  cairo_surface_t *image = cairo_image_surface_create_for_data ((unsigned char *) self->pixels, CAIRO_FORMAT_RGB24,
                                                                MIN (width, self->width), MIN (height, self->height),
                                                                4 * self->width);

  g_assert_cmpint (cairo_surface_write_to_png (image, path), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_destroy (image);
}

void
pixels_move_windows (void)
{
  Display *display = XOpenDisplay (NULL);
  Window root, parent, *windows = NULL;
  guint n_windows = 0;

  g_assert_nonnull (display);
  XQueryTree (display, DefaultRootWindow (display), &root, &parent, &windows, &n_windows);
  for (guint i = 0; i < n_windows; i++)
    XMoveWindow (display, windows[i], 0, 0);
  if (windows != NULL)
    XFree (windows);
  XCloseDisplay (display);
}
