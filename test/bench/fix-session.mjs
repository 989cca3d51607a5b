// The page Fix of `migrate web`: the session with the rows that need work, without the browser.
//   npm run build && node test/bench/fix-session.mjs [--rows 200000] [--edits 200]
// Every record has a faulty cell, and a customer in a second file. Prints the time of the check, of a page of rows and of an edit
// (saved and checked), the time to check one record in process, their ratio, and the peak memory of the process.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { keepHeapSmall } from "../../dist/cli/process/engine-flags.js";
import { readSettings } from "../../dist/cli/settings/settings.js";
import { openJob } from "../../dist/job/job.js";
import { compileChecks, mapRecord } from "../../dist/pipeline/plan/check-records.js";
import { systemClock } from "../../dist/time/system-clock.js";
import { openFixSession } from "../../dist/web/fix/fix-session.js";
import { count, machine, mb, say, withFolder } from "./measure.mjs";

const { values: options } = parseArgs({
  options: { rows: { type: "string", default: "200000" }, edits: { type: "string", default: "200" } },
});
// As `migrate web` does.
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

await withFolder(async (folder) => {
  writeProject(folder);
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
  say(`page Fix, ${count(rows)} records that need work; ${machine()}`);
  const { sources, records } = session.overview();
  say(`check: ${(checkMs / 1000).toFixed(1)} s, ${count(records.open)} records open, ${mb(peak())}`);
  const source = sources.findIndex(({ name }) => name === "customers");
  const column = sources[source].columns.indexOf("DOB");
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
  say(`page of 100 rows: median ${median(pages).toFixed(1)} ms`);
  const one = await oneRecord(settings, dependencies);
  const edit = median(times);
  say(`edit, saved and checked: median ${edit.toFixed(1)} ms, 95 % below ${at(times, 0.95).toFixed(1)} ms`);
  say(`one record in process: ${one.toFixed(3)} ms; ratio ${(edit / one).toFixed(0)}`);
  say(`records open: ${count(session.overview().records.open)}; peak memory ${mb(peak())}`);
  await session.close();
});

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

// Maps and checks one record again and again.
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
