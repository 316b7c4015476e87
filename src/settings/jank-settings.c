/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One table says all that there is to know of a setting: its default, what it accepts, and where it is kept. */

#include "settings/jank-settings-private.h"

#include <signal.h>
#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-home-private.h"
#include "base/jank-nearest-private.h"

typedef enum
{
  VALUE_TIME,   /* gint64, nanoseconds */
  VALUE_COUNT,  /* guint */
  VALUE_BYTES,  /* guint64 */
  VALUE_NUMBER, /* double; its range is in thousandths */
  VALUE_YES_NO, /* gboolean */
  VALUE_SIGNAL, /* gint */
  VALUE_WORD,   /* an enumeration, as wide as a guint, in the order of its words */
  VALUE_PRESET, /* guint; sets others, too */
  VALUE_TEXT,   /* char *, owned */
} ValueType;

typedef struct
{
  const char        *key, *by_default;
  ValueType          type;
  gsize              offset;
  gint64             min, max;
  const char *const *words;
  gboolean         (*fits) (const char *value); /* (nullable): every text does */
  const char        *accepted, *none;           /* of texts: what fits, and how an empty one is called */
  gboolean           is_live;                   /* takes effect at once while a monitor runs */
} Key;

#define FIELD(name) G_STRUCT_OFFSET (JankSettings, name)
#define MS JANK_NS_PER_MS
#define S  JANK_NS_PER_S

static const char *const pick_words[] = { "path", "last20", NULL };
static const char *const observer_words[] = { "loop", "ping", "frames", NULL };
static const char *const corner_words[] = { "top-start", "top-end", "bottom-start", "bottom-end", NULL };
G_STATIC_ASSERT (sizeof (JankPick) == sizeof (guint) && sizeof (JankOverlayCorner) == sizeof (guint));
G_STATIC_ASSERT (sizeof (JankObserve) == sizeof (guint));

static gboolean jank_settings_is_file_or_none (const char *value);
static gboolean jank_settings_is_accelerator_or_none (const char *value);

/* The folder's default is found when the program runs. */
static const Key all_keys[] = {
  { "threshold", "100ms", VALUE_TIME, FIELD (threshold_ns), 4 * MS, 3600 * S, .is_live = TRUE },
  { "first-sample", "16ms", VALUE_TIME, FIELD (first_sample_ns), MS, 10 * S, .is_live = TRUE },
  { "interval", "10ms", VALUE_TIME, FIELD (interval_ns), MS, 10 * S, .is_live = TRUE },
  { "signal", "auto", VALUE_SIGNAL, FIELD (signal) },
  { "rule", "path", VALUE_WORD, FIELD (pick), .words = pick_words, .is_live = TRUE },
  { "preset", "default", VALUE_PRESET, FIELD (preset) },
  { "observer", "loop", VALUE_WORD, FIELD (observer), .words = observer_words },
  { "check-interval", "0s", VALUE_TIME, FIELD (check_interval_ns), 0, 60 * S },
  { "ping-interval", "500ms", VALUE_TIME, FIELD (ping_interval_ns), 4 * MS, 60 * S },
  { "ping-timeout", "100ms", VALUE_TIME, FIELD (ping_timeout_ns), MS, 3600 * S },
  { "store", NULL, VALUE_TEXT, FIELD (store), .fits = g_path_is_absolute, .accepted = N_("an absolute path") },
  { "max-reports", "200", VALUE_COUNT, FIELD (max_reports), 1, 100000, .is_live = TRUE },
  { "max-bytes", "32M", VALUE_BYTES, FIELD (max_bytes), 64 << 10, G_GINT64_CONSTANT (1) << 40, .is_live = TRUE },
  { "locks", "yes", VALUE_YES_NO, FIELD (locks) },
  { "sources", "no", VALUE_YES_NO, FIELD (sources), .is_live = TRUE },
  { "turns", "no", VALUE_YES_NO, FIELD (turns) },
  { "spin-turns", "2000", VALUE_COUNT, FIELD (spin_turns), 0, 10000000, .is_live = TRUE },
  { "spin-time", "2s", VALUE_TIME, FIELD (spin_time_ns), 100 * MS, 3600 * S, .is_live = TRUE },
  { "cpu-threshold", "0", VALUE_COUNT, FIELD (cpu_threshold), 0, 100, .is_live = TRUE },
  { "cpu-time", "3s", VALUE_TIME, FIELD (cpu_time_ns), 100 * MS, 3600 * S, .is_live = TRUE },
  { "annealing", "yes", VALUE_YES_NO, FIELD (annealing), .is_live = TRUE },
  { "max-per-session", "200", VALUE_COUNT, FIELD (max_per_session), 1, 1000000, .is_live = TRUE },
  { "notify", "no", VALUE_YES_NO, FIELD (notify) },
  { "on-report", "", VALUE_TEXT, FIELD (on_report), .accepted = N_("a command") },
  { "send-to", "", VALUE_TEXT, FIELD (send_to), .accepted = N_("a URL, or nothing for none"), .none = N_("no URL") },
  { "send-ask", "yes", VALUE_YES_NO, FIELD (send_ask) },
  { "send-per-day", "20", VALUE_COUNT, FIELD (send_per_day), 0, 1000000 },
  { "app-version", "", VALUE_TEXT, FIELD (app_version), .accepted = N_("a version") },
  { "log", "no", VALUE_YES_NO, FIELD (log) },
  { "frames", "yes", VALUE_YES_NO, FIELD (frames) },
  { "frame-log", "", VALUE_TEXT, FIELD (frame_log), .fits = jank_settings_is_file_or_none,
    .accepted = N_("an absolute path, or nothing for none"), .none = N_("no file") },
  { "overlay", "no", VALUE_YES_NO, FIELD (overlay), .is_live = TRUE },
  { "overlay-preset", "3", VALUE_COUNT, FIELD (overlay_preset), 1, 4, .is_live = TRUE },
  { "overlay-corner", "top-end", VALUE_WORD, FIELD (overlay_corner), .words = corner_words, .is_live = TRUE },
  { "overlay-scale", "1", VALUE_NUMBER, FIELD (overlay_scale), 500, 4000, .is_live = TRUE },
  { "overlay-opacity", "0.9", VALUE_NUMBER, FIELD (overlay_opacity), 100, 1000, .is_live = TRUE },
  { "overlay-key", "<Control><Shift>j", VALUE_TEXT, FIELD (overlay_key), .fits = jank_settings_is_accelerator_or_none,
    .accepted = N_("a key such as “<Control><Shift>j”, or nothing for none"), .none = N_("no key"), .is_live = TRUE },
};

static const struct { const char *suffix; gint64 factor; } time_units[] = {
  { "us", JANK_NS_PER_US }, { "ms", MS }, { "s", S }, { "", MS },
}, byte_units[] = {
  { "k", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { "", 1 },
};

static gboolean jank_settings_set_field (JankSettings *self, const Key *key, const char *value);

static void
jank_settings_set_default (JankSettings *self, const Key *key)
{
  g_autofree char *store = key->by_default == NULL ? jank_home_get_store () : NULL;

  /* Both are absolute or from the table. */
  if (!jank_settings_set_field (self, key, store != NULL ? store : key->by_default))
    g_assert_not_reached ();
}

JankSettings *
jank_settings_new (void)
{
  JankSettings *self = g_atomic_rc_box_new0 (JankSettings);

  for (guint k = 0; k < G_N_ELEMENTS (all_keys); k++)
    jank_settings_set_default (self, &all_keys[k]);
  return self;
}

static char **
jank_settings_get_text (const JankSettings *self, const Key *key)
{
  return (char **) (void *) ((char *) self + key->offset);
}

JankSettings *
jank_settings_copy (const JankSettings *self)
{
  JankSettings *copy = g_atomic_rc_box_dup (sizeof *self, (gpointer) self);

  for (guint k = 0; k < G_N_ELEMENTS (all_keys); k++)
    if (all_keys[k].type == VALUE_TEXT)
      *jank_settings_get_text (copy, &all_keys[k]) = g_strdup (*jank_settings_get_text (self, &all_keys[k]));
  return copy;
}

JankSettings *
jank_settings_ref (JankSettings *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
jank_settings_clear (gpointer data)
{
  for (guint k = 0; k < G_N_ELEMENTS (all_keys); k++)
    if (all_keys[k].type == VALUE_TEXT)
      g_free (*jank_settings_get_text (data, &all_keys[k]));
}

void
jank_settings_free (JankSettings *self)
{
  g_atomic_rc_box_release_full (self, jank_settings_clear);
}

/* A decimal number, "." as its point whatever the locale, with one of the units' suffixes. */
static gboolean
jank_settings_parse_with_unit (const char *value, ValueType type, gint64 min, gint64 max, gint64 *ret_value)
{
  char *end = NULL;
  double number = g_ascii_strtod (value, &end);

  if (end == value || !(number >= 0))
    return FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (time_units); i++)
    {
      const char *suffix = type == VALUE_TIME ? time_units[i].suffix : byte_units[i].suffix;
      gint64 factor = type == VALUE_TIME ? time_units[i].factor : byte_units[i].factor;

      if (g_strcmp0 (end, suffix) != 0)
        continue;
      number *= (double) factor;
      if (number < (double) min || number > (double) max)
        return FALSE;
      *ret_value = (gint64) (number + 0.5);
      return TRUE;
    }
  return FALSE;
}

/* As above, without units. */
static gboolean
jank_settings_parse_number (const char *value, gint64 min, gint64 max, double *ret_value)
{
  char *end = NULL;
  double number = g_ascii_strtod (value, &end);

  if (end == value || *end != '\0' || !(number * 1000.0 >= (double) min && number * 1000.0 <= (double) max))
    return FALSE;
  *ret_value = number;
  return TRUE;
}

static gboolean
jank_settings_parse_yes_no (const char *value, gboolean *ret_value)
{
  static const char *const words[] = { "no", "yes", "false", "true", "0", "1" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (value, words[i]))
      {
        *ret_value = i % 2 == 1;
        return TRUE;
      }
  return FALSE;
}

static gboolean
jank_settings_parse_word (const char *value, const char *const *words, guint *ret_value)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (g_str_equal (value, words[i]))
      {
        *ret_value = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
jank_settings_parse_signal (const char *value, gint *ret_value)
{
  gint64 number = 0;

  if (!g_str_equal (value, "auto") && !g_ascii_string_to_signed (value, 10, SIGRTMIN, SIGRTMAX, &number, NULL))
    return FALSE;
  *ret_value = (gint) number;
  return TRUE;
}

static gboolean
jank_settings_is_file_or_none (const char *value)
{
  return *value == '\0' || g_path_is_absolute (value);
}

/* The form of an accelerator, "<Control><Shift>j"; whether there is such a key only the toolkit knows. */
static gboolean
jank_settings_is_accelerator_or_none (const char *value)
{
  if (*value == '\0')
    return TRUE;
  while (*value == '<')
    {
      gsize n = strspn (value + 1, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS);

      if (n == 0 || value[n + 1] != '>')
        return FALSE;
      value += n + 2;
    }
  return *value != '\0' && value[strspn (value, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_")] == '\0';
}

static char *
jank_settings_number_to_text (double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (text, sizeof text, "%g", number));
}

static char *
jank_settings_time_to_text (gint64 time_ns)
{
  g_autofree char *number = NULL;

  if (time_ns % JANK_NS_PER_S == 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT "s", time_ns / JANK_NS_PER_S);
  number = jank_settings_number_to_text ((double) time_ns / JANK_NS_PER_MS);
  return g_strconcat (number, "ms", NULL);
}

static char *
jank_settings_describe_range (const Key *key)
{
  gboolean time = key->type == VALUE_TIME;
  g_autofree char *min_text =
      time ? jank_settings_time_to_text (key->min) : jank_settings_number_to_text ((double) key->min / 1000.0);
  g_autofree char *max_text =
      time ? jank_settings_time_to_text (key->max) : jank_settings_number_to_text ((double) key->max / 1000.0);

  if (time)
    return g_strdup_printf (_("a time from %s to %s, such as 150, 150ms or 0.15s"), min_text, max_text);
  return g_strdup_printf (_("a number from %s to %s"), min_text, max_text);
}

static char *
jank_settings_list_words (const char *const *words, const char *value)
{
  g_autofree char *names = g_strjoinv (", ", (char **) words);
  const char *near = jank_nearest_find (value, words);

  return near != NULL ? g_strdup_printf (_("one of: %s (did you mean “%s”?)"), names, near)
                      : g_strdup_printf (_("one of: %s"), names);
}

static char *
jank_settings_describe_accepted (const Key *key, const char *value)
{
  switch (key->type)
    {
    case VALUE_TIME: case VALUE_NUMBER: return jank_settings_describe_range (key);
    case VALUE_COUNT:  return g_strdup_printf (_("a number from %ld to %ld"), (long) key->min, (long) key->max);
    case VALUE_BYTES:  return g_strdup (_("a size from 64k to 1024G, such as 32M"));
    case VALUE_YES_NO: return g_strdup (_("“yes” or “no”"));
    case VALUE_SIGNAL: return g_strdup_printf (_("“auto” or a signal number from %d to %d"), SIGRTMIN, SIGRTMAX);
    case VALUE_WORD:   return jank_settings_list_words (key->words, value);
    case VALUE_PRESET: return jank_settings_list_words (jank_preset_get_nicks (), value);
    case VALUE_TEXT:   return g_strdup (_(key->accepted));
    default:
      g_assert_not_reached ();
    }
}

static char *
jank_settings_field_to_text (const JankSettings *self, const Key *key)
{
  const void *field = (const char *) self + key->offset;

  switch (key->type)
    {
    case VALUE_TIME:   return jank_settings_time_to_text (*(const gint64 *) field);
    case VALUE_COUNT:  return g_strdup_printf ("%u", *(const guint *) field);
    case VALUE_BYTES:  return g_strdup_printf ("%" G_GUINT64_FORMAT, *(const guint64 *) field);
    case VALUE_NUMBER: return jank_settings_number_to_text (*(const double *) field);
    case VALUE_YES_NO: return g_strdup (*(const gboolean *) field ? "yes" : "no");
    case VALUE_SIGNAL: return *(const gint *) field == 0 ? g_strdup ("auto") : g_strdup_printf ("%d",
                                                                                                *(const gint *) field);
    case VALUE_WORD:   return g_strdup (key->words[*(const guint *) field]);
    case VALUE_PRESET: return g_strdup (jank_preset_get (*(const guint *) field)->nick);
    case VALUE_TEXT:   return g_strdup (*jank_settings_get_text (self, key));
    default: g_assert_not_reached ();
    }
}

/* (nullable) */
static const Key *
jank_settings_find_key (const char *name)
{
  for (guint k = 0; k < G_N_ELEMENTS (all_keys); k++)
    if (g_str_equal (name, all_keys[k].key))
      return &all_keys[k];
  return NULL;
}

/* Gives every setting that preset implies the value that it implies, or the default again. */
static void
jank_settings_set_implied (JankSettings *self, const JankPreset *preset, gboolean again)
{
  g_auto (GStrv) entries = g_strsplit (preset->settings, ",", -1);

  for (guint i = 0; entries[i] != NULL; i++)
    {
      char *equals = strchr (entries[i], '=');
      const Key *key;

      *equals = '\0';
      key = jank_settings_find_key (entries[i]);
      g_assert (key != NULL);
      if (again)
        jank_settings_set_default (self, key);
      else if (!jank_settings_set_field (self, key, equals + 1))
        g_assert_not_reached ();
    }
}

/* What another preset has set is as if it had never been. */
static gboolean
jank_settings_set_preset (JankSettings *self, const char *value)
{
  gint preset = jank_preset_find (value);

  if (preset < 0)
    return FALSE;
  jank_settings_set_implied (self, jank_preset_get (self->preset), TRUE);
  self->preset = (guint) preset;
  jank_settings_set_implied (self, jank_preset_get (self->preset), FALSE);
  return TRUE;
}

static gboolean
jank_settings_set_text (char **field, const Key *key, const char *value)
{
  if (key->fits != NULL && !key->fits (value))
    return FALSE;
  g_free (*field);
  *field = g_strdup (value);
  return TRUE;
}

static gboolean
jank_settings_set_field (JankSettings *self, const Key *key, const char *value)
{
  void *field = (char *) self + key->offset;
  gint64 number;

  switch (key->type)
    {
    case VALUE_TIME: case VALUE_BYTES:
      return jank_settings_parse_with_unit (value, key->type, key->min, key->max, field);
    case VALUE_COUNT:
      if (!g_ascii_string_to_signed (value, 10, key->min, key->max, &number, NULL))
        return FALSE;
      *(guint *) field = (guint) number;
      return TRUE;
    case VALUE_NUMBER: return jank_settings_parse_number (value, key->min, key->max, field);
    case VALUE_YES_NO: return jank_settings_parse_yes_no (value, field);
    case VALUE_SIGNAL: return jank_settings_parse_signal (value, field);
    case VALUE_WORD:   return jank_settings_parse_word (value, key->words, field);
    case VALUE_PRESET: return jank_settings_set_preset (self, value);
    case VALUE_TEXT:   return jank_settings_set_text (jank_settings_get_text (self, key), key, value);
    default:
      g_assert_not_reached ();
    }
}

const char *const *
jank_settings_get_names (void)
{
  static const char *names[G_N_ELEMENTS (all_keys) + 1];
  static gsize is_filled;

  if (g_once_init_enter (&is_filled))
    {
      for (guint k = 0; k < G_N_ELEMENTS (all_keys); k++)
        names[k] = all_keys[k].key;
      g_once_init_leave (&is_filled, 1);
    }
  return names;
}

char *
jank_settings_list_defaults (void)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint k = 0; k < G_N_ELEMENTS (all_keys); k++)
    g_string_append_printf (list, "%s%s=%s", k > 0 ? ", " : "", all_keys[k].key,
                            all_keys[k].by_default != NULL ? all_keys[k].by_default : "$XDG_STATE_HOME/jankwatch");
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* key: (nullable): there is none. Returns: (transfer full): a sentence without a stop */
static char *
jank_settings_explain_refusal (const Key *key, const char *name, const char *value)
{
  const char *near = key == NULL ? jank_nearest_find (name, jank_settings_get_names ()) : NULL;
  g_autofree char *accepted = NULL;

  if (near != NULL)
    return g_strdup_printf (_("There is no setting “%s” (did you mean “%s”?)"), name, near);
  if (key == NULL)
    return g_strdup_printf (_("There is no setting “%s”; jankwatch.conf(5) has all of them"), name);
  accepted = jank_settings_describe_accepted (key, value);
  return g_strdup_printf (_("Setting “%s” cannot be “%s”: it takes %s"), name, value, accepted);
}

gboolean
jank_settings_set (JankSettings *self, const char *name, const char *value, GError **error)
{
  const Key *key = jank_settings_find_key (name);
  g_autofree char *sentence = NULL, *current = NULL;

  if (key != NULL && jank_settings_set_field (self, key, value))
    return TRUE;
  sentence = jank_settings_explain_refusal (key, name, value);
  current = key != NULL ? jank_settings_field_to_text (self, key) : NULL;
  if (current == NULL)
    g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("%s. Ignoring it"), sentence);
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("%s. Using %s"), sentence,
                 *current == '\0' && key->none != NULL ? _(key->none) : current);
  return FALSE;
}

gboolean
jank_settings_check (const char *name, const char *value, GError **error)
{
  g_autoptr (JankSettings) scratch = jank_settings_new ();
  const Key *key = jank_settings_find_key (name);
  g_autofree char *sentence = NULL;

  if (key != NULL && jank_settings_set_field (scratch, key, value))
    return TRUE;
  sentence = jank_settings_explain_refusal (key, name, value);
  g_set_error_literal (error, JANK_ERROR, JANK_ERROR_INVALID, sentence);
  return FALSE;
}

char *
jank_settings_get (const JankSettings *self, const char *name)
{
  const Key *key = jank_settings_find_key (name);

  return key != NULL ? jank_settings_field_to_text (self, key) : NULL;
}

gboolean
jank_settings_is_yes_no (const char *name)
{
  const Key *key = jank_settings_find_key (name);

  return key != NULL && key->type == VALUE_YES_NO;
}

gboolean
jank_settings_is_live (const char *name)
{
  const Key *key = jank_settings_find_key (name);

  return key != NULL && key->is_live;
}
