/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *name;
  void      (*func) (void);
} FaultsCase;

/* Each ends with a NULL name. The first two are done on the loop. */
extern const FaultsCase faults_on_loop[], faults_stacks[], faults_signals[], faults_limits[];

/* First of all, in the loop's thread. */
void  faults_signal_before (const char *name);

extern guint faults_n_rounds;

void  faults_compute      (gint64 us);
void  faults_await_stalls (guint n);

/* On the observed thread, in the middle of a stall; returns when func has. */
void  faults_do_on_loop   (void (*func) (void));

/* n exceptions through depth calls each. Returns: how many were caught */
guint faults_throw        (guint n, guint depth);

G_END_DECLS
