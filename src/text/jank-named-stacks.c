/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "text/jank-named-stacks-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "blame/jank-culprit-private.h"
#include "symbols/jank-function-name-private.h"
#include "text/jank-text-report-private.h"
#include "verdict/jank-verdict-private.h"

/* As many as a stack of a report has, and with those that were inlined. */
#define MAX_CALLS 1000

struct _JankNamedStacks
{
  JankReport   *report; /* (owned) */
  GStringChunk *names;  /* (owned) */
  GPtrArray    *calls;  /* (owned) (element-type GArray) (nullable): by call, once asked for */
  gboolean      keeps_native;
  GPtrArray    *stacks; /* (owned) (element-type GArray) (nullable): by stack + 1, once asked for */
};

static void
jank_named_stacks_clear_array (gpointer array)
{
  g_clear_pointer ((GArray **) &array, g_array_unref);
}

static GPtrArray *
jank_named_stacks_new_arrays (guint n)
{
  GPtrArray *arrays = g_ptr_array_new_with_free_func (jank_named_stacks_clear_array);

  g_ptr_array_set_size (arrays, (gint) n);
  return arrays;
}

JankNamedStacks *
jank_named_stacks_new (JankReport *report)
{
  JankNamedStacks *self = g_new0 (JankNamedStacks, 1);

  self->report = jank_report_ref (report);
  self->names = g_string_chunk_new (1024);
  self->calls = jank_named_stacks_new_arrays (report->calls->len);
  self->stacks = jank_named_stacks_new_arrays (report->stacks->len + 1);
  return self;
}

void
jank_named_stacks_free (JankNamedStacks *self)
{
  g_ptr_array_unref (self->stacks);
  g_ptr_array_unref (self->calls);
  g_string_chunk_free (self->names);
  jank_report_unref (self->report);
  g_free (self);
}

void
jank_named_stacks_keep_native (JankNamedStacks *self)
{
  self->keeps_native = TRUE;
}

static void
jank_named_stacks_append (JankNamedStacks *self, GArray *calls, const char *symbol, JankNamedCall call)
{
  g_autofree char *name = jank_function_name (symbol);

  call.name = g_string_chunk_insert (self->names, name); /* no table: a file may choose names that collide in it */
  g_array_append_val (calls, call);
}

static GArray *
jank_named_stacks_make_call (JankNamedStacks *self, guint index)
{
  GArray *made = g_array_new (FALSE, FALSE, sizeof (JankNamedCall));
  const JankReportCall *call = jank_report_get_call (self->report, (gint) index);
  g_autofree char *symbol = jank_report_call_to_text (self->report, index);
  const JankReportModule *module = jank_report_get_module (self->report, call);
  g_autofree char *holder = jank_text_file_name (module != NULL ? module->path : NULL);
  JankNamedCall named = {
    .holder = g_string_chunk_insert (self->names, holder),
    .module = module,
    .file = call->file,
    .line = call->line,
    .platform = !jank_report_is_own (self->report, call, NULL),
    .nameless = call->symbol == NULL,
    .folded = jank_culprit_is_folded (call->symbol),
  };

  jank_named_stacks_append (self, made, symbol, named);
  named.inlined = TRUE;
  named.nameless = FALSE;
  for (guint i = call->inlined->len; i > 0; i--)
    {
      const JankReportInlined *inlined = g_ptr_array_index (call->inlined, i - 1);

      named.file = inlined->file;
      named.line = inlined->line;
      named.platform = !jank_report_is_own (self->report, call, inlined);
      if (inlined->symbol != NULL)
        jank_named_stacks_append (self, made, inlined->symbol, named);
    }
  return made;
}

const GArray *
jank_named_stacks_get_call (JankNamedStacks *self, guint call)
{
  if (self->calls->pdata[call] == NULL)
    self->calls->pdata[call] = jank_named_stacks_make_call (self, call);
  return self->calls->pdata[call];
}

GArray *
jank_named_stacks_find_hidden (JankNamedStacks *self, const GArray *calls)
{
  GArray *none = self->keeps_native ? g_array_sized_new (FALSE, TRUE, sizeof (gboolean), calls->len) : NULL;

  return none != NULL ? g_array_set_size (none, calls->len) : jank_verdict_find_hidden (self->report, calls);
}

static GArray *
jank_named_stacks_make_stack (JankNamedStacks *self, gint index)
{
  static const JankNamedCall no_callers = { N_("(callers not read)"), "", .platform = TRUE, .nameless = TRUE,
                                            .unread = TRUE };
  static const JankNamedCall no_stack = { N_("(stack not read)"), "", .platform = TRUE, .nameless = TRUE,
                                          .unread = TRUE };
  GArray *made = g_array_new (FALSE, FALSE, sizeof (JankNamedCall));
  const JankReportStack *stack = jank_report_get_stack (self->report, index);
  g_autoptr (GArray) hidden = stack != NULL ? jank_named_stacks_find_hidden (self, stack->calls) : NULL;
  guint n_calls = 0, n = 0;

  while (stack != NULL && n < stack->calls->len && n_calls < MAX_CALLS)
    n_calls += jank_named_stacks_get_call (self, g_array_index (stack->calls, guint, n++))->len;
  if (n == 0)
    g_array_append_val (made, no_stack);
  else if (!stack->complete || n < stack->calls->len)
    g_array_append_val (made, no_callers);
  for (; n > 0; n--)
    {
      const GArray *call = jank_named_stacks_get_call (self, g_array_index (stack->calls, guint, n - 1));

      if (!g_array_index (hidden, gboolean, n - 1))
        g_array_append_vals (made, call->data, call->len);
    }
  if (made->len == 0)
    g_array_append_val (made, no_stack);
  return made;
}

const GArray *
jank_named_stacks_get (JankNamedStacks *self, gint stack)
{
  guint slot = (guint) (stack + 1);

  G_STATIC_ASSERT (JANK_REPORT_NO_INDEX == -1);
  if (self->stacks->pdata[slot] == NULL)
    self->stacks->pdata[slot] = jank_named_stacks_make_stack (self, stack);
  return self->stacks->pdata[slot];
}

JankReport *
jank_named_stacks_get_report (const JankNamedStacks *self)
{
  return self->report;
}

/* The C library's wrapper of a system call that is named already adds nothing. */
char *
jank_text_where (JankNamedStacks *names, gint stack, const char *skip)
{
  const GArray *calls = jank_named_stacks_get (names, stack);
  const JankNamedCall *innermost = NULL, *own = NULL;

  if (stack == JANK_REPORT_NO_INDEX)
    return g_strdup ("");
  for (guint i = calls->len; i > 0 && own == NULL; i--)
    {
      const JankNamedCall *call = &g_array_index (calls, JankNamedCall, i - 1);

      if (call->nameless || (skip != NULL && strcmp (call->name, skip) == 0))
        continue;
      if (innermost == NULL)
        innermost = call;
      if (!call->platform)
        own = call;
    }

  if (innermost == NULL)
    innermost = &g_array_index (calls, JankNamedCall, calls->len - 1);
  if (own == NULL || own == innermost)
    return g_strdup (innermost->unread ? _(innermost->name) : innermost->name);
  return g_strdup_printf ("%s → %s", own->name, innermost->name);
}
