/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A handler is the first function called from the GObject frame that holds an emission's record, or the second if the
 * first is a marshaller. We describe it only if its closure lies on the stack between the two and the record's instance
 * has the record's signal. Functions that GObject's own handlers call, such as a GBinding's, are not handlers. */

#include "gobject/jank-handlers-private.h"

#include <gio/gio.h>
#include <string.h>

#include "base/jank-memory-private.h"
#include "gobject/jank-callbacks-private.h"
#include "gobject/jank-emissions-private.h"
#include "gobject/jank-type-nodes-private.h"

#define MAX_EMISSIONS 64
#define MAX_NAME      64
#define MAX_REMEMBERED 64
#define MAX_FRAME_WORDS 512
#define MAX_MARSHALLERS 2
#define MAX_INNER     3    /* inner calls searched for saved registers */
#define MAX_BETWEEN   3    /* GObject's calls between the emitting one and the handler */
#define MAX_OUTER_BYTES 4096 /* outward from an emission: its caller keeps the action's full name there */

/* A description found at one place of the stack holds while the same function runs there for the same emission. */
typedef struct
{
  guint64      cfa, function, caller;
  JankEmission emission;
  char        *text; /* (owned) (nullable) */
  guint64      described; /* the function that text describes */
} Remembered;

typedef struct
{
  char    name[MAX_NAME];
  guint64 type;
} Signal;

struct _JankHandlers
{
  JankCodeMap *map;
  JankTypes    types;
  gboolean     has_looked;
  guint32      gobject, gio, glib; /* modules */
  GHashTable  *kinds; /* module → GINT_TO_POINTER (ModuleKind) */
  Remembered   remembered[MAX_REMEMBERED];
  guint        n_remembered;
};

typedef enum { MODULE_OTHER = 1, MODULE_FFI, MODULE_GTK } ModuleKind;

/* One stack. */
typedef struct
{
  JankHandlers        *self;
  JankStack           *stack;
  const JankStackCopy *copy;
  guint64              words[2 * MAX_FRAME_WORDS];
} Look;

JankHandlers *
jank_handlers_new (JankCodeMap *map)
{
  JankHandlers *self = g_new0 (JankHandlers, 1);

  self->map = map;
  self->kinds = g_hash_table_new (NULL, NULL);
  return self;
}

void
jank_handlers_free (JankHandlers *self)
{
  for (guint i = 0; i < MAX_REMEMBERED; i++)
    g_free (self->remembered[i].text);
  g_hash_table_unref (self->kinds);
  g_free (self);
}

static void
jank_handlers_look_at_libraries (JankHandlers *self)
{
  const JankModule *gobject;

  self->has_looked = TRUE;
  self->gobject = jank_code_map_find (self->map, (guintptr) g_object_new);
  self->gio = jank_code_map_find (self->map, (guintptr) g_task_new);
  self->glib = jank_code_map_find (self->map, (guintptr) g_main_context_dispatch);
  gobject = jank_code_map_get (self->map, self->gobject);
  if (gobject != NULL)
    jank_types_find (gobject->start, gobject->end, &self->types);
}

static ModuleKind
jank_handlers_get_kind (JankHandlers *self, guint32 module)
{
  ModuleKind kind = GPOINTER_TO_INT (g_hash_table_lookup (self->kinds, GUINT_TO_POINTER (module)));

  if (kind == 0)
    {
      const JankModule *at = jank_code_map_get (self->map, module);
      const char *slash = at != NULL && at->path != NULL ? strrchr (at->path, '/') : NULL;

      kind = slash != NULL && g_str_has_prefix (slash, "/libffi.so") ? MODULE_FFI :
             slash != NULL && (g_str_has_prefix (slash, "/libgtk-4.so") || g_str_has_prefix (slash, "/libgtk-3.so"))
               ? MODULE_GTK : MODULE_OTHER;
      g_hash_table_insert (self->kinds, GUINT_TO_POINTER (module), GINT_TO_POINTER (kind));
    }
  return kind;
}

static guint64
jank_handlers_get_low (const Look *look, guint i)
{
  return i > 0 ? look->stack->calls[i - 1].cfa : look->copy->regs[JANK_REG_SP];
}

/* Words that may lead to a record: the stack up to end, and the registers. A function called by call i may have saved a
 * register of its caller's. */
static JankClues
jank_handlers_get_clues (Look *look, guint i, guint64 end)
{
  guint64 begin = (jank_handlers_get_low (look, i - MIN (i, MAX_INNER)) + 7) & ~(guint64) 7;
  guint n;

  end &= ~(guint64) 7;
  n = end > begin ? (guint) MIN ((end - begin) / sizeof (guint64), MAX_FRAME_WORDS) : 0;
  begin = end - n * sizeof (guint64);
  if (!jank_stack_copy_read (look->copy, begin, look->words, n * sizeof (guint64)))
    n = 0;
  for (guint reg = 0; reg < JANK_N_REGS; reg++)
    if ((look->copy->known >> reg & 1) != 0)
      look->words[n++] = look->copy->regs[reg];
  /* A pointer into the stack never leads to a record. */
  for (guint k = 0; k < n; k++)
    if (look->words[k] - look->copy->address < look->copy->n_bytes)
      look->words[k] = 0;
  return (JankClues) { look->words, n };
}

static gboolean
jank_handlers_read_signal (const Look *look, const JankEmission *emission, JankTypeNode *ret_instance,
                           Signal *ret_signal)
{
  const JankTypes *types = &look->self->types;

  return jank_emissions_read_signal (jank_emissions_get (), emission->signal, ret_signal->name, sizeof ret_signal->name,
                                     &ret_signal->type)
         && jank_type_instance_read (types, emission->instance, ret_instance)
         && jank_type_node_is_a (types, ret_instance, ret_signal->type);
}

/* Returns: (transfer full): "win.save" if a caller passed that name for "save", else "save" */
static char *
jank_handlers_find_full_name (const Look *look, guint64 begin, const char *name)
{
  for (guint64 at = begin & ~(guint64) 7; at < begin + MAX_OUTER_BYTES; at += sizeof at)
    {
      char text[2 * MAX_NAME];
      const char *dot;
      guint64 word;

      if (!jank_stack_copy_read (look->copy, at, &word, sizeof word))
        break;
      if (word < JANK_MEMORY_PAGE_BYTES || word - look->copy->address < look->copy->n_bytes
          || !jank_instance_read_text (word, text, sizeof text))
        continue;
      dot = strchr (text, '.');
      if (dot != NULL && strcmp (dot + 1, name) == 0 && strspn (text, G_CSET_a_2_z "-") == (gsize) (dot - text))
        return g_strdup (text);
    }
  return g_strdup (name);
}

/* Returns: (transfer full) (nullable) */
static char *
jank_handlers_describe_action (const Look *look, const JankEmission *emission, guint64 at)
{
  const JankEmissions *emissions = jank_emissions_get ();
  g_autofree char *full = NULL;
  char name[MAX_NAME];
  guint64 word;

  if (emissions->action_name == 0
      || !jank_memory_read_all (emission->instance + emissions->action_name * sizeof word, &word, sizeof word)
      || !jank_instance_read_text (word, name, sizeof name))
    return NULL;
  full = jank_handlers_find_full_name (look, at, name);
  return g_strdup_printf ("handler of action %s", full);
}

/* Returns: (transfer full) (nullable): "GtkButton::clicked on “Freeze”" */
static char *
jank_handlers_describe_signal (const Look *look, const JankEmission *emission, const JankTypeNode *instance,
                               const Signal *signal)
{
  const JankTypes *types = &look->self->types;
  const char *detail = emission->detail != 0 ? g_quark_to_string (emission->detail) : NULL;
  const char *name = jank_type_node_get_name (types, instance);
  g_autofree char *which = NULL;
  JankTypeNode type;

  if (!jank_type_node_read (types, signal->type == G_TYPE_OBJECT ? types->object : signal->type, signal->type, &type))
    return NULL;
  which = jank_instance_describe (types, emission->instance, instance);
  if (which == NULL && instance->type != signal->type)
    which = g_strdup (name);
  return g_strdup_printf ("%s::%s%s%s%s%s", jank_type_node_get_name (types, &type), signal->name,
                          detail != NULL ? "::" : "",
                          detail != NULL ? detail : "", which != NULL ? " on " : "", which != NULL ? which : "");
}

/* GTK's handler of a frame clock's update calls tick callbacks, each for the widget that the handler was connected
 * for. */
static char *
jank_handlers_describe_tick (Look *look, guint i, const JankClues *clues)
{
  const JankTypes *types = &look->self->types;
  JankTypeNode widget;
  guint64 data;
  g_autofree char *which = NULL;

  if (i == 0 || !jank_callback_find_closure (clues, look->stack->calls[i].function, 0, &data)
      || !jank_type_instance_read (types, data, &widget) || !jank_instance_is_a (types, &widget, "GtkWidget")
      || !jank_callback_is_tick (data, look->stack->calls[i - 1].function))
    return NULL;
  which = jank_instance_describe (types, data, &widget);
  return g_strdup_printf ("tick callback of %s%s%s", jank_type_node_get_name (types, &widget), which != NULL ? " " : "",
                          which != NULL ? which : "");
}

/* The closure of call i, or of a call that it makes as the closure's marshaller, itself or through another (GTK 3's
 * of “draw”). Emissions go through g_closure_invoke(). If no closure is found for the function that it called, that
 * function was entered by a tail call or is the class's own handler. */
static gboolean
jank_handlers_find_handler (Look *look, guint i, guint k, const JankClues *clues, guint64 *ret_function)
{
  const JankCall *calls = look->stack->calls;
  guint64 data;

  if (jank_callback_find_closure (clues, calls[i].function, 0, &data))
    return TRUE;
  for (guint inside = 1; inside <= MIN (i, MAX_MARSHALLERS); inside++)
    {
      JankClues inner = jank_handlers_get_clues (look, i - inside, look->stack->calls[k].cfa);

      if (jank_callback_find_closure (&inner, calls[i - inside].function, calls[i].function, &data))
        {
          *ret_function = calls[i - inside].function;
          return TRUE;
        }
    }
  return i + 2 == k && calls[i + 1].function == (guintptr) g_closure_invoke;
}

/* i: the first call inside GObject's; k: GObject's emitting call. Returns: (transfer full) (nullable) */
static char *
jank_handlers_describe_handler (Look *look, guint i, guint k, const JankEmission *emission, guint64 at,
                                guint64 *ret_function)
{
  JankHandlers *self = look->self;
  JankClues clues = jank_handlers_get_clues (look, i, at);
  g_autofree char *signal_text = NULL;
  JankTypeNode instance;
  Signal signal;

  *ret_function = look->stack->calls[i].function;
  if (!jank_handlers_read_signal (look, emission, &instance, &signal))
    return NULL;
  if (i > 0 && jank_handlers_get_kind (self, look->stack->calls[i].module) == MODULE_GTK &&
      strcmp (signal.name, "update") == 0
      && jank_instance_is_a (&self->types, &instance, "GdkFrameClock"))
    {
      *ret_function = look->stack->calls[i - 1].function;
      return jank_handlers_describe_tick (look, i, &clues);
    }
  if (!jank_handlers_find_handler (look, i, k, &clues, ret_function))
    return NULL;
  if (strcmp (jank_type_node_get_name (&self->types, &instance), "GSimpleAction") == 0)
    return jank_handlers_describe_action (look, emission, at);
  signal_text = jank_handlers_describe_signal (look, emission, &instance, &signal);
  return signal_text != NULL ? g_strconcat ("handler of ", signal_text, NULL) : NULL;
}

/* Describes call i, which another library made without an emission. Returns: (transfer full) (nullable) */
static char *
jank_handlers_describe_callback (Look *look, guint i)
{
  JankHandlers *self = look->self;
  const JankCall *call = &look->stack->calls[i], *caller = call + 1;
  JankClues clues;
  char *text;

  if (caller->module == self->glib)
    {
      const char *source = jank_callback_get_source (caller->function);

      return source != NULL ? g_strdup_printf ("callback of source [%s]", source) : NULL;
    }
  clues = jank_handlers_get_clues (look, i, look->stack->calls[i + 1].cfa);
  text = jank_callback_describe_task (&self->types, &clues, call->function);
  if (text == NULL)
    text = jank_callback_describe_method (&self->types, &clues);
  return text != NULL ? text : jank_callback_describe_signal (&self->types, &clues);
}

/* Whether only GIO's calls lie between the call and the loop. */
static gboolean
jank_handlers_is_of_source (const Look *look, guint i)
{
  while (++i < look->stack->n_calls && look->stack->calls[i].module == look->self->gio)
    continue;
  return i < look->stack->n_calls && look->stack->calls[i].module == look->self->glib;
}

/* emission (nullable): the one that call i is part of. Returns: the entry for it, new or already filled */
static Remembered *
jank_handlers_recall (Look *look, guint i, const JankEmission *emission, gboolean *ret_is_new)
{
  static const JankEmission none;
  JankHandlers *self = look->self;
  const JankCall *call = &look->stack->calls[i];
  Remembered *at;

  emission = emission != NULL ? emission : &none;
  *ret_is_new = FALSE;
  for (guint k = 0; k < MAX_REMEMBERED; k++)
    {
      at = &self->remembered[k];
      if (at->cfa == look->stack->calls[i].cfa && at->function == call->function && at->caller == call[1].function
          && at->emission.instance == emission->instance && at->emission.signal == emission->signal
          && at->emission.detail == emission->detail)
        return at;
    }
  *ret_is_new = TRUE;
  self->n_remembered = (self->n_remembered + 1) % MAX_REMEMBERED;
  at = &self->remembered[self->n_remembered];
  g_free (at->text);
  *at = (Remembered) { look->stack->calls[i].cfa, call->function, call[1].function, *emission, NULL, 0 };
  return at;
}

static void
jank_handlers_add_note (Look *look, const Remembered *remembered)
{
  if (remembered->text != NULL)
    jank_stack_add_note (look->stack, remembered->described, remembered->text);
}

/* k: GObject's call whose frame holds the record at the address at */
static void
jank_handlers_look_at_emission (Look *look, guint k, const JankEmission *emission, guint64 at)
{
  gboolean is_new;
  Remembered *remembered;
  guint i = k, n_between = 0;

  while (i > 0 && (look->stack->calls[i].module == look->self->gobject
                   || jank_handlers_get_kind (look->self, look->stack->calls[i].module) == MODULE_FFI))
    n_between += look->stack->calls[i--].module == look->self->gobject;
  if (i == k || look->stack->calls[i].module == look->self->gobject || n_between < 2 || n_between > MAX_BETWEEN + 1)
    return;
  remembered = jank_handlers_recall (look, i, emission, &is_new);
  if (is_new)
    remembered->text = jank_handlers_describe_handler (look, i, k, emission, at, &remembered->described);
  jank_handlers_add_note (look, remembered);
}

/* Records outside this stack belong to other threads. */
static void
jank_handlers_look_at_emissions (Look *look)
{
  const JankEmissions *emissions = jank_emissions_get ();
  guint64 at = emissions != NULL ? look->copy->emission : 0, words[JANK_EMISSION_WORDS];
  guint k = 0;

  for (guint n = 0; n < MAX_EMISSIONS && at != 0 && jank_stack_copy_read (look->copy, at, words, sizeof words); n++)
    {
      JankEmission emission = jank_emissions_read (emissions, words);

      while (k < look->stack->n_calls && look->stack->calls[k].cfa != 0 && look->stack->calls[k].cfa <= at)
        k++;
      if (k >= look->stack->n_calls || look->stack->calls[k].cfa == 0)
        return;
      if (at >= jank_handlers_get_low (look, k) && look->stack->calls[k].module == look->self->gobject)
        jank_handlers_look_at_emission (look, k, &emission, at);
      if (emission.next <= at)
        return;
      at = emission.next;
    }
}

static gboolean
jank_handlers_is_library (JankHandlers *self, guint32 module)
{
  return module == self->glib || module == self->gobject || module == self->gio ||
         jank_handlers_get_kind (self, module) == MODULE_GTK;
}

/* Describes the calls that GLib or GIO makes directly into code that is not a library of the platform. */
static void
jank_handlers_look_at_callbacks (Look *look)
{
  JankHandlers *self = look->self;

  for (guint i = 0; i + 1 < look->stack->n_calls && look->stack->calls[i + 1].cfa != 0; i++)
    {
      const JankCall *call = &look->stack->calls[i];
      gboolean is_new;
      Remembered *remembered;

      if (jank_handlers_is_library (self, call->module) || call->module == JANK_MODULE_NONE ||
          jank_handlers_get_kind (self, call->module) == MODULE_FFI
          || (call[1].module != self->glib && call[1].module != self->gio))
        continue;
      remembered = jank_handlers_recall (look, i, NULL, &is_new);
      if (is_new)
        {
          remembered->described = call->function;
          remembered->text = jank_handlers_describe_callback (look, i);
        }
      jank_handlers_add_note (look, remembered);
      if (remembered->text != NULL && call[1].module == self->gio && jank_handlers_is_of_source (look, i))
        jank_stack_add_note (look->stack, JANK_NOTE_SOURCE, remembered->text);
    }
}

void
jank_handlers_describe (JankHandlers *self, JankStack *stack, const JankStackCopy *copy)
{
  Look look = { .self = self, .stack = stack, .copy = copy };

  if (stack == NULL || stack->n_calls < 2 || stack->calls[0].cfa == 0)
    return;
  if (!self->has_looked)
    jank_handlers_look_at_libraries (self);
  if (self->types.object == 0)
    return;
  jank_handlers_look_at_emissions (&look);
  jank_handlers_look_at_callbacks (&look);
}

void
jank_handlers_describe_source (JankHandlers *self, JankSourceInfo *source)
{
  g_autofree char *text = NULL;

  if (!self->has_looked)
    jank_handlers_look_at_libraries (self);
  if (!source->known || self->types.object == 0
      || jank_code_map_find (self->map, source->callback != 0 ? source->callback : source->dispatch) != self->gio)
    return;
  text = jank_served_describe (&self->types, source);
  if (text != NULL)
    g_strlcpy (source->serves, text, sizeof source->serves);
}
