-- SPDX-FileCopyrightText: the jankwatch authors
-- SPDX-License-Identifier: LGPL-2.1-or-later

-- Tables, and three questions as views, for PostgreSQL 15 or later. The Collector's file exporter and, in its first line,
-- `jankwatch send --dry-run --json` write a body of /v1/logs a line. A repeated record counts once:
--   \copy otlp FROM 'logs.json' WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
--   SELECT hang_load();

CREATE UNLOGGED TABLE otlp (body jsonb NOT NULL);

CREATE TABLE hang (
  uid         text PRIMARY KEY, -- log.record.uid
  at          timestamptz NOT NULL,
  app         text COLLATE "C" NOT NULL,
  version     text COLLATE "C" NOT NULL, -- '': unknown
  machine     text NOT NULL,    -- device.id
  os          text NOT NULL,
  fingerprint text NOT NULL,    -- of the problem
  culprit     text COLLATE "C" NOT NULL, -- its function
  extension   text NOT NULL,    -- of GNOME Shell; '': none
  count       integer NOT NULL, -- stalls that this report stands for
  seconds     real NOT NULL     -- of all of them, those in reports held back as long as its own
);
CREATE INDEX hang_fingerprint ON hang (fingerprint);
CREATE INDEX hang_extension ON hang (extension) WHERE extension <> '';

-- [{"key": "a", "value": {"stringValue": "b"}}] as {"a": "b"}.
CREATE FUNCTION otlp_attributes (list jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_object_agg(one->>'key', (SELECT value FROM jsonb_each(one->'value'))), '{}')
  FROM jsonb_array_elements(list) one
$$;

-- Returns: how many records were new
CREATE FUNCTION hang_load () RETURNS bigint LANGUAGE sql AS $$
  WITH bodies AS (DELETE FROM otlp RETURNING body),
  resources AS (
    SELECT otlp_attributes(resource->'resource'->'attributes') AS r, scope->'logRecords' AS records
    FROM bodies, jsonb_array_elements(body->'resourceLogs') resource, jsonb_array_elements(resource->'scopeLogs') scope
  ), records AS (
    SELECT r, record, otlp_attributes(record->'attributes') AS a
    FROM resources, jsonb_array_elements(records) record
    WHERE record->>'eventName' = 'app.hang'
  ), added AS (
    INSERT INTO hang
    SELECT a->>'log.record.uid', to_timestamp((record->>'timeUnixNano')::numeric / 1e9), r->>'service.name',
      coalesce(r->>'service.version', ''), r->>'device.id', concat_ws(' ', r->>'os.name', r->>'os.version'),
      a->>'app.hang.fingerprint', coalesce(a->>'code.function.name', ''), coalesce(a->>'jankwatch.extension', ''),
      (a->>'app.hang.count')::integer,
      coalesce((a->>'jankwatch.repeats.total_ns')::real / 1e9, (a->>'app.hang.duration')::real)
        * (a->>'app.hang.count')::real / coalesce((a->>'jankwatch.repeats.count')::real, 1)
    FROM records
    WHERE a ? 'app.hang.fingerprint'
    ON CONFLICT DO NOTHING
    RETURNING 1
  )
  SELECT count(*) FROM added
$$;

-- Worst problems by machine-hours: what people waited for them, in total.
CREATE VIEW worst AS
  SELECT fingerprint, max(app) AS app, max(culprit) AS culprit, count(*) AS machines, sum(seconds) / 3600 AS hours,
    sum(stalls) AS stalls
  FROM (
    SELECT fingerprint, machine, max(app) AS app, max(culprit) AS culprit, sum(seconds::double precision) AS seconds,
      sum(count) AS stalls
    FROM hang GROUP BY fingerprint, machine
  ) AS by_machine
  GROUP BY fingerprint
  ORDER BY hours DESC;

-- Regressions: problems by which each machine loses more with a version than with the one that was seen first before it. Machines
-- are those that reported anything of that version. new: the problem was not there before.
CREATE VIEW regression AS
  WITH machines AS (
    SELECT app, version, count(*) AS n, min(first) AS first
    FROM (SELECT app, version, machine, min(at) AS first FROM hang GROUP BY app, version, machine) AS one
    GROUP BY app, version
  ), versions AS (
    SELECT app, version, n, lag(version) OVER w AS before, lag(n) OVER w AS n_before
    FROM machines WINDOW w AS (PARTITION BY app ORDER BY first)
  ), problems AS (
    SELECT app, version, fingerprint, max(culprit) AS culprit, sum(seconds::double precision) AS seconds, count(*) AS reports
    FROM hang GROUP BY app, version, fingerprint
  )
  SELECT versions.app, before, versions.version, now.fingerprint, now.culprit, now.reports, now.seconds / n AS seconds_each,
    coalesce(old.seconds, 0) / n_before AS seconds_each_before, old.seconds IS NULL AS new
  FROM versions
  JOIN problems AS now ON now.app = versions.app AND now.version = versions.version
  LEFT JOIN problems AS old ON old.app = versions.app AND old.version = before AND old.fingerprint = now.fingerprint
  WHERE before IS NOT NULL AND now.reports >= 5 AND now.seconds / n > 2 * coalesce(old.seconds, 0) / n_before
  ORDER BY (now.seconds - coalesce(old.seconds, 0) / n_before * n) DESC;

-- Which extension of GNOME Shell costs its people the most.
CREATE VIEW extension AS
  SELECT extension, count(*) AS machines, sum(seconds) / 3600 AS hours, sum(seconds) / count(*) AS seconds_each,
    sum(stalls) AS stalls
  FROM (
    SELECT extension, machine, sum(seconds::double precision) AS seconds, sum(count) AS stalls
    FROM hang WHERE extension <> '' GROUP BY extension, machine
  ) AS by_machine
  GROUP BY extension
  ORDER BY hours DESC;
