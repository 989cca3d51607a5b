// Cost of commands after a push of 5,000,000 records that was interrupted with 100,000 unsent records: `resume` until
// its first request, `status` (also with an inventory), `explain` and `ledger check`.
//   npm run build && node test/bench/scale.mjs [--records 5000000] [--pending 100000] [--runs 3] [--keep folder]
//     [--check]
// Each command is compared with a process that only opens the ledger with SQLite and reads the index of unsent records.
// `--records 200000 --pending 20000` takes half a minute. `resume` is killed two seconds after its first request, so
// later runs start from the ledger of a killed process.
// --keep: a folder that keeps the input and the ledger for the next run (4 GB for 5,000,000 records); by default, they
// are temporary. --check: also measures `ledger check`, which reads the whole ledger.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import { writeFlatRows } from "./flat-rows.mjs";
import { makeLargeLedger } from "./large-ledger.mjs";
import {
  benchFile,
  binary,
  count,
  machine,
  mb,
  measured,
  medians,
  migrate,
  root,
  say,
  seconds,
  usage,
  withFolder,
} from "./measure.mjs";
import { startServer } from "./running-server.mjs";

const { values: options } = parseArgs({
  options: {
    records: { type: "string", default: "5000000" },
    pending: { type: "string", default: "100000" },
    runs: { type: "string", default: "3" },
    keep: { type: "string" },
    check: { type: "boolean", default: false },
  },
});
const runs = Number(options.runs);
const [records, pending] = [Number(options.records), Number(options.pending)];
if (!(pending > 0 && pending <= records)) throw new Error("--pending must be between 1 and --records");
const env = { MIGRATE_TOKEN: "bench" };

/** The number of records in the later push, after which `status` counts again. */
const LATER = 20_000;

const OPEN_INDEX = "select count(*) as found from items indexed by items_open where run = 1 and (status = 'pending')";
const LAST_RECORD = "select max(record) as found from items where run = 1";

if (options.keep === undefined) await withFolder(measureIn);
else {
  mkdirSync(options.keep, { recursive: true });
  await measureIn(path.resolve(options.keep));
}

async function measureIn(folder) {
  const made = path.join(folder, "state/ledger.db");
  const server = await startServer(folder, 0, existsSync(made) ? ["--port", portOf(folder)] : []);
  if (!existsSync(made)) await makeLargeLedger(folder, { records, pending, target: flags(server) });
  await server.stop();
  const [all, own] = [await sqlite(made, LAST_RECORD), await sqlite(made, OPEN_INDEX)];
  say(`a ledger of ${count(all.found)} records, ${count(own.found)} of them unsent; ${machine()}`);
  printFigures("a process that opens the ledger and reads one row", all);
  printFigures(
    `SQLite: opens the ledger, reads the index of unsent records (${own.ms.toFixed(0)} ms in the process)`,
    own,
  );
  printFigures("resume, until its first request", await medians(runs, () => untilFirstRequest(folder, made)), own);
  const place = ["--ledger", made];
  await measureInventory(folder, [...place, "--config", path.join(folder, "migrate.yaml")], own);
  for (const args of [["status"], ["explain", "EXT-00000777"], ...(options.check ? [["ledger", "check"]] : [])]) {
    printFigures(args[0], await medians(runs, () => migrate([...args, ...place], { env, codes: [0, 1] })), own);
  }
}

/** Measures `status` with an inventory of all keys: without stored counts, with them, and after a later push. */
async function measureInventory(folder, place, own) {
  await writeFile(path.join(folder, "migrate.yaml"), "inventory: { file: rows.csv, column: REF }\n");
  const state = path.join(folder, "state");
  for (const name of readdirSync(state)) if (name.startsWith("inventory-")) rmSync(path.join(state, name));
  // `status` does not store the counts of a file that has just changed.
  await delay(4000);
  const counted = () => migrate(["status", ...place], { env, codes: [0, 1] });
  printFigures("status with an inventory, first time", await medians(1, counted), own);
  printFigures("status with an inventory, again", await medians(runs, counted), own);
  const later = path.join(folder, "later.csv");
  await writeFlatRows(later, LATER);
  const server = await startServer(folder, 0, ["--port", portOf(folder)]);
  const job = ["--contract", benchFile("flat-contract.yaml"), "--mapping", benchFile("flat-mapping.yaml")];
  const sent = ["push", later, ...job, ...flags(server), ...place, "--out", path.join(folder, "later"), "--quiet"];
  await migrate(sent, { env: { ...env, TMPDIR: folder } });
  await server.stop();
  const after = `status with an inventory, first time after a push of ${count(LATER)} records`;
  printFigures(after, await medians(1, counted), own);
}

/** Prints wall time, CPU time and peak memory, and the ratios of both times to those of SQLite alone (`own`). */
function printFigures(what, { wallMs, cpuMs, peakMb, laterMb }, own) {
  const times = (ms, ofMs) => (own === undefined ? "" : ` (${(ms / ofMs).toFixed(2)} times)`);
  const wall = `${seconds(wallMs)}${times(wallMs, own?.wallMs)}`;
  const cpu = `${seconds(cpuMs)}${times(cpuMs, own?.cpuMs)} of CPU time`;
  const later = laterMb === undefined ? "" : `, ${mb(laterMb)} two seconds later`;
  say(`${what}: ${wall}, ${cpu}, ${mb(peakMb)}${later}`);
}

function flags({ baseUrl, ca }) {
  return ["--base-url", baseUrl, "--ca", ca, "--concurrency", "32"];
}

function portOf(folder) {
  return new URL(JSON.parse(readFileSync(path.join(folder, "server.json"), "utf8")).baseUrl).port;
}

/**
 * Measures a process that opens the ledger and runs one query. Returns medians of its resources and of the time for
 * both steps (`ms`), and the result (`found`).
 */
function sqlite(ledger, sql) {
  const script = `
    const { openDatabase } = await import(${JSON.stringify(path.join(root, "dist/ledger/sqlite/sqlite-database.js"))});
    const from = performance.now();
    const database = openDatabase(${JSON.stringify(ledger)}, { readOnly: true });
    const { found } = database.row({ sql: ${JSON.stringify(sql)} });
    process.stdout.write(JSON.stringify({ found, ms: performance.now() - from }));`;
  return medians(runs, async () => {
    const { stdout, ...used } = await measured(process.execPath, ["--input-type=module", "-e", script]);
    return { ...used, ...JSON.parse(stdout) };
  });
}

async function untilFirstRequest(folder, ledger) {
  const port = portOf(folder);
  const server = await startServer(folder, 0, ["--port", port]);
  const startedAt = performance.timeOrigin + performance.now();
  const args = [binary, "resume", "--ledger", ledger, "--quiet", "--out", path.join(folder, "report")];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env, TMPDIR: folder }, stdio: "inherit" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const begun = path.join(folder, "server.json.first");
  while (!existsSync(begun) && child.exitCode === null) await delay(2);
  const used = usage(child.pid);
  await delay(2000);
  const { peakMb: laterMb } = usage(child.pid);
  child.kill("SIGKILL");
  await ended;
  const { firstAt } = await server.stop();
  return { wallMs: firstAt - startedAt, ...used, laterMb };
}
