/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "python/jank-python-names-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

#define MAX_CODE_BYTES  256
#define MAX_CHARACTERS  1024
#define MAX_TABLE_BYTES (128 * 1024)
#define CODE_UNIT_BYTES 2

/* PyObject, PyVarObject and PyASCIIObject begin so in all versions. */
typedef struct
{
  guint64 n_references, type;
  gint64  length;
  gint64  hash;  /* of text */
  guint32 state; /* of text: bits as in STATE_… */
} Header;

#define STATE_KIND(state)    ((state) >> 2 & 7) /* bytes a character */
#define STATE_IS_COMPACT(state) (((state) >> 5 & 1) != 0)
#define STATE_IS_ASCII(state)   (((state) >> 6 & 1) != 0)

/* Returns: (transfer full) (nullable) */
static char *
to_utf8 (const void *characters, guint kind, gsize n)
{
  GString *text = g_string_sized_new (n);

  for (gsize i = 0; i < n; i++)
    {
      gunichar c = kind == 1 ? ((const guint8 *) characters)[i] : kind == 2 ? ((const guint16 *) characters)[i]
                                                                            : ((const guint32 *) characters)[i];

      g_string_append_unichar (text, c != 0 && g_unichar_validate (c) ? c : 0xfffd);
    }
  return g_string_free (text, FALSE);
}

/* Returns: (transfer full) (nullable): not a text, or one that is too long */
static char *
read_text (const JankPythonNames *self, guint64 address)
{
  guint32 characters[MAX_CHARACTERS];
  Header header;
  guint kind;

  if (!jank_memory_read_all (address, &header, sizeof header) || header.type != self->unicode_type ||
      !STATE_IS_COMPACT (header.state) || header.length < 0 || header.length > MAX_CHARACTERS)
    return NULL;
  kind = STATE_KIND (header.state);
  if ((kind != 1 && kind != 2 && kind != 4) ||
      !jank_memory_read_all (address + (STATE_IS_ASCII (header.state) ? self->layout.ascii : self->layout.compact),
                             characters, kind * (gsize) header.length))
    return NULL;
  return to_utf8 (characters, kind, (gsize) header.length);
}

/* Returns: (transfer full) (nullable) */
static guint8 *
read_bytes (const JankPythonNames *self, guint64 address, gsize *ret_n_bytes)
{
  g_autofree guint8 *bytes = NULL;
  Header header;

  if (!jank_memory_read_all (address, &header, sizeof header) || header.type != self->bytes_type || header.length < 0 ||
      header.length > MAX_TABLE_BYTES)
    return NULL;
  bytes = g_malloc ((gsize) header.length + 1);
  if (!jank_memory_read_all (address + self->layout.bytes, bytes, (gsize) header.length))
    return NULL;
  *ret_n_bytes = (gsize) header.length;
  return g_steal_pointer (&bytes);
}

/* Six bits a byte, lowest first; bit 6: more follow. */
static guint32
read_number (const guint8 *table, gsize n_bytes, gsize *at)
{
  guint32 number = 0;
  guint shift = 0;
  guint8 byte;

  do
    {
      byte = *at < n_bytes ? table[(*at)++] : 0;
      if (shift < 32)
        number |= (guint32) (byte & 63) << shift;
      shift += 6;
    }
  while ((byte & 64) != 0);
  return number;
}

guint
jank_python_find_line (const guint8 *table, gsize n_bytes, guint first_line, guint64 place)
{
  enum { SHORT_LAST = 9, ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NONE = 15 };
  guint64 ends = 0;
  guint32 line = first_line;
  gsize at = 0;

  while (at < n_bytes)
    {
      guint8 first = table[at++];
      guint form = first >> 3 & 15;

      ends += (first & 7u) + 1;
      if (form == NO_COLUMNS || form == LONG)
        {
          guint32 number = read_number (table, n_bytes, &at);

          line += (number & 1) != 0 ? -(number >> 1) : number >> 1;
        }
      else if (form >= ONE_LINE && form < NO_COLUMNS)
        line += form - ONE_LINE;
      if (place < ends)
        return form != NONE ? line : 0;
      /* Columns, which begin with a byte whose highest bit is not set. */
      while (at < n_bytes && (table[at] & 128) == 0)
        at++;
    }
  return 0;
}

static guint
find_line (const JankPythonNames *self, const JankPythonCall *call, const guint8 *code)
{
  guint64 instructions = call->code + self->layout.n_code_bytes, table_address;
  g_autofree guint8 *table = NULL;
  guint32 first_line;
  gsize n_bytes = 0;

  memcpy (&first_line, code + self->layout.first_line, sizeof first_line);
  memcpy (&table_address, code + self->layout.lines, sizeof table_address);
  table = read_bytes (self, table_address, &n_bytes);
  /* Before the first instruction: the call begins. */
  if (table == NULL || call->instruction < instructions)
    return first_line;
  return jank_python_find_line (table, n_bytes, first_line, (call->instruction - instructions) / CODE_UNIT_BYTES);
}

gboolean
jank_python_names_find (const JankPythonNames *self, const JankPythonCall *call, JankScripts *scripts, JankCall *ret_call)
{
  guint8 code[MAX_CODE_BYTES];
  guint64 type, name_address, file_address;
  g_autofree char *name = NULL, *file = NULL;
  JankScript script = { .language = "python" };
  guint32 first_line;
  guint line;

  if (self->layout.n_code_bytes > sizeof code ||
      !jank_memory_read_all (call->code, code, self->layout.n_code_bytes))
    return FALSE;
  memcpy (&type, code + G_STRUCT_OFFSET (Header, type), sizeof type);
  if (type != self->code_type)
    return FALSE;
  memcpy (&first_line, code + self->layout.first_line, sizeof first_line);
  memcpy (&name_address, code + self->layout.name, sizeof name_address);
  memcpy (&file_address, code + self->layout.file, sizeof file_address);
  script.name = name = read_text (self, name_address);
  script.file = file = read_text (self, file_address);
  script.line = first_line;
  if (name == NULL || file == NULL)
    return FALSE;
  line = find_line (self, call, code);
  return jank_scripts_add (scripts, &script, line != 0 ? line : first_line, ret_call);
}
