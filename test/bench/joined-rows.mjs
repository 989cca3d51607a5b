// Generates deterministic files of accounts, customers and meter points. A helper for validate-joined.mjs and
// inspect.mjs, not a benchmark.
import { createWriteStream, statSync } from "node:fs";
import { once } from "node:events";
import path from "node:path";
import { finished } from "node:stream/promises";
import { twoDigits } from "./flat-rows.mjs";

/**
 * The step size for writing the rows in mixed order. With a prime step that does not divide the number of rows, each
 * row is written once.
 */
const STEP = 104_729;

/**
 * Describes the files of accounts, customers and meter points: five customers for every four accounts, and two meter
 * points per account. `row` returns the cells of a row by its number, from 0. One account in every `wrong` has an
 * invalid type.
 */
export function joinedFiles(accounts, { wrong = Infinity } = {}) {
  const account = (number) => [reference(number), number % wrong === wrong - 1 ? "X" : "D", ...billing(number)];
  return [
    { name: "accounts", rows: accounts, header: "ACCOUNT_REF,TYPE,NAME,ADDR1,POSTCODE", row: account },
    { name: "customers", rows: (accounts * 5) / 4, header: "ACCOUNT_REF,SEQ,FIRST,LAST,DOB", row: customer },
    { name: "meter_points", rows: accounts * 2, header: "MPAN,ACCOUNT_REF,FUEL,SINCE", row: meterPoint },
  ];
}

/** Writes the files to the folder as `<name>.csv`, in mixed order unless `sorted`. Returns their total size in MB. */
export async function writeJoinedFiles(folder, files, { sorted = false } = {}) {
  let bytes = 0;
  for (const { name, rows, header, row } of files) {
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

/** Returns the `--source` arguments for the files. */
export function joinedSources(folder, files) {
  return files.flatMap(({ name }) => ["--source", `${name}=${path.join(folder, `${name}.csv`)}`]);
}

function scattered(place, rows) {
  return (place * STEP) % rows;
}

/** Returns the business key of an account. */
export function reference(number) {
  return `EXT-${String(number).padStart(8, "0")}`;
}

function day(number) {
  return `${twoDigits(1 + (number % 28))}/${twoDigits(1 + (number % 12))}/${1950 + (number % 70)}`;
}

function billing(number) {
  return [`Customer of account ${number}`, `${1 + (number % 240)} High Street`, "SW1A 1AA"];
}

/** Returns the cells of a customer. Every fourth account has two customers. */
function customer(number) {
  const owner = Math.floor((number * 4) / 5);
  return [reference(owner), String(1 + (number % 5)), "Eleanor", `Featherstonehaugh-${number}`, day(number)];
}

function meterPoint(number) {
  const fuel = number % 2 === 0 ? "E" : "G";
  return [String(1_200_000_000_000 + number), reference(Math.floor(number / 2)), fuel, day(number)];
}
