/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When a context ran handlers of monitors' signals, with whatever they called. The monitors of one context share it:
 * what one handler makes late must not call another, which makes late in turn. */

#pragma once

#include <glib.h>

#include "base/jank-spans-private.h"

/* Any thread. */
JankSpans *jank_handler_time_ref   (GMainContext *context);
void       jank_handler_time_unref (JankSpans *spans);
