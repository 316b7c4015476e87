/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Commands and options are what the commands say of themselves; values are those that are checked, or that the store
 * has. */

#include "complete.h"

#include <string.h>

#include "base/jank-text-clean-private.h"
#include "chain/jank-processes-private.h"
#include "ci-files.h"
#include "cli.h"
#include "export/jank-export-format-private.h"
#include "proc/jank-proc-private.h"
#include "settings/jank-settings-private.h"
#include "cli/programs/programs.h"
#include "cli/watched/watched.h"

typedef struct
{
  GPtrArray  *words;    /* (owned) of (owned): all but the last */
  char       *typed;    /* (owned): the last */
  gsize       n_parted; /* bytes of it that the shell keeps, and does not want again */
  const char *part;     /* of typed: where what is completed begins */
  GHashTable *offered;  /* (owned) of (owned) */
} Complete;

static void
complete_offer (Complete *self, const char *word, const char *end)
{
  g_autofree char *clean = jank_text_clean (word), *whole = NULL;

  if (*clean == '\0' || !g_str_has_prefix (clean, self->part))
    return;
  whole = g_strdup_printf ("%.*s%s%s", (int) (self->part - self->typed), self->typed, clean, end);
  if (g_hash_table_add (self->offered, g_strdup (whole)))
    g_print ("%s\n", whole + self->n_parted);
}

static void
complete_offer_all (Complete *self, const char *const *words, const char *end)
{
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    complete_offer (self, words[i], end);
}

static const char *
complete_get_word (const Complete *self, guint i)
{
  return i < self->words->len ? g_ptr_array_index (self->words, i) : "";
}

/* Returns: (nullable): what --store was given */
static const char *
complete_find_store (const Complete *self)
{
  for (guint i = 0; i < self->words->len; i++)
    {
      const char *word = complete_get_word (self, i);

      if (g_str_has_prefix (word, "--store="))
        return word + strlen ("--store=");
      if (strcmp (word, "--store") == 0 && i + 1 < self->words->len)
        return complete_get_word (self, i + 1);
    }
  return NULL;
}

static const char *
complete_version (const JankRow *row)
{
  return jank_row_get_version (row);
}

#define COMPLETE_TEXT(member) static const char *complete_##member (const JankRow *row) { return row->member; }
COMPLETE_TEXT (app)
COMPLETE_TEXT (session)
COMPLETE_TEXT (fingerprint)
COMPLETE_TEXT (reason)
COMPLETE_TEXT (tags)
COMPLETE_TEXT (culprit)
COMPLETE_TEXT (id)

static void
complete_offer_rows (Complete *self, const char *(*get) (const JankRow *))
{
  g_autoptr (JankStore) store = NULL;
  g_autoptr (JankIndex) index = NULL;
  g_autoptr (GPtrArray) rows = cli_find_rows (complete_find_store (self), NULL, &store, &index, NULL);

  for (guint i = 0; rows != NULL && i < rows->len; i++)
    {
      g_auto (GStrv) texts = g_strsplit (jank_text_or_empty (get (g_ptr_array_index (rows, i))), "\n", -1);

      complete_offer_all (self, (const char *const *) texts, "");
    }
}

static void
complete_formats (Complete *self)
{
  for (guint i = 0; i < jank_export_n_formats; i++)
    complete_offer (self, jank_export_formats[i]->name, "");
}

static void
complete_kinds (Complete *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (jank_report_kind_nicks); i++)
    complete_offer (self, jank_report_kind_nicks[i], "");
}

static void
complete_severities (Complete *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (jank_severity_nicks); i++)
    complete_offer (self, jank_severity_nicks[i], "");
}

static void
complete_demo (Complete *self)
{
  g_auto (GStrv) kinds = command_demo_list_kinds ();

  complete_offer_all (self, (const char *const *) kinds, "");
}

/* "NAME=VALUE" */
static void
complete_settings (Complete *self)
{
  const char *equals = strchr (self->part, '=');
  g_autofree char *name = equals != NULL ? g_strndup (self->part, (gsize) (equals - self->part)) : NULL;

  if (name == NULL)
    {
      complete_offer_all (self, jank_settings_get_names (), "=");
      return;
    }
  self->part = equals + 1;
  complete_offer_all (self, jank_settings_get_words (name), "");
}

/* What follows an option. */
static const struct
{
  const char        *command; /* (nullable): any */
  const char        *option;
  const char *const *words;   /* (nullable) */
  void             (*offer) (Complete *);
  const char      *(*get) (const JankRow *);
} values[] = {
  { "top", "--sort", .words = program_rows_orders },
  { NULL, "--sort", .words = command_list_orders },
  { NULL, "--by", .words = command_summary_groups },
  { NULL, "--annotate", .words = ci_files_places },
  { NULL, "--since", .words = jank_filter_times },
  { NULL, "--until", .words = jank_filter_times + 1 },
  { NULL, "--format", .offer = complete_formats },
  { NULL, "-f", .offer = complete_formats },
  { NULL, "--kind", .offer = complete_kinds },
  { NULL, "--severity", .offer = complete_severities },
  { NULL, "--auto", .offer = complete_demo },
  { NULL, "--set", .offer = complete_settings },
  { NULL, "--app", .get = complete_app },
  { NULL, "--app-version", .get = complete_version },
  { NULL, "--session", .get = complete_session },
  { NULL, "--fingerprint", .get = complete_fingerprint },
  { NULL, "--culprit", .get = complete_culprit },
  { NULL, "--reason", .get = complete_reason },
  { NULL, "--tag", .get = complete_tags },
};

/* Returns: FALSE: of what follows option nothing is known, or nothing does */
static gboolean
complete_value (Complete *self, const char *option)
{
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      if (strcmp (values[i].option, option) != 0 ||
          (values[i].command != NULL && strcmp (values[i].command, complete_get_word (self, 0)) != 0))
        continue;
      complete_offer_all (self, values[i].words, "");
      if (values[i].offer != NULL)
        values[i].offer (self);
      if (values[i].get != NULL)
        complete_offer_rows (self, values[i].get);
      return TRUE;
    }
  return FALSE;
}

static void
complete_processes (Complete *self)
{
  g_autoptr (GArray) pids = jank_processes_find (NULL);

  for (guint i = 0; i < pids->len; i++)
    {
      pid_t pid = g_array_index (pids, pid_t, i);
      g_autofree char *number = g_strdup_printf ("%d", (int) pid);
      char path[48], name[64];

      complete_offer (self, number, "");
      jank_proc_path (path, sizeof path, pid, "comm");
      if (jank_proc_read (path, name, sizeof name))
        complete_offer (self, g_strchomp (name), "");
    }
}

/* The last of "app=gedit,app-version=1.2". */
static void
complete_filter (Complete *self)
{
  const char *comma = strrchr (self->part, ','), *equals;
  g_autofree char *option = NULL;

  self->part = comma != NULL ? comma + 1 : self->part;
  equals = strchr (self->part, '=');
  if (equals == NULL)
    {
      complete_offer_all (self, jank_filter_names, "=");
      return;
    }
  option = g_strdup_printf ("--%.*s", (int) (equals - self->part), self->part);
  self->part = equals + 1;
  complete_value (self, option);
}

static void
complete_argument (Complete *self, const char *command)
{
  static const char *const names[] = { "latest", NULL };

  if (strcmp (command, "show") == 0 || strcmp (command, "export") == 0)
    {
      complete_offer_all (self, names, "");
      complete_offer_rows (self, complete_id);
    }
  else if (strcmp (command, "why") == 0 || strcmp (command, "dump") == 0)
    complete_processes (self);
  else if (strcmp (command, "session") == 0)
    complete_offer_all (self, command_session_words, "");
  else if (strcmp (command, "diff") == 0)
    complete_filter (self);
}

static void
complete_command (Complete *self)
{
  static const char *const options[] = { "--help", "--version", NULL };

  for (guint i = 0; i < cli_n_commands; i++)
    complete_offer (self, cli_commands[i].name, "");
  if (self->words->len == 0)
    complete_offer_all (self, options, "");
}

static void
complete_word (Complete *self)
{
  const char *command = complete_get_word (self, 0), *equals = strchr (self->typed, '=');
  const char *previous = complete_get_word (self, self->words->len - 1);
  g_autofree char *option = equals != NULL ? g_strndup (self->typed, (gsize) (equals - self->typed)) : NULL;
  const CliCommand *found = cli_find_command (command);
  g_auto (GStrv) options = NULL;

  self->part = self->typed;
  if (self->words->len == 0 || (self->words->len == 1 && strcmp (command, "help") == 0))
    complete_command (self);
  else if (self->words->len > 1 && *previous == '-' && complete_value (self, previous))
    return;
  else if (*self->typed == '-' && equals != NULL)
    {
      self->part = equals + 1;
      complete_value (self, option);
    }
  else if (*self->typed == '-' && found != NULL)
    {
      options = cli_list_options (found);
      complete_offer_all (self, (const char *const *) options, "");
    }
  else
    complete_argument (self, command);
}

int
complete_words (int argc, char **argv)
{
  Complete self = { g_ptr_array_new_with_free_func (g_free), g_strdup (""), 0, NULL,
                    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  gboolean is_parted = FALSE;

  for (int i = 1; i < argc; i++)
    {
      gboolean is_equals = strcmp (argv[i], "=") == 0;
      g_autofree char *before = self.typed;

      if (i > 1 && !is_equals && !is_parted)
        {
          g_ptr_array_add (self.words, g_steal_pointer (&before));
          self.n_parted = 0;
        }
      self.typed = g_strconcat (before != NULL ? before : "", argv[i], NULL);
      if (is_equals)
        self.n_parted = strlen (self.typed);
      is_parted = is_equals;
    }
  complete_word (&self);
  g_ptr_array_unref (self.words);
  g_free (self.typed);
  g_hash_table_unref (self.offered);
  return CLI_FINE;
}
