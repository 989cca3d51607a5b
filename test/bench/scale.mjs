// A push of 5,000,000 records that was broken off with 100,000 of them left: what `resume` needs until its first request,
// and `status`, `explain` and `ledger check` to their end.
//   npm run build && node test/bench/scale.mjs [--records 5000000] [--pending 100000] [--runs 3] [--keep folder] [--check]
// Beside them what SQLite itself needs, in a process of its own that does nothing else: to open the ledger and read the
// index of what is open, and to open it and look at every record of the run. `resume` is killed two seconds after its
// first request. --keep: a folder where input and ledger are made once and stay (4 GB for 5,000,000); by default they lie
// in a temporary folder, and are removed. --check: `ledger check` too, which looks at everything.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import { makeLargeLedger } from "./large-ledger.mjs";
import {
  binary,
  count,
  machine,
  mb,
  measured,
  median,
  medians,
  migrate,
  root,
  say,
  seconds,
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
const records = Number(options.records);
const env = { MIGRATE_TOKEN: "bench" };

const OPEN_INDEX = "select count(*) as found from items indexed by items_open where run = 1 and (status = 'pending')";
const ALL_ITEMS = "select count(*) as found from items where run = 1 and +status = 'pending'";

if (options.keep === undefined) await withFolder(measureIn);
else {
  mkdirSync(options.keep, { recursive: true });
  await measureIn(path.resolve(options.keep));
}

async function measureIn(folder) {
  const made = path.join(folder, "state/ledger.db");
  const server = await startServer(folder, 0, existsSync(made) ? ["--port", portOf(folder)] : []);
  if (!existsSync(made))
    await makeLargeLedger(folder, { records, pending: Number(options.pending), target: flags(server) });
  await server.stop();
  say(`a ledger of ${count(records)} records, ${options.pending} of them to be sent; ${machine()}`);
  const [bare, index, items] = [await sqlite(made, ""), await sqlite(made, OPEN_INDEX), await sqlite(made, ALL_ITEMS)];
  say(
    `SQLite, open it and read the index of what is open: ${ms(index.ms)} in the process, ${seconds(index.wallMs)} in all`,
  );
  say(
    `SQLite, open it and look at every record of the run: ${ms(items.ms)} in the process, ${seconds(items.wallMs)} in all`,
  );
  say(`a process that opens it and does nothing:            ${seconds(bare.wallMs)}`);
  const first = [];
  for (let run = 0; run < runs; run += 1) first.push(await untilFirstRequest(folder, made));
  const firstMs = median(first.map(({ afterMs }) => afterMs));
  const ratios = [index, items].map(({ wallMs }) => (firstMs / wallMs).toFixed(2));
  const peak = Math.max(...first.map(({ peakMb }) => peakMb));
  say(
    `resume, until its first request: ${seconds(firstMs)} (${ratios.join(" and ")} times as long), ${mb(peak)} two seconds later`,
  );
  const place = ["--ledger", made];
  for (const args of [["status"], ["explain", "EXT-00000777"], ...(options.check ? [["ledger", "check"]] : [])]) {
    const { wallMs, cpuMs, peakMb } = await medians(runs, () => migrate([...args, ...place], { env, codes: [0, 1] }));
    say(`${args[0]}: ${seconds(wallMs)}, ${seconds(cpuMs)} of processor time, ${mb(peakMb)}`);
  }
}

function flags({ baseUrl, ca }) {
  return ["--base-url", baseUrl, "--ca", ca, "--concurrency", "32"];
}

function portOf(folder) {
  return new URL(JSON.parse(readFileSync(path.join(folder, "server.json"), "utf8")).baseUrl).port;
}

/** Medians: how long a process takes that opens the ledger and asks one question, and how long both take within it. */
function sqlite(ledger, sql) {
  const script = `
    const { openDatabase } = await import(${JSON.stringify(path.join(root, "dist/ledger/sqlite/sqlite-database.js"))});
    const from = performance.now();
    const database = openDatabase(${JSON.stringify(ledger)}, { readOnly: true });
    if (${JSON.stringify(sql)} !== "") database.row({ sql: ${JSON.stringify(sql)} });
    process.stdout.write(String(performance.now() - from));`;
  return medians(runs, async () => {
    const { wallMs, stdout } = await measured(process.execPath, ["--input-type=module", "-e", script]);
    return { wallMs, ms: Number(stdout) };
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
  while (!existsSync(begun) && child.exitCode === null) await delay(5);
  await delay(2000);
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
  child.kill("SIGKILL");
  await ended;
  const { firstAt } = await server.stop();
  return { afterMs: firstAt - startedAt, peakMb: Number(peak) / 1000 };
}

function ms(duration) {
  return `${duration.toFixed(1)} ms`;
}
