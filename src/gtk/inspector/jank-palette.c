/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GNOME's palette. No meaning depends on hue alone: phases differ in lightness too, and late frames in shape. */

#include "config.h"

#include "gtk/inspector/jank-palette-private.h"

#define RGB(hex) { ((hex) >> 16 & 255) / 255.0f, ((hex) >> 8 & 255) / 255.0f, ((hex) & 255) / 255.0f, 1.0f }

typedef struct
{
  GdkRGBA light, dark;
} Pair;

static const Pair parts[JANK_N_PARTS] = {
  [JANK_PART_UPDATE] = { RGB (0x1a5fb4), RGB (0x3584e4) },
  [JANK_PART_LAYOUT] = { RGB (0x2ba184), RGB (0x57e3b6) },
  [JANK_PART_PAINT] = { RGB (0x62a0ea), RGB (0x99c1f1) },
  [JANK_PART_OTHER] = { RGB (0x9a9996), RGB (0x77767b) },
};

static const Pair bands[] = {
  [JANK_FRAME_BAND_ON_TIME] = { RGB (0x26a269), RGB (0x57e389) },
  [JANK_FRAME_BAND_LATE] = { RGB (0xe5a50a), RGB (0xf6d32d) },
  [JANK_FRAME_BAND_VERY_LATE] = { RGB (0xe66100), RGB (0xff7800) },
  [JANK_FRAME_BAND_FROZEN] = { RGB (0xc01c28), RGB (0xf66151) },
  [JANK_FRAME_BAND_COMPOSITOR] = { RGB (0x813d9c), RGB (0xc061cb) },
};

static const Pair own = { RGB (0xffa348), RGB (0xa3501a) };
static const Pair computing = { RGB (0xe66100), RGB (0xff7800) };
static const Pair blocked = { RGB (0x1c71d8), RGB (0x62a0ea) };
static const Pair preempted = { RGB (0x77767b), RGB (0x9a9996) };

static const Pair modules[] = {
  { RGB (0xb9d5f5), RGB (0x2a4d7a) }, { RGB (0xc3e6d8), RGB (0x24594a) }, { RGB (0xd9cdec), RGB (0x4c3a69) },
  { RGB (0xc6dfe6), RGB (0x28535f) }, { RGB (0xd3dbc4), RGB (0x48552f) }, { RGB (0xd5d3dd), RGB (0x454358) },
  { RGB (0xc9d3ee), RGB (0x333f6b) }, { RGB (0xdad6cb), RGB (0x524d40) },
};

static GdkRGBA
choose (const Pair *pair, gboolean dark)
{
  return dark ? pair->dark : pair->light;
}

gboolean
jank_palette_is_dark (const GdkRGBA *text)
{
  return text->red + text->green + text->blue > 1.5f;
}

GdkRGBA
jank_palette_part (JankFramePart part, gboolean dark)
{
  return choose (&parts[part], dark);
}

GdkRGBA
jank_palette_band (JankFrameBand band, gboolean dark)
{
  return choose (&bands[band], dark);
}

GdkRGBA
jank_palette_own (gboolean dark)
{
  return choose (&own, dark);
}

GdkRGBA
jank_palette_module (const char *file, gboolean dark)
{
  return choose (&modules[g_str_hash (file) % G_N_ELEMENTS (modules)], dark);
}

GdkRGBA
jank_palette_computing (gboolean dark)
{
  return choose (&computing, dark);
}

GdkRGBA
jank_palette_blocked (gboolean dark)
{
  return choose (&blocked, dark);
}

GdkRGBA
jank_palette_preempted (gboolean dark)
{
  return choose (&preempted, dark);
}

GdkRGBA
jank_palette_with_alpha (const GdkRGBA *color, double alpha)
{
  GdkRGBA result = *color;

  result.alpha = (float) alpha;
  return result;
}
