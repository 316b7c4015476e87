/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>
#include <sys/syscall.h>

#include "blame/jank-culprit-private.h"
#include "blame/jank-platform-private.h"
#include "proc/jank-syscalls-private.h"
#include "test.h"

#define MAX_STEPS 16

/* Paths as "function@module", outermost first; no "@" is the program's, "?" a function without name, "collector" no
 * function, nothing behind "@" code in no file, "~" where packages of Python are. */
typedef struct
{
  const char *name;
  const char *path;
  gint        culprit;
  const char *reason; /* a part of it */
  gboolean    turns;  /* the loop turned meanwhile: it is no stall */
  gboolean    polls;  /* the path ends in the poll of a main loop */
} Case;

static const struct { const char *word, *means; } words[] = {
  { "START", "?, __libc_start_main@c, ?@c" },
  { "POLL", "g_main_loop_run@glib, ?@glib, poll@c" },
  { "LOOP", "g_application_run@gio, g_main_context_iteration@glib, ?@glib, g_main_context_dispatch@glib" },
  { "@c,", "@libc.so.6," }, { "@glib,", "@libglib-2.0.so.0," }, { "@gio,", "@libgio-2.0.so.0," },
  { "@gobject,", "@libgobject-2.0.so.0," }, { "@gtk3,", "@libgtk-3.so.0," }, { "@gtk4,", "@libgtk-4.so.1," },
  { "@python,", "@python3.11," }, { "@~", "@/usr/lib/python3/dist-packages/" },
};

#define OWN "of the program on the heaviest path"
#define PLATFORM "named platform function"
#define OUTSIDE "outside the main loop"

static const Case all_cases[] = {
  { "program", "START, main, LOOP, on_idle, compute, memcpy@c", 9, OWN },
  { "program-without-names", "START, ?, LOOP, ?, g_usleep@glib", 8, OWN },
  { "program-with-one-name", "START, main, LOOP, handler of GtkButton::clicked, ?, g_object_new@gobject, ?, "
    "g_usleep@glib", 8, "led to one without a name" },
  { "name-of-another-file", "START, main, LOOP, on_idle, ?@libplugin.so", 9, OWN },
  { "own-library", "START, main, LOOP, on_idle, work@libapp-core.so.2, qsort@c", 9, OWN },
  { "platform", "START, main, LOOP, ?@gtk4, hb_shape_full@libharfbuzz.so.0, ?@libharfbuzz.so.0", 9, PLATFORM },
  { "allocator", "START, main, LOOP, ?@gtk3, slot GtkLabel.measure@gtk3, ?@libpango-1.0.so.0, g_malloc0@glib, "
    "calloc@c", 9, PLATFORM },
  { "emission", "START, main, LOOP, gtk_main_do_event@gtk3, ?@gtk3, g_signal_emit_valist@gobject, ?@gobject",
    8, PLATFORM },
  { "emission-alone", "START, main, LOOP, ?@gtk3, g_signal_emit_valist@gobject", 8, "has a name" },
  { "widget", "START, main, LOOP, ?@gtk4, slot GtkLabel.measure@gtk4, pango_layout_get_size@libpango-1.0.so.0, "
    "g_utf8_strlen@glib", 9, PLATFORM },
  { "interpreter", "START, main@python, LOOP, gdk_display_get_event@libgdk-3.so.0, ffi_call@libffi.so.8, "
    "PyTuple_New@python", 8, PLATFORM },
  { "web-view", "START, main@epiphany, LOOP, slot WebKitWebViewBase.draw@libwebkit2gtk-4.1.so.0, "
    "?@libwebkit2gtk-4.1.so.0, _ZN3WTF15ThreadCondition9timedWaitE@libjavascriptcoregtk-4.1.so.0, "
    "pthread_cond_timedwait@c", 8, PLATFORM },
  { "loader", "START, main, LOOP, g_module_open@libgmodule-2.0.so.0, dlopen@c, ?@ld-linux-x86-64.so.2, "
    "_dl_catch_exception@c", 8, PLATFORM },
  { "driver", "START, main, LOOP, gsk_renderer_render@gtk4, ?@gtk4, ?@swrast_dri.so, "
    "_ZN4llvm13FPPassManager13runOnFunctionERNS_8FunctionE@libLLVM-15.so.1, memset@libLLVM-15.so.1", 8, PLATFORM },
  { "driver-of-the-program", "START, main, LOOP, draw, glDrawArrays@libGL.so.1, LLVMRun@libLLVM-15.so.1", 8, OWN },
  { "platform-without-names", "START, main, LOOP, ?@glib, ?@gtk4", 9, "nothing on the heaviest path has a name" },
  { "nested-loop", "START, main, LOOP, on_click, g_main_loop_run@glib, ?@glib, g_main_context_dispatch@glib, "
    "?@gtk4, gtk_widget_measure@gtk4", 13, PLATFORM },
  { "synchronous-call", "START, main, LOOP, on_click, g_dbus_connection_call_sync@gio, ?@gio, g_main_loop_run@glib, "
    "?@glib, poll@c", 8, OWN },
  { "private-loop", "START, main, LOOP, on_click, secret_password_lookup_sync@libsecret-1.so.0, POLL", 8, OWN },
  { "private-loop-of-the-program", "START, main, LOOP, on_click, wait_for_reply, POLL", 9, OWN, FALSE, TRUE },
  { "private-loop-in-start-up", "START, main, load, secret_password_lookup_sync@libsecret-1.so.0, POLL", 4, OUTSIDE },
  { "cancellable-call", "START, main, LOOP, ?@gtk4, poll@c, __syscall_cancel@c, __internal_syscall_cancel@c, "
    "__syscall_cancel_arch@c", 9, PLATFORM },
  { "loop-that-spins", "START, main, POLL", 6, PLATFORM, TRUE, TRUE },
  { "busy-wait", "START, main, LOOP, on_click, gtk_main_iteration@gtk3, g_main_context_iteration@glib, ?@glib, "
    "poll@c", 8, "of the program", TRUE, TRUE },
  { "busy-wait-in-main", "START, main, g_main_context_iteration@glib, ?@glib, poll@c", 3, OUTSIDE, TRUE, TRUE },
  { "busy-wait-that-dispatches", "START, main, LOOP, on_click, g_main_context_iteration@glib, ?@glib, on_idle",
    11, "of the program", TRUE },
  { "application-that-spins", "START, main, g_application_run@gio, g_main_context_iteration@glib, ?@glib, poll@c",
    7, PLATFORM, TRUE, TRUE },
  { "dispatch-is-static", "START, main, g_main_loop_run@glib, ?@glib, ?@glib, ?@gtk4, "
    "pango_layout_get_size@libpango-1.0.so.0", 8, PLATFORM },
  { "walk", "START, main, LOOP, g_main_context_check@glib, ?@glib, g_source_ref@glib", 8, "all of its sources" },
  { "loop-itself", "START, main, LOOP", 7, "several things" },
  { "start-up", "START, main, g_application_run@gio, activate, read@c", 5, OUTSIDE },
  { "fiber", "?@c, ?@libdex-1.so.1, load, read@c", 2, OWN },
  { "main", "START, main, fopen@c, ?@c", 3, OUTSIDE },
  { "main-without-name", "START, ?, fopen@c", 3, OUTSIDE },
  { "before-main", "?@ld-linux-x86-64.so.2, _dl_map_object@ld-linux-x86-64.so.2", 1, PLATFORM },
  { "partial-stack", "?@gtk4, draw, cairo_paint@libcairo.so.2", 1, "of the program" },
  { "generated-code", "START, main, LOOP, ?@, gjs_call@libgjs.so.0, ?@", 9, PLATFORM },
  { "only-generated-code", "?@, ?@", 1, "nothing on the heaviest path has a name" },
  { "library-of-c++", "START, main, LOOP, _ZN6Window4sortEv, _ZNKSt6vectorIiSaIiEE4sizeEv, "
    "_ZSt16__introsort_loopIPilEvT_S1_T0_", 8, "of the program" },
  { "header-of-c++", "START, main, LOOP, _ZL4turnv, _ZNSt5mutex4lockEv, "
    "_ZL20__gthread_mutex_lockP15pthread_mutex_t, pthread_mutex_lock@c", 8, "of the program" },
  { "library-of-d", "START, main, LOOP, _D3app6Window4turnMFZv, _D3std9algorithm7sorting__T4sortTAiZQkFQfZv, "
    "_D4core6memory2GC7collectFNbZv", 8, "of the program" },
  { "library-of-rust", "START, main, LOOP, _ZN5stall6Window4turn17h0123456789abcdefE, "
    "_ZN4core5slice4sort17h0123456789abcdefE", 8, "of the program" },
  { "rust-drops", "START, main, LOOP, _ZN4main10TaskSource4poll17hc7d2f52ec407eaa3E, "
    "_ZN4glib6source15destroy_closure17h8f6b7536afa5f08aE, "
    "_ZN4core3ptr32drop_in_place$LT$main..Notes$GT$17h9c337bb48e077593E, free@c", 8, "of the program" },
  { "rust-inlined", "START, main, LOOP, _ZN4glib6source10trampoline17hff95df2e88c857a6E, "
    "_ZN3std4time7Instant3now17h3b77c145da8719acE, clock_gettime@c", 8, "platform" },
  { "rust-copies", "START, main, LOOP, _ZN4glib6source10trampoline17hff95df2e88c857a6E, "
    "_ZN4main5Notes8copy_all17h35035d74d2234362E, "
    "_ZN67_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..clone..Clone$GT$5clone17ha37450f9570b9bdcE, "
    "_ZN52_$LT$T$u20$as$u20$alloc..slice..hack..ConvertVec$GT$6to_vec17hbc39e2fcc3241451E", 9, "of the program" },
  { "rust-trait-of-the-program", "START, main, LOOP, _ZN4main6freeze17h5af4276dadabbe67E, "
    "_ZN52_$LT$main..Parser$LT$T$GT$$u20$as$u20$main..Freeze$GT$6freeze17h5af4276dadabbe67E, "
    "_ZN49_$LT$main..Record$u20$as$u20$core..clone..Clone$GT$5clone17h5af4276dadabbe67E", 10, "of the program" },
  { "rust-futures", "START, main, LOOP, _ZN4main13load_document28_$u7b$$u7b$closure$u7d$$u7d$17h49e751f22f56ec50E, "
    "_ZN97_$LT$core..future..from_generator..GenFuture$LT$T$GT$$u20$as$u20$core..future..future..Future$GT$4poll17h00"
    "becdc7452fa965E, "
    "_ZN98_$LT$futures_task..future_obj..LocalFutureObj$LT$T$GT$$u20$as$u20$core..future..future..Future$GT$4poll17h2"
    "5df5beb31140f00E", 8, "of the program" },
  { "library-of-rust-v0", "START, main, LOOP, _RNCNvMs_CsjrHSEGnQ3l9_5stallNtB4_6Window4turn0B4_, "
    "_RNvNtNtCsjrHSEGnQ3l9_3std6thread9functions5sleep, _RNvMs0_NtCs1234_5alloc3vecINtB5_3VecjE4pushCs56_5stall",
    8, "of the program" },
  { "package", "START, main, LOOP, refresh@/srv/app.py, get@~requests/api.py, urlopen@~urllib3/pool.py",
    8, "of the program" },
  { "package-of-the-script", "START, main@/usr/bin/zim, main@~zim/main/__init__.py, parse@~xdg/menu.py",
    4, "of the program" },
  { "package-not-of-the-script", "START, main@/usr/bin/zim, main@~zimports/main.py, parse@~zi/menu.py",
    3, "of the program" },
  { "program-in-a-package", "START, main, LOOP, refresh@~meld/window.py, load@~meld/files.py, "
    "urlopen@~urllib3/pool.py", 9, "of the program" },
  { "script-of-a-package", "START, main@python, <module>@/usr/bin/meld, run@~meld/app.py, urlopen@~urllib3/pool.py",
    5, "of the program" },
  { "script-in-a-package", "START, main, LOOP, turn@~gbulb/loop.py, refresh@/srv/app.py", 9, "of the program" },
  { "collector", "START, main, LOOP, append@app.py, collector@python, ?@python", 9, "which no function asked for" },
  { "collector-asked-for", "START, main, LOOP, clean@app.py, gc.collect@python, collector@python",
    8, "of the program" },
  { "collector-of-the-platform", "START, main@app.js, LOOP, ?@libgjs.so.0, JS_GC@libmozjs-102.so, "
    "collector@libmozjs-102.so", 10, "which no function asked for" },
  { "shutdown", "START, main, the shutdown of Python@python, collector@python, ?@python",
    4, "in which the interpreter ended" },
  { "destructor-at-shutdown", "START, main, the shutdown of Python@python, collector@python, __del__@app.py",
    6, "of the program" },
  { "finalizer", "START, main, LOOP, append@app.py, collector@python, __del__@app.py, time.sleep@python",
    10, "garbage collector calls" },
  { "finalizer-of-the-platform", "START, main, LOOP, append@app.py, collector@python, g_object_unref@gobject, "
    "gtk_widget_unparent@gtk4, ?@gtk4", 11, "garbage collector calls" },
  { "idle", "START, main, POLL", 3, OUTSIDE, FALSE, TRUE },
  { "waits-in-its-callback", "START, main, g_main_loop_run@glib, ?@glib, ?@glib, on_idle, poll@c", 7, OWN },
  { "another-dispatch", "START, main, g_main_context_dispatch, g_usleep@glib", 4, OUTSIDE },
};

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  JankCulpritStep steps[MAX_STEPS] = { 0 };
  g_autoptr (GString) path = g_string_new (test->path);
  g_auto (GStrv) texts = NULL;
  const char *reason = NULL;
  guint n_steps;

  g_string_append_c (path, ',');
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_string_replace (path, words[i].word, words[i].means, 0);
  g_string_truncate (path, path->len - 1);
  texts = g_strsplit (path->str, ", ", -1);
  for (n_steps = 0; texts[n_steps] != NULL; n_steps++)
    {
      char *at = strchr (texts[n_steps], '@');

      g_assert_cmpuint (n_steps, <, MAX_STEPS);
      steps[n_steps].module = at == NULL ? "app" : at[1] != '\0' ? at + 1 : NULL;
      if (at != NULL)
        *at = '\0';
      steps[n_steps].function = g_str_equal (texts[n_steps], "?") ? NULL : texts[n_steps];
      steps[n_steps].is_collector = g_str_equal (texts[n_steps], "collector");
    }

  g_assert_cmpint (jank_culprit_find (steps, n_steps, !test->turns, &reason), ==, test->culprit);
  g_assert_nonnull (reason);
  g_assert_nonnull (strstr (reason, test->reason));
  /* Not “…, outside the main loop”. */
  g_assert_true (!g_str_has_suffix (test->reason, "heaviest path") || g_str_has_suffix (reason, test->reason));
  g_assert_cmpint (jank_culprit_is_in_poll (steps, n_steps), ==, test->polls);
}

/* One main loop, a callback, a synchronous call's own loop in it, and one in that. */
TEST (outside)
{
  static const JankCulpritStep steps[] = {
    { "main", "app", FALSE }, { "gtk_main", "libgtk-3.so.0", FALSE }, { "g_main_loop_run", "libglib-2.0.so.0", FALSE },
    { NULL, "libglib-2.0.so.0", FALSE }, { "g_main_context_dispatch", "libglib-2.0.so.0", FALSE },
    { NULL, "libglib-2.0.so.0", FALSE }, { "paste", "app", FALSE }, { "wait", "libgtk-3.so.0", FALSE },
    { "g_main_context_iteration", "libglib-2.0.so.0", FALSE }, { NULL, "libglib-2.0.so.0", FALSE },
    { "tick", "app", FALSE }, { "g_main_loop_run", "libglib-2.0.so.0", FALSE }, { "poll", "libc.so.6", FALSE },
  };
  static const guint expected[] = { 2, 8, 11, G_N_ELEMENTS (steps), G_N_ELEMENTS (steps) };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpuint (jank_culprit_count_outside (steps, G_N_ELEMENTS (steps), i), ==, expected[i]);
}

TEST (empty)
{
  const char *reason = NULL;

  g_assert_cmpint (jank_culprit_find (NULL, 0, TRUE, &reason), ==, -1);
  g_assert_null (reason);
}

TEST (contains)
{
  static const char *const inside[] = {
    "libgtk-4.so.1", "libgtk-4.so.1.800.3", "libglib-2.0.so.0", "libc.so.6", "libpangocairo-1.0.so.0", "[vdso]",
    "ld-linux-x86-64.so.2", "libadwaita-1.so.0", "libgtksourceview-5.so.0", "libX11.so.6", "libwayland-client.so.0",
    "libstdc++.so.6", "swrast_dri.so", "libjankwatch-1.so.0", "libgiojankwatch.so", "libdconfsettings.so",
    "libpixbufloader-svg.so", "libGLX_mesa.so.0", "libepoxy.so.0",
    "libmozjs-102.so.0", "libgjs.so.0", "self-hosted", "resource:///org/gnome/gjs/modules/core/overrides/GLib.js",
    "_dbus_bindings.so", "/usr/lib/python3/dist-packages/dbus/connection.py",
  };
  static const char *const outside[] = {
    "app", "gtk4-demo", "libgtk-4-extra.so.1", "libcustom.so.1", "libmine.so", "libchess.so", "libapp-core.so.2",
    "", "lib", "app.js", "resource:///org/gnome/shell/ui/main.js", "/home/u/extensions/slow@example.org/extension.js",
    "/usr/lib/python3/dist-packages/dbusmock/mockobject.py",
  };

  g_assert_true (jank_platform_is ("/usr/lib/x86_64-linux-gnu/libpython3.13.so.1.0", JANK_PLATFORM_INTERPRETER));
  g_assert_true (jank_platform_is ("/usr/bin/gjs-console", JANK_PLATFORM_INTERPRETER));
  g_assert_false (jank_platform_is ("/usr/lib/x86_64-linux-gnu/libgtk-4.so.1", JANK_PLATFORM_INTERPRETER));
  g_assert_false (jank_platform_is ("/usr/lib/python3.11/json/encoder.py", JANK_PLATFORM_INTERPRETER));
  g_assert_true (jank_platform_is ("/usr/lib/x86_64-linux-gnu/dri/swrast_dri.so", JANK_PLATFORM_DRIVER));
  g_assert_true (jank_platform_is ("libEGL_mesa.so.0", JANK_PLATFORM_DRIVER));
  g_assert_false (jank_platform_is ("libEGL.so.1", JANK_PLATFORM_DRIVER));
  g_assert_true (jank_platform_is ("/usr/lib/x86_64-linux-gnu/libgio-2.0.so.0", JANK_PLATFORM_WAITS));
  g_assert_true (jank_platform_is ("libc.so.6", JANK_PLATFORM_WAITS));
  g_assert_false (jank_platform_is ("libgtk-4.so.1", JANK_PLATFORM_WAITS));
  g_assert_false (jank_platform_is ("libdconfsettings.so", JANK_PLATFORM_WAITS));
  g_assert_false (jank_platform_is ("libcustom.so.1", JANK_PLATFORM_WAITS));
  for (guint i = 0; i < G_N_ELEMENTS (inside); i++)
    if (!jank_platform_contains (inside[i]))
      g_error ("“%s” is not in the platform", inside[i]);
  for (guint i = 0; i < G_N_ELEMENTS (outside); i++)
    if (jank_platform_contains (outside[i]))
      g_error ("“%s” is in the platform", outside[i]);
}

TEST (syscalls)
{
  static const struct { gint number; const char *name; } all[] = {
    { SYS_read, "read" }, { SYS_ppoll, "ppoll" }, { SYS_futex, "futex" }, { SYS_clock_nanosleep, "clock_nanosleep" },
    { -1, "-1" }, { 100000, "100000" }, { 4000, "4000" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autofree char *text = jank_syscall_to_text (all[i].number);

      g_assert_cmpstr (text, ==, all[i].name);
    }
}

TESTS_AND_ROWS ("/blame/culprit", all_cases, test_case)
