-- The ledger as the first version wrote it, with one accepted and one blocked record. Never changed.
pragma application_id = 0x6d696772;
pragma user_version = 1;
create table runs (
  id integer primary key, name text not null unique, command text not null, target text not null,
  supplier text not null, operation text not null, settings text not null, dry_run integer not null,
  tool_version text, state text not null, started_at text not null, finished_at text, exit_code integer
);
create table files (id integer primary key, name text not null unique);
create table records (
  id integer primary key, identity blob not null unique, content blob not null, state text not null,
  attempts integer not null, accepted_content blob, accepted_at text, account text
);
create table items (
  run integer not null, record integer not null, key text, near text, identity blob, content blob,
  file integer not null, line integer not null, status text not null,
  attempt integer, attempts integer, http integer, account text, duration_ms real,
  primary key (run, record)
) without rowid;
create table attempts (
  run integer not null, record integer not null, attempt integer not null, identity blob not null,
  intended_at text not null, settled_at text, status text not null,
  http integer, account text, duration_ms real, reason text,
  primary key (run, record, attempt)
) without rowid;
create index attempts_in_flight on attempts (run, record) where status = 'sending';
create table problems (
  run integer not null, record integer not null, attempt integer not null, position integer not null,
  severity text not null, code text not null, problem text not null,
  primary key (run, record, attempt, position)
) without rowid;
insert into runs values (1, '20260101-0000-aaaa', 'push', 'platform.example/v1/', 'ACME', 'POST /data-import/accounts/',
  '{"concurrency":4}', 0, '0.1.0', 'finished', '2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z', 3);
insert into files values (1, 'a.csv');
insert into records values (1, x'01', x'0a', 'accepted', 1, x'0a', '2026-01-01T00:00:01.000Z', 'A-1');
insert into records values (2, x'02', x'0b', 'blocked', 1, null, null, null);
insert into items values (1, 1, 'A', 'a', x'01', x'0a', 1, 2, 'accepted', 1, 1, 201, 'A-1', 12);
insert into items values (1, 2, 'B', 'b', x'02', x'0b', 1, 3, 'blocked', 1, 1, 400, null, 9);
insert into attempts values (1, 1, 1, x'01', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z', 'accepted', 201,
  'A-1', 12, null);
insert into attempts values (1, 2, 1, x'02', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z', 'blocked', 400,
  null, 9, null);
