/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: CPython's texts and tables of lines. */

#include "python/jank-python-parts-private.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"

#define MAX_CHARACTERS  1024
#define MAX_TABLE_BYTES (128 * 1024)
#define CODE_UNIT_BYTES 2
#define UTF8_BYTES      4 /* of a character at most */

/* The handler no longer reads code that was seen this often, unchanged for this long. */
#define MAX_KNOWN   4096
#define STABLE_SEEN 4
#define STABLE_NS   (JANK_NS_PER_S / 2)

/* Stable code is not read again for so long: seven system calls a function. */
#define READ_AGE_NS (100 * JANK_NS_PER_MS)

/* The common beginning of PyObject, PyVarObject and PyASCIIObject, the same in all versions. */
typedef struct
{
  guint64 n_references, type;
  gint64  length;
  gint64  hash;  /* of text */
  guint32 state; /* of text: bits as in STATE_… */
} Header;

#define STATE_KIND(state)    ((state) >> 2 & 7) /* bytes per character */
#define STATE_IS_COMPACT(state) (((state) >> 5 & 1) != 0)
#define STATE_IS_ASCII(state)   (((state) >> 6 & 1) != 0)

/* FALSE: it is too long */
static gboolean
jank_python_names_encode (const void *characters, guint kind, gsize n, char *text, gsize n_bytes)
{
  gsize at = 0, i = 0;

  for (; i < n && at + UTF8_BYTES < n_bytes; i++)
    {
      gunichar c = kind == 1 ? ((const guint8 *) characters)[i] : kind == 2 ? ((const guint16 *) characters)[i]
                                                                            : ((const guint32 *) characters)[i];

      at += (gsize) g_unichar_to_utf8 (c != 0 && g_unichar_validate (c) ? c : 0xfffd, text + at);
    }
  text[at] = '\0';
  return i == n;
}

/* Returns: (transfer full) */
static char *
jank_python_names_to_utf8 (const void *characters, guint kind, gsize n)
{
  gsize n_bytes = (n + 1) * UTF8_BYTES + 1;
  char *text = g_malloc (n_bytes);

  jank_python_names_encode (characters, kind, n, text, n_bytes);
  return text;
}

static gboolean
jank_python_names_is_text (const JankPythonNames *self, const Header *header)
{
  guint kind = STATE_KIND (header->state);

  return header->type == self->unicode_type && STATE_IS_COMPACT (header->state) && header->length >= 0
         && header->length <= MAX_CHARACTERS && (kind == 1 || kind == 2 || kind == 4);
}

static gsize
jank_python_names_get_characters (const JankPythonNames *self, const Header *header)
{
  return STATE_IS_ASCII (header->state) ? self->layout.ascii : self->layout.compact;
}

static gboolean
jank_python_names_copy_text (const JankPythonNames *self, guint64 address, char *text, gsize n_bytes)
{
  guint32 characters[MAX_CHARACTERS];
  Header header;

  return jank_memory_read_all (address, &header, sizeof header) && jank_python_names_is_text (self, &header) &&
         jank_memory_read_all (address + jank_python_names_get_characters (self, &header), characters,
                               STATE_KIND (header.state) * (gsize) header.length) &&
         jank_python_names_encode (characters, STATE_KIND (header.state), (gsize) header.length, text, n_bytes);
}

char *
jank_python_names_read_text (const JankPythonNames *self, guint64 address)
{
  char text[MAX_CHARACTERS * UTF8_BYTES + UTF8_BYTES + 1];

  return jank_python_names_copy_text (self, address, text, sizeof text) ? g_strdup (text) : NULL;
}

/* If the copy holds only the beginning, reads the text at address, which must begin like the copy.
 * Returns: (transfer full) (nullable) */
static char *
jank_python_names_get_text (const JankPythonNames *self, const JankPythonText *copy, guint64 address)
{
  _Alignas (8) guint8 object[sizeof *copy + JANK_PYTHON_TEXT_BEGIN];
  Header header, now;
  guint kind;
  gsize at, n_left;
  g_autofree char *begin = NULL, *text = NULL;

  memcpy (object + JANK_PYTHON_TEXT_BEGIN, copy, sizeof *copy);
  memcpy (&header.type, object + JANK_PYTHON_TEXT_BEGIN, sizeof header - G_STRUCT_OFFSET (Header, type));
  if (!jank_python_names_is_text (self, &header))
    return NULL;
  kind = STATE_KIND (header.state);
  at = jank_python_names_get_characters (self, &header);
  n_left = (sizeof object - at) / kind;
  begin = jank_python_names_to_utf8 (object + at, kind, MIN ((gsize) header.length, n_left));
  if ((gsize) header.length <= n_left)
    return g_steal_pointer (&begin);
  text = jank_python_names_read_text (self, address);
  return text != NULL && g_str_has_prefix (text, begin) && jank_memory_read_all (address, &now, sizeof now)
           && now.length == header.length && now.hash == header.hash ? g_steal_pointer (&text) : NULL;
}

/* Returns: (transfer full) (nullable) */
static guint8 *
jank_python_names_read_bytes (const JankPythonNames *self, guint64 address, gsize *ret_n_bytes)
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

/* Six bits per byte, lowest first; bit 6: more follow. */
static guint32
jank_python_names_read_number (const guint8 *table, gsize n_bytes, gsize *at)
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
          guint32 number = jank_python_names_read_number (table, n_bytes, &at);

          line += (number & 1) != 0 ? -(number >> 1) : number >> 1;
        }
      else if (form >= ONE_LINE && form < NO_COLUMNS)
        line += form - ONE_LINE;
      if (place < ends)
        return form != NONE ? line : 0;
      /* Columns: bytes up to the next one whose highest bit is set. */
      while (at < n_bytes && (table[at] & 128) == 0)
        at++;
    }
  return 0;
}

/* The function of a call's code, and where its lines are. */
typedef struct
{
  char   *name, *file; /* (owned) (nullable) */
  guint   first_line;
  guint8 *table;       /* (owned) (nullable): locations */
  gsize   n_table_bytes;
} Found;

/* What samples have seen at an address. */
typedef struct
{
  guint64 code, function; /* in the table of scripts */
  guint   n_seen;
  gint64  since_ns;       /* CLOCK_MONOTONIC */
  gint64  read_ns;        /* CLOCK_MONOTONIC, when found was read */
  Found   found;
} Known;

static void
jank_python_names_found_clear (Found *self)
{
  g_free (self->name);
  g_free (self->file);
  g_free (self->table);
  *self = (Found) { NULL, NULL, 0, NULL, 0 };
}

static void
jank_python_names_known_free (gpointer data)
{
  Known *self = data;

  jank_python_names_found_clear (&self->found);
  g_free (self);
}

static void
jank_python_names_read_table (const JankPythonNames *self, const guint8 *code, Found *found)
{
  guint64 address;

  memcpy (&address, code + self->layout.lines, sizeof address);
  found->table = jank_python_names_read_bytes (self, address, &found->n_table_bytes);
}

static guint
jank_python_names_find_line (const JankPythonNames *self, const JankPythonCall *call, const Found *found)
{
  guint64 instructions = call->code + self->layout.n_code_bytes;

  /* Before the first instruction: the call is just beginning. */
  if (found->table == NULL || call->instruction < instructions)
    return found->first_line;
  return jank_python_find_line (found->table, found->n_table_bytes, found->first_line,
                                (call->instruction - instructions) / CODE_UNIT_BYTES);
}

static guint64
jank_python_names_get_word (const JankPythonNames *self, const guint64 *code, guint16 offset)
{
  return code[(offset - self->layout.identity) / sizeof *code];
}

static gboolean
jank_python_names_read_code (const JankPythonNames *self, guint64 address, guint8 *ret_code)
{
  guint64 type;

  if (!jank_memory_read_all (address, ret_code, self->layout.n_code_bytes))
    return FALSE;
  memcpy (&type, ret_code + G_STRUCT_OFFSET (Header, type), sizeof type);
  return type == self->code_type;
}

/* As it was at the sample. Code that has changed since then gives no line. */
static gboolean
jank_python_names_find_then (const JankPythonNames *self, const JankPythonCall *call,
                             const JankPythonCalls *calls, Found *ret_found)
{
  const JankPythonIdentity *identity = &calls->identities[call->identity];
  guint8 code[JANK_PYTHON_MAX_CODE_BYTES];

  if (identity->name >= calls->n_texts || identity->file >= calls->n_texts)
    return FALSE;
  ret_found->name = jank_python_names_get_text (self, &calls->texts[identity->name],
                                                jank_python_names_get_word (self, identity->code, self->layout.name));
  ret_found->file = jank_python_names_get_text (self, &calls->texts[identity->file],
                                                jank_python_names_get_word (self, identity->code, self->layout.file));
  memcpy (&ret_found->first_line, (const guint8 *) identity->code + (self->layout.first_line - self->layout.identity),
          sizeof ret_found->first_line);
  if (jank_python_names_read_code (self, call->code, code)
      && memcmp (code + self->layout.identity, identity->code, self->layout.n_identity_bytes) == 0)
    jank_python_names_read_table (self, code, ret_found);
  return ret_found->name != NULL && ret_found->file != NULL;
}

/* As it is now, for stable code. */
static gboolean
jank_python_names_find_now (const JankPythonNames *self, const JankPythonCall *call, Found *ret_found)
{
  guint8 code[JANK_PYTHON_MAX_CODE_BYTES];
  guint64 name_address, file_address;

  if (!jank_python_names_read_code (self, call->code, code))
    return FALSE;
  memcpy (&ret_found->first_line, code + self->layout.first_line, sizeof ret_found->first_line);
  memcpy (&name_address, code + self->layout.name, sizeof name_address);
  memcpy (&file_address, code + self->layout.file, sizeof file_address);
  ret_found->name = jank_python_names_read_text (self, name_address);
  ret_found->file = jank_python_names_read_text (self, file_address);
  jank_python_names_read_table (self, code, ret_found);
  return ret_found->name != NULL && ret_found->file != NULL;
}

/* Where all of its places are taken, stable code replaces the last. */
static void
jank_python_names_set_stable (JankPythonNames *self, guint64 code, gboolean is_stable)
{
  guint64 *places = &self->stable[JANK_PYTHON_PLACE (code)];
  guint found = JANK_PYTHON_PLACES, free_place = JANK_PYTHON_PLACES - 1;

  for (guint i = JANK_PYTHON_PLACES; i-- > 0;)
    if (places[i] == code)
      found = i;
    else if (places[i] == 0)
      free_place = i;
  if (found < JANK_PYTHON_PLACES)
    places[found] = is_stable ? code : 0;
  else if (is_stable)
    places[free_place] = code;
}

static Known *
jank_python_names_get_known (JankPythonNames *self, guint64 code)
{
  Known *known = g_hash_table_lookup (self->known, &code);

  if (known != NULL)
    return known;
  if (g_hash_table_size (self->known) >= MAX_KNOWN)
    g_hash_table_remove_all (self->known);
  known = g_new0 (Known, 1);
  known->code = code;
  g_hash_table_insert (self->known, &known->code, known);
  return known;
}

/* Counts one sighting; different code at the address starts over. function: in the table of scripts, 0: unknown.
 * Returns: whether the code is the one known there */
static gboolean
jank_python_names_remember (JankPythonNames *self, Known *known, guint64 function, gint64 now_ns)
{
  gboolean is_same = known->function == function && function != 0;

  if (!is_same)
    {
      known->function = function;
      known->n_seen = 0;
      known->since_ns = now_ns;
    }
  known->n_seen++;
  jank_python_names_set_stable (self, known->code, known->n_seen >= STABLE_SEEN &&
                                now_ns - known->since_ns >= STABLE_NS);
  return is_same;
}

void
jank_python_names_init (JankPythonNames *self)
{
  self->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, jank_python_names_known_free);
}

void
jank_python_names_clear (JankPythonNames *self)
{
  g_hash_table_unref (self->known);
}

gboolean
jank_python_names_find (JankPythonNames *self, const JankPythonCall *call, const JankPythonCalls *calls,
                        JankScripts *scripts, JankCall *ret_call)
{
  gboolean is_read = call->identity < calls->n_identities, is_found;
  gint64 now_ns = jank_clock_now_ns ();
  guint64 function = 0;
  Known *known;
  Found *found;

  if (!is_read && call->identity != JANK_PYTHON_STABLE_CODE)
    return FALSE;
  known = jank_python_names_get_known (self, call->code);
  found = &known->found;
  if (is_read || found->name == NULL || now_ns - known->read_ns >= READ_AGE_NS)
    {
      jank_python_names_found_clear (found);
      known->read_ns = now_ns;
      if (!(is_read ? jank_python_names_find_then (self, call, calls,
                                                   found) : jank_python_names_find_now (self, call, found)))
        g_clear_pointer (&found->name, g_free);
    }
  is_found = found->name != NULL;
  if (is_found)
    {
      JankScript script = { "python", found->name, found->file, found->first_line };
      guint line = jank_python_names_find_line (self, call, found);

      is_found = jank_scripts_add (scripts, &script, line != 0 ? line : found->first_line, ret_call);
      function = is_found ? ret_call->function : 0;
    }
  return (jank_python_names_remember (self, known, function, now_ns) || is_read) && is_found;
}
