/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What tells an object from others of its class, read by safe copies: the text of its label, or the ID that its UI file gives
 * it. Watcher thread only. */

#pragma once

#include "gobject/jank-type-nodes-private.h"

/* name: of a type that node has among its ancestors, or its own */
gboolean jank_instance_is_a     (const JankTypes *types, const JankTypeNode *node, const char *name);

/* node: of the instance, as read. Returns: (transfer full) (nullable): "“Freeze”" or "#freeze_button" */
char    *jank_instance_describe (const JankTypes *types, guint64 instance, const JankTypeNode *node);

/* Returns: whether text has n_bytes at most, and is printable */
gboolean jank_instance_read_text (guint64 address, char *ret_text, gsize n_bytes);
