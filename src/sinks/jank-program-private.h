/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which program this is, and which toolkit it draws with. GTK's functions are looked up by name where GTK is loaded. */

#pragma once

#include <glib.h>

#include "settings/jank-settings-private.h"

typedef struct _JankProgram JankProgram;

struct _JankProgram
{
  char *name;             /* (owned) */
  char *id;               /* (owned) (nullable): of its GApplication */
  char *exe;              /* (owned) (nullable) */
  char *version;          /* (owned) (nullable): of its GApplication, from GLib 2.80 on */
  char *toolkit_name;     /* (owned) (nullable) */
  char *toolkit_version;  /* (owned) (nullable) */
  char *toolkit_backend;  /* (owned) (nullable) */
};

/* Any thread: without the toolkit. (transfer full) */
JankProgram *jank_program_new       (void);

/* On the main thread, once the program has started. (transfer full) */
JankProgram *jank_program_new_full  (void);
/* The script or module that an interpreter of that name runs, and only if it is a file that can be read, or a module:
 * code, and arguments of code, are no names. words: of its command line, each with a 0 at the end; n_bytes: without the
 * last one's. Returns: (transfer full) (nullable) */
char        *jank_program_find_script (const char *interpreter, const char *words, gsize n_bytes);
/* As the user says, else as the program says. Returns: (nullable): borrowed from either */
const char  *jank_program_get_version (const JankProgram *self, const JankSettings *settings);
void         jank_program_free      (JankProgram *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankProgram, jank_program_free)
