/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whom a process waits for, and whom that one waits for, until one waits for nobody: that is the cause. Or the chain
 * closes: a deadlock. Only the kernel is asked; where it does not tell, the chain ends in that. The reader's thread. */

#pragma once

#include "chain/jank-hop-private.h"

typedef struct
{
  JankLook look;
  JankHop  hop;
  char     name[64];  /* of the process; clean */
  char     user[64];  /* of another user's process, else empty; clean */
  char     unit[128]; /* systemd's, of another user's process, else empty; clean */
  char    *function;  /* (owned) (nullable): what it computes, if it is watched */
  const char *syscall; /* (nullable): that it sleeps in */
} JankLink;

typedef struct
{
  GPtrArray *links;       /* (owned) (element-type JankLink): at least one */
  guint      closes_at;   /* of a deadlock: the link that the last one waits for; links->len: it is none */
  gboolean   is_settled;  /* all of it was so at one moment; else a thread went on while it was read */
} JankChain;

/* What the watched programs have told, who may know more of their wait than the kernel. data: (nullable) */
typedef struct
{
  /* Fills hop and ret_function ((transfer full), (nullable)) of the main thread. */
  void   (*tell) (pid_t pid, JankHop *hop, char **ret_function, gpointer data);
  gpointer data;
} JankChainTeller;

/* pid: a process, or one of its threads. teller: (nullable). Returns: (transfer full) (nullable): there is none */
JankChain *jank_chain_new      (pid_t pid, const JankChainTeller *teller);
void       jank_chain_free     (JankChain *self);

/* The last link: what it does is the cause. */
const JankLink *jank_chain_get_end (const JankChain *self);
gboolean   jank_chain_is_deadlock (const JankChain *self);
/* "deadlock", or what the last link does: "sleep"; "unknown" where it waits for somebody who cannot be seen */
const char *jank_chain_get_cause (const JankChain *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankChain, jank_chain_free)
