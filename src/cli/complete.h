/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

/* `jankwatch --complete WORD…`: prints what may stand in place of the last WORD, a line each: the shells'
 * completions ask, and know nothing themselves. Where bash parts words at “=”, what is printed follows it. Returns:
 * the exit status */
int complete_words (int argc, char **argv);
