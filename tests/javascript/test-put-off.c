/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* An engine that is played here, found by its functions' names: in what callbacks of main loops it answers. */

#include "javascript/jank-engine-private.h"

#include <stdlib.h>
#include <string.h>
#include <glib-object.h>

#include "test.h"

#define PLAYED __attribute__ ((visibility ("default")))

typedef struct
{
  char *text;
  void *padding[2];
} Text;

static GObject *gjs_context;
static int native_context;
static bool (*interrupt) (void *context);
static guint n_requests;

PLAYED void *gjs_context_get_current (void);
PLAYED void *gjs_context_get_native_context (void *context);
PLAYED void  _Z34JS_RequestInterruptCallbackCanWaitP9JSContext (void *context);
PLAYED bool  _Z23JS_AddInterruptCallbackP9JSContextPFbS0_E (void *context, bool (*callback) (void *context));
PLAYED Text  _ZN2JS15FormatStackDumpEP9JSContextbbb (void *context, bool arguments, bool locals, bool properties);
PLAYED void  _Z7JS_freeP9JSContextPv (void *context, void *text);
PLAYED bool  _Z21JS_IsExceptionPendingP9JSContext (void *context);
PLAYED void  _Z24JS_ClearPendingExceptionP9JSContext (void *context);

void *gjs_context_get_current (void) { return gjs_context; }
void *gjs_context_get_native_context (void *context) { return &native_context; }
void _Z34JS_RequestInterruptCallbackCanWaitP9JSContext (void *context) { n_requests++; }

bool
_Z23JS_AddInterruptCallbackP9JSContextPFbS0_E (void *context, bool (*callback) (void *context))
{
  interrupt = callback;
  return true;
}

Text
_ZN2JS15FormatStackDumpEP9JSContextbbb (void *context, bool arguments, bool locals, bool properties)
{
  return (Text) { .text = strdup ("0 load() [\"/srv/app.js\":3:5]\n") };
}

void _Z7JS_freeP9JSContextPv (void *context, void *text) { free (text); }
bool _Z21JS_IsExceptionPendingP9JSContext (void *context) { return false; }

void
_Z24JS_ClearPendingExceptionP9JSContext (void *context)
{
}

static gboolean
reach_safe_points_cb (gpointer n)
{
  for (guint i = 0; i < GPOINTER_TO_UINT (n); i++)
    g_assert_true (interrupt (&native_context));
  return G_SOURCE_REMOVE;
}

/* What a loop dispatches that the call in question runs, n times. */
static void
reach_deeper (guint n)
{
  g_idle_add (reach_safe_points_cb, GUINT_TO_POINTER (n));
  while (g_main_context_iteration (NULL, FALSE))
    continue;
}

TEST (put_off)
{
  g_autofree JankEngineAnswer *answer = g_new0 (JankEngineAnswer, 1);
  guint32 number;

  gjs_context = g_object_new (G_TYPE_OBJECT, NULL);
  while (!jank_engine_attach (&jank_engine_asked))
    continue;
  g_assert_nonnull (interrupt);

  /* Its first safe point may be far from what a sample has seen. */
  g_assert_cmpuint (jank_engine_begin (), ==, 0);
  reach_deeper (1);

  /* Any, as long as nobody knows what is asked for. */
  number = jank_engine_begin ();
  g_assert_cmpuint (number, !=, 0);
  reach_deeper (1);
  g_assert_true (jank_engine_take (number, answer));
  g_assert_cmpint (answer->depth, ==, 1);

  number = jank_engine_begin ();
  jank_engine_set_depth (number, 0);
  n_requests = 0;
  reach_deeper (1);
  g_assert_false (jank_engine_take (number, answer));
  g_assert_cmpuint (n_requests, ==, 1);
  /* A callback that goes on for long is not asked at each of its safe points. */
  reach_deeper (1000);
  g_assert_cmpuint (n_requests, <, 100);
  reach_safe_points_cb (GUINT_TO_POINTER (1));
  g_assert_true (jank_engine_take (number, answer));
  g_assert_cmpint (answer->depth, ==, 0);
  g_object_unref (gjs_context);
}

TESTS ("/javascript/put-off")
