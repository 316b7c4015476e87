/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names and source lines of what a watched program tells while it hangs: found here, by the report on disk, not in the
 * program. One thread. */

#pragma once

#include "report/jank-report-private.h"

typedef struct _GistPlaces GistPlaces;

GistPlaces *gist_places_new  (void);
void        gist_places_free (GistPlaces *self);

/* gist: of jank_live_gist_new(). store (nullable): the program's folder */
void        gist_places_fill (GistPlaces *self, const char *store, JankReport *gist);
