// `migrate validate` of accounts joined with customers and meter points from files of their own, over the contract of
// the fixtures.
//   npm run build && node test/bench/validate-joined.mjs [--accounts 200000] [--runs 3]
// Five customers to four accounts, two meter points to each. Two cases: files in any order, which are joined by an
// index on disk, and files sorted by the account's number, which are read side by side. Median wall time, processor
// time, peak memory. The rows are the same every time.
import { createWriteStream, statSync } from "node:fs";
import { once } from "node:events";
import path from "node:path";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { twoDigits } from "./flat-rows.mjs";
import { beside, count, machine, mb, medians, migrate, root, say, seconds, withFolder } from "./measure.mjs";

const { values: options } = parseArgs({
  options: { accounts: { type: "string", default: "200000" }, runs: { type: "string", default: "3" } },
});
const accounts = Number(options.accounts);
const FILES = [
  { name: "accounts", rows: accounts, header: "ACCOUNT_REF,TYPE,NAME,ADDR1,POSTCODE", row: account },
  { name: "customers", rows: (accounts * 5) / 4, header: "ACCOUNT_REF,SEQ,FIRST,LAST,DOB", row: customer },
  { name: "meter_points", rows: accounts * 2, header: "MPAN,ACCOUNT_REF,FUEL,SINCE", row: meterPoint },
];

/** A prime step that does not divide the count visits every row once. */
const STEP = 104_729;

await withFolder(async (folder) => {
  say(`validate, joined: ${FILES.map(({ name, rows }) => `${count(rows)} ${name}`).join(", ")}; ${machine()}`);
  for (const order of ["unsorted", "sorted"]) {
    const size = await writeFiles(folder, order === "sorted");
    const { wallMs, cpuMs = 0, peakMb } = await medians(Number(options.runs), () => validated(folder));
    say(`${order}, ${mb(size)}: ${seconds(wallMs)}, ${seconds(cpuMs)} of processor time, ${mb(peakMb)} at peak`);
  }
});

async function validated(folder) {
  const sources = FILES.flatMap(({ name }) => ["--source", `${name}=${path.join(folder, `${name}.csv`)}`]);
  const contract = ["--contract", path.join(root, "fixtures/contract/contract.yaml")];
  const args = ["validate", ...contract, "--mapping", beside("joined-mapping.yaml"), ...sources];
  const run = await migrate(args, { env: { TMPDIR: folder } });
  const said = run.stdout + run.stderr;
  if (!said.includes(`${count(accounts)} records`)) throw new Error(`not all accounts were read:\n${said}`);
  return run;
}

async function writeFiles(folder, sorted) {
  let bytes = 0;
  for (const { name, rows, header, row } of FILES) {
    const file = path.join(folder, `${name}.csv`);
    const out = createWriteStream(file, { highWaterMark: 2 ** 20 });
    out.write(`${header}\n`);
    for (let place = 0; place < rows; place += 1) {
      const written = out.write(`${row(sorted ? place : scattered(place, rows)).join(",")}\n`);
      if (!written) await once(out, "drain");
    }
    out.end();
    await finished(out);
    bytes += statSync(file).size;
  }
  return bytes / 1e6;
}

function scattered(place, rows) {
  return (place * STEP) % rows;
}

function reference(number) {
  return `EXT-${String(number).padStart(8, "0")}`;
}

function day(number) {
  return `${twoDigits(1 + (number % 28))}/${twoDigits(1 + (number % 12))}/${1950 + (number % 70)}`;
}

function account(number) {
  return [reference(number), "D", `Customer of account ${number}`, `${1 + (number % 240)} High Street`, "SW1A 1AA"];
}

/** Every fourth account has two. */
function customer(number) {
  const owner = Math.floor((number * 4) / 5);
  return [reference(owner), String(1 + (number % 5)), "Eleanor", `Featherstonehaugh-${number}`, day(number)];
}

function meterPoint(number) {
  const fuel = number % 2 === 0 ? "E" : "G";
  return [String(1_200_000_000_000 + number), reference(Math.floor(number / 2)), fuel, day(number)];
}
