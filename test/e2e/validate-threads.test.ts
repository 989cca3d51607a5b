import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { campaignCases } from "../campaign.ts";
import { type CliOptions, runCli } from "./cli.ts";
import { CONTRACT_FLAGS, type Files, JOB_FLAGS, workFolder } from "./validate-scene.ts";
import {
  array,
  CALLING,
  COUNTED_KEYS,
  COUNTING,
  FUNCTIONS,
  hazards,
  joined,
  joinedWithJson,
  jsonLines,
  PAYLOADS,
  ROWS,
  rows,
} from "./validate-threads-input.ts";

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
