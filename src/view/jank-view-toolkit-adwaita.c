/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

#include <adwaita.h>

void
jank_view_toolkit_init (void)
{
  adw_init ();
}

GtkApplication *
jank_view_toolkit_new_application (const char *id)
{
  return GTK_APPLICATION (adw_application_new (id, G_APPLICATION_NON_UNIQUE));
}
