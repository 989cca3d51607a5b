// Cost of a PostgreSQL ledger compared with a ledger file. Measures a single-process `migrate push` to a bare HTTPS
// server on loopback. The runs alternate between the two kinds of ledger. The PostgreSQL server is temporary.
//   npm run build && node test/bench/postgres.mjs [--records 6000] [--runs 3] [--no-latency | --latency-alone]
//     [--status 5000000]
// There are two cases, with a latency of 50 ms and without latency, each with 32 requests in flight. For each case,
// prints records per second while sending, as timed by the server, and the CPU time of the push. The ratio is the
// median over pairs. --status measures only `migrate status`, for a ledger with this number of records. SQL creates the
// records.
import { rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { startPrivatePostgres } from "../../dist/commands/demo/private-postgres.js";
import { writeFlatRows } from "./flat-rows.mjs";
import { benchFile, count, machine, medians, migrate, say, withFolder } from "./measure.mjs";
import { startServer } from "./running-server.mjs";

const { values: options } = parseArgs({
  options: {
    records: { type: "string", default: "6000" },
    runs: { type: "string", default: "3" },
    "no-latency": { type: "boolean", default: false },
    "latency-alone": { type: "boolean", default: false },
    status: { type: "string" },
  },
});
const records = Number(options.records);
const IN_FLIGHT = 32;
const LATENCY_MS = 50;
const JOB = ["--contract", benchFile("push-contract.yaml"), "--mapping", benchFile("push-mapping.yaml")];

/** Replaces the records of a dry run with SIZE records, of which all but the last thousand are accepted. */
const SENT = [
  "set synchronous_commit = off",
  "update migrate.runs set dry_run = false, state = 'sending', exit_code = 3",
  "delete from migrate.items",
  `insert into migrate.records (identity, content, state, attempts, accepted_content, accepted_at, account, since_run, planned_run, planned_record)
    select sha256(n::text::bytea), sha256(n::text::bytea), case when n <= SIZE - 1000 then 'accepted' else 'pending' end,
      case when n <= SIZE - 1000 then 1 else 0 end, case when n <= SIZE - 1000 then sha256(n::text::bytea) end,
      '2026-11-20T12:00:00.000Z', 'A-' || n, 1, 1, n from generate_series(1, SIZE) as n`,
  `insert into migrate.items (run, record, key, identity, content, file, line, status, attempt, attempts, http)
    select 1, n, 'EXT-' || n, sha256(n::text::bytea), sha256(n::text::bytea), 1, n + 1,
      case when n <= SIZE - 1000 then 'accepted' else 'pending' end, case when n <= SIZE - 1000 then 1 end,
      case when n <= SIZE - 1000 then 1 end, case when n <= SIZE - 1000 then 201 end from generate_series(1, SIZE) as n`,
  `insert into migrate.attempts (run, record, attempt, identity, intended_at, settled_at, status, http, harmless)
    select 1, n, 1, sha256(n::text::bytea), '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:01.000Z', 'accepted', 201, false
    from generate_series(1, SIZE - 1000) as n`,
  "insert into migrate.counts (run, kind, name, count) values (1, 'covered', '', SIZE), (1, 'accepted', '', SIZE - 1000)",
  "analyze",
];

await withFolder(async (folder) => {
  const postgres = await startPrivatePostgres();
  try {
    await (options.status === undefined ? measurePushes(folder, postgres.url) : measureStatus(folder, postgres.url));
  } finally {
    await postgres.stop();
  }
});

async function measurePushes(folder, server) {
  const file = path.join(folder, "rows.csv");
  await writeFlatRows(file, records, { remark: 100 });
  say(`${count(records)} records, ${IN_FLIGHT} in flight; ${machine()}`);
  const latencies = [...(options["no-latency"] ? [] : [LATENCY_MS]), ...(options["latency-alone"] ? [] : [0])];
  for (const latencyMs of latencies) {
    const { inFile, inDatabase, ratio, cpuInFile, cpuInDatabase } = await medians(Number(options.runs), async () => {
      const one = await measurePush(file, folder, latencyMs, path.join(folder, "state/ledger.db"));
      const other = await measurePush(file, folder, latencyMs, await newDatabase(server));
      return {
        ratio: other.sending / one.sending,
        inFile: one.sending,
        inDatabase: other.sending,
        cpuInFile: one.cpuMs,
        cpuInDatabase: other.cpuMs,
      };
    });
    const used = (ms) => (ms === undefined ? "" : ` (${Math.round((ms * 1000) / records)} us of CPU time per record)`);
    say(`${latencyMs} ms, SQLite:     ${count(inFile)} records/s${used(cpuInFile)}`);
    say(`${latencyMs} ms, PostgreSQL: ${count(inDatabase)} records/s${used(cpuInDatabase)}: ${ratio.toFixed(2)}`);
  }
}

async function measurePush(file, folder, latencyMs, ledger) {
  const server = await startServer(folder, latencyMs);
  const target = ["--base-url", server.baseUrl, "--ca", server.ca, "--concurrency", String(IN_FLIGHT), "--quiet"];
  const env = { MIGRATE_TOKEN: "bench", TMPDIR: folder, XDG_STATE_HOME: folder };
  const { cpuMs } = await migrate(["push", file, ...JOB, ...target, "--ledger", ledger], { env, cwd: folder });
  const { requests, sendingMs } = await server.stop();
  rmSync(path.join(folder, "state"), { recursive: true, force: true });
  rmSync(path.join(folder, ".migrate"), { recursive: true, force: true });
  if (requests !== records) throw new Error(`the server received ${requests} requests instead of ${records}`);
  return { cpuMs, sending: records / (sendingMs / 1000) };
}

async function measureStatus(folder, server) {
  const size = Number(options.status);
  const file = path.join(folder, "rows.csv");
  const ledger = await newDatabase(server);
  await writeFlatRows(file, 10, { remark: 100 });
  const env = { MIGRATE_TOKEN: "bench", TMPDIR: folder, XDG_STATE_HOME: folder };
  const target = ["--base-url", "https://127.0.0.1:1/v1/", "--quiet", "--dry-run"];
  await migrate(["push", file, ...JOB, ...target, "--ledger", ledger], { env, cwd: folder });
  await withClient(ledger, async (client) => {
    for (const sql of SENT) await client.query(sql.replaceAll("SIZE", String(size)));
  });
  const { wallMs } = await medians(Number(options.runs), () =>
    migrate(["status", "--ledger", ledger], { cwd: folder }),
  );
  const { stdout } = await migrate(["status", "--ledger", ledger], { cwd: folder });
  say(`status over ${count(size)} records: ${Math.round(wallMs)} ms; ${machine()}\n${stdout}`);
}

async function newDatabase(server) {
  const name = `bench_${Date.now()}`;
  await withClient(server, (client) => client.query(`create database ${name}`));
  return `${server.replace(/\/[^/]*$/, "")}/${name}`;
}

async function withClient(url, work) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
