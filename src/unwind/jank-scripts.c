/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-scripts-private.h"

/* A call's function is its script's number, from 1 on, shifted; pc is that plus the line. */
#define LINE_BITS 24
#define MAX_LINE  ((1u << LINE_BITS) - 1)

struct _JankScripts
{
  GPtrArray  *scripts; /* (owned) JankScript */
  GHashTable *numbers; /* (owned) JankScript of scripts → its number */
};

static void
jank_scripts_script_free (gpointer data)
{
  JankScript *self = data;

  g_free (self->name);
  g_free (self->file);
  g_free (self);
}

static guint
jank_scripts_script_hash (gconstpointer data)
{
  const JankScript *self = data;

  return g_str_hash (self->name) * 31 + g_str_hash (self->file) * 7 + self->line;
}

static gboolean
jank_scripts_script_equal (gconstpointer a, gconstpointer b)
{
  const JankScript *x = a, *y = b;

  return x->line == y->line && g_str_equal (x->name, y->name) && g_str_equal (x->file, y->file) &&
         g_str_equal (x->language, y->language);
}

JankScripts *
jank_scripts_new (void)
{
  JankScripts *self = g_new0 (JankScripts, 1);

  self->scripts = g_ptr_array_new_with_free_func (jank_scripts_script_free);
  self->numbers = g_hash_table_new (jank_scripts_script_hash, jank_scripts_script_equal);
  return self;
}

void
jank_scripts_free (JankScripts *self)
{
  g_hash_table_unref (self->numbers);
  g_ptr_array_unref (self->scripts);
  g_free (self);
}

gboolean
jank_scripts_add (JankScripts *self, const JankScript *function, guint line, JankCall *ret_call)
{
  guint64 number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, function));

  if (number == 0)
    {
      JankScript *script;

      if (self->scripts->len >= JANK_SCRIPTS_MAX)
        return FALSE;
      script = g_new (JankScript, 1);
      *script = (JankScript) { function->language, g_strdup (function->name), g_strdup (function->file),
                              function->line, function->is_collector };
      g_ptr_array_add (self->scripts, script);
      number = self->scripts->len;
      g_hash_table_insert (self->numbers, script, GUINT_TO_POINTER (number));
    }
  number <<= LINE_BITS;
  *ret_call = (JankCall) { number + MIN (line, MAX_LINE), number, JANK_MODULE_SCRIPT, 0 };
  return TRUE;
}

const JankScript *
jank_scripts_get (const JankScripts *self, const JankCall *call)
{
  guint64 number = call->function >> LINE_BITS;

  if (call->module != JANK_MODULE_SCRIPT || number == 0 || number > self->scripts->len)
    return NULL;
  return self->scripts->pdata[number - 1];
}
