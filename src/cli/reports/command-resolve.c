/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch resolve`: marks a problem as resolved, like the inspector's tick. */

#include "cli/cli.h"

#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "store/jank-resolved-private.h"

/* id: of a report or a fingerprint, or the beginning of those of one problem only. Returns: (nullable) */
static const char *
find_problem (GPtrArray *rows, const char *id, GError **error)
{
  const char *found = NULL;

  for (guint i = 0; i < rows->len; i++)
    {
      const JankRow *row = g_ptr_array_index (rows, i);

      if (*id == '\0' || !(g_str_has_prefix (row->fingerprint, id) || g_str_has_prefix (row->id, id)) ||
          g_strcmp0 (found, row->fingerprint) == 0)
        continue;
      if (g_str_equal (row->fingerprint, id) || g_str_equal (row->id, id))
        return row->fingerprint;
      if (found != NULL)
        {
          g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("‘%s’ matches several problems"), id);
          return NULL;
        }
      found = row->fingerprint;
    }
  if (found == NULL)
    g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("There is no problem ‘%s’"), id);
  return found;
}

/* Returns: (transfer full): borrowed texts, NULL at the end */
static const char **
find_versions (GPtrArray *rows, const char *fingerprint)
{
  g_autoptr (GPtrArray) versions = g_ptr_array_new ();

  for (guint i = 0; i < rows->len; i++)
    {
      const JankRow *row = g_ptr_array_index (rows, i);
      const char *version = g_str_equal (row->fingerprint, fingerprint) ? jank_row_get_version (row) : NULL;

      if (version != NULL && !g_ptr_array_find_with_equal_func (versions, version, g_str_equal, NULL))
        g_ptr_array_add (versions, (gpointer) version);
    }
  g_ptr_array_add (versions, NULL);
  return (const char **) g_ptr_array_free (g_steal_pointer (&versions), FALSE);
}

int
command_resolve (int argc, char **argv)
{
  gboolean undo = FALSE;
  g_autofree char *folder = NULL;
  const GOptionEntry entries[] = {
    { "undo", 0, 0, G_OPTION_ARG_NONE, &undo, N_("Mark the problem as not resolved"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "resolve", _("ID"), _("Marks a problem as resolved: “jankwatch summary” hides it until a newer version of the "
                          "program has it again. ID is in the column “Problem”, or that of a report; its beginning is "
                          "enough."),
                          entries);
  g_autoptr (JankStore) store = NULL;
  g_autoptr (JankIndex) index = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree const char **versions = NULL;
  const char *fingerprint;

  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (argc != 2)
    return cli_fail_usage ("resolve", _("Name a problem"));

  rows = cli_find_rows (folder, NULL, &store, &index, &error);
  if (rows == NULL)
    return cli_fail (error);
  fingerprint = find_problem (rows, argv[1], &error);
  if (fingerprint == NULL)
    return cli_fail (error);
  versions = find_versions (rows, fingerprint);
  if (!jank_resolved_set (jank_store_get_folder (store), fingerprint, !undo, versions, &error))
    return cli_fail (error);
  return CLI_FINE;
}
