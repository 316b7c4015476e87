-- SPDX-FileCopyrightText: the jankwatch authors
-- SPDX-License-Identifier: LGPL-2.1-or-later

-- :n reports of 500,000 machines: 40 programs in 12 versions, 50 problems each, of which few are frequent. One report in 20 is of
-- one of 60 extensions. From the version 1.8 on of each program its problem 49 is there, which was not before.
INSERT INTO hang
SELECT to_hex(i), timestamptz '2026-01-01' + (release * 30 + random() * 60) * interval '1 day', 'app-' || app,
  '1.' || release, md5(machine::text), 'debian 13', substr(md5(app || '-' || problem), 1, 16), 'function_' || problem,
  CASE WHEN i % 20 = 0 THEN 'extension-' || (60 * random() ^ 3)::integer || '@example.org' ELSE '' END,
  1 + (random() ^ 4 * 9)::integer, (0.1 + random() ^ 6 * 10)::real
FROM (
  SELECT i, least(app, 39) AS app, release, machine,
    CASE WHEN release >= 8 AND i % 11 = 0 THEN 49 ELSE problem END AS problem
  FROM (
    SELECT i, (40 * random() ^ 2)::integer AS app, (11 * random())::integer AS release, (random() * 500000)::integer AS machine,
      (48 * random() ^ 3)::integer AS problem
    FROM generate_series(1, :n) AS i
  ) AS drawn
) AS chosen;
