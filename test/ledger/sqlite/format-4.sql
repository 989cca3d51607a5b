-- A ledger of schema version 4, as the version that knew records by the id of their operation wrote it: a run of three
-- accepted records, then one of five, of which the fourth was ambiguous.
CREATE TABLE runs (
     id integer primary key, name text not null unique, command text not null, target text not null,
     supplier text not null, operation text not null, settings text not null, dry_run integer not null,
     tool_version text, state text not null, started_at text not null, finished_at text, exit_code integer
   );
CREATE TABLE files (id integer primary key, name text not null unique);
CREATE TABLE records (
     id integer primary key, identity blob not null unique, content blob not null, state text not null,
     attempts integer not null, accepted_content blob, accepted_at text, account text
   , step text, resends integer not null default 0);
CREATE TABLE items (
     run integer not null, record integer not null, key text, near text, identity blob, content blob,
     file integer not null, line integer not null, status text not null,
     attempt integer, attempts integer, http integer, account text, duration_ms real, awaits blob,
     primary key (run, record)
   ) without rowid;
CREATE TABLE attempts (
     run integer not null, record integer not null, attempt integer not null, identity blob not null,
     intended_at text not null, settled_at text, status text not null,
     http integer, account text, duration_ms real, reason text, step text, harmless integer not null default 0,
     primary key (run, record, attempt)
   ) without rowid;
CREATE INDEX attempts_in_flight on attempts (run, record) where status = 'sending';
CREATE TABLE problems (
     run integer not null, record integer not null, attempt integer not null, position integer not null,
     severity text not null, code text not null, problem text not null,
     primary key (run, record, attempt, position)
   ) without rowid;
CREATE TABLE decisions (
     id integer primary key, run integer not null, record integer not null, identity blob not null,
     decided_at text not null, decision text not null, decided_by text not null, who text not null,
     reason text not null, account text
   );
CREATE INDEX decisions_by_identity on decisions (identity);
CREATE TABLE seal (commits integer not null);
insert into runs values (1, '20261122-0652-9395', 'push', '127.0.0.1:18443', 'SANDBOX', 'import-account', '{"job":{"folder":"/extracts","sources":["accounts.csv"],"namedSources":{},"contract":["/project/fixtures/contract/contract.yaml"],"mapping":"mapping.yaml","supplier":"SANDBOX","limit":3},"target":{"baseUrl":"https://127.0.0.1:18443/v1/","flags":["--base-url","https://127.0.0.1:18443/v1/","--ca","/extracts/ca.pem"],"ca":"/extracts/ca.pem","allowInsecureLoopback":false,"production":false,"auth":{}},"pace":{"concurrency":"auto","maxConcurrency":16},"revise":false,"allowEmpty":false,"sendInvalid":false,"files":[{"file":"/project/fixtures/contract/contract.yaml","bytes":23562,"sha256":"c319195f6ab2881b5c71f61ee4f57d6f4fb8c74754858132efd0b8d0fad814fe","modifiedMs":1795329718673.0747},{"file":"mapping.yaml","bytes":771,"sha256":"b674f9fe9101b7b7105c6594f373bccf0f669670679a33b611623999f07ccd88","modifiedMs":1795330323567.8772},{"file":"accounts.csv","bytes":345,"sha256":"7bcbd1de1fee856ebb2ab471f59bf64f6fc024586de2e928e5c117020196ab44","modifiedMs":1795330323563.8772},{"file":"customers.csv","bytes":275,"sha256":"531ed4aeb03cec7325e0b3fe3d3c45fe5a7544a7f0bdb351f004e3d8c0b28e5f","modifiedMs":1795330323567.8772}]}', 0, null, 'finished', '2026-11-22T06:52:05.443Z', '2026-11-22T06:52:06.518Z', 0);
insert into runs values (2, '20261122-0652-6e52', 'push', '127.0.0.1:18443', 'SANDBOX', 'import-account', '{"job":{"folder":"/extracts","sources":["accounts.csv"],"namedSources":{},"contract":["/project/fixtures/contract/contract.yaml","no-dedupe.yaml"],"mapping":"mapping.yaml","supplier":"SANDBOX"},"target":{"baseUrl":"https://127.0.0.1:18443/v1/","flags":["--base-url","https://127.0.0.1:18443/v1/","--ca","/extracts/ca.pem"],"ca":"/extracts/ca.pem","allowInsecureLoopback":false,"production":false,"auth":{}},"pace":{"concurrency":1,"maxConcurrency":16},"revise":false,"allowEmpty":false,"sendInvalid":false,"files":[{"file":"/project/fixtures/contract/contract.yaml","bytes":23562,"sha256":"c319195f6ab2881b5c71f61ee4f57d6f4fb8c74754858132efd0b8d0fad814fe","modifiedMs":1795329718673.0747},{"file":"no-dedupe.yaml","bytes":184,"sha256":"642c26a6c19a2189d7ca237b9fe0aad3b1fae34ff2e78f38535cc26b104f491c","modifiedMs":1795330323567.8772},{"file":"mapping.yaml","bytes":771,"sha256":"b674f9fe9101b7b7105c6594f373bccf0f669670679a33b611623999f07ccd88","modifiedMs":1795330323567.8772},{"file":"accounts.csv","bytes":345,"sha256":"7bcbd1de1fee856ebb2ab471f59bf64f6fc024586de2e928e5c117020196ab44","modifiedMs":1795330323563.8772},{"file":"customers.csv","bytes":275,"sha256":"531ed4aeb03cec7325e0b3fe3d3c45fe5a7544a7f0bdb351f004e3d8c0b28e5f","modifiedMs":1795330323567.8772}]}', 0, null, 'finished', '2026-11-22T06:52:08.311Z', '2026-11-22T06:52:08.595Z', 5);
insert into files values (1, 'accounts.csv');
insert into records values (1, x'c2e5bc26786de9e320444d98aaf346ae7c5994066c4d77d3875a485826ce5f22', x'49cca5666a9f45635372f3c36fc2111de7fde2070825cf4425365a7ed7a0ef8d', 'accepted', 1, x'49cca5666a9f45635372f3c36fc2111de7fde2070825cf4425365a7ed7a0ef8d', '2026-11-22T06:52:06.401Z', 'A-7B64BB68', null, 0);
insert into records values (2, x'a0f266ee8be3265d82fb7d92ec4cd4a2bbd91732803cc5f8d7aa461fe3766c72', x'73f5093589d84b02d4120b85f8ffa1f4345546483a3e9be2fca77ef94d68853c', 'accepted', 1, x'73f5093589d84b02d4120b85f8ffa1f4345546483a3e9be2fca77ef94d68853c', '2026-11-22T06:52:06.459Z', 'A-E3315824', null, 0);
insert into records values (3, x'771d2d442584628671a3fa323d4337fbcd375c27adc039ed0328ced9ed2abf38', x'8451ea0b74f0797fe59f9ac55a10a30690cb2ad5797a0551811a20afad1b3ced', 'accepted', 1, x'8451ea0b74f0797fe59f9ac55a10a30690cb2ad5797a0551811a20afad1b3ced', '2026-11-22T06:52:06.459Z', 'A-11EC94B8', null, 0);
insert into records values (4, x'2518b9ea3bc60578966fa276481adc633c1a73a10728bb5c3c2732dea5340c6f', x'80c471ed7aac9013a2c85bf6a07459061a0f71ca12a675724a29ea4029298125', 'ambiguous', 1, null, null, null, null, 0);
insert into records values (5, x'caed39001ac6c45b0302a92d2364ab86401ce2842e2efc02c80054081efd695d', x'1c867af271190a55eec640fb1b613731494f0ed40478b09438ccd606214d45d7', 'accepted', 1, x'1c867af271190a55eec640fb1b613731494f0ed40478b09438ccd606214d45d7', '2026-11-22T06:52:08.582Z', 'A-2969DD48', null, 0);
insert into items values (1, 1, 'EXT-00001', null, x'c2e5bc26786de9e320444d98aaf346ae7c5994066c4d77d3875a485826ce5f22', x'49cca5666a9f45635372f3c36fc2111de7fde2070825cf4425365a7ed7a0ef8d', 1, 2, 'accepted', 1, 1, 201, 'A-7B64BB68', 765, null);
insert into items values (1, 2, 'EXT-00002', null, x'a0f266ee8be3265d82fb7d92ec4cd4a2bbd91732803cc5f8d7aa461fe3766c72', x'73f5093589d84b02d4120b85f8ffa1f4345546483a3e9be2fca77ef94d68853c', 1, 3, 'accepted', 1, 1, 201, 'A-E3315824', 816, null);
insert into items values (1, 3, 'EXT-00003', null, x'771d2d442584628671a3fa323d4337fbcd375c27adc039ed0328ced9ed2abf38', x'8451ea0b74f0797fe59f9ac55a10a30690cb2ad5797a0551811a20afad1b3ced', 1, 4, 'accepted', 1, 1, 201, 'A-11EC94B8', 816, null);
insert into items values (2, 1, 'EXT-00001', null, x'c2e5bc26786de9e320444d98aaf346ae7c5994066c4d77d3875a485826ce5f22', x'49cca5666a9f45635372f3c36fc2111de7fde2070825cf4425365a7ed7a0ef8d', 1, 2, 'skipped', null, null, null, 'A-7B64BB68', null, null);
insert into items values (2, 2, 'EXT-00002', null, x'a0f266ee8be3265d82fb7d92ec4cd4a2bbd91732803cc5f8d7aa461fe3766c72', x'73f5093589d84b02d4120b85f8ffa1f4345546483a3e9be2fca77ef94d68853c', 1, 3, 'skipped', null, null, null, 'A-E3315824', null, null);
insert into items values (2, 3, 'EXT-00003', null, x'771d2d442584628671a3fa323d4337fbcd375c27adc039ed0328ced9ed2abf38', x'8451ea0b74f0797fe59f9ac55a10a30690cb2ad5797a0551811a20afad1b3ced', 1, 4, 'skipped', null, null, null, 'A-11EC94B8', null, null);
insert into items values (2, 4, 'EXT-00004', null, x'2518b9ea3bc60578966fa276481adc633c1a73a10728bb5c3c2732dea5340c6f', x'80c471ed7aac9013a2c85bf6a07459061a0f71ca12a675724a29ea4029298125', 1, 5, 'ambiguous', 1, 1, null, null, 81, null);
insert into items values (2, 5, 'EXT-00005', null, x'caed39001ac6c45b0302a92d2364ab86401ce2842e2efc02c80054081efd695d', x'1c867af271190a55eec640fb1b613731494f0ed40478b09438ccd606214d45d7', 1, 6, 'accepted', 1, 1, 201, 'A-2969DD48', 7, null);
insert into attempts values (1, 1, 1, x'c2e5bc26786de9e320444d98aaf346ae7c5994066c4d77d3875a485826ce5f22', '2026-11-22T06:52:05.553Z', '2026-11-22T06:52:06.401Z', 'accepted', 201, 'A-7B64BB68', 765, null, null, 0);
insert into attempts values (1, 2, 1, x'a0f266ee8be3265d82fb7d92ec4cd4a2bbd91732803cc5f8d7aa461fe3766c72', '2026-11-22T06:52:05.553Z', '2026-11-22T06:52:06.459Z', 'accepted', 201, 'A-E3315824', 816, null, null, 0);
insert into attempts values (1, 3, 1, x'771d2d442584628671a3fa323d4337fbcd375c27adc039ed0328ced9ed2abf38', '2026-11-22T06:52:05.553Z', '2026-11-22T06:52:06.459Z', 'accepted', 201, 'A-11EC94B8', 816, null, null, 0);
insert into attempts values (2, 4, 1, x'2518b9ea3bc60578966fa276481adc633c1a73a10728bb5c3c2732dea5340c6f', '2026-11-22T06:52:08.401Z', '2026-11-22T06:52:08.556Z', 'ambiguous', null, null, 81, 'connection reset before the reply', null, 0);
insert into attempts values (2, 5, 1, x'caed39001ac6c45b0302a92d2364ab86401ce2842e2efc02c80054081efd695d', '2026-11-22T06:52:08.401Z', '2026-11-22T06:52:08.582Z', 'accepted', 201, 'A-2969DD48', 7, null, null, 0);
insert into seal values (10);
pragma application_id = 1835624306;
pragma user_version = 4;
