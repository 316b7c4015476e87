/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "base/jank-settings-private.h"

#include <signal.h>
#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"

typedef enum { VALUE_TIME, VALUE_COUNT, VALUE_BYTES, VALUE_SIGNAL, VALUE_RULE, VALUE_FOLDER } ValueType;

/* Every setting; times and sizes in the unit of the field. */
static const struct
{
  const char *key;
  ValueType   type;
  gsize       offset;
  gint64      min, max;
} all_keys[] = {
  { "threshold",    VALUE_TIME,   G_STRUCT_OFFSET (JankSettings, threshold_ns),    20 * JANK_NS_PER_MS, 3600 * JANK_NS_PER_S },
  { "first-sample", VALUE_TIME,   G_STRUCT_OFFSET (JankSettings, first_sample_ns), JANK_NS_PER_MS, 10 * JANK_NS_PER_S },
  { "interval",     VALUE_TIME,   G_STRUCT_OFFSET (JankSettings, interval_ns),     JANK_NS_PER_MS, 10 * JANK_NS_PER_S },
  { "signal",       VALUE_SIGNAL, G_STRUCT_OFFSET (JankSettings, signal),          0, 0 },
  { "rule",         VALUE_RULE,   G_STRUCT_OFFSET (JankSettings, rule),            0, 0 },
  { "store",        VALUE_FOLDER, G_STRUCT_OFFSET (JankSettings, store),           0, 0 },
  { "max-reports",  VALUE_COUNT,  G_STRUCT_OFFSET (JankSettings, max_reports),     1, 100000 },
  { "max-bytes",    VALUE_BYTES,  G_STRUCT_OFFSET (JankSettings, max_bytes),       64 * 1024, G_GINT64_CONSTANT (1) << 40 },
};

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
  self->rule = JANK_RULE_PATH;
  self->store = g_build_filename (g_get_user_state_dir (), "jankwatch", NULL);
  self->max_reports = 200;
  self->max_bytes = 32 << 20;
  return self;
}

JankSettings *
jank_settings_copy (const JankSettings *self)
{
  JankSettings *copy = g_memdup2 (self, sizeof *self);

  copy->store = g_strdup (self->store);
  return copy;
}

void
jank_settings_free (JankSettings *self)
{
  g_free (self->store);
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

static char *
time_to_text (gint64 time_ns)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (time_ns % JANK_NS_PER_S == 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT "s", time_ns / JANK_NS_PER_S);
  g_ascii_formatd (number, sizeof number, "%g", (double) time_ns / JANK_NS_PER_MS);
  return g_strconcat (number, "ms", NULL);
}

static char *
describe_accepted (guint k)
{
  switch (all_keys[k].type)
    {
    case VALUE_TIME:
      {
        g_autofree char *min = time_to_text (all_keys[k].min);
        g_autofree char *max = time_to_text (all_keys[k].max);

        return g_strdup_printf (_("a time from %s to %s, such as 150, 150ms or 0.15s"), min, max);
      }
    case VALUE_COUNT:
      return g_strdup_printf (_("a number from %ld to %ld"), (long) all_keys[k].min, (long) all_keys[k].max);
    case VALUE_BYTES:
      return g_strdup (_("a size from 64k to 1024G, such as 32M"));
    case VALUE_SIGNAL:
      return g_strdup_printf (_("“auto” or a signal number from %d to %d"), SIGRTMIN, SIGRTMAX);
    case VALUE_RULE:
      return g_strdup (_("“path” or “last20”"));
    case VALUE_FOLDER:
      return g_strdup (_("an absolute path"));
    default:
      g_assert_not_reached ();
    }
}

static char *
describe_current (const JankSettings *self, guint k)
{
  const void *field = (const char *) self + all_keys[k].offset;

  switch (all_keys[k].type)
    {
    case VALUE_TIME:   return time_to_text (*(const gint64 *) field);
    case VALUE_COUNT:  return g_strdup_printf ("%u", *(const guint *) field);
    case VALUE_BYTES:  return g_strdup_printf ("%" G_GUINT64_FORMAT, *(const guint64 *) field);
    case VALUE_SIGNAL: return *(const gint *) field == 0 ? g_strdup ("auto") : g_strdup_printf ("%d", *(const gint *) field);
    case VALUE_RULE:   return g_strdup (*(const JankRule *) field == JANK_RULE_PATH ? "path" : "last20");
    case VALUE_FOLDER: return g_strdup (*(char *const *) field);
    default: g_assert_not_reached ();
    }
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
    case VALUE_SIGNAL:
      if (g_str_equal (value, "auto"))
        number = 0;
      else if (!g_ascii_string_to_signed (value, 10, SIGRTMIN, SIGRTMAX, &number, NULL))
        return FALSE;
      *(gint *) field = (gint) number;
      return TRUE;
    case VALUE_RULE:
      if (!g_str_equal (value, "path") && !g_str_equal (value, "last20"))
        return FALSE;
      *(JankRule *) field = g_str_equal (value, "path") ? JANK_RULE_PATH : JANK_RULE_LAST20;
      return TRUE;
    case VALUE_FOLDER:
      if (!g_path_is_absolute (value))
        return FALSE;
      g_free (*(char **) field);
      *(char **) field = g_strdup (value);
      return TRUE;
    default:
      g_assert_not_reached ();
    }
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

/* A file name, or a key of a key file, need not be UTF-8. */
static void
add_warning (GPtrArray *warnings, const char *text)
{
  g_ptr_array_add (warnings, g_utf8_make_valid (text, -1));
}

static void
set_or_warn (JankSettings *self, const char *key, const char *value, GPtrArray *warnings)
{
  g_autoptr (GError) error = NULL;

  if (!jank_settings_set (self, key, value, &error))
    add_warning (warnings, error->message);
}

void
jank_settings_apply_text (JankSettings *self, const char *text, GPtrArray *warnings)
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
        set_or_warn (self, entries[i], g_strstrip (equals + 1), warnings);
      else if (entries[i][0] != '\0')
        set_or_warn (self, entries[i], "", warnings);
    }
}

static void
apply_group (JankSettings *self, GKeyFile *file, const char *group, GPtrArray *warnings)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);

  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_string (file, group, keys[i], NULL);

      set_or_warn (self, keys[i], value != NULL ? g_strstrip (value) : "", warnings);
    }
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
