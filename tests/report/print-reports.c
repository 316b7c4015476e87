/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For test-schema.py, one JSON text per line: a full and a bare report, a session file and a summary, the tables of
 * reports and of sessions as schemas. argv[1] is a folder to work in. */

#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "report-fixture.h"
#include "store/jank-session-private.h"

#define SESSION "20261121-153000-4200"

static void
print_report (JankReport *report)
{
  g_autofree char *text = jank_report_to_json (report);

  puts (text);
}

static void
print_session (const char *folder, JankReport *report)
{
  char *command[] = { (char *) "program", (char *) "--option", NULL };
  JankSessionApp app = { .name = (char *) "program", .exe = (char *) "/usr/bin/program", .version = (char *) "1.2", .pid = 4242 };
  JankSessionSelf self = { .samples = 1 };
  g_autoptr (JankSession) session = jank_session_new (folder, SESSION, &app);
  g_autoptr (JankSessionSummary) summary = NULL;
  g_autofree char *path = g_strdup_printf ("%s/sessions/%s-%d.json", folder, SESSION, app.pid);
  g_autofree char *file = NULL, *text = NULL;

  jank_session_set_self (session, &self);
  jank_session_add (session, report);
  jank_session_set_frames (session, jank_report_frame_clock_copy (report->frame_clock));
  g_assert_true (jank_session_save (session, NULL));
  g_assert_true (g_file_get_contents (path, &file, NULL, NULL));
  puts (file);

  summary = jank_session_load (folder, SESSION, NULL);
  jank_session_summary_set_command (summary, command, 0);
  text = jank_session_summary_to_json (summary, FALSE);
  puts (text);
}

static void print_schema (const JankTable *table);

static void
print_field (const JankField *field)
{
  static const char *const types[] = {
    [JANK_STRING] = "string", [JANK_LETTERS] = "string", [JANK_NICK] = "string",
    [JANK_TIME] = "string", [JANK_INT] = "integer", [JANK_INDEX] = "integer", [JANK_NUMBER] = "number",
    [JANK_BOOLEAN] = "boolean", [JANK_ARRAY] = "array", [JANK_VALUES] = "array", [JANK_COLUMN] = "array",
    [JANK_INTS] = "array", [JANK_OBJECT] = "object", [JANK_POINTER] = "object",
  };
  const char *comma = "";

  if (field->type == JANK_OBJECT || field->type == JANK_POINTER)
    {
      print_schema (field->table);
      return;
    }
  printf ("{\"type\":\"%s\"", types[field->type]);
  if (field->type == JANK_ARRAY || field->type == JANK_VALUES)
    printf (",\"items\":"), print_schema (field->table);
  else if (field->type == JANK_COLUMN)
    printf (",\"items\":"), print_field (&field->table->fields[field->column]);
  else if (field->type == JANK_INTS)
    printf (",\"items\":{\"type\":\"integer\",\"minimum\":0}");
  else if (field->type == JANK_TIME)
    printf (",\"format\":\"date-time\"");
  else if (field->type == JANK_INDEX)
    printf (",\"minimum\":0,\"into\":\"%s\"", field->into);
  else if (field->type == JANK_INT && !(field->flags & JANK_SIGNED))
    printf (",\"minimum\":%d", field->flags & JANK_OMIT_EMPTY ? 1 : 0);
  else if (field->type == JANK_NUMBER)
    printf (field->flags & JANK_OMIT_EMPTY ? ",\"exclusiveMinimum\":0" : ",\"minimum\":0");
  else if (field->type == JANK_NICK)
    {
      printf (",\"enum\":[");
      for (gint i = 0; i < field->max; i++)
        if (field->nicks[i] != NULL)
          printf ("%s\"%s\"", comma, field->nicks[i]), comma = ",";
      printf ("]");
    }
  printf ("}");
}

static void
print_rows (const JankTable *table, const char *comma)
{
  for (guint i = 0; i < table->n_fields; i++, comma = ",")
    {
      const JankField *field = &table->fields[i];

      printf ("%s", comma);
      if (field->type == JANK_INLINE)
        print_rows (field->table, "");
      else
        printf ("\"%s\":", field->name), print_field (field);
    }
}

static void
print_schema (const JankTable *table)
{
  printf ("{\"type\":\"object\",\"properties\":{");
  print_rows (table, "");
  printf ("}}");
}

int
main (int argc, char **argv)
{
  g_autoptr (JankReport) full = report_fixture_new ("20261121-153012-4242-1");
  g_autoptr (JankReport) bare = report_fixture_new_bare ("20261121-153012-4242-2");

  g_assert_cmpint (argc, ==, 2);
  print_report (full);
  print_report (bare);
  print_session (argv[1], full);
  print_schema (&jank_report_table);
  puts ("");
  print_schema (&jank_session_summary_table);
  puts ("");
  return 0;
}
