/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What jankwatch says of the program it is in, as the program hears it: none is kept back as a repetition. */

#pragma once

/* Once the loop runs. Prints a JSON object: whether the process is watched; then one per report, in a line each. */
void reports_print (void);
