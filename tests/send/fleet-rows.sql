-- SPDX-FileCopyrightText: the jankwatch authors
-- SPDX-License-Identifier: LGPL-2.1-or-later

-- :n reports of 500,000 machines: 40 programs in 12 versions, 50 problems each, of which few are frequent. One report in 20 is of
-- one of 60 extensions. From the version 1.8 on of each program its problem 49 is there, which was not before.
INSERT INTO hang
SELECT hex(i), toDateTime('2026-01-01 00:00:00') + toInt32((release * 30 + rand(6) / 4294967296 * 60) * 86400),
  concat('app-', toString(app)), concat('1.', toString(release)), lower(hex(MD5(toString(machine)))), 'debian 13',
  substring(lower(hex(MD5(concat(toString(app), '-', toString(problem))))), 1, 16), concat('function_', toString(problem)),
  if(i % 20 = 0, concat('extension-', toString(toUInt32(60 * pow(rand(7) / 4294967296, 3))), '@example.org'), ''),
  toUInt32(1 + pow(rand(8) / 4294967296, 4) * 9), toFloat32(0.1 + pow(rand(9) / 4294967296, 6) * 10)
FROM (
  SELECT i, app, release, machine, if(release >= 8 AND i % 11 = 0, 49, drawn) AS problem
  FROM (
    SELECT number + 1 AS i, least(toUInt32(40 * pow(rand(1) / 4294967296, 2)), 39) AS app,
      toUInt32(12 * (rand(2) / 4294967296)) AS release, toUInt32(500000 * (rand(3) / 4294967296)) AS machine,
      toUInt32(49 * pow(rand(4) / 4294967296, 3)) AS drawn
    FROM numbers(:n)
  )
);
