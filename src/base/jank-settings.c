/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "base/jank-settings-private.h"

#include <signal.h>
#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"

typedef enum
{
  VALUE_TIME,
  VALUE_COUNT,
  VALUE_BYTES,
  VALUE_NUMBER,
  VALUE_YES_NO,
  VALUE_SIGNAL,
  VALUE_RULE,
  VALUE_PRESET,
  VALUE_OBSERVER,
  VALUE_CORNER,
  VALUE_FOLDER,
  VALUE_FILE,
  VALUE_KEY,
  VALUE_TEXT,
} ValueType;

#define FIELD(name) G_STRUCT_OFFSET (JankSettings, name)

/* Every setting; times and sizes in the unit of the field, numbers in thousandths. */
static const struct
{
  const char *key;
  ValueType   type;
  gsize       offset;
  gint64      min, max;
} all_keys[] = {
  { "threshold",       VALUE_TIME,   FIELD (threshold_ns),    20 * JANK_NS_PER_MS, 3600 * JANK_NS_PER_S },
  { "first-sample",    VALUE_TIME,   FIELD (first_sample_ns), JANK_NS_PER_MS, 10 * JANK_NS_PER_S },
  { "interval",        VALUE_TIME,   FIELD (interval_ns),     JANK_NS_PER_MS, 10 * JANK_NS_PER_S },
  { "signal",          VALUE_SIGNAL, FIELD (signal),          0, 0 },
  { "rule",            VALUE_RULE,   FIELD (pick),            0, 0 },
  { "preset",          VALUE_PRESET, FIELD (preset),          0, 0 },
  { "observer",        VALUE_OBSERVER, FIELD (observer),      0, 0 },
  { "check-interval",  VALUE_TIME,   FIELD (check_interval_ns), 0, 60 * JANK_NS_PER_S },
  { "ping-interval",   VALUE_TIME,   FIELD (ping_interval_ns), 20 * JANK_NS_PER_MS, 60 * JANK_NS_PER_S },
  { "ping-timeout",    VALUE_TIME,   FIELD (ping_timeout_ns), JANK_NS_PER_MS, 3600 * JANK_NS_PER_S },
  { "store",           VALUE_FOLDER, FIELD (store),           0, 0 },
  { "max-reports",     VALUE_COUNT,  FIELD (max_reports),     1, 100000 },
  { "max-bytes",       VALUE_BYTES,  FIELD (max_bytes),       64 * 1024, G_GINT64_CONSTANT (1) << 40 },
  { "sources",         VALUE_YES_NO, FIELD (sources),         0, 0 },
  { "spin-turns",      VALUE_COUNT,  FIELD (spin_turns),      0, 10000000 },
  { "spin-time",       VALUE_TIME,   FIELD (spin_time_ns),    100 * JANK_NS_PER_MS, 3600 * JANK_NS_PER_S },
  { "cpu-threshold",   VALUE_COUNT,  FIELD (cpu_threshold),   0, 100 },
  { "cpu-time",        VALUE_TIME,   FIELD (cpu_time_ns),     100 * JANK_NS_PER_MS, 3600 * JANK_NS_PER_S },
  { "annealing",       VALUE_YES_NO, FIELD (annealing),       0, 0 },
  { "max-per-session", VALUE_COUNT,  FIELD (max_per_session), 1, 1000000 },
  { "max-per-day",     VALUE_COUNT,  FIELD (max_per_day),     1, 1000000 },
  { "notify",          VALUE_YES_NO, FIELD (notify),          0, 0 },
  { "on-report",       VALUE_TEXT,   FIELD (on_report),       0, 0 },
  { "events",          VALUE_FILE,   FIELD (events),          0, 0 },
  { "frames",          VALUE_YES_NO, FIELD (frames),          0, 0 },
  { "overlay",         VALUE_YES_NO, FIELD (overlay),         0, 0 },
  { "overlay-corner",  VALUE_CORNER, FIELD (overlay_corner),  0, 0 },
  { "overlay-scale",   VALUE_NUMBER, FIELD (overlay_scale),   500, 4000 },
  { "overlay-opacity", VALUE_NUMBER, FIELD (overlay_opacity), 100, 1000 },
  { "overlay-key",     VALUE_KEY,    FIELD (overlay_key),     0, 0 },
};

/* In the order of their enumerations, which are as wide as a guint. */
static const char *const rule_nicks[] = { "path", "last20", NULL };
static const char *const observer_nicks[] = { "loop", "ping", "frames", NULL };
static const char *const corner_nicks[] = { "top-start", "top-end", "bottom-start", "bottom-end", NULL };
G_STATIC_ASSERT (sizeof (JankPick) == sizeof (guint) && sizeof (JankOverlayCorner) == sizeof (guint));
G_STATIC_ASSERT (sizeof (JankObserve) == sizeof (guint));

static const struct { const char *suffix; gint64 factor; } time_units[] = {
  { "us", JANK_NS_PER_US }, { "ms", JANK_NS_PER_MS }, { "s", JANK_NS_PER_S }, { "", JANK_NS_PER_MS },
}, byte_units[] = {
  { "k", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { "", 1 },
};

JankSettings *
jank_settings_new (void)
{
  JankSettings *self = g_new0 (JankSettings, 1);

  self->threshold_ns = 100 * JANK_NS_PER_MS;
  self->first_sample_ns = 16 * JANK_NS_PER_MS;
  self->interval_ns = 10 * JANK_NS_PER_MS;
  self->pick = JANK_PICK_PATH;
  self->ping_interval_ns = 500 * JANK_NS_PER_MS;
  self->ping_timeout_ns = 100 * JANK_NS_PER_MS;
  self->store = g_build_filename (g_get_user_state_dir (), "jankwatch", NULL);
  self->max_reports = 200;
  self->max_bytes = 32 << 20;
  self->spin_turns = 2000;
  self->spin_time_ns = 2 * JANK_NS_PER_S;
  self->cpu_time_ns = 3 * JANK_NS_PER_S;
  self->annealing = TRUE;
  self->max_per_session = 200;
  self->max_per_day = 1000;
  self->on_report = g_strdup ("");
  self->events = g_strdup ("");
  self->frames = TRUE;
  self->overlay_corner = JANK_OVERLAY_TOP_END;
  self->overlay_scale = 1.0;
  self->overlay_opacity = 0.9;
  self->overlay_key = g_strdup ("<Control><Shift>j");
  return self;
}

JankSettings *
jank_settings_copy (const JankSettings *self)
{
  JankSettings *copy = g_memdup2 (self, sizeof *self);

  copy->store = g_strdup (self->store);
  copy->on_report = g_strdup (self->on_report);
  copy->events = g_strdup (self->events);
  copy->overlay_key = g_strdup (self->overlay_key);
  return copy;
}

void
jank_settings_free (JankSettings *self)
{
  g_free (self->store);
  g_free (self->on_report);
  g_free (self->events);
  g_free (self->overlay_key);
  g_free (self);
}

/* A decimal number, "." as its point whatever the locale, with one of the units' suffixes. */
static gboolean
parse_with_unit (const char *value, ValueType type, gint64 min, gint64 max, gint64 *ret_value)
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
parse_number (const char *value, gint64 min, gint64 max, double *ret_value)
{
  char *end = NULL;
  double number = g_ascii_strtod (value, &end);

  if (end == value || *end != '\0' || !(number * 1000.0 >= (double) min && number * 1000.0 <= (double) max))
    return FALSE;
  *ret_value = number;
  return TRUE;
}

static gboolean
parse_yes_no (const char *value, gboolean *ret_value)
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
parse_nick (const char *value, const char *const *nicks, guint *ret_value)
{
  for (guint i = 0; nicks[i] != NULL; i++)
    if (g_str_equal (value, nicks[i]))
      {
        *ret_value = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
parse_signal (const char *value, gint *ret_value)
{
  gint64 number = 0;

  if (!g_str_equal (value, "auto") && !g_ascii_string_to_signed (value, 10, SIGRTMIN, SIGRTMAX, &number, NULL))
    return FALSE;
  *ret_value = (gint) number;
  return TRUE;
}

/* The form of an accelerator, "<Control><Shift>j"; whether there is such a key only the toolkit knows. */
static gboolean
is_accelerator (const char *value)
{
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
number_to_text (double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (text, sizeof text, "%g", number));
}

static char *
time_to_text (gint64 time_ns)
{
  g_autofree char *number = NULL;

  if (time_ns % JANK_NS_PER_S == 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT "s", time_ns / JANK_NS_PER_S);
  number = number_to_text ((double) time_ns / JANK_NS_PER_MS);
  return g_strconcat (number, "ms", NULL);
}

static char *
describe_range (guint k)
{
  gboolean time = all_keys[k].type == VALUE_TIME;
  gint64 min = all_keys[k].min, max = all_keys[k].max;
  g_autofree char *min_text = time ? time_to_text (min) : number_to_text ((double) min / 1000.0);
  g_autofree char *max_text = time ? time_to_text (max) : number_to_text ((double) max / 1000.0);

  if (time)
    return g_strdup_printf (_("a time from %s to %s, such as 150, 150ms or 0.15s"), min_text, max_text);
  return g_strdup_printf (_("a number from %s to %s"), min_text, max_text);
}

static char *
list_nicks (const char *const *nicks)
{
  g_autofree char *names = g_strjoinv (", ", (char **) nicks);

  return g_strdup_printf (_("one of: %s"), names);
}

static char *
describe_accepted (guint k)
{
  switch (all_keys[k].type)
    {
    case VALUE_TIME:
    case VALUE_NUMBER:
      return describe_range (k);
    case VALUE_COUNT:
      return g_strdup_printf (_("a number from %ld to %ld"), (long) all_keys[k].min, (long) all_keys[k].max);
    case VALUE_BYTES:
      return g_strdup (_("a size from 64k to 1024G, such as 32M"));
    case VALUE_YES_NO:
      return g_strdup (_("“yes” or “no”"));
    case VALUE_SIGNAL:
      return g_strdup_printf (_("“auto” or a signal number from %d to %d"), SIGRTMIN, SIGRTMAX);
    case VALUE_RULE:
      return g_strdup (_("“path” or “last20”"));
    case VALUE_PRESET:
      return list_nicks (jank_preset_get_nicks ());
    case VALUE_OBSERVER:
      return list_nicks (observer_nicks);
    case VALUE_CORNER:
      return g_strdup (_("“top-start”, “top-end”, “bottom-start” or “bottom-end”"));
    case VALUE_FOLDER:
      return g_strdup (_("an absolute path"));
    case VALUE_FILE:
      return g_strdup (_("an absolute path, or nothing for none"));
    case VALUE_TEXT:
      return g_strdup (_("a command"));
    case VALUE_KEY:
      return g_strdup (_("a key such as “<Control><Shift>j”, or nothing for none"));
    default:
      g_assert_not_reached ();
    }
}

static char *
describe_current (const JankSettings *self, guint k)
{
  const void *field = (const char *) self + all_keys[k].offset;
  const char *text;

  switch (all_keys[k].type)
    {
    case VALUE_TIME:   return time_to_text (*(const gint64 *) field);
    case VALUE_COUNT:  return g_strdup_printf ("%u", *(const guint *) field);
    case VALUE_BYTES:  return g_strdup_printf ("%" G_GUINT64_FORMAT, *(const guint64 *) field);
    case VALUE_NUMBER: return number_to_text (*(const double *) field);
    case VALUE_YES_NO: return g_strdup (*(const gboolean *) field ? "yes" : "no");
    case VALUE_SIGNAL: return *(const gint *) field == 0 ? g_strdup ("auto") : g_strdup_printf ("%d", *(const gint *) field);
    case VALUE_RULE:   return g_strdup (rule_nicks[*(const guint *) field]);
    case VALUE_PRESET: return g_strdup (jank_preset_get (*(const guint *) field)->nick);
    case VALUE_OBSERVER: return g_strdup (observer_nicks[*(const guint *) field]);
    case VALUE_CORNER: return g_strdup (corner_nicks[*(const guint *) field]);
    case VALUE_FOLDER: return g_strdup (*(char *const *) field);
    case VALUE_TEXT:   return g_strdup (*(char *const *) field);
    case VALUE_FILE:
      text = *(char *const *) field;
      return g_strdup (*text != '\0' ? text : _("no file"));
    case VALUE_KEY:
      text = *(char *const *) field;
      return g_strdup (*text != '\0' ? text : _("no key"));
    default: g_assert_not_reached ();
    }
}

static void
set_text (char **field, const char *value)
{
  g_free (*field);
  *field = g_strdup (value);
}

static gboolean set_field (JankSettings *self, guint k, const char *value);

static guint
find_key (const char *key)
{
  guint k = 0;

  while (k < G_N_ELEMENTS (all_keys) && !g_str_equal (key, all_keys[k].key))
    k++;
  return k;
}

/* Gives every setting in text the value that it has there, or that it has in source. */
static void
set_implied (JankSettings *self, const char *text, const JankSettings *source)
{
  g_auto (GStrv) entries = g_strsplit (text, ",", -1);

  for (guint i = 0; entries[i] != NULL; i++)
    {
      char *equals = strchr (entries[i], '=');
      g_autofree char *value = NULL;
      guint k;

      *equals = '\0';
      k = find_key (entries[i]);
      g_assert (k < G_N_ELEMENTS (all_keys));
      value = source != NULL ? describe_current (source, k) : g_strdup (equals + 1);
      if (!set_field (self, k, value))
        g_assert_not_reached ();
    }
}

/* What another preset has set is as if it had never been. */
static gboolean
set_preset (JankSettings *self, const char *value)
{
  guint preset;

  if (!parse_nick (value, jank_preset_get_nicks (), &preset))
    return FALSE;
  if (self->preset != JANK_PRESET_DEFAULT)
    {
      g_autoptr (JankSettings) defaults = jank_settings_new ();

      set_implied (self, jank_preset_get (self->preset)->settings, defaults);
    }
  self->preset = preset;
  if (preset != JANK_PRESET_DEFAULT)
    set_implied (self, jank_preset_get (preset)->settings, NULL);
  return TRUE;
}

static gboolean
set_field (JankSettings *self, guint k, const char *value)
{
  void *field = (char *) self + all_keys[k].offset;
  gint64 number;

  switch (all_keys[k].type)
    {
    case VALUE_TIME:
    case VALUE_BYTES:
      return parse_with_unit (value, all_keys[k].type, all_keys[k].min, all_keys[k].max, field);
    case VALUE_COUNT:
      if (!g_ascii_string_to_signed (value, 10, all_keys[k].min, all_keys[k].max, &number, NULL))
        return FALSE;
      *(guint *) field = (guint) number;
      return TRUE;
    case VALUE_NUMBER: return parse_number (value, all_keys[k].min, all_keys[k].max, field);
    case VALUE_YES_NO: return parse_yes_no (value, field);
    case VALUE_SIGNAL: return parse_signal (value, field);
    case VALUE_RULE:   return parse_nick (value, rule_nicks, field);
    case VALUE_PRESET: return set_preset (self, value);
    case VALUE_OBSERVER: return parse_nick (value, observer_nicks, field);
    case VALUE_CORNER: return parse_nick (value, corner_nicks, field);
    case VALUE_FILE:
      if (*value != '\0' && !g_path_is_absolute (value))
        return FALSE;
      set_text (field, value);
      return TRUE;
    case VALUE_FOLDER:
      if (!g_path_is_absolute (value))
        return FALSE;
      set_text (field, value);
      return TRUE;
    case VALUE_TEXT:
      set_text (field, value);
      return TRUE;
    case VALUE_KEY:
      if (*value != '\0' && !is_accelerator (value))
        return FALSE;
      set_text (field, value);
      return TRUE;
    default:
      g_assert_not_reached ();
    }
}

/* What a key means that stands alone: "overlay" is "overlay=yes". */
static const char *
value_of_bare (const char *key)
{
  for (guint k = 0; k < G_N_ELEMENTS (all_keys); k++)
    if (all_keys[k].type == VALUE_YES_NO && g_str_equal (key, all_keys[k].key))
      return "yes";
  return "";
}

gboolean
jank_settings_set (JankSettings *self, const char *key, const char *value, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint k = 0; k < G_N_ELEMENTS (all_keys); k++)
    {
      g_autofree char *accepted = NULL;
      g_autofree char *current = NULL;

      g_string_append_printf (names, "%s%s", k > 0 ? ", " : "", all_keys[k].key);
      if (!g_str_equal (key, all_keys[k].key))
        continue;
      if (set_field (self, k, value))
        return TRUE;

      accepted = describe_accepted (k);
      current = describe_current (self, k);
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
                   _("Setting “%s” cannot be “%s”: it takes %s. Using %s"), key, value, accepted, current);
      return FALSE;
    }

  g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
               _("There is no setting “%s”; there are: %s. Ignoring it"), key, names->str);
  return FALSE;
}

char *
jank_settings_get (const JankSettings *self, const char *key)
{
  for (guint k = 0; k < G_N_ELEMENTS (all_keys); k++)
    if (g_str_equal (key, all_keys[k].key))
      return all_keys[k].type == VALUE_KEY ? g_strdup (*(char *const *) ((const char *) self + all_keys[k].offset))
                                           : describe_current (self, k);
  return NULL;
}

/* A file name, or a key of a key file, need not be UTF-8. */
static void
add_warning (GPtrArray *warnings, const char *text)
{
  g_ptr_array_add (warnings, g_utf8_make_valid (text, -1));
}

/* Entries of one source come in two passes: presets, then all others. */
static void
set_or_warn (JankSettings *self, const char *key, const char *value, gboolean presets, GPtrArray *warnings)
{
  g_autoptr (GError) error = NULL;

  if (g_str_equal (key, "preset") != presets)
    return;
  if (!jank_settings_set (self, key, value, &error))
    add_warning (warnings, error->message);
}

static void
apply_entries (JankSettings *self, const char *text, gboolean presets, GPtrArray *warnings)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_auto (GStrv) entries = g_strsplit (valid, ",", -1);

  for (guint i = 0; entries[i] != NULL; i++)
    {
      char *equals = strchr (entries[i], '=');

      if (equals != NULL)
        *equals = '\0';
      g_strstrip (entries[i]);
      if (equals != NULL)
        set_or_warn (self, entries[i], g_strstrip (equals + 1), presets, warnings);
      else if (entries[i][0] != '\0')
        set_or_warn (self, entries[i], value_of_bare (entries[i]), presets, warnings);
    }
}

void
jank_settings_apply_text (JankSettings *self, const char *text, GPtrArray *warnings)
{
  apply_entries (self, text, TRUE, warnings);
  apply_entries (self, text, FALSE, warnings);
}

static void
apply_keys (JankSettings *self, GKeyFile *file, const char *group, gboolean presets, GPtrArray *warnings)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);

  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_string (file, group, keys[i], NULL);

      set_or_warn (self, keys[i], value != NULL ? g_strstrip (value) : "", presets, warnings);
    }
}

static void
apply_group (JankSettings *self, GKeyFile *file, const char *group, GPtrArray *warnings)
{
  apply_keys (self, file, group, TRUE, warnings);
  apply_keys (self, file, group, FALSE, warnings);
}

void
jank_settings_apply_file (JankSettings *self, const char *path, const char *program, GPtrArray *warnings)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error))
    {
      if (!g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT) &&
          !g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOTDIR))
        {
          g_autofree char *text =
            g_strdup_printf (_("Could not read the settings in “%s”: %s. Going on without them"), path, error->message);

          add_warning (warnings, text);
        }
      return;
    }

  apply_group (self, file, "default", warnings);
  if (program != NULL && !g_str_equal (program, "default"))
    apply_group (self, file, program, warnings);
}

JankSettings *
jank_settings_load (const char *program, GPtrArray *warnings)
{
  JankSettings *self = jank_settings_new ();
  g_autofree char *path = g_build_filename (g_get_user_config_dir (), "jankwatch", "settings.conf", NULL);
  const char *text = g_getenv ("JANKWATCH_CONFIG");

  jank_settings_apply_file (self, path, program, warnings);
  if (text != NULL)
    jank_settings_apply_text (self, text, warnings);
  return self;
}
