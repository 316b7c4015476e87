/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>
#include <stddef.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t n_bytes);
