/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the name of a function was read. */

#pragma once

typedef enum
{
  JANK_NAME_FROM_NOWHERE,     /* no name, or a report that does not say */
  JANK_NAME_FROM_EXPORTED,    /* .dynsym of the loaded file */
  JANK_NAME_FROM_SYMTAB,      /* .symtab of the loaded file */
  JANK_NAME_FROM_DEBUGDATA,   /* .gnu_debugdata of the loaded file */
  JANK_NAME_FROM_DEBUG_FILE,  /* debug information of this machine */
  JANK_NAME_FROM_DEBUGINFOD,  /* debug information that a server sent */
  JANK_NAME_FROM_TYPE_SYSTEM, /* no name, but a description: its slot in a class of GObject's */
  JANK_NAME_FROM_INTERPRETER, /* what a script calls its function */
  JANK_NAME_FROM_CALLER,      /* no name, but a description: what it was called for, such as a signal */
  JANK_NAME_FROM_COLLECTOR,   /* no function: an interpreter's garbage collector */
} JankNameFrom;

#define JANK_N_NAME_FROM (JANK_NAME_FROM_COLLECTOR + 1)

/* A description: a symbol is better, and no two reports of a function need to have the same. */
static inline int
jank_name_from_is_description (JankNameFrom self)
{
  return self == JANK_NAME_FROM_TYPE_SYSTEM || self == JANK_NAME_FROM_CALLER;
}
