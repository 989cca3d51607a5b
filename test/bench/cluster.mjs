// Throughput of a run with several workers compared with one worker. The ledger is on a temporary PostgreSQL server.
// The platform is a bare HTTPS server on loopback with a latency of 100 ms.
//   npm run build && node test/bench/cluster.mjs [--records 6000] [--workers 4]
// The first lines print records per second while sending, as timed by the server: one worker with 16 requests in
// flight, then several workers with 16 each. For the last line, the server has a limit of 50 requests per second, the
// push has `--rps 50`, and one worker is killed halfway. This line prints accepted records per second and the share of
// refused requests.
import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startPrivatePostgres } from "../../dist/commands/demo/private-postgres.js";
import { writeFlatRows } from "./flat-rows.mjs";
import { benchFile, binary, count, machine, say, withFolder } from "./measure.mjs";
import { startServer } from "./running-server.mjs";

const { values: options } = parseArgs({
  options: { records: { type: "string", default: "6000" }, workers: { type: "string", default: "4" } },
});
const records = Number(options.records);
const workers = Number(options.workers);
const IN_FLIGHT = 16;
const LATENCY_MS = 100;
const CAP = 50;
const CAPPED_RECORDS = 1500;

await withFolder(async (folder) => {
  const postgres = await startPrivatePostgres();
  try {
    say(`${count(records)} records, latency ${LATENCY_MS} ms, ${IN_FLIGHT} in flight per worker; ${machine()}`);
    const one = await measurePush(folder, postgres.url, { records: Math.ceil(records / workers), workers: 1 });
    say(`1 worker:  ${count(one.rate)} records/s`);
    const all = await measurePush(folder, postgres.url, { records, workers });
    say(
      `${workers} workers: ${count(all.rate)} records/s, ${(all.rate / one.rate).toFixed(2)} times as many as one worker`,
    );
    const capped = await measurePush(folder, postgres.url, { records: CAPPED_RECORDS, workers, cap: CAP });
    const share = (100 * capped.refused) / capped.requests;
    say(
      `limit of ${CAP} requests/s, ${workers} workers, one killed: ${capped.rate.toFixed(1)} records/s, ${share.toFixed(1)}% refused`,
    );
  } finally {
    await postgres.stop();
  }
});

async function measurePush(folder, ledger, { records: wanted, workers: wantedWorkers, cap }) {
  const file = path.join(folder, `rows-${wanted}-${wantedWorkers}-${cap ?? 0}.csv`);
  await writeFlatRows(file, wanted, { remark: 100 });
  const server = await startServer(folder, LATENCY_MS, cap === undefined ? [] : ["--cap", String(cap)]);
  // A ledger belongs to one target. Each push has its own target, and therefore its own database.
  const database = `${ledger.replace(/\/[^/]*$/, "")}/${await newDatabase(ledger)}`;
  const inFlight = String(IN_FLIGHT * wantedWorkers);
  const args = [
    "push",
    file,
    "--contract",
    benchFile("push-contract.yaml"),
    "--mapping",
    benchFile("push-mapping.yaml"),
  ];
  const target = ["--base-url", server.baseUrl, "--ca", server.ca, "--concurrency", inFlight, "--quiet"];
  const sharing = ["--ledger", database, "--workers", String(wantedWorkers), "--lease", "5s"];
  const pace = cap === undefined ? [] : ["--rps", String(cap)];
  const env = { ...process.env, MIGRATE_TOKEN: "bench", XDG_STATE_HOME: folder };
  const stdio = ["ignore", "ignore", "inherit"];
  const push = spawn(process.execPath, [binary, ...args, ...target, ...sharing, ...pace], { env, stdio, cwd: folder });
  const ended = new Promise((resolve) => push.once("close", resolve));
  if (cap !== undefined) await killOneHalfway(database, folder, wanted);
  const code = await ended;
  const { requests, refused, sendingMs } = await server.stop();
  // The killed worker's records in flight are ambiguous, because the contract does not declare deduplication.
  if (code !== 0 && !(code === 5 && cap !== undefined)) throw new Error(`the push ended with exit code ${code}`);
  return { requests, refused, rate: (requests - refused) / (sendingMs / 1000) };
}

async function newDatabase(ledger) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: ledger });
  await client.connect();
  const name = `bench_${Date.now()}`;
  await client.query(`create database ${name}`);
  await client.end();
  return name;
}

async function killOneHalfway(database, folder, wanted) {
  for (;;) {
    const status = await migrateJson(["status", "--ledger", database, "--format", "json"], folder);
    const [{ summary = {}, shared: run } = {}] = status?.runs ?? [];
    const victim = run?.workers.find(({ state, holds }) => state === "working" && holds.length > 0);
    if ((summary.accepted ?? 0) >= wanted / 2 && victim !== undefined) return process.kill(victim.pid, "SIGKILL");
    await delay(500);
  }
}

async function migrateJson(words, cwd) {
  const child = spawn(process.execPath, [binary, ...words], { cwd, stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  child.stdout.on("data", (piece) => (said += piece));
  await new Promise((resolve) => child.once("close", resolve));
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}
