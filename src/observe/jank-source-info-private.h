/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The GSource that a loop is dispatching: a copy, valid after the source is gone. */

#pragma once

#include <glib.h>

typedef struct
{
  gboolean known;
  char     name[96];  /* empty: the source has none */
  gint     priority;
  guint64  callback;  /* address of its GSourceFunc, 0 when the source has none or it cannot be told */
  guint64  dispatch;  /* address of its GSourceFuncs.dispatch */
  guint64  address;
  guint64  data;      /* what callback is given, 0: not known */
  char     serves[192]; /* "D-Bus signal org.example.Ledger.Changed"; empty: not known */
} JankSourceInfo;
