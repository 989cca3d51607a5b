import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { readContractWithFindings } from "../../job/contract-files.ts";
import type { ContractCaching } from "../../job/dependencies.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import { type Sandbox, type SandboxReady, startSandbox } from "../../sandbox/start-sandbox.ts";
import { counted } from "../../text/count.ts";
import { FIXTURES } from "../serve-sandbox.ts";
import { type JsonValue, valueAt } from "../../json/json-value.ts";
import { parsePointer } from "../../json/json-pointer.ts";

export interface DemoOptions {
  /** Folder for all files of the demo; recreated on every run. */
  readonly folder: string;
}

/** The settings of a push that the demo determines. */
export interface DemoPush {
  readonly job: JobSettings;
  readonly platform: SandboxReady;
  readonly ledger: string;
  readonly out: string;
}

interface DemoDependencies extends ContractCaching {
  /** Aborts at the first Ctrl-C. */
  readonly drain: AbortSignal;
  readonly push: (push: DemoPush) => Promise<RunReport>;
}

/** One step to display: a sentence, or the report of a push. The consumer closes the report. */
export type DemoStep =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "report"; readonly report: RunReport }
  | { readonly kind: "end"; readonly exitCode: number };

/** The path of the fixtures relative to the working folder, to keep printed commands and places short. */
const HERE = path.relative(process.cwd(), FIXTURES);
export const CONTRACT: string = path.join(HERE, "contract/contract.yaml");

interface DemoInput {
  readonly mapping?: string;
  readonly sources: readonly string[];
}

export const HOUSEHOLDS: DemoInput = { mapping: path.join(HERE, "demo/mapping.yaml"), sources: [] };

export function demoJob(input: DemoInput, { supplier }: SandboxReady): JobSettings {
  const [folder, operation] = [process.cwd(), "import-account"];
  return { ...input, folder, contract: [CONTRACT], operation, namedSources: {}, supplier };
}

interface Extract extends DemoInput {
  readonly intent: string;
  /** The source whose rejects are in the main rejects file. */
  readonly root: string;
}

const EXTRACTS: readonly Extract[] = [
  { intent: "220 households from CSV files, joined on import", root: "accounts", ...HOUSEHOLDS },
  {
    intent: "24 businesses from a JSON extract of ready-made payloads",
    root: "business",
    sources: [path.join(HERE, "demo/business.json")],
  },
];
const TOTAL_ACCOUNTS = 244;

/**
 * Runs the main workflow on a local platform: pushes the extracts, corrects the rejects as their data owners would,
 * pushes the corrections, and counts the accounts on the platform.
 */
export async function* demo({ folder }: DemoOptions, dependencies: DemoDependencies): AsyncGenerator<DemoStep> {
  await rm(folder, { recursive: true, force: true });
  const contract = await readContractWithFindings([CONTRACT], dependencies);
  const sandbox = await startSandbox({ contract, port: 0, folder: path.join(folder, "sandbox"), faults: {} });
  try {
    yield { kind: "say", text: `A local platform is listening at ${sandbox.ready.baseUrl}` };
    for (const extract of EXTRACTS) {
      if (dependencies.drain.aborted) return;
      yield* migrateExtract(extract, { folder, sandbox, push: dependencies.push });
    }
    const keys = sandbox.state.accounts().map(({ key }) => key);
    const { text, isRight } = countAccounts(keys, TOTAL_ACCOUNTS);
    yield { kind: "say", text: `\nThe platform now has ${text}.` };
    yield { kind: "end", exitCode: isRight ? 0 : 1 };
  } finally {
    await sandbox.close();
  }
}

async function* migrateExtract(
  { intent, root, ...input }: Extract,
  { folder, sandbox, push }: DemoOptions & { readonly sandbox: Sandbox; readonly push: DemoDependencies["push"] },
): AsyncGenerator<DemoStep> {
  const settings = { platform: sandbox.ready, ledger: path.join(folder, "ledger.db") };
  const job = demoJob(input, sandbox.ready);
  const out = path.join(folder, root);

  yield { kind: "say", text: `\nPushing ${intent}.\n` };
  yield { kind: "report", report: await push({ ...settings, job, out }) };

  const corrections = await readCorrections(path.join(HERE, "demo/demo-corrections.csv"));
  const { cells, files } = await correctRejects(out, root, corrections);
  const rejects =
    input.mapping === undefined
      ? { sources: [...files.values()] }
      : { namedSources: Object.fromEntries([...files].map(([source, file]) => [source, [file]])) };
  const names = files.size === 1 ? "the rejects file" : `${files.size} rejects files`;
  yield {
    kind: "say",
    text: `\nCorrecting ${cells} cells in ${names}, as their data owners would, and pushing the corrections.\n`,
  };
  yield { kind: "report", report: await push({ ...settings, job: { ...job, ...rejects }, out: `${out}-corrected` }) };
}

/**
 * Counts the distinct and the duplicate business keys on the platform, and compares them with the expected number.
 * `text` is a phrase such as `244 of 244 accounts, each exactly once`, or `3 of 4 accounts, and 2 duplicates`.
 */
export function countAccounts(
  keys: readonly string[],
  expected: number,
): { readonly text: string; readonly isRight: boolean } {
  const different = new Set(keys).size;
  const repeated = keys.length - different;
  const of = `${different} of ${counted(expected, "account")}`;
  if (repeated > 0) return { text: `${of}, and ${counted(repeated, "duplicate")}`, isRight: false };
  return { text: different === expected ? `${of}, each exactly once` : of, isRight: different === expected };
}

interface Correction {
  readonly source: string;
  /** The identifier of the row, from the first column of its file. */
  readonly id: string;
  /** The name of the column, or an RFC 6901 pointer in a JSON extract. */
  readonly field: string;
  /** In a JSON extract, an empty value removes the field. */
  readonly value: string;
}

/** Reads a corrections file with the columns SOURCE, ID, FIELD and VALUE. */
export async function readCorrections(file: string): Promise<readonly Correction[]> {
  const rows: string[][] = parse(await readFile(file), { from_line: 2 });
  return rows.map(([source = "", id = "", field = "", value = ""]) => ({ source, id, field, value }));
}

/**
 * Corrects the rejects files in a report folder in place, as a data owner would in a spreadsheet. Returns the number of
 * corrected cells, and the paths of the corrected files by source.
 * @param root source whose rejects are in `rejects.csv` or `rejects.ndjson`
 */
export async function correctRejects(
  folder: string,
  root: string,
  corrections: readonly Correction[],
): Promise<{ readonly cells: number; readonly files: ReadonlyMap<string, string> }> {
  const files = new Map<string, string>();
  let cells = 0;
  for (const name of (await readdir(folder)).toSorted()) {
    const [, source = root, kind] = /^rejects(?:\.(.+))?\.(csv|ndjson)$/.exec(name) ?? [];
    if (kind === undefined) continue;
    const file = path.join(folder, name);
    const own = corrections.filter((correction) => correction.source === source);
    const correct = kind === "csv" ? correctCsv : correctNdjson;
    const { text, corrected } = correct(await readFile(file, "utf8"), own);
    await writeFile(file, text);
    files.set(source, file);
    cells += corrected;
  }
  return { cells, files };
}

interface Corrected {
  readonly text: string;
  readonly corrected: number;
}

function correctCsv(text: string, corrections: readonly Correction[]): Corrected {
  const [header = [], ...rows]: string[][] = parse(text, { relax_column_count: true });
  let corrected = 0;
  for (const { id, field, value } of corrections) {
    const row = rows.find(([first]) => first === id);
    const column = header.indexOf(field);
    if (row === undefined || column === -1) continue;
    row[column] = value;
    corrected += 1;
  }
  return { text: stringify([header, ...rows]), corrected };
}

function correctNdjson(text: string, corrections: readonly Correction[]): Corrected {
  let corrected = 0;
  const lines = text.split("\n").map((line) => {
    const own = corrections.filter(({ id }) => line.includes(JSON.stringify(id)));
    const correctedLine = own.reduce(applyToJson, line);
    if (correctedLine !== line) corrected += own.length;
    return correctedLine;
  });
  return { text: lines.join("\n"), corrected };
}

function applyToJson(line: string, { field, value }: Correction): string {
  const account: JsonValue = JSON.parse(line);
  const names = parsePointer(field);
  const inside = valueAt(account, names.slice(0, -1));
  const last = names.at(-1) ?? "";
  if (typeof inside !== "object" || inside === null) return line;
  if (value === "") Reflect.deleteProperty(inside, last);
  else Reflect.set(inside, last, value);
  return JSON.stringify(account);
}
