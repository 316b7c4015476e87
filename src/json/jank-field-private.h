/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A struct as a table of its fields: the name and type of each in JSON, its bounds, its meaning, and what redaction
 * leaves of it. One walk each makes, frees, writes, reads and redacts what a table describes, and prints its schema, so
 * a new field is a member and a row.
 * Any thread. */

#pragma once

#include <glib.h>

typedef struct _JankTable JankTable;

typedef enum
{
  JANK_STRING,  /* char *; JANK_TEXT() makes the row */
  JANK_LETTERS, /* char[]; "" is left out; JANK_CHARS() makes the row */
  JANK_INT,     /* of 4 or 8 bytes */
  JANK_INDEX,   /* gint, into the root's array `into`, or -1 */
  JANK_NUMBER,  /* double */
  JANK_BOOLEAN, /* gboolean or bool */
  JANK_NICK,    /* enum or gboolean, by one of `max` nicks */
  JANK_TIME,    /* gint64, in µs since the Unix epoch; RFC 3339 in JSON */
  JANK_OBJECT,  /* struct in place */
  JANK_INLINE,  /* struct in place, whose fields stand in the same JSON object */
  JANK_POINTER, /* struct, (owned) (nullable) */
  JANK_ARRAY,   /* GPtrArray of structs */
  JANK_COLUMN,  /* GPtrArray of structs, of which only field `column` is in this JSON array */
  JANK_VALUES,  /* GArray of structs that own nothing */
  JANK_INTS,    /* GArray of guint; each an index where `into` is set, and another is an error */
} JankFieldType;

/* Left out of JSON are also: NULL, integers below 0 without JANK_SIGNED, numbers below 0 whose fallback is. */
typedef enum
{
  JANK_OMIT_EMPTY = 1 << 0, /* left out when 0, "", without elements, or (object) when every field is at its fallback */
  JANK_IF_FIRST   = 1 << 1, /* object: left out when its first field is at its fallback */
  JANK_SIGNED     = 1 << 2, /* integer: any value counts */
  JANK_NOT_NULL   = 1 << 3, /* text: "" when the object is there without it */
  JANK_LINES      = 1 << 4, /* text: of several lines */
  JANK_REQUIRED   = 1 << 5, /* the schema requires it, though its type can be left out */
  JANK_OPTIONAL   = 1 << 6, /* the schema does not require it, or of an object that can be left out the members but the
                             * first: older files lack them */
} JankFieldFlags;

typedef struct
{
  const char        *name;
  JankFieldType      type;
  guint              offset, size;
  guint              flags;
  gint               fallback; /* of a new struct (but a nick's), and where JSON has nothing that fits */
  gint64             max;      /* of a number, of elements, of nicks; 0: as many as fit */
  guint              column;
  const JankTable   *table;
  const char *const *nicks;    /* an element may be NULL: left out; of a text: what the schema has it be */
  const char        *into;
  /* For the schema only: what it means, in whole sentences without the unit that its name says; an array's element;
   * a regular expression. Of the latter two (nullable). */
  const char        *words, *element, *pattern;
  guint              redact; /* of a text: JankRedactRule */
} JankField;

struct _JankTable
{
  const JankField *fields;
  guint            n_fields;
  gsize            size;
  GDestroyNotify   free;
  /* Once read (nullable). Returns: FALSE to leave the struct out of its array or pointer */
  gboolean       (*finish) (gpointer self);
};

#define JANK_AT(Struct, member) G_STRUCT_OFFSET (Struct, member), sizeof (((Struct *) NULL)->member)

/* Rows of texts: none compiles without the rule that says what redaction leaves of it. After that .flags. */
#define JANK_TEXT(text_name, Struct, member, rule, ...) \
  { text_name, JANK_STRING, JANK_AT (Struct, member), .redact = rule, __VA_ARGS__ }
#define JANK_CHARS(text_name, Struct, member, rule, ...) \
  { text_name, JANK_LETTERS, JANK_AT (Struct, member), .redact = rule, __VA_ARGS__ }

#define JANK_NICKS(array)        .nicks = array, .max = G_N_ELEMENTS (array)

/* name_table, for structs that are always part of another; after finish (or NULL) its rows. */
#define JANK_PART_TABLE(Struct, name, finish, ...) \
  static const JankField name##_fields[] = { __VA_ARGS__ }; \
  static const JankTable name##_table = { name##_fields, G_N_ELEMENTS (name##_fields), sizeof (Struct), NULL, finish }

/* The same with name_new() and name_free(). */
#define JANK_TABLE(Struct, name, finish, ...) \
  extern const JankTable name##_table; \
  Struct *name##_new (void); \
  void name##_free (gpointer self); \
  Struct *name##_new (void) { return jank_table_new (&name##_table); } \
  void name##_free (gpointer self) { jank_table_free (&name##_table, self); } \
  static const JankField name##_fields[] = { __VA_ARGS__ }; \
  const JankTable name##_table = { name##_fields, G_N_ELEMENTS (name##_fields), sizeof (Struct), name##_free, finish }

/* place: of the field */
void       jank_field_set_int   (const JankField *self, gpointer place, gint64 n);
gint64     jank_field_get_int   (const JankField *self, gconstpointer place);

/* Returns: (transfer full): with every array made, and every number at its fallback */
gpointer   jank_table_new       (const JankTable *self);
void       jank_table_clear     (const JankTable *self, gpointer object);
void       jank_table_free      (const JankTable *self, gpointer object);

/* Copies text (nullable), which may be in what was there. GLib has it since 2.76, as g_set_str(). */
static inline void
jank_set_text (char **place, const char *text)
{
  char *old = *place;

  *place = g_strdup (text);
  g_free (old);
}

/* place: of a text. Returns: (nullable) */
char      *jank_field_get_text  (const JankField *self, gpointer place);
/* Copies text: (nullable). */
void       jank_field_set_text  (const JankField *self, gpointer place, const char *text);

/* owner: the struct that holds the text */
typedef void (*JankTextFunc)    (const JankField *field, gpointer place, gconstpointer owner, gpointer data);
void       jank_table_each_text (const JankTable *self, gpointer object, JankTextFunc visit, gpointer data);

/* As long as a path may be. Stacks repeat a name as often as a file likes. */
#define JANK_TEXT_MAX_BYTES 4096

/* Who makes an object from what others say, a file or the program, calls this once: readers need not clean any text.
 * Cuts what is too long. */
void       jank_table_clean     (const JankTable *self, gpointer object);
/* Copies each field of from into to, which is new. Tables with columns are not copied. */
void       jank_table_copy      (const JankTable *self, gpointer to, gconstpointer from);
/* Takes out of object all that is not known to be harmless, and the names of users. */
void       jank_table_redact    (const JankTable *self, gpointer object);
