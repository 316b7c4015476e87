/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GObject's types, and what is known of an object by its type. */

#pragma once

#include "observe/jank-source-info-private.h"
#include "unwind/jank-page-cache-private.h"

/* Private layout: GLib's type nodes.
 *
 * GObject's record of each type, read by safe copies, because the hanging thread may hold GObject's locks. Reading
 * initializes no class. Watcher thread only.
 *
 * No header declares the record. The order of its fields has not changed since GLib 2.44 at least; a debug build
 * moves where they begin:
 *
 *   … n_children and flags | children | data | qname | global_gdata | interfaces | prerequisites | supers[] …
 *
 * supers[0] is the type itself: its node's address, or 4 × its number for a fundamental type. That identifies the
 * table of fundamental types and the offset of supers by content, and checks every other node. */

#define JANK_TYPE_NODE_WORDS     16
#define JANK_TYPE_MAX_DEPTH      24
#define JANK_TYPE_MAX_INTERFACES 64

/* Offsets in words, counted back from supers. */
enum { JANK_TYPE_COUNTS = -7, JANK_TYPE_CHILDREN, JANK_TYPE_DATA, JANK_TYPE_QNAME, JANK_TYPE_INTERFACES = -2 };

/* Words of a node's data. */
enum { JANK_TYPE_SIZES = 1, JANK_TYPE_CLASS_INIT = 4, JANK_TYPE_CLASS = 7, JANK_TYPE_INSTANCE_SIZES,
       JANK_TYPE_INSTANCE_INIT,
       JANK_TYPE_DATA_WORDS };

typedef struct
{
  guint   supers; /* offset of supers in a node, in words */
  guint64 object; /* address of GObject's node; 0: the tables were not found */
  JankPageCache *pages; /* (nullable): used by a walk through all types, whose nodes lie close together */
} JankTypes;

typedef struct
{
  guint64 words[JANK_TYPE_NODE_WORDS + JANK_TYPE_MAX_DEPTH];
  guint64 data[JANK_TYPE_DATA_WORDS];
  guint64 type;
} JankTypeNode;

/* A type's implementation of an interface. */
typedef struct
{
  guint64 type, functions, state;
} JankTypeInterface;

/* begin, end: the addresses of libgobject-2.0. FALSE: GObject's tables were not found there. */
gboolean    jank_types_find           (guint64 begin, guint64 end, JankTypes *ret_types);

/* address: not yet checked; type: the one that the node must have */
gboolean    jank_type_node_read       (const JankTypes *types, guint64 address, guint64 type, JankTypeNode *ret_node);

/* address: of a GTypeInstance, not yet checked. Its class must be that of its type. */
gboolean    jank_type_instance_read   (const JankTypes *types, guint64 address, JankTypeNode *ret_node);

guint64     jank_type_node_get        (const JankTypes *types, const JankTypeNode *node, gint field);

/* Takes no lock. Returns: (transfer none): the type's name, "?" if it has none */
const char *jank_type_node_get_name   (const JankTypes *types, const JankTypeNode *node);

/* Copies a type's interfaces to an array of JANK_TYPE_MAX_INTERFACES. Returns: their number */
guint       jank_type_node_interfaces (const JankTypes *types, const JankTypeNode *node,
                                       JankTypeInterface *ret_interfaces);

/* type: of a class or an interface */
gboolean    jank_type_node_is_a       (const JankTypes *types, const JankTypeNode *node, guint64 type);

gboolean    jank_type_is_pointer      (guint64 word);

/* FALSE: not all of n_bytes could be read. */
gboolean    jank_types_read           (const JankTypes *types, guint64 address, void *buffer, gsize n_bytes);

/* Distinguishes an object from others of its class by its label's text or its ID in a UI file, both read by safe
 * copies. Watcher thread only. */

/* Whether node's type, or one of its ancestors, is called name. */
gboolean jank_instance_is_a     (const JankTypes *types, const JankTypeNode *node, const char *name);

/* node: the instance's type, as read. Returns: (transfer full) (nullable): "“Freeze”" or "#freeze_button" */
char    *jank_instance_describe (const JankTypes *types, guint64 instance, const JankTypeNode *node);

/* Returns: whether text is printable and no longer than n_bytes */
gboolean jank_instance_read_text (guint64 address, char *ret_text, gsize n_bytes);

/* What a GIO source serves: a D-Bus method or signal, or a file's monitor. Watcher thread only, while the source is
 * being dispatched. */

/* source: one whose callback (or dispatch, if it has no callback) is GIO's.
 * Returns: (transfer full) (nullable): "D-Bus signal org.example.Ledger.Changed" */
char *jank_served_describe (const JankTypes *types, const JankSourceInfo *source);
