/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings, their warnings and a folder for their file. */

#pragma once

#include "settings/jank-settings-private.h"

typedef struct
{
  JankSettings *settings; /* (owned) */
  GPtrArray    *warnings; /* (owned) of char */
  char         *folder;   /* (owned), with settings.conf in it */
  char         *path;     /* (owned) */
} Fixture;

/* For g_test_add(). */
void        settings_set_up         (Fixture *fixture, gconstpointer data);
void        settings_tear_down      (Fixture *fixture, gconstpointer data);

void        settings_write_file     (Fixture *fixture, const char *text, gssize n_bytes);
const char *settings_get_warning    (const Fixture *fixture, guint i);
void        settings_assert_has     (const char *text, const char *part);
void        settings_assert_equal   (const JankSettings *a, const JankSettings *b);
/* The message names the key, what was given, what is accepted, and the value in use, which stays. */
void        settings_assert_refused (Fixture *fixture, const char *key, const char *value, const char *accepted,
                                     const char *in_use);
