/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined (JANKWATCH_INSIDE) && !defined (JANKWATCH_COMPILATION)
#error "Only <jankwatch.h> can be included directly."
#endif

#include <glib-object.h>
#include "jank-version-macros.h"

G_BEGIN_DECLS

#define JANK_TYPE_TAG (jank_tag_get_type ())

/**
 * JankTag:
 *
 * What the program is doing, from [method@Monitor.push_tag] until [method@Tag.pop] or until its last reference is
 * dropped. Reference counted; any thread may use it, also when the monitor is gone.
 */
typedef struct _JankTag JankTag;

JANK_AVAILABLE_IN_0_1 GType    jank_tag_get_type (void) G_GNUC_CONST;
JANK_AVAILABLE_IN_0_1 JankTag *jank_tag_ref      (JankTag *self);
JANK_AVAILABLE_IN_0_1 void     jank_tag_unref    (JankTag *self);
JANK_AVAILABLE_IN_0_1 void     jank_tag_pop      (JankTag *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankTag, jank_tag_unref)

G_END_DECLS
