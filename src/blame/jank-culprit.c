/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "blame/jank-culprit-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "blame/jank-platform-private.h"
#include "symbols/jank-function-name-private.h"

/* Since GLib 2.77 only static functions stand between g_main_loop_run() and the dispatch. Without .symtab they
 * have no names. */
static const char *const dispatchers[] = {
  "g_main_context_dispatch", "g_main_context_dispatch_unlocked", "g_main_dispatch",
  "g_main_context_iteration", "g_main_loop_run",
};

static gboolean
jank_culprit_is_in (const JankCulpritStep *step, const char *library)
{
  const char *slash = step->module != NULL ? strrchr (step->module, '/') : NULL;

  return step->module != NULL && g_str_has_prefix (slash != NULL ? slash + 1 : step->module, library);
}

static gboolean
jank_culprit_is_step (const JankCulpritStep *step, const char *function, const char *library)
{
  return g_strcmp0 (step->function, function) == 0 && jank_culprit_is_in (step, library);
}

static gboolean
jank_culprit_is_dispatch (const JankCulpritStep *step)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dispatchers); i++)
    if (jank_culprit_is_step (step, dispatchers[i], "libglib-2.0.so"))
      return TRUE;
  return FALSE;
}

/* Rust's libraries are part of the program's file: its own, and what stands between a program and GLib. */
static gboolean
jank_culprit_is_crate (const char *name, gsize n)
{
  static const char *const crates[] =
      { "alloc", "cairo", "core", "gdk4", "gdk_pixbuf", "gio", "glib", "graphene", "gsk4",
        "gtk4", "libadwaita", "pango", "std", "tokio" };

  for (guint i = 0; i < G_N_ELEMENTS (crates); i++)
    if (strlen (crates[i]) == n && strncmp (name, crates[i], n) == 0)
      return TRUE;
  return n > strlen ("futures_") && g_str_has_prefix (name, "futures_");
}

/* As "glib::source::trampoline", and "<T as core::clone::Clone>::clone" of whatever type: not so if type or trait are
 * another crate's. */
static gboolean
jank_culprit_is_of_crates (const char *name)
{
  static const char letters[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_";
  static const char path[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_:";
  const char *end = *name == '<' ? strstr (name, ">::") : name + 1;

  for (const char *at = name; end != NULL && at < end; at += MAX (strspn (at, path), 1))
    {
      gsize n = strspn (at, letters);

      if (g_str_has_prefix (at + n, "::") && !jank_culprit_is_crate (at, n))
        return FALSE;
    }
  return end != NULL && strstr (name, "::") != NULL;
}

gboolean
jank_culprit_is_standard_library (const char *function)
{
  static const char *const prefixes[] = { "std::", "__gnu_cxx::", "__gthread_" };
  static const char *const of_d[] = { "_D3std", "_D4core", "_D6object", "_D2rt" };
  gboolean is_rust = g_str_has_prefix (function, "_R");
  g_autofree char *name = is_rust || g_str_has_prefix (function, "_Z") ? jank_function_name (function) : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (of_d); i++)
    if (g_str_has_prefix (function, of_d[i]))
      return TRUE;
  for (guint i = 0; name != NULL && !is_rust && i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return TRUE;
  /* What ends the names of Rust before v0. */
  return name != NULL && (is_rust || strstr (function, "17h") != NULL) && jank_culprit_is_of_crates (name);
}

JankCulpritStep
jank_culprit_make_step (JankCodeMap *map, const JankCall *call, const char *name)
{
  const JankScript *script = jank_call_get_script (map, call);

  return (JankCulpritStep) { name, jank_call_get_path (map, call), script != NULL && script->is_collector };
}

gboolean
jank_culprit_is_own (const JankCulpritStep *step)
{
  return step->module != NULL && !jank_platform_contains (step->module)
         && (step->function == NULL || !jank_culprit_is_standard_library (step->function));
}

/* A function of such a crate, with types, that the program's closure may be inlined into. */
static gboolean
jank_culprit_is_around_own (const JankCulpritStep *step)
{
  static const char *const crates[] = { "_ZN3std", "_ZN4core", "_ZN5alloc" };

  for (guint i = 0; step->function != NULL && i < G_N_ELEMENTS (crates); i++)
    if (g_str_has_prefix (step->function, crates[i]))
      return FALSE;
  return step->module != NULL && !jank_platform_contains (step->module) && step->function != NULL &&
         g_str_has_prefix (step->function, "_ZN") && strstr (step->function, "17h") != NULL &&
         strstr (step->function, "_$LT$") == NULL;
}

/* Headers of libraries; where rustc and rustup say that std's source is; and where cargo keeps crates of others:
 * ~/.cargo/registry/src, ~/.cargo/git/checkouts, Debian's /usr/share/cargo/registry. */
gboolean
jank_culprit_is_own_inlined (const JankCulpritStep *step, const char *file)
{
  static const char *const folders[] = { "/usr/include/", "/usr/local/include/", "/usr/lib/", "/rustc/" };
  static const char *const inner[] = { "/rustlib/src/", "cargo/registry/", "cargo/git/checkouts/" };

  for (guint i = 0; file != NULL && i < G_N_ELEMENTS (folders); i++)
    if (g_str_has_prefix (file, folders[i]))
      return FALSE;
  for (guint i = 0; file != NULL && i < G_N_ELEMENTS (inner); i++)
    if (strstr (file, inner[i]) != NULL)
      return FALSE;
  return jank_culprit_is_own (step);
}

/* Returns: index of the function that runs the loop of steps[i], which is libglib's; -1 for none */
static gint
jank_culprit_find_loop_caller (const JankCulpritStep *steps, guint i)
{
  gint caller = (gint) i;

  while (caller >= 0 && jank_culprit_is_in (&steps[caller], "libglib-2.0.so"))
    caller--;
  return caller;
}

/* GIO's synchronous calls, and others that are called so, wait in a loop over a private context. The watched loop
 * stands still meanwhile, and the caller is to blame. */
static gboolean
jank_culprit_is_synchronous_call (const JankCulpritStep *steps, gint caller)
{
  const char *function = caller >= 0 && steps[caller].function != NULL ? steps[caller].function : "";

  return g_str_has_suffix (function, "_sync") || (caller >= 0 && jank_culprit_is_in (&steps[caller], "libgio-2.0.so") &&
                                                  strcmp (function, "g_application_run") != 0);
}

/* Whether the loop of steps[i] is in its poll. */
static gboolean
jank_culprit_is_polling (const JankCulpritStep *steps, guint i, guint n_steps)
{
  static const char *const polls[] = { "poll", "__poll", "ppoll", "__ppoll" };

  while (i < n_steps && jank_culprit_is_in (&steps[i], "libglib-2.0.so"))
    i++;
  for (gsize k = 0; i < n_steps && k < G_N_ELEMENTS (polls); k++)
    if (jank_culprit_is_step (&steps[i], polls[k], "libc.so"))
      return TRUE;
  return FALSE;
}

/* Whether a function turns the loop of steps[i] itself, as a busy wait does, and nothing of the program is
 * dispatched. */
static gboolean
jank_culprit_is_turned (const JankCulpritStep *steps, guint i, guint n_steps, gint caller)
{
  if (caller < 0 || g_strcmp0 (steps[i].function, "g_main_context_iteration") != 0 ||
      jank_culprit_is_in (&steps[caller], "libgio-2.0.so"))
    return FALSE;
  while (i < n_steps && !jank_culprit_is_own (&steps[i]))
    i++;
  return i == n_steps;
}

/* First step inward of the innermost dispatch of the watched loop; main() without a dispatch. In a stripped
 * program main() has no name, but follows libc's __libc_start_main(). */
static guint
jank_culprit_find_dispatched (const JankCulpritStep *steps, guint n_steps, gboolean is_stall,
                              gboolean *ret_has_dispatch)
{
  guint first = 0;

  for (gint i = (gint) n_steps - 1; i >= 0; i--)
    if (jank_culprit_is_dispatch (&steps[i]))
      {
        gint caller = jank_culprit_find_loop_caller (steps, (guint) i);

        /* The watched loop does not stall in its own poll: one that polls meanwhile is somebody's private loop. */
        if (jank_culprit_is_synchronous_call (steps, caller) ||
            (is_stall ? caller >= 0 && jank_culprit_is_polling (steps, (guint) i, n_steps)
                      : jank_culprit_is_turned (steps, (guint) i, n_steps, caller)))
          {
            i = caller;
            continue;
          }
        *ret_has_dispatch = TRUE;
        return (guint) i + 1;
      }

  *ret_has_dispatch = FALSE;
  for (guint i = 0; i < n_steps; i++)
    {
      if (jank_culprit_is_own (&steps[i]) && g_strcmp0 (steps[i].function, "main") == 0)
        return i;
      if (jank_culprit_is_step (&steps[i], "__libc_start_main", "libc.so"))
        first = i + 1;
    }
  return first;
}

gboolean
jank_culprit_is_in_poll (const JankCulpritStep *steps, guint n_steps)
{
  guint i = n_steps;

  while (i > 0 && !jank_culprit_is_dispatch (&steps[i - 1]))
    i--;
  return i > 0 && jank_culprit_is_polling (steps, i - 1, n_steps) &&
         !jank_culprit_is_synchronous_call (steps, jank_culprit_find_loop_caller (steps, i - 1));
}

guint
jank_culprit_count_outside (const JankCulpritStep *steps, guint n_steps, guint n_dispatches)
{
  guint n_runs = 0;

  for (guint i = 0; i < n_steps; i++)
    {
      if (!jank_culprit_is_dispatch (&steps[i]))
        continue;
      if (n_runs++ == n_dispatches)
        return i;
      while (i + 1 < n_steps && jank_culprit_is_in (&steps[i + 1], "libglib-2.0.so"))
        i++;
    }
  return n_steps;
}

gboolean
jank_culprit_is_folded (const char *function)
{
  static const char *const folded[] =
      { "__syscall_cancel", "__internal_syscall_cancel", "__syscall_cancel_arch", NULL };

  return function != NULL && g_strv_contains (folded, function);
}

static gboolean
jank_culprit_is_named_platform (const JankCulpritStep *step)
{
  return !jank_culprit_is_own (step) && step->function != NULL && !jank_culprit_is_folded (step->function);
}

/* GObject's functions call whatever somebody has connected: their names say nothing. */
static gboolean
jank_culprit_is_stable_platform (const JankCulpritStep *step)
{
  return jank_culprit_is_named_platform (step) && !jank_culprit_is_in (step, "libgobject-2.0.so") &&
         (step->module == NULL || !jank_platform_is (step->module, JANK_PLATFORM_DRIVER));
}

/* What the C library and its loader do says nothing of why; whoever calls them does. */
static gboolean
jank_culprit_is_telling_platform (const JankCulpritStep *step)
{
  return jank_culprit_is_stable_platform (step) && !jank_culprit_is_in (step, "libc.so") &&
         !jank_culprit_is_in (step, "ld-linux");
}

gboolean
jank_culprit_is_runtime (const JankCulpritStep *step)
{
  return jank_culprit_is_in (step, "libglib-2.0.so") || jank_culprit_is_in (step, "libgobject-2.0.so") ||
         (step->module != NULL && jank_platform_is (step->module, JANK_PLATFORM_INTERPRETER));
}

static gboolean
jank_culprit_is_purpose (const JankCulpritStep *step)
{
  return jank_culprit_is_telling_platform (step) && !jank_culprit_is_runtime (step);
}

gboolean
jank_culprit_is_walk (const JankCulpritStep *step)
{
  return g_strcmp0 (step->function, "g_main_context_prepare") == 0 ||
         g_strcmp0 (step->function, "g_main_context_check") == 0;
}

static gboolean
jank_culprit_is_telling_any (const JankCulpritStep *step)
{
  return !jank_culprit_is_in (step, "libgobject-2.0.so") && !jank_culprit_is_folded (step->function);
}

static gboolean
jank_culprit_is_any (const JankCulpritStep *step)
{
  return TRUE;
}

/* What GTK asks of a widget once work was put off: its class says more than what the text's or image's library does. */
static gboolean
jank_culprit_is_widgets (const JankCulpritStep *step)
{
  static const char *const slots[] = {
    ".measure", ".size_allocate", ".snapshot", ".css_changed", ".draw", ".get_preferred_width",
    ".get_preferred_height", ".get_preferred_height_for_width", NULL,
  };
  const char *dot = step->function != NULL ? strrchr (step->function, '.') : NULL;

  return dot != NULL && g_strv_contains (slots, dot) && !jank_culprit_is_own (step);
}

/* Returns: length of the part that names a package of Python's, such as "/usr/lib/python3/dist-packages/urllib3/"; 0:
 * it is in none */
static gsize
jank_culprit_package_length (const char *path)
{
  const char *packages = path != NULL ? strstr (path, "-packages/") : NULL;

  packages = packages != NULL ? packages + strlen ("-packages/") : NULL;
  return packages != NULL ? (gsize) (packages - path) + strcspn (packages, "/") + 1 : 0;
}

/* /usr/bin/zim has its code in …/dist-packages/zim/. path: its first n bytes name a package */
static gboolean
jank_culprit_is_of_script (const char *path, gsize n, const char *program)
{
  const char *name = strstr (path, "-packages/") + strlen ("-packages/"), *slash = strrchr (program, '/');
  const char *script = slash != NULL ? slash + 1 : program;
  gsize n_script = strcspn (script, ".");

  return n_script > 0 && name + n_script + 1 == path + n && g_ascii_strncasecmp (name, script, n_script) == 0;
}

gboolean
jank_culprit_shares_package (const char *path, const char *program)
{
  gsize n = jank_culprit_package_length (path), n_program = jank_culprit_package_length (program);

  if (n != 0 && n_program == 0 && program != NULL)
    return jank_culprit_is_of_script (path, n, program);
  return n == 0 || (n == n_program && strncmp (path, program, n) == 0);
}

/* Nothing marks the package that the program is itself, if it is one: the callback's own is taken for it.
 *
 * Returns: index of the call that tells the program's package: the outermost of a function; n_steps: none */
static guint
jank_culprit_find_program (const JankCulpritStep *steps, guint first, guint n_steps)
{
  guint module = n_steps;

  for (guint i = first; i < n_steps; i++)
    if (jank_culprit_is_own (&steps[i]))
      {
        if (g_strcmp0 (steps[i].function, "<module>") != 0)
          return i;
        module = MIN (module, i);
      }
  return module;
}

/* Returns: index of the deepest call of the program that is not another package's; -1: none */
static gint
jank_culprit_find_deepest_own (const JankCulpritStep *steps, guint first, guint n_steps)
{
  guint program = jank_culprit_find_program (steps, first, n_steps);

  for (guint i = n_steps; i > first && program < n_steps; i--)
    if (jank_culprit_is_own (&steps[i - 1]) && jank_culprit_shares_package (steps[i - 1].module, steps[program].module))
      return (gint) i - 1;
  return -1;
}

static gint
jank_culprit_find_deepest (const JankCulpritStep *steps, guint first, guint n_steps,
                           gboolean (*holds) (const JankCulpritStep *))
{
  for (guint i = n_steps; i > first; i--)
    if (holds (&steps[i - 1]))
      return (gint) i - 1;
  return -1;
}

/* Whether a function of the program's called the collector of steps[i], by what C and the interpreters have for that:
 * else the interpreter or its platform began on its own. */
static gboolean
jank_culprit_is_asked (const JankCulpritStep *steps, guint first, guint i)
{
  static const char *const functions[] = { "gc.collect", "PyGC_Collect", "JS_GC", NULL };
  gboolean is_called = FALSE;

  for (; i > first && !jank_culprit_is_own (&steps[i]); i--)
    is_called |= steps[i - 1].function != NULL && g_strv_contains (functions, steps[i - 1].function);
  return is_called && jank_culprit_is_own (&steps[i]);
}

gboolean
jank_culprit_is_end (const JankCulpritStep *step)
{
  return step->function != NULL && g_str_has_prefix (step->function, JANK_SCRIPT_END);
}

/* An interpreter that ends asks for collections, too.
 *
 * Returns: index of the collector to blame, n_steps: there is none */
static guint
jank_culprit_find_collector (const JankCulpritStep *steps, guint first, guint n_steps)
{
  guint i = first;

  while (i < n_steps && !(steps[i].is_collector && !jank_culprit_is_asked (steps, first, i)))
    if (jank_culprit_is_end (&steps[i++]))
      return n_steps;
  return i;
}

/* What the collector calls to free an object, such as a widget. */
static gboolean
jank_culprit_is_finalizer (const JankCulpritStep *step)
{
  return jank_culprit_is_in (step, "libgobject-2.0.so");
}

/* Returns: as jank_culprit_find(); -1: no collector is to blame, nor what it calls */
static gint
jank_culprit_find_collected (const JankCulpritStep *steps, guint first, guint n_steps, const char **ret_reason)
{
  guint collector = jank_culprit_find_collector (steps, first, n_steps);
  gboolean has_finalizer = jank_culprit_find_deepest (steps, collector, n_steps, jank_culprit_is_finalizer) >= 0;
  gint found = jank_culprit_find_deepest (steps, collector, n_steps, jank_culprit_is_own);

  if (collector == n_steps)
    return -1;
  *ret_reason = N_("the deepest function that the garbage collector calls on the heaviest path");
  if (found < 0 && has_finalizer)
    found = jank_culprit_find_deepest (steps, collector, n_steps, jank_culprit_is_named_platform);
  if (found >= 0)
    return found;
  *ret_reason = N_("the interpreter's garbage collector, which no function asked for");
  return (gint) collector;
}

/* An address tells nobody anything. A function of another file is no better: that file would be blamed for this one's.
 * Returns: what stands for steps[own]; itself when it has a name, or nothing better is known */
static gint
jank_culprit_find_named (const JankCulpritStep *steps, guint first, gint own)
{
  for (gint i = own; i >= (gint) first; i--)
    if (steps[i].function != NULL && jank_culprit_is_own (&steps[i])
        && g_strcmp0 (steps[i].module, steps[own].module) == 0)
      return i;
  return own;
}

/* A fiber's stack, or one that is known in part, does not show which loop runs it. */
static gboolean
jank_culprit_is_from_start (const JankCulpritStep *steps, guint n_steps)
{
  for (guint i = 0; i < n_steps; i++)
    if (g_strcmp0 (steps[i].function, "main") == 0 || jank_culprit_is_step (&steps[i], "__libc_start_main", "libc.so"))
      return TRUE;
  return FALSE;
}

gint
jank_culprit_find (const JankCulpritStep *steps, guint n_steps, gboolean is_stall, const char **ret_reason)
{
  gboolean has_dispatch;
  guint first = jank_culprit_find_dispatched (steps, n_steps, is_stall, &has_dispatch);
  gboolean is_outside = !has_dispatch && jank_culprit_is_from_start (steps, n_steps);
  gint end = jank_culprit_find_deepest (steps, first, n_steps, jank_culprit_is_end);
  const struct { gboolean (*holds) (const JankCulpritStep *step); guint first; const char *reason; } rules[] = {
    { jank_culprit_is_own, end >= 0 ? (guint) end : first,
      is_outside ? N_("deepest function of the program on the heaviest path, outside the main loop")
                 : N_("deepest function of the program on the heaviest path") },
    { jank_culprit_is_end, first,
      N_("no function of the program took half of the time in which the interpreter ended") },
    { jank_culprit_is_around_own, first, JANK_CULPRIT_PLATFORM },
    { jank_culprit_is_widgets, first, JANK_CULPRIT_PLATFORM },
    { jank_culprit_is_purpose, first, JANK_CULPRIT_PLATFORM },
    { jank_culprit_is_walk, first, JANK_CULPRIT_WALKS },
    { jank_culprit_is_telling_platform, first, JANK_CULPRIT_PLATFORM },
    { jank_culprit_is_stable_platform, first, JANK_CULPRIT_PLATFORM },
    { jank_culprit_is_telling_any, first, N_("nothing on the heaviest path has a name; its deepest function") },
    { jank_culprit_is_named_platform, first, JANK_CULPRIT_PLATFORM },
    { jank_culprit_is_any, first, N_("nothing on the heaviest path has a name; its deepest function") },
    /* The path ends in the main loop: no dispatched function took half of the stall. */
    { jank_culprit_is_stable_platform, 0, N_("the main loop ran several things, none of them for half of the stall") },
  };
  gint collected = jank_culprit_find_collected (steps, first, n_steps, ret_reason);

  if (collected >= 0)
    return collected;
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      gint found = rules[i].holds == jank_culprit_is_own
                     ? jank_culprit_find_deepest_own (steps, rules[i].first, n_steps)
                     : jank_culprit_find_deepest (steps, rules[i].first, n_steps, rules[i].holds);

      if (found >= 0)
        {
          gint named = i == 0 ? jank_culprit_find_named (steps, first, found) : found;

          *ret_reason = named == found ? rules[i].reason : JANK_CULPRIT_STANDS;
          return named;
        }
    }
  return -1;
}

gboolean
jank_culprit_has_dispatch (const JankCulpritStep *steps, guint n_steps, gboolean is_stall)
{
  gboolean has_dispatch;

  jank_culprit_find_dispatched (steps, n_steps, is_stall, &has_dispatch);
  return has_dispatch;
}

guint
jank_culprit_find_first (const JankCulpritStep *steps, guint n_steps, gboolean is_stall)
{
  gboolean has_dispatch;

  return jank_culprit_find_dispatched (steps, n_steps, is_stall, &has_dispatch);
}
