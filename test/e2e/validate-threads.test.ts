import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { campaignCases } from "../campaign.ts";
import { type CliOptions, runCli } from "./cli.ts";
import { CONTRACT_FLAGS, type Files, JOB_FLAGS, JOINED_MAPPING, workFolder } from "./validate-scene.ts";

/**
 * Rows for ten chunks of 256 KB. The other threads take fewer chunks than that before the reading thread takes its
 * first chunk. Long rows save time.
 */
const ROWS = 3500;

const GOOD = `${"The meter is under the stairs. ".repeat(24)}ok`;

/** Returns rows of REF, NAME, NOTE, MOBILE with every hazard of CSV files. */
function hazards(count: number): string {
  const all = Array.from({ length: count }, (_, index) => hazard(index));
  return ["REF,NAME,NOTE,MOBILE", ...all].join("\n");
}

function hazard(index: number): string {
  const ref = `K${index}`;
  const kinds: Readonly<Record<number, string>> = {
    3: `${ref},"Ann, called ""Nan""","two\nlines, ${GOOD}",07700900123`,
    7: `${ref},Zoë Brontë,${GOOD},0770090`,
    19: `${ref},Ann,${GOOD}`,
    23: `${ref},Ann "the" Third,${GOOD},07700900123\n`,
    31: `${ref},Ann,"a ""quote"" at\r\nthe end""",07700900123\r`,
    37: `K${index - 300},Ann,${GOOD},07700900123`,
    41: ` ${ref.toLowerCase()},${"N".repeat(50)},${GOOD},07700900123`,
    43: `,Ann,${GOOD},07700900123`,
    47: `${ref},Ann,con\u0007trol,07700900123`,
    53: `   \n${ref},Ann,${GOOD},07700900123\rL${index},Bob,${GOOD},07700900123`,
  };
  const long = index % 1200 === 1199 ? `${ref},Ann,"${'long ""cell""\n'.repeat(12_000)}",07700900123` : undefined;
  return long ?? kinds[index % 59] ?? `${ref},Ann,${GOOD},07700900123`;
}

/** Returns a CSV file with this many rows. Every `badEvery`-th row has an error. */
function rows(count: number, badEvery: number): string {
  const all = Array.from(
    { length: count },
    (_, index) => `K${index},Ann,${GOOD},${index % badEvery === badEvery - 1 ? "bad" : "07700900123"}`,
  );
  return ["REF,NAME,NOTE,MOBILE", ...all, ""].join("\n");
}

/** Returns lines of JSON with every kind of error. */
function jsonLines(count: number): string {
  const hazardAt: Readonly<Record<number, (ref: string) => string>> = {
    3: (ref) => `\n  \r\n {"REF":"${ref}","NAME":"Zoë","NOTE":"a\\nb","MOBILE":"0770"} \r`,
    5: (ref) => `{"REF":"${ref}","NAME":"Ann","NAME":"Bob","MOBILE":"07700900123"}`,
    7: (ref) => `{"REF":"${ref}","NAME":"Ann",}`,
    11: (ref) => `["${ref}"]`,
    13: (ref) => `\u001E{"REF":"${ref}","NAME":${"[".repeat(9)}${"]".repeat(9)},"MOBILE":1e400}`,
    17: (ref) => `{"REF":"${ref}","__proto__":{"x":1},"NAME":"\\ud800"}`,
    19: (ref) => `{"REF":"${ref}","NAME":"Ann","NOTE":"${"long ".repeat(30_000)}"}`,
  };
  return Array.from({ length: count }, (_, index) => {
    const ref = index % 41 === 40 ? `K${index - 7}` : `K${index}`;
    const kind = index % 23 === 19 && index % 1000 > 60 ? 0 : index % 23;
    return hazardAt[kind]?.(ref) ?? `{"REF":"${ref}","NAME":"Ann","NOTE":"${GOOD}","MOBILE":"07700900123"}`;
  }).join("\n");
}

/** Returns a JSON array with the lines that begin with `{`, and with other elements. */
function array(count: number): string {
  const elements = jsonLines(count)
    .split("\n")
    .filter((line) => line.startsWith("{"));
  return `\n [ ${elements.join(" ,\r\n ")} , 7 8, {"REF":"last"\n} ]\n`;
}

const PAYLOADS = Array.from({ length: ROWS }, (_, index) =>
  JSON.stringify({
    number: `K${index}`,
    name: GOOD.slice(0, index % 60),
    note: GOOD,
    mobile: "07700900123",
    other: index % 9,
  }),
).join("\n");

const FUNCTIONS = `
export const shout = (text) => text.toUpperCase();
export const fail = (text) => { if (text === "K2000") throw new Error("no"); return text; };
`;

const CALLING = `operation: import-account
key: number
functions: ./functions.mjs
payload: { number: { from: REF, call: fail }, name: { from: NAME, call: shout } }
`;

const JOINED = JOINED_MAPPING.replace("${supplier}", "S");

/**
 * Returns accounts, and customers in another order. Some customers have no account, or have a key that is similar to an
 * account's key.
 */
function joined(count: number): Files {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const accounts = numbers.map((index) => `K${index},${index % 101 === 7 ? "" : "Ann"}`);
  const customers = numbers.flatMap((index) => {
    const shuffled = (index * 7919) % count;
    const ref = shuffled % 97 === 5 ? ` k${shuffled}` : shuffled % 89 === 3 ? `X${shuffled}` : `K${shuffled}`;
    const mail = shuffled % 53 === 11 ? "no mail" : "ann@example.org";
    return [`${ref},2,Okonkwo,${mail}`, `${ref},${shuffled % 3},"Patel, ""Jr""",ann@example.org`];
  });
  return {
    "accounts.csv": ["REF,NAME", ...accounts, "K1,Bob", ""].join("\n"),
    "customers.csv": ["REF,SEQ,LAST,MAIL", ...customers, ""].join("\n"),
    "mapping.yaml": JOINED,
  };
}

/** Returns the same accounts, with customers as lines of JSON. */
function joinedWithJson(count: number): Files {
  const good = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ REF: `K${index}`, SEQ: index % 3, LAST: { toString: index }, MAIL: "a@example.org" }),
  );
  const mapping = JOINED.replace("customers.csv", "customers.ndjson");
  const unsafe = `{"REF":"K7","SEQ":1e400,"LAST":"\\ud800","MAIL":-0}`;
  const customers = [...good, unsafe, "{", ""].join("\n");
  return {
    "accounts.csv": joined(count)["accounts.csv"] ?? "",
    "customers.ndjson": customers,
    "mapping.yaml": mapping,
  };
}

const COUNTING = `
let calls = 0;
export const numbered = (text) => text + " " + (calls += 1);
`;

/**
 * A mapping whose account numbers end with the number of accounts that the thread of the functions has mapped so far.
 */
const COUNTED_KEYS = `operation: import-account
key: number
functions: ./functions.mjs
payload: { number: { from: REF, call: numbered }, name: NAME }
`;

interface Case {
  readonly files: Files;
  readonly args?: readonly string[];
  readonly options?: CliOptions;
  readonly code: number;
}

const accounts = (content: string | Uint8Array): Files => ({ "accounts.csv": content });

const CASES: Readonly<Record<string, Case>> = {
  "a file with every hazard": { files: accounts(hazards(ROWS)), code: 1 },
  "a file with every hazard, with NDJSON output": {
    files: accounts(hazards(ROWS)),
    args: ["--format", "ndjson"],
    code: 1,
  },
  "a file with every hazard, with values": { files: accounts(hazards(ROWS)), args: ["--show-values"], code: 1 },
  "a file with every hazard, compressed, from standard input": {
    files: {},
    args: ["-"],
    options: { input: gzipSync(hazards(ROWS)) },
    code: 1,
  },
  "a file with every hazard in windows-1252": {
    files: accounts(Buffer.from(hazards(ROWS), "latin1")),
    args: ["--encoding", "windows-1252", "--format", "csv"],
    code: 1,
  },
  "a file with every hazard in UTF-16": {
    files: accounts(Buffer.from(`\uFEFF${hazards(ROWS)}`, "utf16le")),
    args: ["--format", "junit"],
    code: 1,
  },
  "several files, one of them empty": {
    files: { "a.csv": rows(ROWS, 100), "b.csv": "REF,NAME,NOTE,MOBILE\n", "c.csv": hazards(1000) },
    args: ["a.csv", "b.csv", "c.csv"],
    code: 1,
  },
  "lines of JSON": { files: { "accounts.ndjson": jsonLines(ROWS) }, args: ["accounts.ndjson"], code: 1 },
  "a line that is too long": {
    files: { "accounts.ndjson": `${jsonLines(900)}\n{"REF":"${"x".repeat(17 * 2 ** 20)}"}\n${jsonLines(900)}\n` },
    args: ["accounts.ndjson"],
    code: 1,
  },
  "payloads without a mapping": {
    files: { "accounts.ndjson": PAYLOADS, "mapping.yaml": "" },
    args: ["accounts.ndjson", "--format", "ndjson"],
    code: 1,
  },
  "an array": { files: { "accounts.json": array(ROWS) }, args: ["accounts.json", "--format", "ndjson"], code: 1 },
  "an array with an element that is too long": {
    files: { "accounts.json": `${array(2000).slice(0, -2)}, {"REF":"${"x".repeat(17 * 2 ** 20)}"}, {"REF":"2"}]` },
    args: ["accounts.json"],
    code: 1,
  },
  "a truncated array": {
    files: { "accounts.json": array(ROWS).slice(0, -5) },
    args: ["accounts.json"],
    code: 2,
  },
  "text after an array, with a limit before it": {
    files: { "accounts.json": `${array(ROWS)}x` },
    args: ["accounts.json", "--limit", "9"],
    code: 1,
  },
  "one object": { files: { "accounts.json": `\n{"REF":"K1",\n"MOBILE":"1"}` }, args: ["accounts.json"], code: 1 },
  "a document that spans several lines": {
    files: { "accounts.ndjson": `${" \n".repeat(200_000)}{\n"REF":"K1"\n}` },
    args: ["accounts.ndjson"],
    code: 2,
  },
  "joined files": { files: joined(4000), args: ["--format", "ndjson"], code: 1 },
  "joined files, the first records": { files: joined(2000), args: ["--limit", "1234"], code: 1 },
  "joined files with values, until there are too many errors": {
    files: joined(2000),
    args: ["--show-values", "--max-errors", "20"],
    code: 1,
  },
  "only records and orphans with these keys": { files: joined(2000), args: ["--only", "K1,K7,K1009"], code: 1 },
  "a file joined with lines of JSON": { files: joinedWithJson(2000), args: ["--format", "csv"], code: 1 },
  "valid rows": { files: accounts(rows(ROWS, ROWS * 2)), code: 0 },
  "the first records": { files: accounts(rows(ROWS, 100)), args: ["--limit", "1210"], code: 1 },
  "the first records with these keys": {
    files: accounts(rows(ROWS, 100)),
    args: ["--only", "K99,K1200,K1400,K2999", "--limit", "3"],
    code: 1,
  },
  "more errors than allowed": { files: accounts(rows(ROWS, 100)), args: ["--max-errors", "30"], code: 1 },
  "a share of errors above the limit": { files: accounts(rows(ROWS, 100)), args: ["--max-errors", "0.5%"], code: 1 },
  "an unclosed quote": { files: accounts(`${rows(ROWS, 100)}K,Ann,"open,\n${rows(9, 9)}`), code: 2 },
  "an invalid byte after the limit": {
    files: accounts(Buffer.concat([Buffer.from(rows(ROWS, 100)), Buffer.from([0xff, 0x0a])])),
    args: ["--limit", "100"],
    code: 1,
  },
  "an invalid byte": {
    files: accounts(Buffer.concat([Buffer.from(rows(ROWS, 100)), Buffer.from([0xff, 0x0a])])),
    code: 2,
  },
  "a function that fails on a row": {
    files: { ...accounts(rows(ROWS, 100)), "functions.mjs": FUNCTIONS, "mapping.yaml": CALLING },
    code: 2,
  },
  "functions, with a limit before the row on which one fails": {
    files: { ...accounts(rows(ROWS, 100)), "functions.mjs": FUNCTIONS, "mapping.yaml": CALLING },
    args: ["--limit", "1600"],
    code: 0,
  },
};

/** Returns the exit code, the output and all files of a run. */
async function validated({ files, args = [], options }: Case, folder: string, threads: number): Promise<unknown> {
  const out = path.join(folder, `out-${threads}`);
  const sources = args.some((arg) => /^-$|\.(csv|json|ndjson)$/.test(arg)) ? [] : ["accounts.csv"];
  const job = files["mapping.yaml"] === "" ? CONTRACT_FLAGS : JOB_FLAGS;
  const common = [...job, "--out", path.basename(out), "--threads", String(threads)];
  const { code, stdout, stderr } = await runCli(["validate", ...sources, ...args, ...common], {
    ...options,
    cwd: folder,
  });
  // On a slow machine, progress lines appear after a few seconds. They are not part of the result.
  const said = stderr.replaceAll(path.basename(out), "out").replaceAll(/^Reading .*\n/gm, "");
  return { code, stdout: stdout.replaceAll(path.basename(out), "out"), said, files: filesIn(out) };
}

/** Returns all files, except files that differ because of the run's random secret. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const found = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const files = found.filter((entry) => entry.isFile() && !SECRET_FILES.has(entry.name));
  return Object.fromEntries(files.map(({ name, parentPath }) => [name, read(path.join(parentPath, name))]));
}

const SECRET_FILES: ReadonlySet<string> = new Set(["rejects.fingerprints", "rejects.json"]);

/** Reads a file, and replaces the run's id, the folder's name and the time with dots. */
function read(file: string): string {
  return readFileSync(file, "utf8").replaceAll(/out-\d|\d{8}-\d{4}-[0-9a-f]{4}|\d\d:\d\d\b/g, "...");
}

/** These cases run in every test run. `npm test` runs some of the other cases. */
const ALWAYS: ReadonlySet<string> = new Set(["lines of JSON", "joined files"]);
const others = Object.entries(CASES).filter(([name]) => !ALWAYS.has(name));
const always = Object.entries(CASES).filter(([name]) => ALWAYS.has(name));

it.each([...always, ...campaignCases(others, 4)])(
  "validate has the same results with any number of threads: %s",
  async (_, scene) => {
    const folder = workFolder(scene.files);
    const alone = await validated(scene, folder, 1);
    expect(alone).toMatchObject({ code: scene.code });
    // Functions run in their own threads, which are also counted.
    expect(await validated(scene, folder, "functions.mjs" in scene.files ? 6 : 3)).toEqual(alone);
  },
);

it.each([
  ["1", 1],
  ["2", 1],
  ["3", 1],
  ["4", 2],
  ["auto", 1],
])("validate --threads %s maps the records of a small file in %i threads", async (threads, made) => {
  const files = { "accounts.csv": rows(ROWS, ROWS * 2), "functions.mjs": COUNTING, "mapping.yaml": COUNTED_KEYS };
  const args = ["validate", "accounts.csv", ...JOB_FLAGS, "--format", "ndjson", "--threads", threads];
  const { stdout } = await runCli(args, { cwd: workFolder(files) });
  const calls = [...stdout.matchAll(/"key":"K\d+ (\d+)"/g)].map(([, call]) => Number(call));
  expect(calls).toHaveLength(ROWS);
  expect(calls.filter((call) => call === 1)).toHaveLength(made);
  expect(calls.every((call, index) => call === index + 1)).toBe(made === 1);
});
