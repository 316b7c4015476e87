/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#ifndef JANK_API
#define JANK_API __attribute__ ((visibility ("default")))
#endif
