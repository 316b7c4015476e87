/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the user may set. Sources, later ones win: the defaults, the key file's [default] group, its group
 * of the program's name, JANKWATCH_CONFIG. In each of them a preset comes first, wherever it stands. Whatever
 * cannot be used leaves the value as it was and adds one warning; nothing here fails. */

#pragma once

#include <glib.h>

/* The monitors that came before, each as a set of settings: one row of a table a monitor. Plain data, any thread.
 * How their rules decide is in rules/jank-rule-private.h. */
typedef struct
{
  const char *nick;         /* as the setting takes it */
  const char *system;       /* the monitor's own name, not translated */
  const char *rule;         /* in words: a sentence, to be translated */
  const char *differs;      /* (nullable): from the original; a sentence, to be translated */
  const char *settings;     /* "key=value,key=value": all that makes it what it is */
  gboolean    fixed_checks; /* looks at fixed times, not when the loop has been busy for some time */
  gboolean    splits;       /* begins another report when the heaviest stack is another one */
} JankPreset;

/* The preset that is none: every setting as it is. */
#define JANK_PRESET_DEFAULT 0

/* (nullable): NULL past the last. */
const JankPreset  *jank_preset_get       (guint index);

/* Returns: its index, -1: there is none */
gint               jank_preset_find      (const char *nick);

/* In the order of the indices, ended by NULL. */
const char *const *jank_preset_get_nicks (void);

/* Which of a stall's stacks is to blame; the setting takes the first two. */
typedef enum
{
  JANK_PICK_PATH,   /* the heaviest path of all */
  JANK_PICK_LAST20, /* of the last 20 the most frequent innermost function; of equals the newest: WeChat Matrix */
  JANK_PICK_SAME,   /* the most frequent whole stack; of equals the newest */
  JANK_PICK_NONE,   /* no stacks are read */
} JankPick;

/* What tells that the loop is late. */
typedef enum
{
  JANK_OBSERVE_LOOP,   /* a source in the loop that marks each turn */
  JANK_OBSERVE_PING,   /* a source sent into it now and then, and how long that takes to be answered */
  JANK_OBSERVE_FRAMES, /* the frame clock */
} JankObserve;

/* Of a window; start and end as in its text direction. */
typedef enum
{
  JANK_OVERLAY_TOP_START,
  JANK_OVERLAY_TOP_END,
  JANK_OVERLAY_BOTTOM_START,
  JANK_OVERLAY_BOTTOM_END,
} JankOverlayCorner;

typedef struct _JankSettings
{
  gint64   threshold_ns;    /* a busy period at least this long is a stall */
  gint64   first_sample_ns; /* into a busy period: when the first stack is read */
  gint64   interval_ns;     /* between stacks */
  gint     signal;          /* 0: SIGURG */
  JankPick pick;            /* “rule”: how the heaviest stack is chosen */
  guint    preset;          /* index of a JankPreset: whose rule decides what a stall is; the settings
                               it implies are in their own fields */
  JankObserve observer;
  gint64   check_interval_ns; /* between looks at the loop; 0: when the threshold is reached, not before or after */
  gint64   ping_interval_ns;  /* between pings, at least */
  gint64   ping_timeout_ns;   /* a ping that is not answered for so long is a stall */
  char    *store;           /* (owned) folder of the reports */
  guint    max_reports;     /* kept in the store */
  guint64  max_bytes;       /* of reports in the store */

  gboolean locks;           /* `run` writes down who holds locks that do not say so themselves */
  gboolean sources;         /* exact times per source */
  gboolean turns;           /* exact times of the loop's turns */
  guint    spin_turns;      /* a second, without waiting: more is a spin; 0: not looked for */
  gint64   spin_time_ns;    /* for at least so long */
  guint    cpu_threshold;   /* percent of one CPU that the process or a thread computes: more is reported; 0: not looked
                               for */
  gint64   cpu_time_ns;     /* for at least so long */
  gboolean annealing;       /* stalls of one fingerprint share a report */
  guint    max_per_session; /* new reports of this process; past it only counts grow */
  gboolean notify;          /* a desktop notification for each new fingerprint */
  char    *on_report;       /* (owned) command run with the file's path for each new report; "": none */
  char    *send_to;         /* (owned) URL of the server that `send` sends reports to; "": none */
  gboolean send_ask;        /* before anything is sent to a server for the first time */
  guint    send_per_day;    /* reports of one fingerprint */
  gboolean log;             /* a message for each stall, the moment it is found */
  char    *app_version;     /* (owned) the program's version in reports; "": what it says itself */

  gboolean          frames;          /* whether frame clocks are watched at all */
  char             *frame_log;       /* (owned) table that every frame is written to; "": none */
  gboolean          overlay;         /* shown from the beginning */
  guint             overlay_preset;  /* 1: one line .. 4: all there is */
  JankOverlayCorner overlay_corner;
  double            overlay_scale;   /* 0.5..4 */
  double            overlay_opacity; /* of its background, 0.1..1 */
  char             *overlay_key;     /* (owned) accelerator that shows and hides it; "": none */
} JankSettings;

/* Returns: (transfer full): the defaults */
JankSettings *jank_settings_new         (void);
JankSettings *jank_settings_copy        (const JankSettings *self);
/* The same, which nobody changes any more. Any thread. */
JankSettings *jank_settings_ref         (JankSettings *self);
void          jank_settings_free        (JankSettings *self);

/* One "key" and "value" in text; a preset also sets all that it implies. FALSE with JANK_ERROR_INVALID names the key,
 * what it accepts and the value that stays. */
gboolean      jank_settings_set         (JankSettings *self, const char *key, const char *value, GError **error);

/* The same where nothing is set. */
gboolean      jank_settings_check       (const char *key, const char *value, GError **error);

/* The value as jank_settings_set() takes it. Returns: (transfer full) (nullable): there is no such setting */
char         *jank_settings_get         (const JankSettings *self, const char *key);

/* All names, NULL at the end. */
const char *const *jank_settings_get_names (void);
/* "key=value, key=value". Returns: (transfer full) */
char         *jank_settings_list_defaults (void);

/* Whether it takes yes or no; takes effect at once while a monitor runs. FALSE also where there is no such setting. */
gboolean      jank_settings_is_yes_no   (const char *key);
gboolean      jank_settings_is_live     (const char *key);

/* "key=value,key=value", where a key alone is a yes if it takes yes or no; warnings (element-type utf8) collects
 * a sentence per entry that was not usable. */
void          jank_settings_apply_text  (JankSettings *self, const char *text, GPtrArray *warnings);

/* A key file's groups [default] and [program]; a missing file is not worth a warning. */
void          jank_settings_apply_file  (JankSettings *self, const char *path, const char *program,
                                         GPtrArray *warnings);

/* All sources of the running process: $XDG_CONFIG_HOME/jankwatch/settings.conf and JANKWATCH_CONFIG. */
JankSettings *jank_settings_load        (const char *program, GPtrArray *warnings);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSettings, jank_settings_free)
