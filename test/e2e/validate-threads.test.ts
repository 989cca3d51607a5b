import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { type CliOptions, runCli } from "./cli.ts";
import { type Files, JOB_FLAGS, workFolder } from "./validate-scene.ts";

/** Several chunks of 256 KB, so that every thread gets some. */
const ROWS = 12_000;

const GOOD = `${"The meter is under the stairs. ".repeat(2)}ok`;

/** Rows of REF, NAME, NOTE, MOBILE with everything that CSV files hold to the grief of those who read them. */
function hazards(count: number): string {
  const lines = Array.from({ length: count }, (_, index) => hazard(index));
  return ["REF,NAME,NOTE,MOBILE", ...lines].join("\n");
}

function hazard(index: number): string {
  const ref = `K${index}`;
  const kinds: Readonly<Record<number, string>> = {
    3: `${ref},"Ann, called ""Nan""","two\nlines, ${GOOD}",07700900123`,
    7: `${ref},Zoë Brontë,${GOOD},0770090`,
    19: `${ref},Ann,${GOOD}`,
    23: `${ref},Ann "the" Third,${GOOD},07700900123\n`,
    31: `${ref},Ann,"a ""quote"" at\r\nthe end""",07700900123\r`,
    37: `K${index - 1000},Ann,${GOOD},07700900123`,
    41: ` ${ref.toLowerCase()},${"N".repeat(50)},${GOOD},07700900123`,
    43: `,Ann,${GOOD},07700900123`,
    47: `${ref},Ann,con\u0007trol,07700900123`,
    53: `   \n${ref},Ann,${GOOD},07700900123\rL${index},Bob,${GOOD},07700900123`,
  };
  const long = index % 5000 === 4999 ? `${ref},Ann,"${'long ""cell""\n'.repeat(12_000)}",07700900123` : undefined;
  return long ?? kinds[index % 59] ?? `${ref},Ann,${GOOD},07700900123`;
}

/** Rows of which one in so many has an error. */
function rows(count: number, badEvery: number): string {
  const lines = Array.from(
    { length: count },
    (_, index) => `K${index},Ann,${GOOD},${index % badEvery === badEvery - 1 ? "bad" : "07700900123"}`,
  );
  return ["REF,NAME,NOTE,MOBILE", ...lines, ""].join("\n");
}

const FUNCTIONS = `
export const shout = (text) => text.toUpperCase();
export const fail = (text) => { if (text === "K9000") throw new Error("no"); return text; };
`;

const CALLING = `operation: import-account
key: number
functions: ./functions.mjs
payload: { number: { from: REF, call: fail }, name: { from: NAME, call: shout } }
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
  "the same as lines": { files: accounts(hazards(ROWS)), args: ["--format", "ndjson"], code: 1 },
  "the same with values": { files: accounts(hazards(ROWS)), args: ["--show-values"], code: 1 },
  "the same, packed, from standard input": {
    files: {},
    args: ["-"],
    options: { input: gzipSync(hazards(ROWS)) },
    code: 1,
  },
  "the same in windows-1252": {
    files: accounts(Buffer.from(hazards(ROWS), "latin1")),
    args: ["--encoding", "windows-1252", "--format", "csv"],
    code: 1,
  },
  "the same in UTF-16": {
    files: accounts(Buffer.from(`\uFEFF${hazards(ROWS)}`, "utf16le")),
    args: ["--format", "junit"],
    code: 1,
  },
  "several files, one of them empty": {
    files: { "a.csv": rows(ROWS, 100), "b.csv": "REF,NAME,NOTE,MOBILE\n", "c.csv": hazards(3000) },
    args: ["a.csv", "b.csv", "c.csv"],
    code: 1,
  },
  "good rows": { files: accounts(rows(ROWS, ROWS * 2)), code: 0 },
  "some records of the beginning": { files: accounts(rows(ROWS, 100)), args: ["--limit", "5432"], code: 1 },
  "the first of those with these keys": {
    files: accounts(rows(ROWS, 100)),
    args: ["--only", "K99,K5000,K7000,K9999", "--limit", "3"],
    code: 1,
  },
  "more errors than are put up with": { files: accounts(rows(ROWS, 100)), args: ["--max-errors", "50"], code: 1 },
  "a share of errors that is too large": { files: accounts(rows(ROWS, 100)), args: ["--max-errors", "0.5%"], code: 1 },
  "a quote that nothing closes": { files: accounts(`${rows(ROWS, 100)}K,Ann,"open,\n${rows(9, 9)}`), code: 2 },
  "a bad byte behind the records that are wanted": {
    files: accounts(Buffer.concat([Buffer.from(rows(ROWS, 100)), Buffer.from([0xff, 0x0a])])),
    args: ["--limit", "100"],
    code: 1,
  },
  "a bad byte": {
    files: accounts(Buffer.concat([Buffer.from(rows(ROWS, 100)), Buffer.from([0xff, 0x0a])])),
    code: 2,
  },
  "a function that fails on a row": {
    files: { ...accounts(rows(ROWS, 100)), "functions.mjs": FUNCTIONS, "mapping.yaml": CALLING },
    code: 2,
  },
  "functions, and errors before the row that one fails on": {
    files: { ...accounts(rows(ROWS, 100)), "functions.mjs": FUNCTIONS, "mapping.yaml": CALLING },
    args: ["--limit", "8000"],
    code: 0,
  },
};

/** Everything that a run leaves behind. */
async function validated({ args = [], options }: Case, folder: string, threads: number): Promise<unknown> {
  const out = path.join(folder, `out-${threads}`);
  const sources = args.some((arg) => /^-$|\.csv$/.test(arg)) ? [] : ["accounts.csv"];
  const common = [...JOB_FLAGS, "--out", path.basename(out), "--threads", String(threads)];
  const { code, stdout, stderr } = await runCli(["validate", ...sources, ...args, ...common], {
    ...options,
    cwd: folder,
  });
  const said = stderr.replaceAll(path.basename(out), "out");
  return { code, stdout: stdout.replaceAll(path.basename(out), "out"), said, files: filesIn(out) };
}

/** All but what a secret of the run makes different each time. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const found = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const files = found.filter((entry) => entry.isFile() && !SECRET_FILES.has(entry.name));
  return Object.fromEntries(files.map(({ name, parentPath }) => [name, read(path.join(parentPath, name))]));
}

const SECRET_FILES: ReadonlySet<string> = new Set(["rejects.fingerprints", "rejects.json"]);

/** Without the names of run and folder, and without the minute. */
function read(file: string): string {
  return readFileSync(file, "utf8").replaceAll(/out-\d|\d{8}-\d{4}-[0-9a-f]{4}|\d\d:\d\d\b/g, "...");
}

it.each(Object.entries(CASES))("validate says the same with any number of threads: %s", async (_, scene) => {
  const folder = workFolder(scene.files);
  const alone = await validated(scene, folder, 1);
  expect(alone).toMatchObject({ code: scene.code });
  for (const threads of [2, 3]) expect(await validated(scene, folder, threads)).toEqual(alone);
});
