// Generates deterministic extracts of an operator: the files of fixtures/operators, repeated until there are enough
// accounts. A helper for real-job.mjs, not a benchmark.
import { createWriteStream, readFileSync } from "node:fs";
import { once } from "node:events";
import path from "node:path";
import { finished } from "node:stream/promises";
import { root } from "./measure.mjs";

const ACCOUNTS_A_WRITE = 1000;

/** For each operator: its files, a function that varies a repeated row, and a function that adds an error. */
const OPERATORS = {
  gb: { files: ["accounts", "customers", "meter_points"], vary: varyBritish, spoil: spoilBritish },
  au: { files: ["accounts", "customers", "unmetered"], vary: varyAustralian, spoil: spoilAustralian },
};

/**
 * Writes the files of the operator as `<name>.csv`. Account numbers, telephone numbers, supply points, serial numbers,
 * readings, names and dates of birth differ between accounts. One account in every `wrong` has an error. The errors
 * rotate through five kinds. Returns the names of the files.
 */
export async function writeOperatorRows(folder, operator, accounts, wrong = Infinity) {
  const { files, vary, spoil } = OPERATORS[operator];
  const tables = files.map((name) => readTable(path.join(root, "fixtures/operators", operator, `${name}.csv`)));
  const models = tables[0].rows.map(({ ACCOUNT }) => ACCOUNT);
  for (const [index, { header, rows }] of tables.entries()) {
    const out = createWriteStream(path.join(folder, `${files[index]}.csv`), { highWaterMark: 2 ** 20 });
    out.write(`${header.join(",")}\n`);
    const repeated = (number) => {
      const made = rows
        .filter(({ ACCOUNT }) => ACCOUNT === models[number % models.length])
        .map((row, at) => ({ ...row, ACCOUNT: accountNumber(operator, number), ...vary(row, number, at) }));
      if (number % wrong === wrong - 1) spoil(made, files[index], Math.floor(number / wrong) % 5);
      return made.map((row) => `${header.map((name) => row[name]).join(",")}\n`).join("");
    };
    for (let from = 0; from < accounts; from += ACCOUNTS_A_WRITE) {
      const last = Math.min(accounts, from + ACCOUNTS_A_WRITE);
      const text = Array.from({ length: last - from }, (_, at) => repeated(from + at)).join("");
      if (!out.write(text)) await once(out, "drain");
    }
    out.end();
    await finished(out);
  }
  return files;
}

function accountNumber(operator, number) {
  return `${operator.toUpperCase()}-${String(number).padStart(8, "0")}`;
}

/** Splits lines at commas, because the cells of the fixtures contain no quotation marks and no commas. */
function readTable(file) {
  const [header, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = header.split(",");
  const rows = lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [names[at], cell])));
  return { header: names, rows };
}

function varyBritish(row, number, at) {
  if (row.MPAN) {
    return {
      MPAN: mpan(`12${String(number).padStart(10, "0")}`),
      METER: `Z${String(number).padStart(8, "0")}`,
      EAC: `${1000 + (number % 3000)}.${number % 10}`,
      READING: `${String(number % 100_000).padStart(5, "0")}.0`,
    };
  }
  if (row.BORN === undefined) return { NAME: `${row.NAME} ${number}`, LINE1: `${1 + (number % 240)} ${row.LINE1}` };
  const mobile = row.MOBILE && { MOBILE: `07400 ${digits(number + at, 6)}` };
  const born = `${digits(1 + (number % 28), 2)}/${digits(1 + (number % 12), 2)}/${1940 + (number % 60)}`;
  return { LAST: `${row.LAST}-${number}`, BORN: born, ...mobile };
}

function varyAustralian(row, number, at) {
  if (row.PARENT_NMI) return { PARENT_NMI: nmi(`53${digits(number, 8)}`), FACTOR: `${1 + (number % 9)}.5` };
  if (row.BORN === undefined) return { NAME: `${row.NAME} ${number}`, HOUSE: `${1 + (number % 240)}` };
  const born = `${1940 + (number % 60)}-${digits(1 + (number % 12), 2)}-${digits(1 + (number % 28), 2)}`;
  const mobile = `0412 ${digits(number + at, 6).replace(/(...)$/, " $1")}`;
  return { LAST: `${row.LAST}-${number}`, BORN: born, MOBILE: mobile, LANDLINE: `(02) 9${digits(number, 7)}` };
}

/** Adds an error. Two kinds are structural; only rules detect the other three. */
function spoilBritish(rows, file, kind) {
  const [first] = rows;
  if (file === "customers" && kind === 0) first.BORN = "31/02/1980";
  if (file === "customers" && kind === 1) first.MOBILE = "07400 12";
  if (file === "meter_points" && kind === 2) first.MPAN = first.MPAN.replace(/.$/, (digit) => (Number(digit) + 1) % 10);
  if (file === "meter_points" && kind === 3) first.TPR = "";
  if (file === "meter_points" && kind === 4) first.START = "01/04/2099";
}

function spoilAustralian(rows, file, kind) {
  const [first] = rows;
  if (file === "customers" && kind === 0) first.BORN = "1980-02-31";
  if (file === "customers" && kind === 1) first.MOBILE = "0412 12";
  if (file === "accounts" && kind === 2) first.POSTCODE = "20";
  if (file === "customers" && kind === 3) first.LANDLINE = "1300";
  if (file === "unmetered" && kind === 4) first.TARIFF = "";
}

/** Returns the number of a supply point: twelve digits and a check digit. */
function mpan(body) {
  const weights = [3, 5, 7, 13, 17, 19, 23, 29, 31, 37, 41, 43];
  const sum = weights.reduce((total, weight, index) => total + weight * Number(body[index]), 0);
  return `${body}${(sum % 11) % 10}`;
}

/** Returns a metering identifier: ten characters and a check digit. */
function nmi(body) {
  const codes = Array.from(body, (character, at) => character.charCodeAt(0) * (at % 2 === 1 ? 2 : 1));
  const sum = Array.from(codes.join(""), Number).reduce((total, digit) => total + digit, 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

function digits(number, length) {
  return String(number % 10 ** length).padStart(length, "0");
}
