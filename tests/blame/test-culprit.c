/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>
#include <sys/syscall.h>

#include "blame/jank-culprit-private.h"
#include "blame/jank-platform-private.h"
#include "proc/jank-syscalls-private.h"
#include "test.h"

#define MAX_STEPS 16

/* Paths as "function@module", outermost first; "?" is a function without name, "collector" no function, no "@" code in
 * no file. */
typedef struct
{
  const char *name;
  const char *path[MAX_STEPS];
  gint        culprit;
  const char *reason; /* a part of it */
  gboolean    turns;  /* the loop turned meanwhile: it is no stall */
  gboolean    polls;  /* the path ends in the poll of a main loop */
} Case;

#define START "?@app", "__libc_start_main@libc.so.6", "?@libc.so.6"
#define POLL "g_main_loop_run@libglib-2.0.so.0", "?@libglib-2.0.so.0", "poll@libc.so.6"
#define LOOP "g_application_run@libgio-2.0.so.0", "g_main_context_iteration@libglib-2.0.so.0", "?@libglib-2.0.so.0", \
  "g_main_context_dispatch@libglib-2.0.so.0"

static const Case all_cases[] = {
  { "program", { START, "main@app", LOOP, "on_idle@app", "compute@app", "memcpy@libc.so.6" },
    9, "of the program on the heaviest path" },
  { "program-without-names", { START, "?@app", LOOP, "?@app", "g_usleep@libglib-2.0.so.0" },
    8, "of the program on the heaviest path" },
  { "program-with-one-name",
    { START, "main@app", LOOP, "handler of GtkButton::clicked@app", "?@app", "g_object_new@libgobject-2.0.so.0",
      "?@app", "g_usleep@libglib-2.0.so.0" }, 8, "led to one without a name" },
  { "name-of-another-file", { START, "main@app", LOOP, "on_idle@app", "?@libplugin.so" }, 9,
    "of the program on the heaviest path" },
  { "own-library", { START, "main@app", LOOP, "on_idle@app", "work@libapp-core.so.2", "qsort@libc.so.6" },
    9, "of the program on the heaviest path" },
  { "platform", { START, "main@app", LOOP, "?@libgtk-4.so.1", "hb_shape_full@libharfbuzz.so.0", "?@libharfbuzz.so.0" },
    9, "deepest named platform function" },
  { "allocator", { START, "main@app", LOOP, "?@libgtk-3.so.0", "slot GtkLabel.measure@libgtk-3.so.0",
                   "?@libpango-1.0.so.0", "g_malloc0@libglib-2.0.so.0", "calloc@libc.so.6" },
    9, "deepest named platform function" },
  { "emission", { START, "main@app", LOOP, "gtk_main_do_event@libgtk-3.so.0", "?@libgtk-3.so.0",
                  "g_signal_emit_valist@libgobject-2.0.so.0", "?@libgobject-2.0.so.0" },
    8, "deepest named platform function" },
  { "emission-alone", { START, "main@app", LOOP, "?@libgtk-3.so.0", "g_signal_emit_valist@libgobject-2.0.so.0" },
    9, "deepest named platform function" },
  { "interpreter", { START, "main@python3.11", LOOP, "gdk_display_get_event@libgdk-3.so.0", "ffi_call@libffi.so.8",
                     "PyTuple_New@python3.11" }, 8, "deepest named platform function" },
  { "web-view", { START, "main@epiphany", LOOP, "slot WebKitWebViewBase.draw@libwebkit2gtk-4.1.so.0",
                  "?@libwebkit2gtk-4.1.so.0", "_ZN3WTF15ThreadCondition9timedWaitE@libjavascriptcoregtk-4.1.so.0",
                  "pthread_cond_timedwait@libc.so.6" }, 8, "deepest named platform function" },
  { "loader", { START, "main@app", LOOP, "g_module_open@libgmodule-2.0.so.0", "dlopen@libc.so.6",
                "?@ld-linux-x86-64.so.2",
                "_dl_catch_exception@libc.so.6" }, 8, "deepest named platform function" },
  { "driver", { START, "main@app", LOOP, "gsk_renderer_render@libgtk-4.so.1", "?@libgtk-4.so.1", "?@swrast_dri.so",
                "_ZN4llvm13FPPassManager13runOnFunctionERNS_8FunctionE@libLLVM-15.so.1", "memset@libLLVM-15.so.1" },
    8, "deepest named platform function" },
  { "driver-of-the-program",
    { START, "main@app", LOOP, "draw@app", "glDrawArrays@libGL.so.1", "LLVMRun@libLLVM-15.so.1" },
    8, "of the program on the heaviest path" },
  { "platform-without-names", { START, "main@app", LOOP, "?@libglib-2.0.so.0", "?@libgtk-4.so.1" },
    9, "nothing on the heaviest path has a name" },
  { "nested-loop", { START, "main@app", LOOP, "on_click@app", "g_main_loop_run@libglib-2.0.so.0",
                     "?@libglib-2.0.so.0", "g_main_context_dispatch@libglib-2.0.so.0", "?@libgtk-4.so.1",
                     "gtk_widget_measure@libgtk-4.so.1" },
    13, "deepest named platform function" },
  { "synchronous-call", { START, "main@app", LOOP, "on_click@app", "g_dbus_connection_call_sync@libgio-2.0.so.0",
                          "?@libgio-2.0.so.0", "g_main_loop_run@libglib-2.0.so.0", "?@libglib-2.0.so.0",
                          "poll@libc.so.6" },
    8, "of the program on the heaviest path" },
  { "private-loop", { START, "main@app", LOOP, "on_click@app", "secret_password_lookup_sync@libsecret-1.so.0", POLL },
    8, "of the program on the heaviest path" },
  { "private-loop-of-the-program", { START, "main@app", LOOP, "on_click@app", "wait_for_reply@app", POLL },
    9, "of the program on the heaviest path", FALSE, TRUE },
  { "private-loop-in-start-up", { START, "main@app", "load@app", "secret_password_lookup_sync@libsecret-1.so.0", POLL },
    4, "outside the main loop" },
  { "cancellable-call", { START, "main@app", LOOP, "?@libgtk-4.so.1", "poll@libc.so.6", "__syscall_cancel@libc.so.6",
                          "__internal_syscall_cancel@libc.so.6", "__syscall_cancel_arch@libc.so.6" }, 9,
                          "named platform" },
  { "loop-that-spins", { START, "main@app", POLL }, 6, "deepest named platform function", TRUE, TRUE },
  { "busy-wait", { START, "main@app", LOOP, "on_click@app", "gtk_main_iteration@libgtk-3.so.0",
                   "g_main_context_iteration@libglib-2.0.so.0", "?@libglib-2.0.so.0", "poll@libc.so.6" },
    8, "of the program", TRUE, TRUE },
  { "busy-wait-in-main", { START, "main@app", "g_main_context_iteration@libglib-2.0.so.0", "?@libglib-2.0.so.0",
                           "poll@libc.so.6" }, 3, "outside the main loop", TRUE, TRUE },
  { "busy-wait-that-dispatches", { START, "main@app", LOOP, "on_click@app", "g_main_context_iteration@libglib-2.0.so.0",
                                   "?@libglib-2.0.so.0", "on_idle@app" }, 11, "of the program", TRUE },
  { "application-that-spins", { START, "main@app", "g_application_run@libgio-2.0.so.0",
                                "g_main_context_iteration@libglib-2.0.so.0", "?@libglib-2.0.so.0", "poll@libc.so.6" },
    7, "deepest named platform function", TRUE, TRUE },
  { "dispatch-is-static", { START, "main@app", "g_main_loop_run@libglib-2.0.so.0", "?@libglib-2.0.so.0",
                            "?@libglib-2.0.so.0", "?@libgtk-4.so.1", "pango_layout_get_size@libpango-1.0.so.0" },
    8, "deepest named platform function" },
  { "loop-itself", { START, "main@app", LOOP }, 7, "several things" },
  { "start-up", { START, "main@app", "g_application_run@libgio-2.0.so.0", "activate@app", "read@libc.so.6" },
    5, "outside the main loop" },
  { "fiber", { "?@libc.so.6", "?@libdex-1.so.1", "load@app", "read@libc.so.6" }, 2,
    "of the program on the heaviest path" },
  { "main", { START, "main@app", "fopen@libc.so.6", "?@libc.so.6" }, 3, "outside the main loop" },
  { "main-without-name", { START, "?@app", "fopen@libc.so.6" }, 3, "outside the main loop" },
  { "before-main", { "?@ld-linux-x86-64.so.2", "_dl_map_object@ld-linux-x86-64.so.2" }, 1, "named platform" },
  { "partial-stack", { "?@libgtk-4.so.1", "draw@app", "cairo_paint@libcairo.so.2" }, 1, "of the program" },
  { "generated-code", { START, "main@app", LOOP, "?", "gjs_call@libgjs.so.0", "?" }, 9, "named platform" },
  { "only-generated-code", { "?", "?" }, 1, "nothing on the heaviest path has a name" },
  { "library-of-c++", { START, "main@app", LOOP, "_ZN6Window4sortEv@app", "_ZNKSt6vectorIiSaIiEE4sizeEv@app",
                        "_ZSt16__introsort_loopIPilEvT_S1_T0_@app" }, 8, "of the program" },
  { "header-of-c++", { START, "main@app", LOOP, "_ZL4turnv@app", "_ZNSt5mutex4lockEv@app",
                       "_ZL20__gthread_mutex_lockP15pthread_mutex_t@app", "pthread_mutex_lock@libc.so.6" }, 8,
                       "of the program" },
  { "library-of-d", { START, "main@app", LOOP, "_D3app6Window4turnMFZv@app",
                      "_D3std9algorithm7sorting__T4sortTAiZQkFQfZv@app", "_D4core6memory2GC7collectFNbZv@app" }, 8,
                      "of the program" },
  { "library-of-rust", { START, "main@app", LOOP, "_ZN5stall6Window4turn17h0123456789abcdefE@app",
                         "_ZN4core5slice4sort17h0123456789abcdefE@app" }, 8, "of the program" },
  { "rust-drops", { START, "main@app", LOOP, "_ZN4main10TaskSource4poll17hc7d2f52ec407eaa3E@app",
                    "_ZN4glib6source15destroy_closure17h8f6b7536afa5f08aE@app",
                    "_ZN4core3ptr32drop_in_place$LT$main..Notes$GT$17h9c337bb48e077593E@app", "free@libc.so.6" }, 8,
                    "of the program" },
  { "rust-inlined", { START, "main@app", LOOP, "_ZN4glib6source10trampoline17hff95df2e88c857a6E@app",
                      "_ZN3std4time7Instant3now17h3b77c145da8719acE@app", "clock_gettime@libc.so.6" }, 8, "platform" },
  { "rust-copies", { START, "main@app", LOOP, "_ZN4glib6source10trampoline17hff95df2e88c857a6E@app",
                     "_ZN4main5Notes8copy_all17h35035d74d2234362E@app",
                     "_ZN67_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..clon"
                     "e..Clone$GT$5clone17ha37450f9570b9bdcE@app",
                     "_ZN52_$LT$T$u20$as$u20$alloc..slice..hack..ConvertVec$GT$6to_vec17hbc39e2fcc3241451E@app" },
    9, "of the program" },
  { "rust-trait-of-the-program", { START, "main@app", LOOP, "_ZN4main6freeze17h5af4276dadabbe67E@app",
                                   "_ZN52_$LT$main..Parser$LT$T$GT$$u20$as$u20$main..Freeze$GT$6"
                                   "freeze17h5af4276dadabbe67E@app",
                                   "_ZN49_$LT$main..Record$u20$as$u20$core..clone..Clone$GT$5clo"
                                   "ne17h5af4276dadabbe67E@app" },
    10, "of the program" },
  { "rust-futures", { START, "main@app", LOOP,
                      "_ZN4main13load_document28_$u7b$$u7b$closure$u7d$$u7d$17h49e751f22f56ec50E@app",
                      "_ZN97_$LT$core..future..from_generator..GenFuture$LT$T$GT$$u"
                      "20$as$u20$core..future..future..Future$GT$"
                      "4poll17h00becdc7452fa965E@app",
                      "_ZN98_$LT$futures_task..future_obj..LocalFutureObj$LT$T$GT$$u"
                      "20$as$u20$core..future..future..Future$GT$"
                      "4poll17h25df5beb31140f00E@app" }, 8, "of the program" },
  { "library-of-rust-v0", { START, "main@app", LOOP, "_RNCNvMs_CsjrHSEGnQ3l9_5stallNtB4_6Window4turn0B4_@app",
                            "_RNvNtNtCsjrHSEGnQ3l9_3std6thread9functions5sleep@app",
                            "_RNvMs0_NtCs1234_5alloc3vecINtB5_3VecjE4pushCs56_5stall@app" }, 8, "of the program" },
  { "package", { START, "main@app", LOOP, "refresh@/srv/app.py", "get@/usr/lib/python3/dist-packages/requests/api.py",
                 "urlopen@/usr/lib/python3/dist-packages/urllib3/pool.py" }, 8, "of the program" },
  { "package-of-the-script", { START, "main@/usr/bin/zim", "main@/usr/lib/python3/dist-packages/zim/main/__init__.py",
                               "parse@/usr/lib/python3/dist-packages/xdg/menu.py" }, 4, "of the program" },
  { "package-not-of-the-script", { START, "main@/usr/bin/zim", "main@/usr/lib/python3/dist-packages/zimports/main.py",
                                   "parse@/usr/lib/python3/dist-packages/zi/menu.py" }, 3, "of the program" },
  { "program-in-a-package", { START, "main@app", LOOP, "refresh@/usr/lib/python3/dist-packages/meld/window.py",
                              "load@/usr/lib/python3/dist-packages/meld/files.py",
                              "urlopen@/usr/lib/python3/dist-packages/urllib3/pool.py" }, 9, "of the program" },
  { "script-of-a-package", { START, "main@python3.11", "<module>@/usr/bin/meld",
                             "run@/usr/lib/python3/dist-packages/meld/app.py",
                             "urlopen@/usr/lib/python3/dist-packages/urllib3/pool.py" }, 5, "of the program" },
  { "script-in-a-package", { START, "main@app", LOOP, "turn@/usr/lib/python3/dist-packages/gbulb/loop.py",
                             "refresh@/srv/app.py" },
    9, "of the program" },
  { "collector", { START, "main@app", LOOP, "append@app.py", "collector@python3.11", "?@python3.11" },
    9, "which no function asked for" },
  { "collector-asked-for", { START, "main@app", LOOP, "clean@app.py", "gc.collect@python3.11", "collector@python3.11" },
    8, "of the program" },
  { "collector-of-the-platform",
    { START, "main@app.js", LOOP, "?@libgjs.so.0", "JS_GC@libmozjs-102.so", "collector@libmozjs-102.so" },
    10, "which no function asked for" },
  { "shutdown", { START, "main@app", "the shutdown of Python@python3.11", "collector@python3.11", "?@python3.11" },
    4, "in which the interpreter ended" },
  { "destructor-at-shutdown",
    { START, "main@app", "the shutdown of Python@python3.11", "collector@python3.11", "__del__@app.py" },
    6, "of the program" },
  { "finalizer", { START, "main@app", LOOP, "append@app.py", "collector@python3.11", "__del__@app.py",
                   "time.sleep@python3.11" }, 10, "garbage collector calls" },
  { "finalizer-of-the-platform", { START, "main@app", LOOP, "append@app.py", "collector@python3.11",
                                   "g_object_unref@libgobject-2.0.so.0", "gtk_widget_unparent@libgtk-4.so.1",
                                   "?@libgtk-4.so.1" },
    11, "garbage collector calls" },
  { "idle", { START, "main@app", POLL }, 3, "outside the main loop", FALSE, TRUE },
  { "waits-in-its-callback", { START, "main@app", "g_main_loop_run@libglib-2.0.so.0", "?@libglib-2.0.so.0",
                               "?@libglib-2.0.so.0", "on_idle@app", "poll@libc.so.6" },
    7, "of the program on the heaviest path" },
  { "another-dispatch", { START, "main@app", "g_main_context_dispatch@app", "g_usleep@libglib-2.0.so.0" },
    4, "outside the main loop" },
};

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  JankCulpritStep steps[MAX_STEPS] = { 0 };
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  const char *reason = NULL;
  guint n_steps;

  for (n_steps = 0; n_steps < MAX_STEPS && test->path[n_steps] != NULL; n_steps++)
    {
      char **text = g_strsplit (test->path[n_steps], "@", 2);

      g_ptr_array_add (texts, text);
      steps[n_steps].function = g_str_equal (text[0], "?") ? NULL : text[0];
      steps[n_steps].module = text[1];
      steps[n_steps].is_collector = g_str_equal (text[0], "collector");
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (all_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/blame/culprit/", all_cases[i].name, NULL);

      g_test_add_data_func (path, &all_cases[i], test_case);
    }
  tests_add_all ("/blame/culprit");
  return g_test_run ();
}
