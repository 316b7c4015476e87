/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the user may set. Sources, later ones win: the defaults, the key file's [default] group, its group
 * of the program's name, JANKWATCH_CONFIG. Whatever cannot be used leaves the value as it was and adds
 * one warning; nothing here fails. */

#pragma once

#include <glib.h>

typedef enum { JANK_RULE_PATH, JANK_RULE_LAST20 } JankRule;

/* Of a window; start and end as in its text direction. */
typedef enum
{
  JANK_OVERLAY_TOP_START,
  JANK_OVERLAY_TOP_END,
  JANK_OVERLAY_BOTTOM_START,
  JANK_OVERLAY_BOTTOM_END,
} JankOverlayCorner;

typedef struct
{
  gint64   threshold_ns;    /* a busy period at least this long is a stall */
  gint64   first_sample_ns; /* into a busy period: when the first stack is read */
  gint64   interval_ns;     /* between stacks */
  gint     signal;          /* 0: the first free one from SIGRTMAX downward */
  JankRule rule;            /* how the heaviest stack is chosen */
  char    *store;           /* (owned) folder of the reports */
  guint    max_reports;     /* kept in the store */
  guint64  max_bytes;       /* of reports in the store */

  gboolean          frames;          /* whether frame clocks are watched at all */
  gboolean          overlay;         /* shown from the beginning */
  JankOverlayCorner overlay_corner;
  double            overlay_scale;   /* 0.5..4 */
  double            overlay_opacity; /* of its background, 0.1..1 */
  char             *overlay_key;     /* (owned) accelerator that shows and hides it; "": none */
} JankSettings;

/* Returns: (transfer full): the defaults */
JankSettings *jank_settings_new         (void);
JankSettings *jank_settings_copy        (const JankSettings *self);
void          jank_settings_free        (JankSettings *self);

/* One "key" and "value" in text. FALSE with JANK_ERROR_INVALID names the key, what it accepts and the
 * value that stays. */
gboolean      jank_settings_set         (JankSettings *self, const char *key, const char *value, GError **error);

/* "key=value,key=value", where a key alone is a yes if it takes yes or no; warnings (element-type utf8) collects
 * a sentence per entry that was not usable. */
void          jank_settings_apply_text  (JankSettings *self, const char *text, GPtrArray *warnings);

/* A key file's groups [default] and [program]; a missing file is not worth a warning. */
void          jank_settings_apply_file  (JankSettings *self, const char *path, const char *program, GPtrArray *warnings);

/* All sources of the running process: $XDG_CONFIG_HOME/jankwatch/settings.conf and JANKWATCH_CONFIG. */
JankSettings *jank_settings_load        (const char *program, GPtrArray *warnings);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSettings, jank_settings_free)
