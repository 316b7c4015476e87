/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Distinguishes an object from others of its class by its label's text or its ID in a UI file, both read by safe
 * copies. Watcher thread only. */

#pragma once

#include "gobject/jank-type-nodes-private.h"

/* Whether node's type, or one of its ancestors, is called name. */
gboolean jank_instance_is_a     (const JankTypes *types, const JankTypeNode *node, const char *name);

/* node: the instance's type, as read. Returns: (transfer full) (nullable): "“Freeze”" or "#freeze_button" */
char    *jank_instance_describe (const JankTypes *types, guint64 instance, const JankTypeNode *node);

/* Returns: whether text is printable and no longer than n_bytes */
gboolean jank_instance_read_text (guint64 address, char *ret_text, gsize n_bytes);
