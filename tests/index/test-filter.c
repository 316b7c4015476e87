/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Times and patterns as people write them. */

#include "index/jank-filter-private.h"
#include "test.h"

static void
assert_time (const char *text, gboolean at_end, const char *expected)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_offset (2 * 3600);
  g_autoptr (GDateTime) now = g_date_time_new (zone, 2026, 11, 23, 15, 30, 12);
  g_autoptr (GError) error = NULL;
  gint64 us = jank_filter_parse_time (text, at_end, now, &error);
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (us / G_USEC_PER_SEC);
  g_autofree char *found = g_date_time_format (time, "%Y-%m-%d %H:%M:%S");

  g_assert_cmpstr (error != NULL ? "none" : found, ==, expected);
}

TEST (time)
{
  assert_time ("2026-11-21", FALSE, "2026-11-20 22:00:00");
  assert_time ("2026-11-21", TRUE, "2026-11-21 22:00:00");
  assert_time ("2026-11-21 15:30", TRUE, "2026-11-21 13:30:00");
  assert_time ("2026-11-21 15:30:12", FALSE, "2026-11-21 13:30:12");
  assert_time ("2026-11-21T15:30:12Z", FALSE, "2026-11-21 15:30:12");
  assert_time ("08:09", FALSE, "2026-11-23 06:09:00");
  assert_time ("today", FALSE, "2026-11-22 22:00:00");
  assert_time ("today", TRUE, "2026-11-23 22:00:00");
  assert_time ("yesterday", FALSE, "2026-11-21 22:00:00");
  assert_time ("yesterday", TRUE, "2026-11-22 22:00:00");
  assert_time ("90min", FALSE, "2026-11-23 12:00:12");
  assert_time ("2h", TRUE, "2026-11-23 11:30:12");
  assert_time ("1w", FALSE, "2026-11-16 13:30:12");
  for (guint i = 0; i < 9; i++)
    assert_time (((const char *[]) { "", "x", "2026", "2026-13-01", "2026-11-21x", "25:00", "-1h", "1y", "\xff" })[i],
                 FALSE,
                 "none");
}

static gboolean
passes (const char *filter_text, const JankRow *row)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JankFilter) filter = jank_filter_from_text (filter_text, &error);

  g_assert_no_error (error);
  return jank_filter_matches (filter, row);
}

TEST (text)
{
  const JankRow row = {
    .id = "1", .app = "gedit", .app_id = "org.gnome.gedit", .exe = "/usr/bin/gedit-bin", .version = "46.2",
    .build = "0123456789abcdef", .session = "s-1", .kind = JANK_REPORT_SPIN, .severity = JANK_SEVERITY_HANG,
    .culprit = "_ZN3Foo4drawEv", .reason = "file", .tags = "window=a=b\npage=12", .fingerprint = "f",
    .first_us = 1000 * G_USEC_PER_SEC, .last_us = 2000 * G_USEC_PER_SEC,
  };

  for (guint i = 0; i < 17; i++)
    g_assert_true (passes (((const char *[]) {
      "app=gedit", "app=org.gnome.*", "app=gedit-bin", "app=/usr/bin/*", "app=other,app=gedit", "app-version=46.2",
      "app-version=0123456", "session=s-1", "kind=spin", "kind=stall,kind=spin", "severity=minor", "severity=hang",
      "culprit=_ZN*", "culprit=Foo::draw", "tag=page", "tag=page=12", "tag=window=a=b" })[i], &row));
  for (guint i = 0; i < 14; i++)
    g_assert_false (passes (((const char *[]) {
      "app=gedi", "app=bin", "app-version=46", "app-version=012345", "session=s", "kind=stall", "severity=frozen",
      "culprit=draw", "reason=lock", "tag=page=1", "tag=12", "fingerprint=g", "since=2026-01-01",
      "until=1970-01-01T00:16:00Z"
    })[i], &row));
  g_assert_true (passes ("since=1970-01-01T00:33:00Z,until=1970-01-01T00:40:00Z", &row));
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (jank_filter_from_text (((const char *[]) { "colour=red", "kind=x", "severity=", "since=x" })[i],
                                            &error));
      g_assert_nonnull (error);
    }
}

TESTS ("/index/filter")
