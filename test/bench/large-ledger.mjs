// Creates the input and the ledger of a large push that was interrupted near its end. This takes a minute or two. A dry
// run of the last rows plans the pending records, and SQL adds the accepted records. A helper for scale.mjs, not a
// benchmark.
import { createReadStream, rmSync } from "node:fs";
import path from "node:path";
import { writeFlatRows } from "./flat-rows.mjs";
import { benchFile, migrate, root } from "./measure.mjs";

const { openForWriting } = await import(path.join(root, "dist/ledger/sqlite/open-for-writing.js"));
const { openLedger } = await import(path.join(root, "dist/ledger/sqlite/sqlite-ledger.js"));
const { RECOUNT } = await import(path.join(root, "dist/ledger/sqlite/tables/count-schema.js"));
const { fingerprintFile } = await import(path.join(root, "dist/read/input/source-files.js"));
const { createPlaceNoter } = await import(path.join(root, "dist/pipeline/send/noted-places.js"));

/**
 * Creates `<folder>/rows.csv` with `records` rows, and `<folder>/state/ledger.db` with a run that sends them. `target`
 * contains the flags for the target. The last `pending` records have not been sent. Returns both paths.
 */
export async function makeLargeLedger(folder, { records, pending, target }) {
  const input = path.join(folder, "rows.csv");
  const ledger = path.join(folder, "state/ledger.db");
  const sent = records - pending;
  await writeFlatRows(input, pending, { first: sent });
  const job = ["--contract", benchFile("flat-contract.yaml"), "--mapping", benchFile("flat-mapping.yaml")];
  const place = ["--ledger", ledger, "--out", path.join(folder, "report"), "--quiet"];
  await migrate(["push", input, ...job, ...target, ...place, "--dry-run"], { env: { TMPDIR: folder } });
  await writeFlatRows(input, records);
  const fingerprint = await fingerprintFile(input);
  const places = await notedPlaces(input, sent);
  const database = openForWriting(ledger);
  database.execute("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -2000000");
  database.transaction(() => {
    const settings = JSON.parse(database.row({ sql: "select settings from runs" }).settings);
    settings.files = settings.files.map((file) => (file.file === input ? { ...file, ...fingerprint } : file));
    const asPush = "update runs set dry_run = 0, state = 'sending', exit_code = 3, settings = ?";
    database.run(asPush, JSON.stringify(settings));
    database.run("update items set record = record + ?1, line = line + ?1, status = 'pending'", sent);
    database.run(SENT_ITEMS, sent);
    for (const sql of [RECORDS, SENT_RECORDS, ATTEMPTS, COMPARED]) database.run(sql);
    for (const { record, byte, line } of places) database.run(PLACE, record, byte, line);
    database.execute(RECOUNT);
  });
  database.close();
  rmSync(`${ledger}-checksums`, { force: true });
  await (await openLedger({ path: ledger })).close();
  return { input, ledger };
}

/**
 * Computes the positions that a push stores while it reads. No cell contains a line break, so each line after the
 * header is a record.
 */
async function notedPlaces(input, sent) {
  const places = [];
  const noted = createPlaceNoter(async (place) => places.push(place), undefined);
  let [byte, line] = [0, 1];
  for await (const chunk of createReadStream(input, { highWaterMark: 64 * 1024 })) {
    const end = chunk.lastIndexOf("\n") + 1;
    let lines = 0;
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", at + 1)) lines += 1;
    line += lines;
    if (line - 2 > sent) return places;
    await noted({ record: line - 1, file: input, byte: byte + end, line }, "sent");
    byte += chunk.length;
  }
  return places;
}

const SENT_ITEMS = `
  with recursive sent (record) as (select 1 union all select record + 1 from sent where record < ?)
  insert into items (run, record, key, identity, content, file, line, status, attempt, attempts, http, account, duration_ms)
  select (select max(id) from runs), record, printf('EXT-%08d', record - 1), randomblob(32), randomblob(32),
    (select max(id) from files), record + 1, 'accepted', 1, 1, 201, printf('A-%08X', record), 12.25 from sent`;

const PLACE = `
  insert into positions (run, record, byte, line, file)
  select (select max(id) from runs), ?, ?, ?, (select max(id) from files)`;

/** Marks the run as already compared with all other runs. */
const COMPARED = "insert into compared (run) select max(id) from runs";

const RECORDS = `
  insert into records (identity, content, state, attempts, since_run, planned_run, planned_record)
  select identity, content, 'pending', 0, run, run, record from items order by record`;

/** The records were inserted in input order, so `id` is the position of a record in the input. */
const SENT_RECORDS = `
  update records set state = 'accepted', attempts = 1, accepted_content = content,
    accepted_at = '2026-11-20T12:00:00.000Z', account = printf('A-%08X', id)
  where id <= (select count(*) from items where status = 'accepted')`;

const ATTEMPTS = `
  insert into attempts
    (run, record, attempt, identity, intended_at, settled_at, status, http, account, duration_ms, harmless)
  select run, record, 1, identity, '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.012Z', 'accepted', 201, account,
    12.25, 0
  from items where status = 'accepted'`;
