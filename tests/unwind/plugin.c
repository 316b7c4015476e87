/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Built several times: files of one size that differ in their build-id only. */

extern int plugin_value (int x);

__attribute__ ((visibility ("default"))) int
plugin_value (int x)
{
  return x * 7;
}
