/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GLib's type nodes.
 *
 * GObject's record of each type, read from outside by safe copies: its locks may be held by the thread that hangs. No class
 * comes into being by that. Watcher thread only.
 *
 * No header shows the record. Its fields have had one order since GLib 2.44 at least, but begin at a place that a debug
 * build moves:
 *
 *   … n_children and flags | children | data | qname | global_gdata | interfaces | prerequisites | supers[] …
 *
 * supers[0] is the type itself, which is its node's address, or 4 × its number for a fundamental type. So the table of
 * fundamental types is recognized by content, supers' offset with it, and each further node is checked the same way. */

#pragma once

#include <glib.h>

#include "unwind/jank-page-cache-private.h"

#define JANK_TYPE_NODE_WORDS     16
#define JANK_TYPE_MAX_DEPTH      24
#define JANK_TYPE_MAX_INTERFACES 64

/* Before supers, in words. */
enum { JANK_TYPE_COUNTS = -7, JANK_TYPE_CHILDREN, JANK_TYPE_DATA, JANK_TYPE_QNAME, JANK_TYPE_INTERFACES = -2 };

/* Words of a node's data. */
enum { JANK_TYPE_SIZES = 1, JANK_TYPE_CLASS_INIT = 4, JANK_TYPE_CLASS = 7, JANK_TYPE_INSTANCE_SIZES, JANK_TYPE_INSTANCE_INIT,
       JANK_TYPE_DATA_WORDS };

typedef struct
{
  guint   supers; /* offset of supers in a node, in words */
  guint64 object; /* address of GObject's node; 0: the tables were not found */
  JankPageCache *pages; /* (nullable): of one walk through all types, whose nodes lie together */
} JankTypes;

typedef struct
{
  guint64 words[JANK_TYPE_NODE_WORDS + JANK_TYPE_MAX_DEPTH];
  guint64 data[JANK_TYPE_DATA_WORDS];
  guint64 type;
} JankTypeNode;

/* Of an interface that a type has. */
typedef struct
{
  guint64 type, functions, state;
} JankTypeInterface;

/* begin, end: addresses that libgobject-2.0 spans. FALSE: these are not GObject's tables. */
gboolean    jank_types_find           (guint64 begin, guint64 end, JankTypes *ret_types);

/* address: not yet trusted; type: that the node should have */
gboolean    jank_type_node_read       (const JankTypes *types, guint64 address, guint64 type, JankTypeNode *ret_node);

/* address: of a GTypeInstance, not yet trusted: its class must be its type's own. */
gboolean    jank_type_instance_read   (const JankTypes *types, guint64 address, JankTypeNode *ret_node);

guint64     jank_type_node_get        (const JankTypes *types, const JankTypeNode *node, gint field);

/* Takes no lock. Returns: (transfer none): "?" for a node without */
const char *jank_type_node_get_name   (const JankTypes *types, const JankTypeNode *node);

/* Its interfaces, of which the array has room for JANK_TYPE_MAX_INTERFACES. Returns: their number */
guint       jank_type_node_interfaces (const JankTypes *types, const JankTypeNode *node, JankTypeInterface *ret_interfaces);

/* type: of a class or an interface */
gboolean    jank_type_node_is_a       (const JankTypes *types, const JankTypeNode *node, guint64 type);

gboolean    jank_type_is_pointer      (guint64 word);

/* All of n_bytes or FALSE. */
gboolean    jank_types_read           (const JankTypes *types, guint64 address, void *buffer, gsize n_bytes);
