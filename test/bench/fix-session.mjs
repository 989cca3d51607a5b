// Measures the Problems and Fix pages of `migrate web`, without a browser.
//   npm run build && node test/bench/fix-session.mjs [--rows 200000] [--edits 200] [--only <case>]
// Every record has a customer in a second file and a faulty cell.
// - session: the session of the Fix page, in this process. Prints how long it takes to check all records, to read a
//   page of rows, to save and check an edit, and to check one record. Also prints the time of an edit divided by the
//   time of one record, and the peak memory of this process.
// - problems, replace, check: each case uses a separate server. `problems` requests the problems of the current files
//   twice. `replace` replaces the faulty cell in all records, and then undoes the replacement. `check` makes the same
//   replacement and checks all records, first on the same server and then on a new server. Prints the time of each
//   request, and the CPU time and peak memory that the server has used so far.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { keepHeapSmall } from "../../dist/cli/process/engine-flags.js";
import { readSettings } from "../../dist/cli/settings/settings.js";
import { openJob } from "../../dist/job/job.js";
import { compileChecks, mapRecord } from "../../dist/pipeline/plan/check-records.js";
import { systemClock } from "../../dist/time/system-clock.js";
import { CORRECTION_COLUMNS } from "../../dist/read/corrections/corrections-file.js";
import { openFixSession } from "../../dist/web/fix/session/open-session.js";
import { binary, count, machine, mb, say, seconds, usage, withFolder } from "./measure.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    edits: { type: "string", default: "200" },
    only: { type: "string" },
  },
});
// As in `migrate web`.
keepHeapSmall();

const rows = Number(options.rows);
const edits = Number(options.edits);
const contract = path.join(import.meta.dirname, "../../fixtures/contract/contract.yaml");

const MAPPING = `
operation: import-account
key: external_account_number
sources:
  accounts: { files: accounts.csv, key: REF }
  customers: { files: customers.csv, parent: accounts, on: REF, orderBy: SEQ }
payload:
  external_account_number: REF
  import_supplier: { value: "\${supplier}" }
  account_type: { from: TYPE, lookup: { D: DOMESTIC, B: BUSINESS } }
  billing_name: NAME
  billing_address1: ADDRESS
  billing_postcode: POSTCODE
  customers:
    each: customers
    item: { given_name: FIRST, family_name: LAST, mobile: MOBILE, date_of_birth: DOB }
  supply_addresses:
    - supply_address1: ADDRESS
      supply_postcode: POSTCODE
      meter_points:
        - { identifier: MPAN, supply_type: { value: ELECTRICITY }, supply_start_date: { value: "2024-01-01" } }
`;

const CASES = { session: sessionCase, problems: problemsCase, replace: replaceCase, check: checkCase };

await withFolder(async (folder) => {
  writeProject(folder);
  say(`${count(rows)} records with an error; ${machine()}`);
  for (const [name, run] of Object.entries(CASES)) {
    if (options.only !== undefined && options.only !== name) continue;
    writeFileSync(path.join(folder, "corrections.csv"), `${CORRECTION_COLUMNS.join()}\n`);
    say(`${name}:`);
    await run(folder);
  }
});

async function sessionCase(folder) {
  const { job: settings } = await readSettings([], {}, folder);
  const drain = new AbortController().signal;
  const temporaryFolder = path.join(folder, "tmp");
  mkdirSync(temporaryFolder);
  const dependencies = { clock: systemClock, temporaryFolder, drain, notice: () => {}, onChecked: () => {} };
  const [session, checkMs] = await timed(() =>
    openFixSession(
      { job: settings, ledger: path.join(folder, "none.db"), by: "bench", configure: async () => {} },
      dependencies,
    ),
  );
  const { sources, records } = session.overview();
  say(`  check: ${seconds(checkMs)}, ${count(records.open)} records open, ${mb(peak())}`);
  const [source, column] = faultyColumn(sources);
  const pages = [];
  for (let index = 0; index < 100; index += 1) {
    const from = Math.floor((rows - 100) * ((index * 37) % 100) * 0.01);
    pages.push((await timed(async () => session.rows({ source, cause: 0, from, count: 100 }, true)))[1]);
  }
  const times = [];
  for (let index = 0; index < edits; index += 1) {
    const position = (index * 7919) % rows;
    const cells = [{ position, column, value: "1971-02-28" }];
    const editor = { tab: "bench", seen: session.overview().seq };
    const [, ms] = await timed(() => session.edit({ source, cause: 0, cells }, editor));
    times.push(ms);
  }
  say(`  page of 100 rows: median ${median(pages).toFixed(1)} ms`);
  const one = await oneRecord(settings, dependencies);
  const edit = median(times);
  say(`  edit, saved and checked: median ${edit.toFixed(1)} ms, 95% below ${at(times, 0.95).toFixed(1)} ms`);
  say(`  one record in process: ${one.toFixed(3)} ms; ratio ${(edit / one).toFixed(0)}`);
  say(`  records open: ${count(session.overview().records.open)}; peak memory ${mb(peak())}`);
  await session.close();
}

function problemsCase(folder) {
  return withServer(folder, async ({ get, used }) => {
    const [{ records, causes }, ms] = await timed(() => get("/api/problems?basis=files"));
    say(`  ${count(records)} records, ${causes.length} causes: ${seconds(ms)}; ${used()}`);
    const [, again] = await timed(() => get("/api/problems?basis=files"));
    say(`  again: ${seconds(again)}; ${used()}`);
  });
}

function replaceCase(folder) {
  return withServer(folder, async (server) => {
    const editor = await replaceAll(server);
    const [undone, ms] = await timed(() => server.post("/api/fix/undo", editor));
    say(`  undo of ${count(undone.saved)} cells: ${seconds(ms)}; ${server.used()}`);
  });
}

async function checkCase(folder) {
  await withServer(folder, async (server) => {
    await replaceAll(server);
    const [again, ms] = await timed(async () => {
      await server.post("/api/fix/check", {});
      return readyState(server);
    });
    say(`  check again, ${count(again.records.open)} records open: ${seconds(ms)}; ${server.used()}`);
  });
  await withServer(folder, async (server) => {
    const [found, ms] = await timed(() => readyState(server));
    say(`  check on a new server, ${count(found.records.open)} records open: ${seconds(ms)}; ${server.used()}`);
  });
}

async function replaceAll({ get, post, used }) {
  const state = await readyState({ get });
  say(`  check: ${used()}`);
  const [source, column] = faultyColumn(state.sources);
  const editor = { session: state.session, tab: "bench", seen: state.seq, values: "hidden" };
  const cause = state.causes[1].id;
  const replacement = { ...editor, source, cause, column, from: null, value: "1971-02-28" };
  const [{ saved, overview }, ms] = await timed(() => post("/api/fix/replace", replacement));
  say(`  ${count(saved)} cells, ${count(overview.records.open)} records open: ${seconds(ms)}; ${used()}`);
  return editor;
}

async function readyState({ get }) {
  for (;;) {
    const state = await get("/api/fix");
    if (state.status === "ready") return state;
    if (state.status === "failed") throw new Error(state.error.message);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function faultyColumn(sources) {
  const source = sources.findIndex(({ name }) => name === "customers");
  return [source, sources[source].columns.indexOf("DOB")];
}

/**
 * Starts `migrate web`, calls `work` with a client, and stops the server. The MIGRATE_BENCH_NODE environment variable
 * adds Node.js arguments, such as `--cpu-prof`.
 */
async function withServer(folder, work) {
  const node = (process.env.MIGRATE_BENCH_NODE ?? "").split(" ").filter((word) => word !== "");
  const server = spawn(process.execPath, [...node, binary, "web", "--no-open"], { cwd: folder, stdio: "pipe" });
  try {
    const [, origin, token] = await addressOf(server);
    const json = { origin, "content-type": "application/json" };
    const reply = await ask(`${origin}/api/session`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ token }),
    });
    const { key } = await reply.json();
    const headers = { ...json, cookie: reply.headers.getSetCookie()[0].split(";")[0], "x-migrate-key": key };
    await work({
      get: async (name) => (await ask(`${origin}${name}`, { headers })).json(),
      post: async (name, body) =>
        (await ask(`${origin}${name}`, { method: "POST", headers, body: JSON.stringify(body) })).json(),
      used: () => {
        const { peakMb, cpuMs } = usage(server.pid);
        return `server so far: processor ${seconds(cpuMs)}, peak memory ${mb(peakMb)}`;
      },
    });
  } finally {
    server.kill();
    await once(server, "exit");
  }
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    let text = "";
    server.stderr.on("data", (piece) => (text += piece));
    server.stdout.on("data", (piece) => {
      const found = /(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)/.exec((text += piece));
      if (found !== null) resolve(found);
    });
    server.on("exit", () => reject(new Error(text)));
  });
}

async function ask(url, request) {
  const reply = await fetch(url, request);
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
  return reply;
}

function writeProject(folder) {
  writeFileSync(path.join(folder, "mapping.yaml"), MAPPING);
  const configuration = `contract: ${contract}\nmapping: mapping.yaml\nsupplier: ACME\ncorrections: corrections.csv\n`;
  writeFileSync(path.join(folder, "migrate.yaml"), configuration);
  writeRows(path.join(folder, "accounts.csv"), "REF,TYPE,NAME,ADDRESS,POSTCODE,MPAN", (ref, index) =>
    [ref, "D", `Name ${index}`, `${index} Station Road`, "DE1 2GU", "1210000007919"].join(),
  );
  writeRows(path.join(folder, "customers.csv"), "REF,SEQ,FIRST,LAST,MOBILE,DOB", (ref, index) =>
    [ref, 1, "Amina", `Hughes ${index}`, "07700 900123", "31/02/1971"].join(),
  );
}

function writeRows(file, header, row) {
  const handle = openSync(file, "w");
  let text = `${header}\n`;
  for (let index = 0; index < rows; index += 1) {
    text += `${row(`EXT-${String(index).padStart(7, "0")}`, index)}\n`;
    if (text.length < 1_000_000) continue;
    writeSync(handle, text);
    text = "";
  }
  writeSync(handle, text);
  closeSync(handle);
}

/** Maps and checks one record 2,000 times. Returns the milliseconds per record. */
async function oneRecord(settings, dependencies) {
  const job = await openJob({ ...settings, corrections: undefined }, dependencies);
  const check = compileChecks(job, undefined);
  const [record] = await job.input.find({ isWanted: () => true, limit: 1 });
  const start = performance.now();
  const times = 2000;
  for (let index = 0; index < times; index += 1) check([mapRecord(record, job)]);
  await job.input.close();
  return (performance.now() - start) / times;
}

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return [result, performance.now() - start];
}

function peak() {
  return process.resourceUsage().maxRSS / 1000;
}

function median(times) {
  return at(times, 0.5);
}

function at(times, share) {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)];
}
