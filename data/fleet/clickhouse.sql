-- SPDX-FileCopyrightText: the jankwatch authors
-- SPDX-License-Identifier: LGPL-2.1-or-later

-- A table, and three questions as views, for ClickHouse, from 18.16 (Debian 12's) on. A repeated record counts
-- once when the table's parts have merged.

CREATE TABLE hang (
  uid         String,
  at          DateTime,
  app         String,
  version     String,
  machine     String,
  os          String,
  fingerprint String,
  culprit     String,
  extension   String,
  count       UInt32,
  seconds     Float32
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(at) ORDER BY (fingerprint, machine, uid);

CREATE VIEW worst AS
  SELECT fingerprint, any(app) AS app, any(culprit) AS culprit, uniqExact(machine) AS machines, sum(seconds) / 3600 AS hours,
    sum(count) AS stalls
  FROM hang
  GROUP BY fingerprint
  ORDER BY hours DESC;

CREATE VIEW regression AS
  SELECT app, now.2 AS version, fingerprint, culprit, now.4 AS reports, now.3 AS seconds_each,
    arraySum(arrayMap(other -> if(other.1 = now.1 - 1, other.3, 0), list)) AS seconds_each_before,
    seconds_each_before = 0 AS new
  FROM (
    SELECT app, fingerprint, any(culprit) AS culprit, groupArray((rank, version, total / n, reports, n)) AS list
    FROM (
      SELECT app, version, fingerprint, any(culprit) AS culprit, sum(seconds) AS total, count() AS reports
      FROM hang
      GROUP BY app, version, fingerprint
    ) ANY INNER JOIN (
      SELECT app, one.2 AS version, one.3 AS n, rank
      FROM (
        SELECT app, arraySort(groupArray((first, version, n))) AS versions
        FROM (
          SELECT app, version, uniqExact(machine) AS n, min(at) AS first
          FROM hang
          GROUP BY app, version
        )
        GROUP BY app
      ) ARRAY JOIN versions AS one, arrayEnumerate(versions) AS rank
    ) USING (app, version)
    GROUP BY app, fingerprint
  ) ARRAY JOIN list AS now
  WHERE now.1 > 1 AND reports >= 5 AND seconds_each > 2 * seconds_each_before
  ORDER BY (seconds_each - seconds_each_before) * now.5 DESC;

CREATE VIEW extension AS
  SELECT extension, uniqExact(machine) AS machines, sum(seconds) / 3600 AS hours, sum(seconds) / machines AS seconds_each,
    sum(count) AS stalls
  FROM hang
  WHERE extension <> ''
  GROUP BY extension
  ORDER BY hours DESC;

-- From the Collector's table, with ClickHouse 21.3 or later; NOT RUN: Debian's has no maps.
-- CREATE MATERIALIZED VIEW hang_from_otel TO hang AS
--   SELECT LogAttributes['log.record.uid'] AS uid, toDateTime(Timestamp) AS at, ServiceName AS app,
--     ResourceAttributes['service.version'] AS version, ResourceAttributes['device.id'] AS machine,
--     concat(ResourceAttributes['os.name'], ' ', ResourceAttributes['os.version']) AS os,
--     LogAttributes['app.hang.fingerprint'] AS fingerprint, LogAttributes['code.function.name'] AS culprit,
--     LogAttributes['jankwatch.extension'] AS extension,
--     toUInt32OrZero(LogAttributes['app.hang.count']) AS count,
--     if(LogAttributes['jankwatch.repeats.total_ns'] = '', toFloat32OrZero(LogAttributes['app.hang.duration']),
--        toFloat32OrZero(LogAttributes['jankwatch.repeats.total_ns']) / 1e9)
--       * count / greatest(toUInt32OrZero(LogAttributes['jankwatch.repeats.count']), 1) AS seconds
--   FROM otel_logs
--   WHERE LogAttributes['app.hang.fingerprint'] <> '';
