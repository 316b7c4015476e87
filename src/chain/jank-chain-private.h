/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whom a process waits for, and whom that one waits for, until one waits for nobody: that is the cause. Or the chain
 * closes: a deadlock. Only the kernel is asked; where it does not tell, the chain ends in that. The reader's thread. */

#pragma once

#include "chain/jank-hop-private.h"

/* What a thread does, by who may know more of it than the kernel. */
typedef struct
{
  JankHop hop;
  char   *function, *file; /* (owned) (nullable): what it computes */
  guint   line;
} JankTold;

/* The watched programs, which have told of their waits. data: (nullable) */
typedef struct
{
  /* told: its hop is what the kernel says */
  void   (*tell) (const JankLook *look, JankTold *told, gpointer data);
  gpointer data;
} JankChainTeller;

/* pid: a process, or one of its threads. teller: (nullable). Returns: (transfer full) (nullable): there is none */
JankReportChain *jank_chain_read (pid_t pid, const JankChainTeller *teller);
