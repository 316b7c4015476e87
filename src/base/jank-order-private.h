/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comparisons for qsort(), g_array_sort() and g_ptr_array_sort(). Pure; any thread.
 *
 * Each defines name(), which orders elements of a type by what access finds in each: ->began_ns in a struct, [0] is the
 * element itself, [0]->began_ns is behind an element that is a pointer (of the type “Thing *const”). */

#pragma once

#define JANK_ORDER_RISING(name, Type, access)  JANK_ORDER (name, Type, access, >)
#define JANK_ORDER_FALLING(name, Type, access) JANK_ORDER (name, Type, access, <)

#define JANK_ORDER(name, Type, access, is_behind) \
  static int \
  name (const void *a, const void *b) \
  { \
    const Type *one = a; \
    const Type *other = b; \
\
    return (one access is_behind other access) - (other access is_behind one access); \
  }
